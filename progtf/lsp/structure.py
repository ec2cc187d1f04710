"""How a text is made: what folds, and what an outline of it shows."""

from collections.abc import Iterator
from dataclasses import dataclass

from progtf.lsp.document import Document
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Span
from progtf.notation.outline import Line, outline
from progtf.notation.unparse_line import line_of


@dataclass(frozen=True, slots=True)
class Part:
    """A block or declaration, the last line of it, and what is in it."""

    title: str
    keyword: str
    span: Span
    last: int
    parts: tuple["Part", ...]


def folds(document: Document) -> tuple[tuple[int, int], ...]:
    """First and last line of everything that has lines below it."""
    lines, _ = outline(document.parsed[0].span.source)
    return tuple((line.number, _last(line)) for top in lines for line in _opening(top))


def _opening(line: Line) -> Iterator[Line]:
    if line.children:
        yield line
    for child in line.children:
        yield from _opening(child)


def _last(line: Line) -> int:
    return _last(line.children[-1]) if line.children else line.number


def parts(document: Document) -> tuple[Part, ...]:
    """The blocks of a text, and the blocks in them."""
    return _parts(document.parsed[0].statements)


def _parts(statements: tuple[s.Statement, ...]) -> tuple[Part, ...]:
    blocks = (each for each in statements if isinstance(each, s.Block | s.ForBlock))
    return tuple(_part(each) for each in blocks)


def _part(block: s.Block | s.ForBlock) -> Part:
    keyword = block.keyword if isinstance(block, s.Block) else "for"
    inner = _parts(block.children)
    last = max([block.span.line, *(each.last for each in inner), *_lines(block)])
    return Part(line_of(block).rstrip(":"), keyword, block.span, last, inner)


def _lines(block: s.Block | s.ForBlock) -> Iterator[int]:
    return (child.span.line for child in block.children)
