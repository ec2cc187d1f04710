"""One file that holds a split, read through a memory map.

    header   64 bytes, written last: see `HEADER`
    blocks   of up to 256 problems of one module file, each
                 question lengths   one byte a problem
                 answer lengths     one byte a problem
                 text               question, answer, question, answer, no line ends
    index    where each block begins and the last one ends (uint64), the blocks' CRC-32 (uint32),
             and as JSON a digest of what the file was made of, and which module file begins at
             which block

Numbers are little-endian. Text is kept as characters: the vocabulary is chosen when batches are
made. Only the index is held in memory, twelve bytes for 256 problems.
"""

import json
import mmap
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from progtf.data.errors import DataError
from progtf.data.modules import choose_modules
from progtf.data.text import Text
from progtf.equality import compared

BLOCK = 256
"""Problems that are kept, read and shuffled together."""

MAGIC = b"progtf cache 2\n\0"
HEADER = struct.Struct("<16s4Q16x")  # magic, index at, blocks, JSON bytes, CRC-32 of the index

_REBUILD = "build it again with `progtf data cache`"


class Source(NamedTuple):
    """The problems of one module file.

    Attributes:
        split: Such as `train-easy`.
        module: Such as `numbers__gcd`.
        problems: How many there are.
        first: Its first block.
        blocks: How many blocks it has; all but the last one are full.
    """

    split: str
    module: str
    problems: int
    first: int
    blocks: int


@compared
@dataclass(frozen=True)
class Cache:
    """A split, or some modules of it.

    Attributes:
        path: The file.
        sources: Its module files, by split and module.
        data: The bytes of the whole file.
        offsets: Where each block begins, and after the last one the index.
        checksums: CRC-32 of each block, which is compared whenever it is read.
        made_of: A digest of what the file was made of; "": nobody asked.
    """

    path: Path
    sources: tuple[Source, ...]
    data: mmap.mmap
    offsets: NDArray[np.uint64]
    checksums: NDArray[np.uint32]
    made_of: str = ""

    def __len__(self) -> int:
        return sum(source.problems for source in self.sources)

    def of(self, modules: Iterable[str]) -> "Cache":
        """Returns the part with the modules that the patterns of `choose_modules` name.

        Raises:
            DataError: A pattern names none.
        """
        known = sorted({source.module for source in self.sources})
        chosen = choose_modules(modules, known)
        sources = tuple(source for source in self.sources if source.module in chosen)
        return replace(self, sources=sources)

    def text(self, source: Source, block: int) -> Text:
        """Returns a copy of block `block` of a source, counted from its first.

        Raises:
            DataError: It is damaged.
        """
        size = BLOCK if block < source.blocks - 1 else source.problems - block * BLOCK
        data = np.frombuffer(self._block(source.first + block), np.uint8)
        return Text(data[2 * size :], data[:size], data[size : 2 * size])

    def forget(self) -> None:
        """Gives the memory of the pages read so far back; they are read again when needed."""
        if hasattr(mmap, "MADV_DONTNEED"):  # Linux and macOS
            self.data.madvise(mmap.MADV_DONTNEED)

    def check(self) -> None:
        """Reads every block and compares it with its checksum.

        Raises:
            DataError: One differs.
        """
        for number in range(len(self.checksums)):
            self._block(number)
        self.forget()

    def _block(self, number: int) -> bytes:
        begin, end = self.offsets[number : number + 2].tolist()
        data = self.data[begin:end]
        if crc32(data) != self.checksums[number]:
            raise DataError(f"bytes {begin} to {end} are damaged", self.path, help=_REBUILD)
        return data


def open_cache(path: Path) -> Cache:
    """Opens a file that `progtf data cache` built.

    Raises:
        DataError: It is not there, not such a file, cut short or damaged.
    """
    if not path.is_file():
        raise DataError("there is no such cache", path, help=_REBUILD)
    with path.open("rb") as file:
        header = file.read(HEADER.size)
        if len(header) < HEADER.size or header[: len(MAGIC)] != MAGIC:
            raise DataError("this is not a progtf cache of this version", path, help=_REBUILD)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _, index_at, blocks, json_bytes, checksum = told = HEADER.unpack(header)
    if header != HEADER.pack(*told):
        raise DataError("its header is damaged", path, help=_REBUILD)
    expected = index_at + 8 * (blocks + 1) + 4 * blocks + json_bytes
    if len(data) != expected:
        message = f"cut short or overlong: {len(data)} bytes of {expected}"
        raise DataError(message, path, help=_REBUILD)
    index = data[index_at:]
    if crc32(index) != checksum:
        raise DataError("its index is damaged", path, help=_REBUILD)
    return _cache(path, data, index, blocks)


def _cache(path: Path, data: mmap.mmap, index: bytes, blocks: int) -> Cache:
    offsets = np.frombuffer(index, "<u8", blocks + 1)
    checksums = np.frombuffer(index, "<u4", blocks, offsets.nbytes)
    try:
        made_of, told = json.loads(index[offsets.nbytes + checksums.nbytes :])
        sources = tuple(Source(*source) for source in told)
        _check_sources(sources, offsets, len(data))
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"its index means nothing: {error}", path, help=_REBUILD) from None
    return Cache(path, sources, data, offsets, checksums, made_of)


def _check_sources(sources: tuple[Source, ...], offsets: NDArray[np.uint64], size: int) -> None:
    """Raises ValueError or TypeError for blocks that are not there, or not so full."""
    if (offsets[1:] < offsets[:-1]).any() or offsets.max() > size:
        raise ValueError("blocks that are not there")
    for split, module, problems, first, blocks in sources:
        if not (isinstance(split, str) and isinstance(module, str)):
            raise TypeError("files without names")
        if min(problems, first, blocks) < 0 or first + blocks >= len(offsets):
            raise ValueError("blocks that are not there")
        if blocks != -(-problems // BLOCK):
            raise ValueError("blocks that are not full")
