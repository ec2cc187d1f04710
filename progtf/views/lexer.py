"""The notation for Pygments: ``pygmentize -l seme``, Sphinx, and notebooks turned into pages."""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer
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
