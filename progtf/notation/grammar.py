"""Where the grammar of the notation lies."""

from functools import cache
from pathlib import Path

_INSTALLED = Path(__file__).with_name("seme.lark")
_CHECKED_OUT = Path(__file__).parents[2] / "grammar" / "seme.lark"


@cache
def grammar_text() -> str:
    """The grammar, from the installed package or, in a checkout, from ``grammar/``."""
    path = _INSTALLED if _INSTALLED.is_file() else _CHECKED_OUT
    return path.read_text(encoding="utf-8")
