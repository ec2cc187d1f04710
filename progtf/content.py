"""What things are, told by a digest of their content: all that is kept is kept by such a key.

A key is of everything that was read, looked for and configured, each part whole: a list stays a
list, however long it is.
"""

import hashlib
import json
import time
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import TypeVar

SETTLED = 2.0
"""Seconds after which another change of a file has another time."""


def key_of(*parts: object) -> str:
    """A SHA-256 of values that JSON has; other parts have another key."""
    text = json.dumps(parts, sort_keys=True)  # of ASCII alone, so that every name has its bytes
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of(path: Path) -> str:
    """A SHA-256 of a file; "" where there is none, or none that can be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return ""


Found = TypeVar("Found")


def once_a_file(most: int) -> Callable[[Callable[[Path], Found]], Callable[[Path], Found]]:
    """Keeps what a function found of files: one is read again if its place, size or times change.

    A file that was changed a moment ago is read every time: another change may leave its times.

    Args:
        most: of so many files it is kept.
    """

    def keeping(read: Callable[[Path], Found]) -> Callable[[Path], Found]:
        @lru_cache(most)
        def settled(path: Path, *as_it_is: int) -> Found:
            del as_it_is
            return read(path)

        @wraps(read)
        def known(path: Path) -> Found:
            try:
                found = path.stat()
            except (OSError, ValueError):  # which it tells itself
                return read(path)
            if time.time() - max(found.st_ctime, found.st_mtime) < SETTLED:
                return read(path)
            times = found.st_mtime_ns, found.st_ctime_ns
            return settled(path, found.st_dev, found.st_ino, found.st_size, *times)

        return known

    return keeping


@once_a_file(4096)
def digest_once(path: Path) -> str:
    """The digest of a large file, which is read again only if it changes."""
    return digest_of(path)
