"""What was compiled is kept by all that it was read from, and by nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

import progtf
from progtf import compiled
from progtf.cache import Cache
from progtf.cli.sources import read_proven
from progtf.compiled import Compiled

MAIN = """\
use "used.seme"
lexicon from "words.tsv":
  each > a
  unknown: 0
layer:
  use copied()
"""
USED = """\
semes: a b
circuit copied():
  feedforward:
    b: a
"""


MODULES = """\
import sys
from progtf.cli.main import main
try:
    main()
finally:
    print(*sys.modules)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "main.seme").write_text(MAIN)
    (tmp_path / "used.seme").write_text(USED)
    (tmp_path / "words.tsv").write_text("word\ndog\n")
    return tmp_path


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "cache")


def known(folder, kept, dtype=None):
    path = folder / "main.seme"
    return Compiled(path, path.read_bytes(), dtype, kept).weights()


def read(folder, kept, dtype=None):
    return read_proven(folder / "main.seme", dtype, kept)


def test_what_is_kept_is_what_was_compiled_with_what_is_proven_of_it(folder, kept):
    assert known(folder, kept) is None
    made = read(folder, kept)
    again = known(folder, kept)
    assert again is not None
    assert again == made
    assert again.outcome == made.outcome
    assert str(again.outcome).startswith("exact")


def test_every_format_is_kept_by_itself(folder, kept):
    assert read(folder, kept, "float16").dtype == "float16"
    assert known(folder, kept) is None
    assert read(folder, kept).dtype == "float32"
    assert known(folder, kept, "float16").dtype == "float16"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.seme", MAIN.replace("unknown: 0", "unknown: +a")),
        ("used.seme", USED.replace("b: a", "b: !a")),
        ("words.tsv", "word\ncat\n"),
    ],
)
def test_another_text_of_any_file_is_another_program(folder, kept, name, text):
    before = read(folder, kept)
    old = (folder / name).read_text()
    (folder / name).write_text(text)
    assert known(folder, kept) is None
    after = read(folder, kept)
    assert after != before
    assert known(folder, kept) == after
    (folder / name).write_text(old)
    assert read(folder, kept) == before


def test_a_file_that_goes_is_told_and_not_remembered(folder, kept):
    read(folder, kept)
    (folder / "used.seme").unlink()
    assert known(folder, kept) is None
    with pytest.raises(progtf.SemeError, match="no such file"):
        read(folder, kept)


def test_a_table_that_appears_nearer_is_read(folder, kept, monkeypatch, tmp_path_factory):
    far = tmp_path_factory.mktemp("far")
    (folder / "words.tsv").rename(far / "words.tsv")
    monkeypatch.setenv("PROGTF_DATA", str(far))
    read(folder, kept)
    assert known(folder, kept) is not None
    (folder / "words.tsv").write_text("word\ncat\n")
    assert known(folder, kept) is None
    assert "cat" in read(folder, kept).layout.lexicon


def test_another_library_compiles_again(folder, kept, monkeypatch):
    read(folder, kept)
    monkeypatch.setattr(compiled, "library", lambda: "another")
    assert known(folder, kept) is None


def test_a_truncated_entry_is_as_good_as_none(folder, kept):
    made = read(folder, kept)
    for entry in kept.folder.iterdir():
        entry.write_bytes(entry.read_bytes()[:-7])
    assert known(folder, kept) is None
    assert read(folder, kept) == made


def test_nothing_is_kept_where_nothing_is_to_be(folder, tmp_path):
    read(folder, Cache(None))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "main.seme",
        "used.seme",
        "words.tsv",
    ]


def test_the_second_run_neither_reads_the_notation_nor_checks(folder, monkeypatch):
    monkeypatch.setenv("PROGTF_CACHE", str(folder / "cache"))
    line = [sys.executable, "-c", MODULES, "run", str(folder / "main.seme"), "dog"]
    first, second = (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert first.splitlines()[0] == second.splitlines()[0] == "dog: +a +b"
    modules = {"lark", "progtf.exact", "progtf.notation.parser", "progtf.outcomes"}
    assert modules <= {*first.split()}
    assert not modules & {*second.split()}
    assert Path(folder / "cache").is_dir()
