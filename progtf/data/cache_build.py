"""Writes a cache, reading its module files once and keeping little of them in memory."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np

from progtf.atomic import replacing
from progtf.data.cache import BLOCK, HEADER, MAGIC, Source
from progtf.data.layout import ModuleFile
from progtf.data.text import Text

Report = Callable[[str, int], None]
"""Told the name of a file and how many of its problems have been read."""


def build_cache(
    path: Path,
    files: Iterable[ModuleFile],
    report: Report = lambda *_: None,
    made_of: str = "",
    *,
    named: bool = False,
) -> None:
    """Writes the problems of some module files to a cache, which appears when it is whole.

    Args:
        path: Where it is written.
        files: What is in it.
        report: Is told how far it is.
        made_of: A digest of what the files hold, which the cache keeps.
        named: A person named the file, which may be a link.

    Raises:
        DataError: A file has a bad line.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, named=named) as out:
        out.write(bytes(HEADER.size))
        offsets: list[int] = []
        checksums: list[int] = []
        sources: list[Source] = []
        for file in files:
            first = len(checksums)
            problems = 0
            for block in _blocks(file.text()):
                offsets.append(out.tell())
                checksums.append(_write(out, block))
                problems += len(block.question_length)
                report(f"{file.split}/{file.module}", len(block.question_length))
            sources.append(Source(file.split, file.module, problems, first, len(checksums) - first))
        offsets.append(out.tell())
        _write_index(out, offsets, checksums, (made_of, sorted(sources)))


def _blocks(texts: Iterable[Text]) -> Iterator[Text]:
    """Cuts pieces of text into blocks; only the last one has fewer than `BLOCK` problems."""
    rest: Text | None = None
    for text in texts:
        joined = text if rest is None else Text(*map(np.concatenate, zip(rest, text, strict=True)))
        *full, rest = _cut(joined)
        yield from full
    if rest is not None and len(rest.question_length):
        yield rest


def _cut(text: Text) -> Iterator[Text]:
    """Yields full blocks, and at the end what is left, which may be nothing."""
    ends = np.cumsum(text.question_length.astype(np.int64) + text.answer_length)
    begin = 0
    for first in range(0, len(ends) + 1, BLOCK):
        some = slice(first, first + BLOCK)
        end = int(ends[some][-1]) if first < len(ends) else begin
        yield Text(text.characters[begin:end], text.question_length[some], text.answer_length[some])
        begin = end


def _write(out: BinaryIO, block: Text) -> int:
    data = b"".join(
        part.tobytes() for part in (block.question_length, block.answer_length, block.characters)
    )
    out.write(data)
    return crc32(data)


def _write_index(
    out: BinaryIO, offsets: list[int], checksums: list[int], told: tuple[str, list[Source]]
) -> None:
    text = json.dumps(told).encode()
    index = np.asarray(offsets, "<u8").tobytes() + np.asarray(checksums, "<u4").tobytes() + text
    index_at = out.tell()
    out.write(index)
    out.seek(0)
    out.write(HEADER.pack(MAGIC, index_at, len(checksums), len(text), crc32(index)))
