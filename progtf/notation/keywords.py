"""The words of the notation, read off the grammar: what editors colour and complete."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lark import Lark
from lark.grammar import NonTerminal, Terminal
from lark.lexer import PatternStr, TerminalDef

from progtf.notation.parser import grammar_text, line_rules

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
    grammar = Lark(grammar_text(), parser="lalr", start=list(line_rules()))
    terminals = {terminal.name: terminal for terminal in grammar.terminals}
    openers = {
        word
        for rule in line_rules()
        for name in _first(grammar, rule, set())
        for word in _words(terminals[name])
    }
    plain = {w for t in terminals.values() if isinstance(t.pattern, PatternStr) for w in _words(t)}
    others = {w for t in terminals.values() for w in _words(t)}
    return Keywords(
        tuple(sorted(openers)),
        tuple(sorted(plain - openers)),
        tuple(sorted(others - plain - openers)),
    )


def _first(grammar: Lark, rule: str, seen: set[str]) -> Iterator[str]:
    """The terminals that a rule may begin with."""
    if rule in seen:
        return
    seen.add(rule)
    for expansion in grammar.rules:
        if expansion.origin.name != rule or not expansion.expansion:
            continue
        match expansion.expansion[0]:
            case Terminal(name=name):
                yield name
            case NonTerminal(name=name):
                yield from _first(grammar, name, seen)
            case _:
                pass


def _words(terminal: TerminalDef) -> Iterator[str]:
    """The plain words among the alternatives of a terminal."""
    pattern = _LOOKAHEAD.sub("", terminal.pattern.value)
    alternatives = pattern.removeprefix("(?:").removesuffix(")").split("|")
    if isinstance(terminal.pattern, PatternStr):
        alternatives = [terminal.pattern.value]
    yield from filter(_WORD.fullmatch, alternatives)
