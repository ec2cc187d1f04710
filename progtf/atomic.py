"""Files that appear under their name only when they are whole."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
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
    """Opens a new file beside `path`; on success it becomes `path`, on an error it goes.

    Whoever reads `path` finds what was there or what is new, whole, however many processes write it
    at once and whichever is killed. What a killed one leaves beside it, the next writing removes.

    Raises:
        OSError: something else than an ordinary file lies there, or cannot be written.
    """
    goal = _behind_links(path)
    _remove_left(goal)
    try:
        with _begun(goal) as file:
            try:
                yield file
                to_disk(file)
                publish(Path(file.name), goal)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        if error.filename is None or str(error.filename).endswith(PART):
            error.filename = str(path)
        raise


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Makes a folder beside `folder`; on success it becomes `folder`, on an error it goes.

    Of two processes that make the same one, one does and the other has an error.

    Raises:
        FileExistsError: Something lies there.
        OSError: It cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f"{folder.name}.{token_hex(4)}{PART}")
    part.mkdir()
    try:
        yield part
        for path in (*part.iterdir(), part):
            settle(path)
        if folder.exists():
            raise FileExistsError(errno.EEXIST, "something is there; name a folder that is not")
        part.rename(folder)
        settle(folder.parent)
    finally:
        rmtree(part, ignore_errors=True)


def write(path: Path, text: str) -> None:
    """Writes a text to a file as a whole; see `replacing`."""
    with replacing(path) as file:
        file.write(text.encode())


def _behind_links(path: Path) -> Path:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder lies where a file is to be written", path)
    goal = Path(os.path.realpath(path))
    if (path.exists() or os.path.lexists(goal)) and not path.is_file():
        raise OSError(errno.EINVAL, "no ordinary file: it is not written over", path)
    return goal


def _remove_left(path: Path) -> None:
    """Removes what killed processes left: nobody holds the lock on it."""
    for part in path.parent.glob(f"{escape(path.name)}.????????{PART}"):
        with suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def _begun(path: Path) -> BinaryIO:
    """A new file beside another, with a lock on it for as long as it is open."""
    while True:
        part = path.with_name(f"{path.name}.{token_hex(4)}{PART}")
        file = part.open("x+b")
        with suppress(OSError):  # a file system without locks: nothing is ever removed
            fcntl.flock(file, fcntl.LOCK_EX)
        if part.exists():
            return file
        file.close()  # removed before it was locked


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
    settle(path.parent)


def settle(path: Path) -> None:
    """Waits until a file or folder, as it lies there, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
