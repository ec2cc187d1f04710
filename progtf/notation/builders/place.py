"""What all builders of nodes share: where a node stands in its line."""

import re
from threading import local
from typing import Any, TypeVar, cast

from lark import (
    Token,
    Transformer,
    v_args,  # pyright: ignore[reportUnknownVariableType]  untyped in Lark
)

from progtf.notation import syntax as s
from progtf.notation.diagnostics import Span
from progtf.notation.outline import Line
from progtf.texts import normal

_Builder = TypeVar("_Builder", bound=type)


def inline(builder: _Builder) -> _Builder:
    """Calls the methods of a builder with the children of their rule one by one."""
    return cast("_Builder", v_args(inline=True)(builder))


_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbf"'\\/]))""")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def unquote(text: str) -> str:
    """The string that a quoted literal stands for; unknown escapes stay as they are."""
    return normal(_ESCAPE.sub(_unescape, text[1:-1])) if "\\" in text else text[1:-1]


def _unescape(match: re.Match[str]) -> str:
    long, short, letter = match.groups()
    return _ESCAPED.get(letter, letter) if letter else chr(int(long or short, 16))


class _Now(local):
    """What a thread reads just now: builders are shared by all."""

    line: Line


class Placed(Transformer[Token, Any]):
    """A builder that knows which line it builds for."""

    now = _Now()

    def read(self, line: Line) -> None:
        """Take ``line`` as the place of all nodes until the next call in this thread."""
        self.now.line = line

    def _span(self, *tokens: Token | None) -> Span:
        places = [token for token in tokens if token is not None]
        return self._between(places[0].start_pos or 0, places[-1].end_pos or 0)

    def _here(self) -> Span:
        return self.now.line.span()

    def _between(self, start: int, end: int) -> Span:
        """Part of the line, given by columns of its content."""
        indent = self.now.line.indent
        return Span(self.now.line.source, self.now.line.row, indent + start, indent + end)

    def _reach(self, first: s.Expression, last: s.Expression) -> Span:
        """From one expression to another."""
        start, end = (s.place_of(node, self._here()) for node in (first, last))
        return Span(start.source, start.row, start.start, max(start.end, end.end))

    def _field(self, value: s.FieldValue) -> s.Statement:
        """The line as a field; its key stands before the colon."""
        key = self.now.line.content.partition(":")[0].rstrip()
        return s.Field(key, value, self._said())

    def _said(self) -> Span:
        """What stands behind the colon."""
        content = self.now.line.content
        said = content[content.find(":") + 1 :].strip()
        return self._between(len(content) - len(said), len(content)) if said else self._here()
