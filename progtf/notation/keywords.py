"""The words of the notation, read off the grammar: what editors colour and complete."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lark.lexer import PatternStr, TerminalDef

from progtf.notation.blocks import KINDS
from progtf.notation.parse_errors import first
from progtf.notation.parser import grammar

_LOOKAHEAD = re.compile(r"\(\?[=!].*$")
_WORD = re.compile(r"[a-z][a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Keywords:
    """The words of the grammar by where they stand.

    Attributes:
        openers: words that may begin a line, such as ``layer`` and ``query``.
        inside: words that join what stands in a line, such as ``when`` and ``below``.
        options: what stands for itself behind a key, such as ``notself``, and functions.
    """

    openers: tuple[str, ...]
    inside: tuple[str, ...]
    options: tuple[str, ...]


@cache
def keywords() -> Keywords:
    """All words of the grammar, each in the first group that it belongs to."""
    lark = grammar()
    terminals = {terminal.name: terminal for terminal in lark.terminals}
    openers = {
        word for rule in KINDS for name in first(rule, lark) for word in _words(terminals[name])
    }
    plain = {w for t in terminals.values() if isinstance(t.pattern, PatternStr) for w in _words(t)}
    others = {w for t in terminals.values() for w in _words(t)}
    return Keywords(
        tuple(sorted(openers)),
        tuple(sorted(plain - openers)),
        tuple(sorted(others - plain - openers)),
    )


def _words(terminal: TerminalDef) -> Iterator[str]:
    """The plain words among the alternatives of a terminal."""
    pattern = _LOOKAHEAD.sub("", terminal.pattern.value)
    alternatives = pattern.removeprefix("(?:").removesuffix(")").split("|")
    if isinstance(terminal.pattern, PatternStr):
        alternatives = [terminal.pattern.value]
    yield from filter(_WORD.fullmatch, alternatives)
