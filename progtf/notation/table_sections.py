"""What a program takes from tables: lexicons, spellings, lists of cells."""

import re
from collections.abc import Iterator
from typing import TypeVar

from lark import UnexpectedInput

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.notation.evaluate import Constant, NameRef, fill_placeholders
from progtf.notation.outline import Line
from progtf.notation.parser import parse_line
from progtf.notation.table import Row, Table, passes, read_table
from progtf.notation.terms import Terms, loops

_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
Lines = tuple[s.Statement, ...]
Kind = TypeVar("Kind", s.LexiconRow, s.LexiconEntry, s.OutputRow)


def table_entries(block: s.Block, table: Source, terms: Terms) -> Iterator[f.LexiconEntry]:
    """The lexicon entries of a table.

    With lines below ``lexicon from``, each says what its rows give. Without, the table has no
    header and two columns, the word and its vector. A word in several rows gets what any of them
    gives.
    """
    if not block.children:
        yield from _plain(block, table, terms)
        return
    gathered: dict[str, dict[str, f.Entry[f.Term]]] = {}
    for word, entries in _given(block, table, terms):
        given = gathered.setdefault(word, {})
        given.update((entry.terms[0].name or "", entry) for entry in entries)
    for word, given in gathered.items():
        terms.budget.spend(len(given), block.span)
        yield f.LexiconEntry(word, tuple(given.values()), block.span)
    for line, inner in _lines(block.children, terms, s.LexiconEntry):
        yield from entries_of(line, inner)


def _columns(block: s.Block) -> tuple[str, ...]:
    """The columns that the block names, because the table does not."""
    return tuple(column.value for column in block.arguments[1:] if isinstance(column, s.Text))


def table_outputs(below: s.Statement, read: Table, terms: Terms) -> Iterator[f.OutputEntry]:
    """The spellings that a line below ``output from`` gives, row by row."""
    for line, inner in _lines((below,), terms, s.OutputRow):
        for row in read.where(line.tests):
            here = _in_row(row, inner)
            token = fill_placeholders(line.token, _named_columns(row, here).scope)
            yield f.OutputEntry(token, here.condition(line.score), line.span)


def column_values(node: s.ColumnOf, table: Source) -> tuple[Constant, ...]:
    """The cells of a column, each once, in the order of the rows; rows without it are left out."""
    read = read_table(table, node.span)
    column = read.checked(node.column, node.span)
    found = (row.get(column, "") for row in read.where(node.tests))
    return tuple(NameRef(cell) for cell in dict.fromkeys(found) if cell)


def _in_row(row: Row, terms: Terms) -> Terms:
    """Terms in which the columns of a row stand for its cells; numbers are numbers."""
    cells = {column: _number(cell) for column, cell in row.items()}
    return Terms(terms.scope.bind(**cells), terms.budget)


def _named_columns(row: Row, terms: Terms) -> Terms:
    """Terms in which also the names of columns stand for the cells: ``for x in [ms, fs]``."""
    cells = {
        name: NameRef(row[value.name])
        for name, value in terms.scope.references().items()
        if name not in row and value.name in row
    }
    return Terms(terms.scope.bind(**cells), terms.budget)


def _given(
    block: s.Block, table: Source, terms: Terms
) -> Iterator[tuple[str, tuple[f.Entry[f.Term], ...]]]:
    """For every row its word and what its cells give."""
    read = read_table(table, block.span, _columns(block))
    known = [
        (line, inner, inner.entries(line.gives) if _fixed(line.gives) else None)
        for line, inner in _lines(block.children, terms, s.LexiconRow)
    ]
    for line, _, _ in known:
        read.check(line.tests)
    for row in read.rows:
        given: f.Entries = ()
        for line, inner, fixed in known:
            if passes(row, *line.tests):
                given += _in_row(row, inner).entries(line.gives) if fixed is None else fixed
        yield row["word"], given


def _number(cell: str) -> Constant:
    """A cell as a number if it reads as one, else as a name."""
    if cell.isdecimal():
        return int(cell)
    return float(cell) if _NUMBER.fullmatch(cell) else NameRef(cell)


def _fixed(entries: s.Entries) -> bool:
    """Whether a line gives the same to all of its rows."""
    plain = [entry for entry in entries if isinstance(entry, s.Entry)]
    terms = [term for entry in plain for term in entry.terms]
    return len(plain) == len(entries) and not any(
        (term.name and term.name.indices) or not isinstance(term.coefficient, s.Number | None)
        for term in terms
    )


def _lines(children: Lines, terms: Terms, kind: type[Kind]) -> Iterator[tuple[Kind, Terms]]:
    """The lines of one kind, those inside loops once a round."""
    for child in children:
        if isinstance(child, kind):
            yield child, terms
        elif isinstance(child, s.ForBlock):
            for scope in loops(child.clauses, terms.scope, terms.budget):
                yield from _lines(child.children, Terms(scope, terms.budget), kind)


def entries_of(node: s.LexiconEntry, terms: Terms) -> Iterator[f.LexiconEntry]:
    """A line of the lexicon as one entry for each of its tokens."""
    value = terms.entries(node.value)
    for text, quoted in node.tokens:
        token = fill_placeholders(text, terms.scope) if quoted and text is not None else text
        yield f.LexiconEntry(token, value, node.span)


def _plain(block: s.Block, table: Source, terms: Terms) -> Iterator[f.LexiconEntry]:
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
        yield f.LexiconEntry(word, terms.entries(parsed.value), line.span())
