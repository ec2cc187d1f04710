"""Lexicons from tables: ``lexicon from "vocab.tsv":`` and what its columns give."""

from collections.abc import Iterator, Sequence

from lark import UnexpectedInput

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.notation.outline import Line
from progtf.notation.parser import parse_line
from progtf.notation.terms import Terms, fill_placeholders, loops


def table_entries(block: s.Block, table: Source, terms: Terms) -> Iterator[f.LexiconEntry]:
    """The lexicon entries of a table with a header line; cells are separated by tabs.

    With lines below ``lexicon from``, each says what a column gives. Without, the table has two
    columns, the word and its vector. A word in several rows gets what any of them gives.
    """
    if not block.children:
        yield from _plain(block, table, terms)
        return
    rows = list(_rows(block.children, terms))
    gathered: dict[str, dict[str, f.Entry]] = {}
    for word, entries in _given(block, table, rows):
        given = gathered.setdefault(word, {})
        given.update((entry.terms[0].name or "", entry) for entry in entries)
    for word, given in gathered.items():
        terms.budget.spend(len(given), block.span)
        yield f.LexiconEntry(word, tuple(given.values()), block.span)
    yield from _spelled_out(block.children, terms)


Row = tuple[s.LexiconRow, f.Entries]


def _given(
    block: s.Block, table: Source, rows: Sequence[Row]
) -> Iterator[tuple[str, tuple[f.Entry, ...]]]:
    """For every line of the table its word and what its cells give."""
    columns: list[str] = []
    tests: list[tuple[s.LexiconRow, int, f.Entries]] = []
    for number, line in enumerate(table.lines, start=1):
        cells = line.split("\t")
        if not line.strip():
            continue
        if not columns:
            columns = cells
            tests = [(row, _column(row, columns), entries) for row, entries in rows]
        elif len(cells) != len(columns):
            span = Span(table, number, 0, len(line))
            why = f"this line has {messages.counted(len(cells), 'cell')}, not {len(columns)}"
            raise Mistake(messages.table_line(span, why, "as the first line has", block.span))
        else:
            found = (entries for row, at, entries in tests if _matches(row, cells[at]))
            yield cells[0], tuple(entry for entries in found for entry in entries)


def _spelled_out(children: tuple[s.Statement, ...], terms: Terms) -> Iterator[f.LexiconEntry]:
    """Entries written out beside the rows of a table, such as ``unknown:`` and ``<eos>:``."""
    for child in children:
        match child:
            case s.LexiconEntry():
                token = None if child.token is None else _token(child, terms)
                yield f.LexiconEntry(token, terms.entries(child.value), child.span)
            case s.ForBlock():
                for scope in loops(child.clauses, terms.scope, terms.budget):
                    yield from _spelled_out(child.children, Terms(scope, terms.budget))
            case _:
                pass


def _token(entry: s.LexiconEntry, terms: Terms) -> str:
    text = entry.token or ""
    return fill_placeholders(text, terms.scope) if entry.quoted else text


def _rows(children: tuple[s.Statement, ...], terms: Terms) -> Iterator[Row]:
    for child in children:
        match child:
            case s.LexiconRow():
                yield child, terms.entries(child.gives)
            case s.ForBlock():
                for scope in loops(child.clauses, terms.scope, terms.budget):
                    yield from _rows(child.children, Terms(scope, terms.budget))
            case _:
                pass


def _column(row: s.LexiconRow, columns: list[str]) -> int:
    if row.column == "word":
        return 0
    if row.column not in columns:
        raise Mistake(messages.table_column(row.span, row.column, columns))
    return columns.index(row.column)


def _matches(row: s.LexiconRow, cell: str) -> bool:
    match row.test:
        case "=":
            return cell in row.values
        case "has":
            return bool(set(cell.split("/")) & set(row.values))
        case "starts with":
            return cell.startswith(row.values)
        case _:
            return cell.endswith(row.values)


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
            raise Mistake(messages.table_line(span, why, due, block.span)) from None
        yield f.LexiconEntry(word, terms.entries(parsed.value), line.span())
