"""How the command line speaks when something is wrong."""

import sys
from typing import NoReturn


class UserError(Exception):
    """Something that the person at the command line can mend."""


def fail(message: str, status: int = 1) -> NoReturn:
    """Says what is wrong on stderr and ends."""
    print(message, file=sys.stderr)
    sys.exit(status)


def warn(message: str) -> None:
    """Says something on stderr and goes on."""
    print(message, file=sys.stderr)
