"""Stdin, stdout and stderr, whatever they are: closed, full, cut off, or in an old encoding."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

from progtf.bounded import SETTINGS
from progtf.cli.messages import UserError
from progtf.terminal import WRITTEN_OUT

LONGEST = 2**24
"""Characters of a line of stdin."""
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
    _reconfigure(sys.stdin, encoding="utf-8", errors="surrogateescape")


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


def lines_of_stdin() -> Iterator[str]:
    """The lines of stdin as they come, their ends with them.

    Raises:
        UserError: if it cannot be read, a line is no text in UTF-8, or it has no end.
    """
    number = 0
    try:
        while line := sys.stdin.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST:
                raise UserError(f"line {number} of stdin is longer than {LONGEST:,} characters")
            yield _checked(number, line)
    except OSError as error:
        raise UserError(f"stdin: {(error.strerror or str(error)).lower()}") from None


def read_stdin() -> str:
    """All of stdin, which is a program; errors as ``lines_of_stdin``."""
    lines, left = list[str](), SETTINGS
    for line in lines_of_stdin():
        lines.append(line)
        left -= len(line)
        if left < 0:
            raise UserError(f"stdin has more than {SETTINGS:,} characters")
    return "".join(lines)


def _checked(number: int, line: str) -> str:
    """The line, if all of its bytes were UTF-8; others stand in it as lone surrogates."""
    try:
        line.encode()
    except UnicodeEncodeError as error:
        byte = ord(line[error.start]) - 0xDC00
        raise UserError(
            f"line {number} of stdin is not written in UTF-8: "
            f"character {error.start + 1} is the byte 0x{byte:02x}"
        ) from None
    return line
