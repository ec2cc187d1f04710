"""Makes what comes with progtf of the programs that come with it: `python scripts/shipped.py`.

Each example is read once, and asked its own questions once, as `progtf run` would; what that keeps
lies in `progtf/shipped`, so that the first question of a user finds it there. `make setup` does it;
what is there already is not made again, and what nobody would find any more is removed.
"""

import lzma
import sys
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from progtf.cache import SHIPPED, Cache, library, ship
from progtf.compiled import ANSWERING, Place
from progtf.content import digest_of, key_of
from progtf.notation.grammar import grammar_text
from progtf.notation.render import SemeError
from progtf.running.interpret import Interpreter
from progtf.running.ready import Ready

ROOT = Path(__file__).parents[1]
STAMP = SHIPPED / "stamp"
OURS = {"std", "program"}
"""Where files of this project lie, from a program of its own."""
MOST = 4 * 2**20
"""Bytes of all of it."""


@dataclass(frozen=True)
class Shipping(Cache):
    """A cache of which the folder is the one that is shipped.

    Attributes:
        asked: the keys that somebody would look for.
    """

    asked: set[str] = field(default_factory=set[str])

    @property
    def keeps(self) -> bool:
        """It does."""
        return True

    def read(self, key: str, *, own_first: bool = False) -> bytes | None:
        """What is there already."""
        self.asked.add(key)
        return super().read(key, own_first=own_first)

    def write(self, key: str, content: bytes) -> None:
        """Writes it; smaller than a cache has it, which must be quick."""
        self.asked.add(key)
        with suppress(zlib.error):  # but a note of files
            content = lzma.compress(zlib.decompress(content), preset=3)
        assert self.shipped is not None
        ship(self.shipped, key, content)


class Shipped(Place):
    """A program that is shipped: what answers for it, and no more, or it would be twice as much."""

    def put(self, name: str, parts: Any, rooms: Sequence[str] = ANSWERING) -> None:
        """Leaves the program itself out."""
        if rooms == ANSWERING:
            super().put(name, parts, rooms)


def made(path: Path) -> set[str]:
    """Makes what is shipped of a program; the keys by which it is found.

    It is nothing of one that reads tables of others: these are not ours to ship.
    """
    kept = Shipping(None, shipped=SHIPPED)
    place = Shipped(path, path.read_bytes(), kept)
    ready = Ready(lambda: place.read()[0], place)
    with suppress(SemeError):  # a file that uses it is a program, or it wants data
        if place.seen is None:
            _ = ready.program  # tells which files it reads
        if place.seen is None or not {root for root, _ in place.seen.files} <= OURS:
            return set()
        if ready.kinds.flags:
            Interpreter(ready).try_answers([asked for asked, _ in ready.first.interface.examples])
    return kept.asked


def main() -> None:
    """Makes what is missing, in two processes."""
    paths = sorted((ROOT / "examples").rglob("*.seme"), key=lambda path: -path.stat().st_size)
    read = [*paths, *sorted((ROOT / "examples").rglob("*.?sv")), *(ROOT / "progtf/std").iterdir()]
    found = [(path.relative_to(ROOT).as_posix(), digest_of(path)) for path in read]
    now = key_of(library(*ANSWERING), grammar_text(), found)
    if STAMP.is_file() and STAMP.read_text() == now:
        return
    print(f"Getting {len(paths)} programs ready, once ...", flush=True)
    first = ROOT / "examples/math/all.seme"
    with ProcessPoolExecutor(2) as pool:
        keys = set[str]().union(*pool.map(made, [first, *(p for p in paths if p != first)]))
    for path in SHIPPED.glob("*.kept"):
        if path.stem not in keys:
            path.unlink()
    size = sum(path.stat().st_size for path in SHIPPED.glob("*.kept"))
    if size > MOST:
        sys.exit(f"{SHIPPED}: {size:,} bytes, more than {MOST:,}")
    STAMP.write_text(now)


if __name__ == "__main__":
    main()
