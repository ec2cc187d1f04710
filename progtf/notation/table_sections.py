"""What a program takes from tables: lexicons, spellings, lists of cells."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

from lark import UnexpectedInput

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import MOST_DIGITS
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.notation.outline import Line
from progtf.notation.parser import parse_line
from progtf.notation.scope import (
    Constant,
    Constants,
    Known,
    NameRef,
    Ready,
    Scope,
    fill_placeholders,
    filled,
)
from progtf.notation.table import Row, Table, passes, read_table
from progtf.notation.terms import Terms, loops

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][-+][0-9]{1,3})?")
Lines = tuple[s.Statement, ...]
Made = TypeVar("Made")
Kind = TypeVar("Kind", s.LexiconRow, s.LexiconEntry, s.OutputRow)


def table_entries(
    block: s.Block, table: Source, terms: Terms, constants: Constants
) -> Iterator[f.LexiconEntry]:
    """The lexicon entries of a table.

    With lines below ``lexicon from``, each says what its rows give. Without, the table has no
    header and two columns, the word and its vector. A word in several rows gets what any of them
    gives.
    """
    if not block.children:
        yield from _plain(block, table, terms, constants)
        return
    gathered: dict[str, dict[str, f.Entry[f.Term]]] = {}
    for word, entries in _given(block, table, terms, constants):
        given = gathered.setdefault(word, {})
        given.update((entry.terms[0].name or "", entry) for entry in entries)
    for word, given in gathered.items():
        terms.budget.spend(len(given), block.span)
        yield f.LexiconEntry(word, tuple(given.values()), block.span)
    for line, inner, here in _lines(block.children, terms, constants, s.LexiconEntry):
        yield from entries_of(line, inner)(here)


def _columns(block: s.Block) -> tuple[str, ...]:
    """The columns that the block names, because the table does not."""
    return tuple(column.value for column in block.arguments[1:] if isinstance(column, s.Text))


def table_outputs(
    below: s.Statement, read: Table, terms: Terms, constants: Constants
) -> Iterator[f.OutputEntry]:
    """The spellings that a line below ``output from`` gives, row by row."""
    for line, inner, here in _lines((below,), terms, constants, s.OutputRow):
        scores = _Cells(inner, lambda terms, line=line: terms.condition(line.score))
        for row in read.where(line.tests):
            cells = here | _cells(row, line.span, inner.scope)
            token = fill_placeholders(line.token, cells | _named_columns(row, cells))
            yield f.OutputEntry(token, scores.of(row)(cells), line.span)


def column_values(node: s.ColumnOf, table: Source) -> tuple[Constant, ...]:
    """The cells of a column, each once, in the order of the rows; rows without it are left out."""
    read = read_table(table, node.span)
    column = read.checked(node.column, node.span)
    found = (row.get(column, "") for row in read.where(node.tests))
    return tuple(NameRef(cell) for cell in dict.fromkeys(found) if cell)


@dataclass
class _Cells(Generic[Made]):
    """What is prepared once for all rows that have the same columns."""

    terms: Terms
    prepare: Callable[[Terms], Ready[Made]]
    made: dict[tuple[str, ...], Ready[Made]] = field(default_factory=dict[tuple[str, ...], Any])

    def of(self, row: Row) -> Ready[Made]:
        """It is ready for the constants of a round, and the cells of the row."""
        columns = tuple(row)
        if columns not in self.made:
            inner = Terms(self.terms.scope.in_row(*columns), self.terms.budget)
            self.made[columns] = self.prepare(inner)
        return self.made[columns]


def _cells(row: Row, span: Span, scope: Scope) -> Constants:
    """What the columns of a row stand for: its cells; loops' variables are nearer."""
    return {column: _number(cell, span) for column, cell in row.items() if column not in scope.open}


def _named_columns(row: Row, constants: Constants) -> Constants:
    """Also the names of columns stand for the cells: ``for x in [ms, fs]``."""
    names = ((name, each) for name, each in constants.items() if isinstance(each, NameRef))
    return {
        name: NameRef(row[each.name])
        for name, each in names
        if name not in row and each.name in row
    }


def _given(
    block: s.Block, table: Source, terms: Terms, constants: Constants
) -> Iterator[tuple[str, f.Entries]]:
    """For every row its word and what its cells give."""
    read = read_table(table, block.span, _columns(block))
    for forms in (each for each in block.arguments if isinstance(each, s.Forms)):
        read = read.in_forms(forms.columns, forms.span)
    known = [
        (
            line,
            here,
            _Cells(inner, lambda terms, line=line: terms.entries(line.gives)),
            inner.entries(line.gives)(here) if _fixed(line.gives) else None,
            inner.scope,
        )
        for line, inner, here in _lines(block.children, terms, constants, s.LexiconRow)
    ]
    for line, *_ in known:
        read.check(line.tests)
    for row in read.rows:
        given: f.Entries = ()
        for line, here, entries, fixed, scope in known:
            if passes(row, *line.tests):
                given += (
                    entries.of(row)(here | _cells(row, line.span, scope))
                    if fixed is None
                    else fixed
                )
        yield row["word"], given


def _number(cell: str, span: Span) -> Constant:
    """A cell as a number if it reads as one, a decimal as it stands there; else as a name."""
    if not _NUMBER.fullmatch(cell):
        return NameRef(cell)
    if len(cell) > MOST_DIGITS:
        start = f"{cell[:12]}..."
        raise Mistake(messages.arithmetic(span, f"the number {start} of a row is too long"))
    return int(cell) if cell.isdecimal() else Fraction(cell)


def _fixed(entries: s.Entries) -> bool:
    """Whether a line gives the same to all of its rows."""
    plain = [entry for entry in entries if isinstance(entry, s.Entry)]
    terms = [term for entry in plain for term in entry.terms]
    return len(plain) == len(entries) and not any(
        (term.name and term.name.indices) or not isinstance(term.coefficient, s.Number | None)
        for term in terms
    )


def _lines(
    children: Lines, terms: Terms, constants: Constants, kind: type[Kind]
) -> Iterator[tuple[Kind, Terms, Constants]]:
    """The lines of one kind, those inside loops once a round, with the constants of the round."""
    for child in children:
        if isinstance(child, kind):
            yield child, terms, constants
        elif isinstance(child, s.ForBlock):
            scope, rounds = loops(child.clauses, terms.scope, terms.budget)
            inner = Terms(scope, terms.budget)
            for here in rounds(constants):
                yield from _lines(child.children, inner, here, kind)


def entries_of(node: s.LexiconEntry, terms: Terms) -> Ready[Sequence[f.LexiconEntry]]:
    """A line of the lexicon as one entry for each of its tokens."""
    value, span = terms.entries(node.value), node.span
    tokens = [
        filled(text, terms.scope) if quoted and text is not None else Known(text)
        for text, quoted in node.tokens
    ]

    def entries(constants: Constants) -> Sequence[f.LexiconEntry]:
        given = value(constants)
        return [f.LexiconEntry(token(constants), given, span) for token in tokens]

    return entries


def _plain(
    block: s.Block, table: Source, terms: Terms, constants: Constants
) -> Iterator[f.LexiconEntry]:
    """Lines of a word, a tab and a vector."""
    for number, text in enumerate(table.lines, start=1):
        word, _, vector = text.partition("\t")
        line = Line(table, number, len(word) + 1, vector.strip())
        if not text.strip():
            continue
        try:
            parsed = parse_line(line, "entries_line")
        except UnexpectedInput:
            span = Span(table, number, 0, len(text))
            due = "expected a word, a tab and a vector such as `+noun +pl`"
            why = "this line does not give a word a vector"
            raise Mistake(messages.table_line(span, why, due, at=block.span)) from None
        yield f.LexiconEntry(word, terms.entries(parsed.value)(constants), line.span())
