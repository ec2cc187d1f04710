"""Files that appear under their name only when they are whole, and are nobody else's.

A folder may have been given by others. So a link in it is never followed by what is written there,
and what is opened there to be written is an ordinary file of one name. Only a file that a person
names may be a link.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import BinaryIO

PART = ".part"
"""Ending of a file that is not finished."""
LOCK = ".lock"
"""Name of the file by which a process has a folder for itself."""


@contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Keeps other processes out of a folder; a killed one leaves no lock behind.

    Raises:
        BlockingIOError: Another process is in there, unless one is to ``wait`` for its end.
        OSError: Its ``.lock`` is no ordinary file, or cannot be opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with opened(folder / LOCK) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def opened(path: Path, *, append: bool = False) -> BinaryIO:
    """Opens a file that stays under its name while it is written; it is made if it is not there.

    Nothing in it is lost: it is neither emptied nor, if ``append``, written but at its end.

    Raises:
        OSError: A link, a pipe, a device, a folder or a file with other names lies there, or it
            cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    _check_ordinary(path)  # opening a device may do something
    try:
        handle = os.open(path, flags | (os.O_APPEND if append else 0), 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, _LINK, path) from None
        raise
    file = os.fdopen(handle, "a+b" if append else "r+b")
    try:
        _check_ordinary(path, os.fstat(handle))
    except OSError:
        file.close()
        raise
    return file


_LINK = "a link lies where a file is to be written; it is not followed"


def _check_ordinary(path: Path, state: os.stat_result | None = None) -> None:
    """Raises OSError unless an ordinary file of one name, or nothing, lies there."""
    try:
        state = state or path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(state.st_mode):
        raise OSError(errno.ELOOP, _LINK, path)
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder lies where a file is to be written", path)
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "no ordinary file: it is not written over", path)
    if state.st_nlink > 1:
        raise OSError(errno.EMLINK, "this file has other names; it is not written over", path)


def check_not_linked(folder: Path) -> None:
    """Raises OSError if a link lies where a folder inside another one is due."""
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "a link lies where a folder is due; it is not followed", folder)


def own_folder(path: Path) -> Path:
    """Makes a folder inside another one, if it is not there.

    Raises:
        OSError: A link or something else lies there, or it cannot be made.
    """
    check_not_linked(path)
    path.mkdir(parents=True, exist_ok=True)
    return path


def part_of(path: Path) -> Path:
    """Returns the name under which a file grows."""
    return path.with_name(path.name + PART)


@contextmanager
def replacing(path: Path, *, named: bool = False) -> Iterator[BinaryIO]:
    """Opens a new file beside `path`; on success it becomes `path`, on an error it goes.

    A link at `path` gives way to the file, unless a person ``named`` the link: then what lies
    behind it is written.

    Whoever reads `path` finds what was there or what is new, whole, however many processes write it
    at once and whichever is killed. What a killed one leaves beside it, the next writing removes.

    Raises:
        OSError: something else than an ordinary file lies there, or cannot be written.
    """
    goal = _goal(path, named=named)
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


def write(path: Path, text: str, *, named: bool = False) -> None:
    """Writes a text to a file as a whole; see `replacing`."""
    with replacing(path, named=named) as file:
        file.write(text.encode())


def _goal(path: Path, *, named: bool) -> Path:
    """The file that is to be replaced."""
    if not named and path.is_symlink():
        return path
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder lies where a file is to be written", path)
    goal = Path(os.path.realpath(path)) if named else path
    if (path.exists() or os.path.lexists(goal)) and not path.is_file():
        raise OSError(errno.EINVAL, "no ordinary file: it is not written over", path)
    return goal


def _remove_left(path: Path) -> None:
    """Removes what killed processes left: nobody holds the lock on it."""
    for part in path.parent.glob(f"{escape(path.name)}.????????{PART}"):
        with suppress(OSError), opened(part) as file:
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
    with suppress(FileNotFoundError):
        there = path.lstat().st_mode
        if stat.S_ISREG(there):
            part.chmod(there & 0o777)
    part.replace(path)
    settle(path.parent)


def settle(path: Path) -> None:
    """Waits until a file or folder, as it lies there, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
