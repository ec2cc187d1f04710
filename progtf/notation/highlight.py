"""The words of the notation, and how it is coloured: for Pygments, TextMate and CodeMirror.

The words are read off the grammar. A colour rule is a regular expression that all three read alike,
and what it colours; the first rule that matches where a reader stands is taken.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from lark.lexer import PatternStr, TerminalDef

from progtf.notation.blocks import BLOCKS, KINDS
from progtf.notation.parse_errors import first, keywords_of
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


def within() -> tuple[str, ...]:
    """The words that may stand within a line."""
    words = keywords()
    return (*_TWICE, *words.inside, *words.options)


def _words(terminal: TerminalDef) -> Iterator[str]:
    """The plain words among the alternatives of a terminal."""
    pattern = _LOOKAHEAD.sub("", terminal.pattern.value)
    alternatives = pattern.removeprefix("(?:").removesuffix(")").split("|")
    if isinstance(terminal.pattern, PatternStr):
        alternatives = [terminal.pattern.value]
    yield from filter(_WORD.fullmatch, alternatives)


Kind = Literal["comment", "string", "keyword", "option", "number", "operator", "token", "name"]

_NAME = r"[^\W\d]\w*(?:\.\w+)*"
_TITLED = (
    "circuit", "classify", "dense", "head", "layer", "let", "lexicon", "loop", "phrase", "set",
    "use",
)  # fmt: skip
_TWICE = ("all", "any", "at", "from", "none", "relu", "when", "where")
"""Words that begin lines and stand within them as well."""
_UNCLOSED = (
    "capitals", "circuit", "contains", "count", "for", "let", "loop", "phrase", "read", "reading",
    "sequence", "set", "use",
)  # fmt: skip
"""Words that begin lines and behind which a name or a text follows, no colon."""
BEFORE_NAMES = r"(?:[-+−>→~*&|!<]|:=)\s*(?:\d[\d.]*|\.\d+)?$"
"""What stands before a place where names alone can stand; for JavaScript, too."""
_SCOPES: dict[Kind, str] = {
    "comment": "comment.line.number-sign",
    "string": "string.quoted",
    "keyword": "keyword.control",
    "option": "constant.language",
    "number": "constant.numeric",
    "operator": "keyword.operator",
    "token": "string.unquoted",
    "name": "variable.other",
}


@dataclass(frozen=True, slots=True)
class ColourRule:
    """A regular expression and what it colours."""

    pattern: str
    kind: Kind


def colour_rules() -> tuple[ColourRule, ...]:
    """The rules in the order in which they are tried."""
    words = keywords()
    keys = "|".join(words.openers)
    titled = "|".join(_TITLED)
    inside = "|".join(words.inside)
    options = "|".join(words.options)
    functions = r"(?:" + options + r")(?=[ \t]*\()"
    return (
        ColourRule(r"#.*", "comment"),
        ColourRule(rf"^[ \t]*(?:{keys})(?=[ \t]*:)", "keyword"),
        ColourRule(rf"""^[ \t]*(?:{titled})(?=[ \t]+[\w"'])(?![^#"\n]*->)""", "keyword"),
        ColourRule(r"""^[ \t]+[^\s"#:][^"#:\n]*?(?=[ \t]*(?:->|→))""", "token"),
        ColourRule(rf"""^[ \t]+(?:{_NAME}|[^\s\w"'#:])(?=[ \t]*:(?!=))""", "token"),
        ColourRule(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", "string"),
        ColourRule(r"<\w+>", "token"),
        ColourRule(r"\bfor(?=[ \t]+\w+(?:[ \t]+at[ \t]+\w+)?[ \t]+in\b)", "keyword"),
        ColourRule(rf"\b(?:{inside}|when|where|from|at)\b(?=[ \t]+[^\s>,&|)])", "keyword"),
        ColourRule(functions, "option"),
        ColourRule(rf"(?<=: )(?:{options})(?=[ \t]*(?:#|$))", "option"),
        ColourRule(r"\b(?:any|all|none|mod|div)(?=[ \t]+[\w{])", "option"),
        ColourRule(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?", "number"),
        ColourRule(r"\\(?:[lr]angle|rightarrow|to)(?![a-zA-Z])|\\[{}]", "operator"),
        ColourRule(_NAME, "name"),
        ColourRule(r"->|:=|[-.?+−>→&|!~*=<{}\[\]()⟨⟩⟪⟫/%]+", "operator"),
    )


def spelled(line: str) -> Iterator[tuple[int, Kind, str]]:
    """What a line is made of, as an editor colours it: where it begins, its kind, and its text."""
    place = 0
    while place < len(line):
        start, place = place, place + 1
        for pattern, kind in _compiled():
            found = pattern.match(line, start)
            if found and found.group():
                blank = len(found.group()) - len(found.group().lstrip())
                yield start + blank, kind, found.group().strip()
                place = found.end()
                break


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Kind], ...]:
    return tuple((re.compile(rule.pattern), rule.kind) for rule in colour_rules())


def textmate() -> dict[str, Any]:
    """A TextMate grammar, as VS Code, Sublime Text and GitHub read it."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Seme",
        "scopeName": "source.seme",
        "fileTypes": ["seme"],
        "patterns": [
            {"match": rule.pattern, "name": f"{_SCOPES[rule.kind]}.seme"} for rule in colour_rules()
        ],
    }


def codemirror() -> dict[str, Any]:
    """The rules and keywords for the editor of notebooks and pages."""
    return {
        "rules": [[rule.pattern, rule.kind] for rule in colour_rules()],
        "within": list(within()),
        "unclosed": list(_UNCLOSED),
        "beforeNames": BEFORE_NAMES,
        "blocks": {"": _beginning("file_line")}
        | {keyword: _beginning(kind.rule) for keyword, kind in BLOCKS.items()},
    }


def _beginning(rule: str) -> list[str]:
    """The words that begin a line there; any other word is a token or a name."""
    return [*keywords_of(rule, grammar()), "for", *(("set",) if rule == "feedforward_line" else ())]


def as_json(data: dict[str, Any]) -> str:
    """What the generated files hold."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
