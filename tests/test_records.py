"""A curve is what was written: every bit of it counts, whoever reads it."""

import json
import os
import warnings
from pathlib import Path

import pytest

from progtf.records import line_of, read_records

RECORDS = [
    {"step": 0, "loss": None, "interpolate": 12.5},
    {"step": 7, "loss": 1.25, "modules": {"interpolate": {"a": 1.0, "é": 50.0}}},
    {"step": 14, "loss": -0.5, "drift": {"changed": 0.1, "moved": 1e-9}},
]
TEXT = "".join(map(line_of, RECORDS)).encode()


def found(path: Path, held: bytes):
    path.write_bytes(held)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return read_records(path), [str(each.message) for each in told]


def test_what_was_written_is_read(tmp_path):
    assert found(tmp_path / "a", TEXT) == (RECORDS, [])
    assert [json.loads(line)["step"] for line in TEXT.splitlines()] == [0, 7, 14]
    assert line_of({"step": 5, "loss": 1.5}) == '{"step": 5, "loss": 1.5, "crc32": "93f914e6"}\n'


@pytest.mark.parametrize("first", [0, 1, 2])
def test_every_bit_of_a_curve_counts(tmp_path, first):
    """One that is another is told, and no other number is read; of one line as of three."""
    for records in ([RECORDS[first]], RECORDS):
        held = "".join(map(line_of, records)).encode()
        for place in range(8 * len(held)):
            spoilt = bytearray(held)
            spoilt[place // 8] ^= 1 << place % 8
            read, told = found(tmp_path / "a", bytes(spoilt))
            assert told, (place, bytes(spoilt))
            assert all(each in records for each in read)


def test_a_line_that_is_being_written_is_waited_for(tmp_path):
    for end in range(len(TEXT)):
        read, told = found(tmp_path / "a", TEXT[:end])
        lines = TEXT[:end].count(b"\n") + (TEXT[end : end + 1] == b"\n")
        assert (read, told) == (RECORDS[:lines], [])


OTHERS = [
    b'{"step": 1}', b'{"step": 1}\n', b'{"step": 1}\r\n',
    b'\n{"step": 1}\n\n', b'  {"step": 1}  \n',
    b'{"step": 1, "crc": "0"}\n', b'{"crc32": "01234567", "step": 1}\n', b'{"step": NaN}\n',
]  # fmt: skip


@pytest.mark.parametrize("held", OTHERS)
def test_lines_of_others_have_no_checksum(tmp_path, held):
    read, told = found(tmp_path / "a", held)
    assert len(read) == 1
    assert not told


SPOILT = [
    b"\xff", b"[" * 100_000, b'{"step": ' + b"9" * 5000 + b"}", b"[1]", b"1", b"null", b'"a"', b"{",
    b"}", b"{}{}", b'{"a": 1', b"\0", b"garbage", b'{"step": 1}{"step": 2}', b'{"step": 1} x',
    b"{'step': 1}", b'{"step": 01}', b"{step: 1}", b"a" * 5_000_000,
    line_of({"step": 1}).encode().replace(b"1", b"2", 1).rstrip(),
]  # fmt: skip


@pytest.mark.parametrize("spoilt", SPOILT, ids=lambda held: repr(held[:20]))
def test_lines_that_are_no_records_are_left_out_and_told(tmp_path, spoilt):
    read, told = found(tmp_path / "a", TEXT + spoilt + b"\n" + TEXT)
    assert read == RECORDS * 2
    assert "a:4: this line is not what was written: it is left out" in told[0]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_not_read(tmp_path, make):
    make(tmp_path / "a")
    with pytest.raises(OSError, match=r"no ordinary file|a folder lies"):
        read_records(tmp_path / "a")
