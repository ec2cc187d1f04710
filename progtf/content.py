"""What things are, told by a digest of their content: all that is kept is kept by such a key.

A key is of everything that was read, looked for and configured, each part whole: a list stays a
list, however long it is.
"""

import hashlib
import json
import time
from functools import lru_cache
from pathlib import Path

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


def digest_once(path: Path) -> str:
    """The same of a large file, which is read again only if its place, size or times are others."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ""
    if time.time() - max(found.st_ctime, found.st_mtime) < SETTLED:
        return digest_of(path)
    return _digest(
        path.absolute(),
        (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns),
    )


@lru_cache(4096)
def _digest(path: Path, as_it_is: tuple[int, ...]) -> str:
    del as_it_is
    return digest_of(path)
