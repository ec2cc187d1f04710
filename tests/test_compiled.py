"""What was compiled is kept by all that it was read from, and by nothing else."""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import progtf
from progtf import cache as caching
from progtf import compiled
from progtf.cache import Cache
from progtf.cli.sources import read_proven, read_understood
from progtf.compiled import Compiled, Understood

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


TABLE = """\
semes: noun verb
lexicon from "words/t.tsv":
  kind=n > noun
  kind=v > verb
"""
KINDS = {"noun": "word\tkind\ndog\tn\n", "verb": "word\tkind\ndog\tv\n"}
PLACES = (
    "a/words",
    "b/words",
    "far/words",
    "a/far/words",
    "b/far/words",
    "near/words",
    "last/words",
)
"""Beside two programs, below `$PROGTF_DATA` however it is meant, in packages of that name."""


def told(program, kept):
    """What a program says of a dog, or the mistake in it."""
    try:
        weights = read_proven(program, None, kept)
    except progtf.SemeError as error:
        with pytest.raises(progtf.SemeError):
            read_understood(program, kept)
        return str(error)
    held = weights.maps[("lexicon",), "vector"]
    found = {held.targets[column] for column in held.columns}
    assert {*read_understood(program, kept).lexicon["dog"]} == found
    return found


def put(place, kind):
    path = Path(place) / "t.tsv"
    path.unlink(missing_ok=True)
    if kind is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KINDS[kind])


def link(place, other):
    put(place, None)
    goal = Path(other).absolute() / "t.tsv"
    path = Path(place) / "t.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(goal)


CHANGES = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(PLACES), st.sampled_from([*KINDS, None])),
    st.tuples(st.just("link"), st.sampled_from(PLACES), st.sampled_from(PLACES)),
    st.tuples(st.just("data"), st.sampled_from([None, "", "far", "/far"])),
    st.tuples(st.just("stand"), st.sampled_from(["", "a", "b"])),
    st.tuples(st.just("packages"), st.sampled_from([["last"], ["near", "last"], []])),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CHANGES, min_size=3, max_size=12), st.booleans())
def test_whatever_changes_what_is_kept_says_what_is_read_anew(changes, relative):
    """Tables come, go, and lead elsewhere; who asks stands elsewhere, and looks elsewhere."""
    before, path, data = Path.cwd(), list(sys.path), os.environ.pop("PROGTF_DATA", None)
    with tempfile.TemporaryDirectory() as home:
        root, kept = Path(home).resolve(), Cache(Path(home) / "kept")
        stand = root
        try:
            for each in "ab":
                (root / each).mkdir()
                (root / each / "x.seme").write_text(TABLE)
            os.chdir(root)
            put("a/words", "noun")
            for what, *how in [("stand", "a"), *changes]:
                os.chdir(root)
                match what:
                    case "put":
                        put(*how)
                    case "link":
                        link(*how)
                    case "data" if how[0] is None:
                        os.environ.pop("PROGTF_DATA", None)
                    case "data":
                        far = how[0].replace("/far", str(root / "far"))
                        os.environ["PROGTF_DATA"] = far
                    case "packages":
                        sys.path[:] = [*(str(root / each) for each in how[0]), *path]
                    case _:
                        stand = root / how[0]
                os.chdir(stand)
                for program in (root / "a" / "x.seme", root / "b" / "x.seme"):
                    named = Path(os.path.relpath(program)) if relative else program
                    assert told(named, kept) == told(named, Cache(None))
        finally:
            os.chdir(before)
            sys.path[:] = path
            os.environ.pop("PROGTF_DATA", None)
            if data is not None:
                os.environ["PROGTF_DATA"] = data


def test_what_lies_below_another_folder_of_the_same_name_is_another_table(tmp_path, monkeypatch):
    kept = Cache(tmp_path / "kept")
    for each in "ab":
        (tmp_path / each / "p").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for each in "ab":
        Path(each, "p/x.seme").write_text(TABLE)
        put(f"{each}/p/words", "noun")
    monkeypatch.chdir(tmp_path / "a")
    assert told(Path("p/x.seme"), kept) == {"noun"}
    put("p/words", "verb")
    monkeypatch.chdir(tmp_path / "b")
    assert told(tmp_path / "a/p/x.seme", kept) == {"verb"}


@pytest.mark.parametrize("name", ["main.seme", "used.seme", "words.tsv"])
def test_a_file_that_changes_while_it_is_compiled_is_not_remembered(
    folder, kept, name, monkeypatch
):
    usual = Compiled.keep
    other = {
        "main.seme": MAIN.replace("unknown: 0", "unknown: +a"),
        "used.seme": USED.replace("b: a", "b: !a"),
        "words.tsv": "word\ncat\n",
    }

    def slow(place, weights, sought):
        (folder / name).write_text(other[name])
        usual(place, weights, sought)

    with monkeypatch.context() as patched:
        patched.setattr(Compiled, "keep", slow)
        before = read(folder, kept)
    after = read(folder, kept)
    assert after == read(folder, Cache(None))
    assert after != before


@pytest.mark.parametrize("place", range(0, 8000, 131))
def test_a_flipped_bit_in_what_is_kept_is_noticed_and_it_is_made_anew(folder, kept, place):
    made = read(folder, kept)
    entries = sorted(kept.folder.iterdir())
    for entry in entries:
        held = bytearray(entry.read_bytes())
        held[place % len(held)] ^= 1 << place % 8
        entry.write_bytes(held)
    assert known(folder, kept) is None
    assert read(folder, kept) == made
    assert known(folder, kept) == made


def test_entries_that_changed_places_are_none(folder, kept):
    made = read(folder, kept)
    entries = sorted(kept.folder.iterdir())
    for entry, other in zip(entries, [each.read_bytes() for each in entries[1:]], strict=False):
        entry.write_bytes(other)
    assert known(folder, kept) is None
    assert read(folder, kept) == made


@pytest.mark.parametrize("package", ["lark", "numpy", "pydantic"])
def test_another_version_of_what_it_computes_with_compiles_again(
    folder, kept, package, monkeypatch
):
    read(folder, kept)
    usual = caching.version
    monkeypatch.setattr(caching, "version", lambda name: name == package or usual(name))
    caching.library.cache_clear()
    try:
        assert known(folder, kept) is None
    finally:
        caching.library.cache_clear()


def test_another_library_compiles_again(folder, kept, monkeypatch):
    read(folder, kept)
    monkeypatch.setattr(compiled, "library", lambda: "another")
    assert known(folder, kept) is None


def test_a_program_is_kept_as_it_was_understood(folder, kept):
    path = folder / "main.seme"
    made = read_understood(path, kept)
    found = Understood(path, path.read_bytes(), kept).program()
    assert found == replace(made, sought=found.sought)
    (folder / "used.seme").write_text(USED.replace("b: a", "b: !a"))
    assert Understood(path, path.read_bytes(), kept).program() is None
    assert read_understood(path, kept) != found


def test_a_program_says_in_messages_what_its_file_was_called(folder, kept, monkeypatch):
    monkeypatch.chdir(folder)
    for path in (Path("main.seme"), folder / "main.seme", Path("main.seme")):
        assert read_understood(path, kept).name == str(path)


@pytest.mark.parametrize("place", range(0, 8000, 331))
def test_a_flipped_bit_in_a_program_that_is_kept_is_noticed(folder, kept, place):
    path = folder / "main.seme"
    made = read_understood(path, kept)
    for entry in sorted(kept.folder.iterdir()):
        held = bytearray(entry.read_bytes())
        held[place % len(held)] ^= 1 << place % 8
        entry.write_bytes(held)
    assert Understood(path, path.read_bytes(), kept).program() is None
    again = read_understood(path, kept)
    assert again == replace(made, sought=again.sought)


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


@pytest.mark.parametrize("more", [(), ("--engine", "network")])
def test_the_second_run_neither_reads_the_notation_nor_checks(folder, monkeypatch, more):
    monkeypatch.setenv("PROGTF_CACHE", str(folder / "cache"))
    line = [sys.executable, "-c", MODULES, "run", str(folder / "main.seme"), "dog", *more]
    first, second = (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert first.splitlines()[0] == second.splitlines()[0] == "dog: +a +b"
    checking = {"progtf.exact", "progtf.outcomes"}
    assert bool(checking & {*first.split()}) == bool(more)
    modules = {"lark", "progtf.notation.parser", *(checking if more else ())}
    assert modules <= {*first.split()}
    assert not modules & {*second.split()}
    assert Path(folder / "cache").is_dir()
