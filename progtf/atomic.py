"""Files that appear under their name only when they are whole."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PART = ".part"
"""Ending of a file that is not finished."""


@contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Keeps other processes out of a folder; a killed one leaves no lock behind.

    Raises:
        BlockingIOError: Another process is in there, unless one is to ``wait`` for its end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def part_of(path: Path) -> Path:
    """Returns the name under which a file grows."""
    return path.with_name(path.name + PART)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Opens `PATH.part` for writing; on success it becomes `path`, on an error it goes.

    A killed process leaves `PATH.part` and, at `path`, what was there before.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder lies where a file is to be written", path)
    part = part_of(path)
    try:
        with part.open("w+b") as file:
            yield file
            to_disk(file)
        publish(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def to_disk(file: BinaryIO) -> None:
    """Waits until what was written is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def publish(part: Path, path: Path) -> None:
    """Gives a finished file its name, so that the name outlasts a power cut.

    What was there before leaves its permissions.
    """
    if path.exists():
        part.chmod(path.stat().st_mode)
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
