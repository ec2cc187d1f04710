"""The notation for Pygments: ``pygmentize -l seme``, Sphinx, and notebooks turned into pages."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pygments.lexer import RegexLexer
from pygments.style import Style
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from progtf.notation.highlight import Kind, colour_rules

_TOKENS: dict[Kind, _TokenType] = {
    "comment": Comment.Single,
    "string": String,
    "keyword": Keyword,
    "option": Keyword.Constant,
    "number": Number,
    "operator": Operator,
    "token": Name.Label,
    "name": Name.Variable,
}


class SemeStyle(Style):
    """The colours of the editor in the widgets, on a light ground."""

    styles: ClassVar[Mapping[_TokenType, str]] = {
        Comment: "#727a8a",
        String: "#94570f",
        Keyword: "bold #3157c4",
        Keyword.Constant: "nobold #7a3fb0",
        Number: "#94570f",
        Operator: "#727a8a",
        Name.Label: "#0d7358",
    }


class SemeLexer(RegexLexer):
    """Colours ``.seme`` programs by the rules of ``progtf.notation.highlight``."""

    name = "Seme"
    aliases: ClassVar = ["seme"]
    filenames: ClassVar = ["*.seme"]
    mimetypes: ClassVar = ["text/x-seme"]
    url = "docs/language.md"
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            *((rule.pattern, _TOKENS[rule.kind]) for rule in colour_rules()),
            (r"[:,;]", Punctuation),
            (r"\s", Whitespace),
        ]
    }
