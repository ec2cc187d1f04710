"""Stdin, stdout and stderr, whatever they are: closed, full, cut off, or in an old encoding."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

from progtf.bounded import SETTINGS
from progtf.cli.messages import UserError
from progtf.terminal import WRITTEN_OUT
from progtf.texts import Line, TooLongError, lines_in

_WRONG_WAY = (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))
"""How a closed one is opened: who reads it, or writes to stdout, is told so by the system."""


def settle() -> None:
    """Makes streams of all three that can be asked; a character they cannot write is written out.

    The places of closed ones are taken, lest a file that is opened later be written to as stdout.
    """
    for number, (name, way) in enumerate(_WRONG_WAY):
        if getattr(sys, name) is None:
            _take(number, way)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, errors=WRITTEN_OUT)


def _take(number: int, way: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        taken = os.open(os.devnull, way)
        if taken != number:
            os.dup2(taken, number)
            os.close(taken)


def _reconfigure(stream: TextIO, **settings: str) -> None:
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(**settings)


def given_up(stream: TextIO) -> bool:
    """Whether what was said to a stream cannot be written; if so, nobody tries again."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, stream.fileno())
            os.close(silent)
            stream.flush()
        return True
    return False


def lines_of_stdin() -> Iterator[Line]:
    """The lines of stdin as they come.

    Raises:
        UserError: if it cannot be read, or a line has no end.
    """
    try:
        yield from lines_in(sys.stdin.buffer)
    except TooLongError as error:
        raise UserError(f"stdin: {error}") from None
    except OSError as error:
        raise _unread(error) from None


def read_stdin() -> bytes:
    """All of stdin, which is a program.

    Raises:
        UserError: if it cannot be read, or is too long.
    """
    try:
        data = sys.stdin.buffer.read(SETTINGS + 1)
    except OSError as error:
        raise _unread(error) from None
    if len(data) > SETTINGS:
        raise UserError(f"stdin has more than {SETTINGS:,} bytes")
    return data


def _unread(error: OSError) -> UserError:
    return UserError(f"stdin: {(error.strerror or str(error)).lower()}")
