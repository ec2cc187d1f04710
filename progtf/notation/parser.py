"""Text to syntax: every line by the grammar, the blocks by their indentation."""

from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedInput

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, SemeError, Source, Span, errors
from progtf.notation.nodes import NodeBuilder
from progtf.notation.outline import Line, outline
from progtf.notation.unreadable import unreadable

DEEPEST_BLOCK = 30
DEEPEST_EXPRESSION = 100

# What the lines below a line may be, by the keyword that opens the block.
_INSIDE: dict[str, str] = {
    "model": "model_line",
    "semes": "semes_line",
    "clocks": "clocks_line",
    "lexicon": "lexicon_line",
    "encoder": "stack_line",
    "decoder": "stack_line",
    "layer": "layer_line",
    "circuit": "layer_line",
    "head": "head_line",
    "feedforward": "feedforward_line",
    "dense": "dense_line",
    "cell": "cell_line",
    "output": "output_line",
    "classify": "classify_line",
    "examples": "examples_line",
    "demo": "file_line",
}
_LISTS = (
    "query",
    "key",
    "value",
    "role",
    "out",
    "bind",
    "match",
    "weights",
    "bias",
    "input",
    "recurrent",
)
_RAW = ("mat1", "bias1", "mat2", "bias2")


def grammar_text() -> str:
    """The grammar, from the installed package or, in a checkout, from ``grammar/``."""
    packaged = files("progtf.notation") / "seme.lark"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / "grammar" / "seme.lark").read_text(encoding="utf-8")


@cache
def _grammar() -> tuple[Lark, NodeBuilder]:
    builder = NodeBuilder()
    starts = sorted({"file_line", "entries_line", *_INSIDE.values()})
    lark = Lark(
        grammar_text(), parser="lalr", start=starts, transformer=builder, maybe_placeholders=True
    )
    return lark, builder


def parse_line(line: Line, rule: str) -> Any:
    """The node of one line, read by the rule ``rule``; raises ``UnexpectedInput``."""
    lark, builder = _grammar()
    builder.read(line)
    return lark.parse(line.content, start=rule)


def parse(text: str, name: str = "<text>") -> s.File:
    """The syntax of a text.

    Raises:
        SemeError: with every line that cannot be read, not only the first.
    """
    file, found = parse_all(Source(name, text))
    if errors(found):
        raise SemeError(found)
    return file


def parse_all(source: Source) -> tuple[s.File, tuple[Diagnostic, ...]]:
    """The syntax of the lines that can be read, and what is wrong with the others."""
    lines, indentation = outline(source)
    found = list(indentation)
    statements = _statements(lines, "file_line", found, 0)
    whole = Span(source, 1, 0, 0)
    return s.File(statements, whole), tuple(found)


def _statements(
    lines: tuple[Line, ...], rule: str, found: list[Diagnostic], depth: int
) -> tuple[s.Statement, ...]:
    read = (_statement(line, rule, found, depth) for line in lines)
    return tuple(statement for statement in read if statement is not None)


def _statement(line: Line, rule: str, found: list[Diagnostic], depth: int) -> s.Statement | None:
    """One line and what stands below it, or None with the reason in ``found``."""
    if depth > DEEPEST_BLOCK or _nesting(line.content) > DEEPEST_EXPRESSION:
        found.append(messages.too_deep(line.span()))
        return None
    try:
        node = parse_line(line, rule)
    except UnexpectedInput as error:
        found.append(unreadable(error, line, rule, _grammar()[0]))
        return None
    if not line.children:
        return node
    rule_below = inside(node, rule)
    if rule_below is None:
        found.append(messages.unexpected_block(line.children[0].span(), line.span()))
        return node
    return _with_children(node, _statements(line.children, rule_below, found, depth + 1))


def inside(node: s.Statement, rule: str) -> str | None:
    """The rule for the lines below ``node``."""
    match node:
        case s.Block():
            return _INSIDE[node.keyword]
        case s.ForBlock():
            return rule
        case s.NamedValue():
            return "entries_line"
        case s.Field() if node.key in _LISTS or node.key in _RAW:
            return "entries_line"
        case _:
            return None


def _with_children(node: s.Statement, children: tuple[s.Statement, ...]) -> s.Statement:
    more = tuple(
        item for child in children if isinstance(child, s.ListLine) for item in child.value
    )
    match node:
        case s.Block() | s.ForBlock():
            return replace(node, children=children)
        case s.NamedValue():
            return replace(node, value=node.value + more)
        case s.Field(value=tuple(value)):
            return replace(node, value=(*value, *more))
        case _:
            raise AssertionError(node)


def _nesting(text: str) -> int:
    return text.count("(") + text.count("!") + text.count("{") + text.count("--")
