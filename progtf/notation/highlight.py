"""How the notation is coloured: one list of rules, for Pygments, TextMate and CodeMirror.

A rule is a regular expression that all three read alike, and what it colours. The first rule that
matches where a reader stands is taken. Keywords come from the grammar.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from progtf.notation.keywords import keywords

Kind = Literal["comment", "string", "keyword", "option", "number", "operator", "token", "name"]

_NAME = r"[^\W\d]\w*(?:\.\w+)*"
_TITLED = ("circuit", "classify", "dense", "head", "layer", "let", "lexicon", "phrase", "use")
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
        ColourRule(_NAME, "name"),
        ColourRule(r"->|:=|[-.?+−>→&|!~*=<{}\[\]()/%]+", "operator"),
    )


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
        "keywords": {group: list(words) for group, words in asdict(keywords()).items()},
    }


def as_json(data: dict[str, Any]) -> str:
    """What the generated files hold."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
