"""Files that people name, read as a whole: ordinary ones, and never beyond a bound.

A pipe has no end that one could wait for, and `/dev/zero` none at all; three gigabytes are no
program.
"""

import errno
import os
import stat
from pathlib import Path

SETTINGS = 64 * 2**20
"""Bytes of a program, or of a file of settings."""


def read_bytes(path: Path, most: int = SETTINGS) -> bytes:
    """The bytes of a file.

    Raises:
        OSError: if there is none, it is no ordinary file, has more bytes, or cannot be read.
    """
    found = path.stat()
    check_ordinary(path, found)
    if found.st_size <= most:
        with path.open("rb") as file:
            data = file.read(found.st_size + 1)
            if len(data) > found.st_size:  # it grows, or is one of those that the system makes
                data += file.read(max(0, most + 1 - len(data)))
        if len(data) <= most:
            return data
    raise OSError(errno.EFBIG, f"the file has more than {most:,} bytes", str(path))


def check_ordinary(path: Path, found: os.stat_result | None = None) -> None:
    """Raises OSError unless an ordinary file lies there, or behind a link."""
    mode = (found or path.stat()).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "a folder lies where a file is due", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "no ordinary file: it is not read", str(path))


def why_unread(path: Path) -> str | None:
    """Why a file is not read, before anybody tries; None for an ordinary one."""
    try:
        check_ordinary(path)
    except FileNotFoundError:
        return "there is no such file"
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        return (getattr(error, "strerror", None) or "no file can be called so").lower()
    return None


def is_other(path: Path) -> bool:
    """Whether something lies there that is neither a file nor a folder: a pipe, a device."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
