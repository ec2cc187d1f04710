"""How the command line speaks when something is wrong."""

import sys
from contextlib import suppress
from typing import Literal, NoReturn, TypeAlias

from progtf.mistakes import MistakeError
from progtf.terminal import plain

Kind: TypeAlias = Literal["line", "text"]
"""What an input is called: a line of stdin, or a text of the command line."""

TWO_TOKENS, FIRST_PRINTED = "two tokens", "share the best score; the first is printed"


class UserError(MistakeError):
    """Something that the person at the command line can mend."""


def with_notes(error: Exception) -> str:
    """What an error says, and the notes that it was given on its way."""
    return "\n\n".join([str(error), *getattr(error, "__notes__", ())])


def system_message(error: OSError) -> str:
    """What the system says of a file, the file first."""
    said = (error.strerror or str(error)).lower()
    return said if error.filename is None else f"{error.filename}: {said}"


def say(text: str) -> None:
    """Says something on stdout."""
    print(plain(text))


def write_out(text: str) -> None:
    """Writes the text of a file to stdout: in UTF-8, as files are; at a terminal, to be read."""
    if sys.stdout.isatty():
        sys.stdout.write(plain(text))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode(errors="surrogateescape"))


def warn(message: str) -> None:
    """Says something on stderr, if anybody can hear it, and goes on."""
    with suppress(OSError):
        print(plain(message), file=sys.stderr, flush=True)


def fail(message: str, status: int = 1) -> NoReturn:
    """Says what is wrong on stderr and ends."""
    warn(message)
    sys.exit(status)
