"""What was found out once, kept in the user's cache by all that decides it.

A key is a SHA-256 of everything that an entry depends on: no entry is ever out of date. One that is
truncated or foreign is as good as none; where nothing can be written, nothing is kept.
"""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from platformdirs import user_cache_path

from progtf.atomic import replacing
from progtf.bounded import read_bytes
from progtf.content import key_of

FOLDER = "PROGTF_CACHE"
"""The environment variable that names the folder; empty: nothing is kept."""
MOST = 256 * 2**20
_ENTRY = re.compile(r"[0-9a-f]{64}\.kept(\..*)?")  # and what a killed process left of one
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Cache:
    """A folder of entries; those that were not read for longest go when there are too many.

    Attributes:
        folder: None: nothing is kept.
        most: how many bytes are kept.
    """

    folder: Path | None
    most: int = MOST

    @classmethod
    def of_user(cls) -> "Cache":
        """The user's, or the one that the environment names."""
        named = os.environ.get(FOLDER)
        if named is not None:
            folder = Path(named)
            with suppress(RuntimeError):  # there is nobody of that name
                folder = folder.expanduser()  # which files of settings leave as `~`
            return cls(folder.absolute() if named else None)
        folder = user_cache_path("progtf", appauthor=False)
        return cls(folder if folder.is_absolute() else None)  # it is not where nobody has a home

    def read(self, key: str) -> bytes | None:
        """What is kept under a key; None: nothing that was written here."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.kept"
        try:
            held = read_bytes(path, MOST)
        except OSError:
            return None
        digest, content = held[:_DIGEST], held[_DIGEST:]
        if digest != _digest(key, content):
            return None
        with suppress(OSError):
            os.utime(path)
        return content

    def write(self, key: str, content: bytes) -> None:
        """Keeps something under a key, if that is possible."""
        if self.folder is None:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self.folder / f"{key}.kept") as file:
                file.write(_digest(key, content) + content)
            self._prune()

    def clear(self) -> tuple[int, int]:
        """Removes all entries: how many there were, and their bytes."""
        found = list(self._entries())
        for path, *_ in found:
            with suppress(OSError):
                path.unlink()
        return len(found), sum(size for _, _, size in found)

    def _prune(self) -> None:
        entries = sorted(self._entries(), key=lambda entry: entry[1])
        size = sum(size for _, _, size in entries)
        for path, _, freed in entries:
            if size <= self.most:
                return
            with suppress(OSError):
                path.unlink()
            size -= freed

    def _entries(self) -> Iterator[tuple[Path, float, int]]:
        """File, time of its last use and size of every entry, and of nothing else."""
        with suppress(OSError):
            for each in os.scandir(self.folder) if self.folder else ():
                if _ENTRY.fullmatch(each.name):
                    with suppress(OSError):
                        found = each.stat()
                        yield Path(each.path), found.st_mtime, found.st_size


@cache
def library() -> str:
    """A digest of this library, and of what it computes with: any other may find something else."""
    here, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(here.rglob("*.py")):
        digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes())
    return key_of(digest.hexdigest(), sys.version, platform.machine(), *map(_version, _USED))


_USED = ("lark", "numpy", "pydantic")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # in the browser it is a folder of sources
        return ""


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()
