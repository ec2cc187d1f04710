"""How the command line speaks when something is wrong."""

import re
import sys
from typing import NoReturn

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class UserError(Exception):
    """Something that the person at the command line can mend."""


def with_notes(error: Exception) -> str:
    """What an error says, and the notes that it was given on its way."""
    return "\n\n".join([str(error), *getattr(error, "__notes__", ())])


def system_message(error: OSError) -> str:
    """What the system says of a file, the file first."""
    said = (error.strerror or str(error)).lower()
    return said if error.filename is None else f"{error.filename}: {said}"


def plain(text: str) -> str:
    """A text with its control characters written out: a terminal would obey them.

    Line ends and tabs stay. They are written as JSON and the notation write them.
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def say(text: str) -> None:
    """Says something on stdout."""
    print(plain(text))


def warn(message: str) -> None:
    """Says something on stderr and goes on."""
    print(plain(message), file=sys.stderr)


def fail(message: str, status: int = 1) -> NoReturn:
    """Says what is wrong on stderr and ends."""
    warn(message)
    sys.exit(status)
