"""Text to syntax: every line by the grammar, the blocks by their indentation."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lark import Lark, Token, UnexpectedInput

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.blocks import BLOCKS, KINDS
from progtf.notation.builders import NodeBuilder
from progtf.notation.diagnostics import Diagnostic, Mistake, Source, Span
from progtf.notation.fields import FIELDS
from progtf.notation.lalr import Tables
from progtf.notation.names import shadow
from progtf.notation.outline import Line, outline
from progtf.notation.parse_errors import belongs, unknown_key, unreadable
from progtf.notation.tables import tabled

LONGEST_LINE = 40_000
DEEPEST_BLOCK = 30
DEEPEST_EXPRESSION = 100

_NESTED = re.compile(r"""[(){}\[\]]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[!+−-][!+−\s-]*""")


@cache
def _reader() -> tuple[Tables, NodeBuilder]:
    lark = tabled(sorted(KINDS))
    return Tables(lark), lark.options.transformer


def grammar() -> Lark:
    """The grammar as Lark reads it."""
    return _reader()[0].lark


@cache
def _plain_entry() -> re.Pattern[str]:
    """Lexicon lines ``word: +seme -seme``, which come in tens of thousands.

    The grammar reads them as well, and alike; one expression made of its own terminals is quicker.
    """
    vector = grammar().get_terminal("VECTOR").pattern.to_regexp()
    return re.compile(rf"(?P<word>(?!unknown\s*:)[^\W\d_][\w'-]*)[ \t]*:[ \t]*(?P<vector>{vector})")


def parse_line(line: Line, rule: str) -> Any:
    """The node of one line, read by the rule ``rule``.

    Raises:
        UnexpectedInput: if the grammar does not know it.
        Mistake: for a number that is too large.
    """
    tables, builder = _reader()
    builder.read(line)
    cast = shadow(line.content)
    if cast != line.content:
        return _by_shadow(tables.lark, line.content, cast, rule)
    if rule == "lexicon_line":
        plain = _plain_entry().fullmatch(line.content)
        if plain is not None:
            return builder.plain_entry(plain)
    return tables.read(line.content, rule)


def _by_shadow(lark: Lark, content: str, cast: str, rule: str) -> Any:
    """The node of a line whose names have marks: cut by its shadow, and made of what it says."""
    reading = lark.parse_interactive(cast, start=rule)
    for token in reading.lexer_thread.lex(reading.parser_state):
        written = content[token.start_pos : token.end_pos]
        reading.feed_token(Token.new_borrow_pos(token.type, written, token))
    return reading.feed_eof()


def plainly(reading: "Reading", line: Line, rule: str, depth: int) -> s.Statement | None:
    """The step that knows of no other: it reads the line."""
    return reading.statement(line, rule, depth)


Step = Callable[["Reading", Line, str, int], s.Statement | None]


def parse_all(source: Source, step: Step = plainly) -> tuple[s.File, tuple[Diagnostic, ...]]:
    """The syntax of the lines that can be read, and what is wrong with the others.

    Args:
        source: the text.
        step: reads each line and what stands below it; one may know it from before.
    """
    lines, indentation = outline(source)
    reading = Reading(list(indentation), not indentation, step)
    statements = reading.statements(lines, "file_line", 0)
    whole = Span(source, 1, 0, 0)
    return s.File(statements, whole, reading.complete), tuple(reading.found)


@dataclass
class Reading:
    """One reading of a text.

    Attributes:
        complete: whether every line that may declare a name could be read.
        step: reads one line and what stands below it, into the reading that it is given.
    """

    found: list[Diagnostic]
    complete: bool
    step: Step

    def statements(self, lines: tuple[Line, ...], rule: str, depth: int) -> tuple[s.Statement, ...]:
        """The statements of some lines, without those that cannot be read."""
        read = (self.step(self, line, rule, depth) for line in lines)
        return tuple(statement for statement in read if statement is not None)

    def statement(self, line: Line, rule: str, depth: int) -> s.Statement | None:
        """One line and what stands below it; None with the reason in ``found``."""
        node = self._line(line, rule, depth)
        if node is None:
            plain_rule = rule == "feedforward_line" and ":=" not in line.content
            self.complete &= plain_rule or not KINDS[rule].declares
            return None
        if not line.children:
            return node
        rule_below = inside(node, rule)
        if rule_below is None:
            place = line.children[0].span()
            self.found.append(messages.unexpected_block(place, at=line.span()))
            return node
        before = len(self.found)
        children = self.statements(line.children, rule_below, depth + 1)
        if len(self.found) > before and isinstance(node, (s.NamedValue, s.Block)):
            return self._damaged(node, children, line, rule, before)
        return _with_children(node, children)

    def _line(self, line: Line, rule: str, depth: int) -> s.Statement | None:
        if len(line.content) > LONGEST_LINE:
            self.found.append(messages.too_long(line.span(), LONGEST_LINE))
            return None
        nesting = 0 if rule == "examples_line" else _nesting(line.content)
        if depth > DEEPEST_BLOCK or nesting > DEEPEST_EXPRESSION:
            self.found.append(messages.too_deep(line.span()))
            return None
        try:
            node = parse_line(line, rule)
            if isinstance(node, (s.Declarations, s.Block)):
                self.found += _flags_behind_ranges(node)
            if rule != "layer_line" or not _is_misplaced(node, line):
                return node
            self.found.append(unknown_key(line, rule, grammar()))
        except UnexpectedInput as error:
            self.found.append(unreadable(error, line, rule, grammar()))
        except Mistake as mistake:
            self.found.append(mistake.diagnostic)
        return None

    def _damaged(
        self,
        node: s.NamedValue | s.Block,
        children: tuple[s.Statement, ...],
        line: Line,
        rule: str,
        before: int,
    ) -> s.Statement | None:
        """A block some of whose lines cannot be read.

        What looks like a value may be a misspelt section; a head without one of its fields would
        only give rise to further complaints.
        """
        if isinstance(node, s.Block):
            return None if node.keyword == "head" else _with_children(node, children)
        self.complete = False
        if not node.value and not children:
            del self.found[before:]
            self.found.append(unknown_key(line, rule, grammar()))
        return None


def inside(node: s.Statement, rule: str) -> str | None:
    """The rule for the lines below ``node``."""
    match node:
        case s.Block():
            return BLOCKS[node.keyword].rule
        case s.ForBlock():
            return rule
        case s.NamedValue():
            return "entries_line"
        case s.Field(value=tuple()):
            return "entries_line"
        case _:
            return None


def _flags_behind_ranges(node: s.Declarations | s.Block) -> Iterator[Diagnostic]:
    """A single name behind a range on a line of ``semes:``, as a unit would stand there."""
    items = node.items if isinstance(node, s.Declarations) else node.arguments
    declared = [item for item in items if isinstance(item, s.Declaration)]
    numbers = [isinstance(item.values, s.Range) for item in declared] + [True]
    for place, item in enumerate(declared[1:], start=1):
        alone = numbers[place - 1] and not numbers[place] and numbers[place + 1]
        plain = not item.name.indices and "." not in item.name.base
        if alone and plain and item.values is None:
            yield messages.flag_behind_range(item.span, item.name.base)


def _is_misplaced(node: s.Statement, line: Line) -> bool:
    """Whether a line of a layer reads as a named value, but is a head's, left without its head."""
    if not isinstance(node, s.NamedValue) or node.name.indices:
        return False
    return (
        bool(belongs(line, "layer_line", grammar())) and node.name.base not in FIELDS["feedforward"]
    )


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
    """How deep the brackets and prefixes of a line go, quoted text left out."""
    if len(text) <= DEEPEST_EXPRESSION:
        return 0
    depth = deepest = 0
    for match in _NESTED.finditer(text):
        mark = match.group()
        if mark[0] in "({[":
            depth += 1
        elif mark[0] in ")}]":
            depth -= 1
        elif mark[0] not in "\"'":
            deepest = max(deepest, depth + len(mark))
        deepest = max(deepest, depth)
    return deepest
