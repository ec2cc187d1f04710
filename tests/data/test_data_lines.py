"""Texts that people give are read as a stream, and never beyond a bound."""

import gzip
import io
import json
import tarfile
from contextlib import suppress

import pytest

from progtf import texts
from progtf.data import DataError, lines, open_layout, open_pairs, unpack
from progtf.data import layout as layouts
from progtf.data.lines import lines_of, whole_text
from progtf.tasks.comprehension import has_passages, read_questions
from progtf.tasks.word_problems import read_word_problems
from tests.cli.forked import results_of

MANY = 3000
"""Megabytes that a few kilobytes are unpacked to."""


def bomb(path, piece=b"a" * 2**20, head=b"", tail=b"", count=MANY):
    """Compressed twice as fast: members of a gzip file stand one after another."""
    once = gzip.compress(piece, 9)
    path.write_bytes(gzip.compress(head) + once * count + gzip.compress(tail))


def test_lines_end_in_what_ends_lines(tmp_path):
    for text in ("", "a", "a\n", "a\r\nb\n\nc", "a\rb\n", "é\u2028b\n", "a\x0cb", "\n"):
        (tmp_path / "a.txt").write_bytes(text.encode())
        with gzip.open(tmp_path / "a.gz", "wb") as file:
            file.write(text.encode())
        for name in ("a.txt", "a.gz"):
            ended = text.replace("\r\n", "\n").replace("\r", "\n")
            lines = ended.removesuffix("\n").split("\n") if text else []
            assert [line.text for line in lines_of(tmp_path / name)] == lines
            assert whole_text(tmp_path / name) == ended


READ = {
    ".tsv": open_pairs, ".txt": open_pairs, ".jsonl": read_questions, ".json": read_questions,
    ".JSONL": read_word_problems,
}  # fmt: skip
SPOILT = {
    "one line": lambda path: bomb(path, count=8, tail=b"\tb\n"),
    "cut short": lambda path: path.write_bytes(gzip.compress(b"a\tb\n" * 1000)[:-9]),
    "bytes": lambda path: path.write_bytes(gzip.compress(b"\xff\tb\n")),
    "a checksum": lambda path: path.write_bytes(gzip.compress(b"a\tb\n")[:-8] + bytes(8)),
    "a bit": lambda path: path.write_bytes(gzip.compress(b"a\tb\n")[:12] + b"\xff\xff\xff"),
    "nothing": lambda path: path.write_bytes(b""),
    "an empty text": lambda path: path.write_bytes(gzip.compress(b"")),
    "nested": lambda path: path.write_bytes(gzip.compress(b"[" * 100_000)),
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("ending", READ)
def test_what_cannot_be_read_is_a_clear_error(ending, spoilt, tmp_path):
    path = tmp_path / f"a{ending}.gz"
    SPOILT[spoilt](path)
    with pytest.raises(DataError, match=rf"a\{ending}\.gz"):
        READ[ending](path)
    assert has_passages(path) == (ending == ".json")


@pytest.mark.parametrize(
    ("bound", "value", "said"),
    [
        ("LONGEST", 3, "this line has more than 3 bytes"),
        ("MOST", 9, "this text has more than 9 characters"),
        ("MOST_LINES", 2, "this text has more than 2 lines"),
    ],
)
def test_bounds_are_told(bound, value, said, tmp_path, monkeypatch):
    monkeypatch.setattr(texts if bound == "LONGEST" else lines, bound, value)
    (tmp_path / "a.tsv").write_text("ab\tc\n" * 3)
    with pytest.raises(DataError, match=said):
        open_pairs(tmp_path / "a.tsv")


def test_a_text_as_a_whole_has_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "WHOLE", 20)
    (tmp_path / "a.json").write_text(json.dumps({"data": []}) + " " * 20)
    with pytest.raises(DataError, match="more than 20 bytes"):
        read_questions(tmp_path / "a.json")


def archive(path, texts, kind="w:gz"):
    with tarfile.open(path, kind) as made:
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            made.addfile(info, io.BytesIO(text))
    return path


def test_an_archive_is_unpacked_up_to_a_bound(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.tar.gz", {"interpolate/numbers__gcd.txt": b"1\n1\n" * 100})
    unpack(path, tmp_path / "whole", ("interpolate",))
    assert (tmp_path / "whole/interpolate/numbers__gcd.txt").stat().st_size == 400
    monkeypatch.setattr(layouts, "MOST", 399)
    with pytest.raises(DataError, match="more than 399 bytes"):
        unpack(path, tmp_path / "part", ("interpolate",))
    assert list((tmp_path / "part/interpolate").iterdir()) == []


@pytest.mark.parametrize("cut", range(0, 200, 20))
def test_a_spoilt_archive_is_a_clear_error_or_read_as_it_was(cut, tmp_path):
    for kind in ("w:gz", "w:xz", "w:bz2", "w"):
        path = archive(tmp_path / "a.tar", {"interpolate/numbers__gcd.txt": b"1\n1\n" * 999}, kind)
        data = path.read_bytes()
        path.write_bytes(data[: 20 + cut] + b"\xff" * 20 + data[40 + cut : -30])
        with suppress(DataError, OSError):  # and nothing else
            found = [list(file.problems()) for file in open_layout(path)]
            assert found == [[("1", "1")] * 999]


def test_gigabytes_of_a_few_kilobytes_end_in_a_message(tmp_path):
    """In a process that could not hold them."""
    bomb(tmp_path / "line.tsv.gz", tail=b"\tb\n")
    bomb(tmp_path / "line.jsonl.gz")
    bomb(tmp_path / "whole.json.gz", piece=b" " * 2**20)
    bomb(tmp_path / "rows.tsv.gz", piece=b"a\tb\n" * 2**18, count=300)
    (tmp_path / "p.seme").write_text("semes: a\nlexicon:\n  a: +a\n")
    names = ("line.tsv.gz", "line.jsonl.gz", "whole.json.gz", "rows.tsv.gz")
    cases = [
        {"argv": ["eval", "p.seme", "--data", name], "memory": 4 * 2**30, "limit": 120}
        for name in names
    ]
    for name, (status, out, err) in zip(names, results_of(cases, cwd=tmp_path), strict=True):
        assert status == 1, (name, err)
        assert err.startswith("error: ")
        assert "Traceback" not in out + err
