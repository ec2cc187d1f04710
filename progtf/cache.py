"""What was found out once, kept in the user's cache by all that decides it.

A key is a SHA-256 of everything that an entry depends on: no entry is ever out of date. One that is
truncated or foreign is as good as none; where nothing can be written, nothing is kept. What was
found of the programs that come with this library comes with it (`scripts/shipped.py`).
"""

import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from platformdirs import user_cache_path

from progtf.atomic import replacing
from progtf.bounded import read_bytes
from progtf.content import key_of

FOLDER = "PROGTF_CACHE"
"""The environment variable that names the folder; empty: nothing is kept."""
SHIPPED = Path(__file__).with_name("shipped")
"""The folder of what comes with this library; it is only read."""
MOST = 256 * 2**20
_ENTRY = re.compile(r"[0-9a-f]{64}\.kept(\..*)?")  # and what a killed process left of one
_DIGEST = hashlib.sha256().digest_size


JOURNAL, PROGRAMS = "readings.json", 200
"""Where the last readings of so many programs are noted."""
LAST = 1e10
"""Seconds since 1970 that no clock will show."""


@dataclass(frozen=True)
class Reading:
    """That a program was read anew.

    Attributes:
        when: the seconds of its end since 1970.
        seconds: how long it took.
        why: nothing that was kept was of use.
        state: what it was read from: the library, its text, and its files by their places.
    """

    when: float
    seconds: float
    why: str
    state: dict[str, str]

    @classmethod
    def of(cls, told: Any) -> "Reading | None":
        """What was noted; None: it is nobody's."""
        due = {field.name for field in fields(cls)}
        if not isinstance(told, dict) or {*cast("dict[str, Any]", told)} != due:
            return None
        times, words = (told["when"], told["seconds"]), (told["why"], told["state"])
        if not all(type(time) in (int, float) and 0 <= time < LAST for time in times):
            return None
        why, state = words
        held = isinstance(why, str) and isinstance(state, dict)
        said = cast("dict[str, Any]", state).values() if held else (None,)
        return cls(**told) if all(isinstance(each, str) for each in said) else None


@dataclass(frozen=True)
class Cache:
    """A folder of entries; those that were not read for longest go when there are too many.

    Attributes:
        folder: None: nothing is kept.
        most: how many bytes are kept.
        shipped: the folder of entries that came with the library; None: they are not looked at.
    """

    folder: Path | None
    most: int = MOST
    shipped: Path | None = None

    @classmethod
    def of_user(cls) -> "Cache":
        """The user's, or the one that the environment names."""
        named = os.environ.get(FOLDER)
        if named is not None:
            folder = Path(named)
            with suppress(RuntimeError):  # there is nobody of that name
                folder = folder.expanduser()  # which files of settings leave as `~`
            return cls(folder.absolute() if named else None, shipped=SHIPPED)
        folder = user_cache_path("progtf", appauthor=False)
        home = folder if folder.is_absolute() else None  # it is not where nobody has a home
        return cls(home, shipped=SHIPPED)

    @property
    def keeps(self) -> bool:
        """Whether what is written is kept."""
        return self.folder is not None

    def read(self, key: str, *, own_first: bool = False) -> bytes | None:
        """What is kept under a key; None: nothing that was written here, or came along.

        ``own_first``: what was written here counts before what came along, which are two where a
        key does not tell all that decides.
        """
        ways = (self._written, self._came) if own_first else (self._came, self._written)
        return next((found for way in ways if (found := way(key)) is not None), None)

    def _came(self, key: str) -> bytes | None:
        return None if self.shipped is None else _read(self.shipped, key)

    def _written(self, key: str) -> bytes | None:
        if self.folder is None:
            return None
        name = _own(key)
        found = _read(self.folder, name)
        if found is not None:
            with suppress(OSError):
                os.utime(_place(self.folder, name))
        return found

    def write(self, key: str, content: bytes) -> None:
        """Keeps something under a key, if that is possible."""
        if self.folder is None:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self.folder, _own(key), content)
            self._prune()

    def clear(self) -> tuple[int, int, int]:
        """Removes all entries: how many are gone, their bytes, and how many are still there."""
        found, held = list(self._entries()), list[int]()
        for path, _, size in found:
            try:
                path.unlink(missing_ok=True)
            except OSError:
                held.append(size)
        if self.folder is not None:
            with suppress(OSError):
                (self.folder / JOURNAL).unlink()
        gone = sum(size for *_, size in found) - sum(held)
        return len(found) - len(held), gone, len(held)

    @property
    def readings(self) -> "dict[str, Reading]":
        """The last time that each program was read anew, by where it lies, the latest last."""
        if self.folder is None:
            return {}
        with suppress(OSError, ValueError, RecursionError):  # nobody's
            held = json.loads(read_bytes(self.folder / JOURNAL))
            if isinstance(held, dict):
                noted = cast("dict[str, Any]", held)
                return {path: each for path, told in noted.items() if (each := Reading.of(told))}
        return {}

    def note(self, path: str, reading: "Reading") -> None:
        """Notes that a program was read anew."""
        if self.folder is None:
            return
        known = self.readings
        known.pop(path, None)
        told = {name: asdict(each) for name, each in [*known.items(), (path, reading)][-PROGRAMS:]}
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self.folder / JOURNAL) as file:
                file.write(json.dumps(told).encode())

    def _prune(self) -> None:
        entries = sorted(self._entries(), key=lambda entry: entry[1])
        size = sum(size for _, _, size in entries)
        for path, _, freed in entries:
            if size <= self.most:
                return
            with suppress(OSError):
                path.unlink()
            size -= freed

    @property
    def size(self) -> tuple[int, int]:
        """How many entries there are, and their bytes."""
        sizes = [size for *_, size in self._entries()]
        return len(sizes), sum(sizes)

    def _entries(self) -> Iterator[tuple[Path, float, int]]:
        """File, time of its last use and size of every entry, and of nothing else."""
        with suppress(OSError):
            for each in os.scandir(self.folder) if self.folder else ():
                if _ENTRY.fullmatch(each.name):
                    with suppress(OSError):
                        found = each.stat()
                        yield Path(each.path), found.st_mtime, found.st_size


def ship(folder: Path, key: str, content: bytes) -> None:
    """Writes an entry that comes with the library."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, key, content)


def _read(folder: Path, name: str) -> bytes | None:
    try:
        held = read_bytes(_place(folder, name), MOST)
    except OSError:
        return None
    digest, content = held[:_DIGEST], held[_DIGEST:]
    return content if digest == _digest(name, content) else None


def _write(folder: Path, name: str, content: bytes) -> None:
    with replacing(_place(folder, name)) as file:
        file.write(_digest(name, content) + content)


def _place(folder: Path, name: str) -> Path:
    return folder / f"{name}.kept"


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


@cache
def library(*rooms: str) -> str:
    """A digest of the modules of this library: any other may find something else.

    Args:
        rooms: the packages that take part, beside the modules at the top; none are named: all.
    """
    here, digest = Path(__file__).parent, hashlib.sha256()
    under = [path for room in rooms for path in (here / room).rglob("*.py")]
    for path in sorted({*here.glob("*.py"), *(under if rooms else here.rglob("*.py"))}):
        digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _own(key: str) -> str:
    """The key of what is found here: another version of what it is computed with has another."""
    return key_of(key, *_versions())


@cache
def _versions() -> tuple[str, ...]:
    return (sys.version, platform.machine(), *map(_version, _USED))


_USED = ("lark", "numpy", "pydantic")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # in the browser it is a folder of sources
        return ""
