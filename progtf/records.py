"""Records of what happened, a JSON object a line, each with a CRC-32 of its own text at its end.

`{"step": 5, "loss": 1.5, "crc32": "93f914e6"}`: whoever reads it sees whether a bit is another one.
Lines of others, which have none, are taken as they are.
"""

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from progtf.bounded import check_ordinary

LONGEST = 4 * 2**20
"""Bytes of a line."""
MOST = 2**28
"""Bytes of a file."""
_KEY = "crc32"
_SIZE = len(f', "{_KEY}": "01234567"}}')


def line_of(record: Mapping[str, Any]) -> str:
    """A record as a line."""
    body = json.dumps(record)[:-1]
    return body + _tail(body.encode()).decode() + "\n"


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records in a file that may still grow: of its last line the beginning may stand there.

    A line that is not what was written is left out, and a warning says so.

    Raises:
        OSError: if the file is none, or cannot be read.
    """
    return list(_whole(path))


def _whole(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path), start=1):
        record = _read(line)
        if record is not None:
            yield record
        elif line.strip():
            warnings.warn(
                f"{path}:{number}: this line is not what was written: it is left out", stacklevel=3
            )


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, without their ends; one that is too long is cut and so damaged."""
    check_ordinary(path)
    left = MOST
    with path.open("rb") as file:
        while left > 0 and (line := file.readline(LONGEST)):
            left -= len(line)
            if line.endswith(b"\n"):
                yield line[:-1]
            elif len(line) == LONGEST or _is_there(line):
                yield line


def _is_there(line: bytes) -> bool:
    """Whether all of a record, and not its beginning alone, stands in a line without an end."""
    try:
        json.JSONDecoder().raw_decode(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _read(line: bytes) -> dict[str, Any] | None:
    """The record in a line; None: it is none, or another one than was written."""
    body, tail = line[:-_SIZE], line[-_SIZE:]
    due = _tail(body)
    if tail != due:
        if _alike(tail, due):
            return None
        body = line
    try:
        record = json.loads(body + b"}" if tail == due else body)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _tail(body: bytes) -> bytes:
    return f', "{_KEY}": "{crc32(body):08x}"}}'.encode()


def _alike(tail: bytes, due: bytes) -> bool:
    """Whether it is meant to be one: what stands around the digits is the same but for a byte."""
    pairs = list(zip(tail, due, strict=False))
    return sum(a != b for a, b in (*pairs[:-10], *pairs[-2:])) <= 1 and len(pairs) == _SIZE
