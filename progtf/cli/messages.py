"""How the command line speaks when something is wrong."""

import sys
from typing import NoReturn

from progtf.atomic import PART


class UserError(Exception):
    """Something that the person at the command line can mend."""


def with_notes(error: Exception) -> str:
    """What an error says, and the notes that it was given on its way."""
    return "\n\n".join([str(error), *getattr(error, "__notes__", ())])


def system_message(error: OSError) -> str:
    """What the system says of a file, the file first."""
    said = (error.strerror or str(error)).lower()
    return said if error.filename is None else f"{str(error.filename).removesuffix(PART)}: {said}"


def fail(message: str, status: int = 1) -> NoReturn:
    """Says what is wrong on stderr and ends."""
    print(message, file=sys.stderr)
    sys.exit(status)


def warn(message: str) -> None:
    """Says something on stderr and goes on."""
    print(message, file=sys.stderr)
