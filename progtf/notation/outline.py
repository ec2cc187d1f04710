"""Text to lines with their depth: indentation makes blocks."""

import re
from dataclasses import dataclass

from progtf.notation import messages
from progtf.notation.diagnostics import Diagnostic, Row, Source, Span
from progtf.notation.names import shadow

# A comment begins at a `#` that is not inside a quoted string; a quote opens a string only at the
# start of a word, so that `don't # this` keeps its comment.
_OPENING = re.compile(r"""(?<!\w)["']|\#""")
_STRING = {quote: re.compile(rf"{quote}(?:\\.|[^{quote}\\])*{quote}") for quote in "\"'"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that says something, with the lines that stand below and to the right of it."""

    source: Source
    row: int | Row
    indent: int
    content: str
    children: tuple["Line", ...] = ()

    @property
    def number(self) -> int:
        """Of the line in the text, from 1."""
        return self.span().line

    def span(self) -> Span:
        """The whole content."""
        return Span(self.source, self.row, self.indent, self.indent + len(self.content))


def strip_comment(text: str) -> tuple[str, str]:
    """The content of a line and its comment (with the ``#``), both without spaces at the ends."""
    cast = text if text.isascii() else shadow(text)
    unclosed: set[str] = set()  # a quote that is not closed once is not closed further on
    place = 0
    while (opening := _OPENING.search(cast, place)) is not None:
        mark, place = opening.group(), opening.end()
        if mark == "#":
            return text[: opening.start()].strip(), text[opening.start() :].strip()
        string = None if mark in unclosed else _STRING[mark].match(text, opening.start())
        if string is None:
            unclosed.add(mark)
        else:
            place = string.end()
    return text.strip(), ""


def meaning(declared: Span) -> str:
    """What the comment beside a declaration says, which is meant for all names of the line."""
    _, comment = strip_comment(declared.source.lines[declared.line - 1])
    return comment.lstrip("# ")


def outline(source: Source) -> tuple[tuple[Line, ...], tuple[Diagnostic, ...]]:
    """The lines of a text as a forest, and what is wrong with their indentation."""
    found: list[Diagnostic] = []
    flat: list[Line] = []
    for number, text in enumerate(source.lines, start=1):
        content, _ = strip_comment(text)
        if not content:
            continue
        indent = text.index(content)
        row = source.row(number)
        if "\t" in text[:indent] and not found:
            found.append(messages.tab(Span(source, row, 0, indent)))
        flat.append(Line(source, row, indent, content))
    tabs = tuple(found)
    return _nest(flat, found), tabs or tuple(found)


def _nest(flat: list[Line], found: list[Diagnostic]) -> tuple[Line, ...]:
    """Give every line its children; columns of one block must agree."""
    closed: list[list[Line]] = [[]]
    open_: list[Line] = []
    columns: list[list[int]] = [[]]

    def close() -> None:
        line, children = open_.pop(), closed.pop()
        columns.pop()
        closed[-1].append(Line(line.source, line.row, line.indent, line.content, tuple(children)))

    for line in flat:
        while open_ and line.indent <= open_[-1].indent:
            close()
        block = columns[-1] if open_ else [0]
        if block and line.indent != block[0]:
            found.append(messages.indentation(line.span(), line.indent + 1, block[0] + 1))
        block.append(line.indent)
        open_.append(line)
        closed.append([])
        columns.append([])
    while open_:
        close()
    return tuple(closed[0])
