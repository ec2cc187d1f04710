"""Lexicons from tables: ``lexicon from "vocab.tsv":`` and what its columns give."""

from collections.abc import Iterator

from lark import UnexpectedInput

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source
from progtf.notation.outline import Line
from progtf.notation.parser import parse_line
from progtf.notation.terms import Terms, fill_placeholders, loops


def table_entries(block: s.Block, table: Source, terms: Terms) -> Iterator[f.LexiconEntry]:
    """The lexicon entries of a table with a header line; cells are separated by tabs.

    With lines below ``lexicon from``, each says what a column gives. Without, the table has two
    columns, the word and its vector. A word in several rows gets what any of them gives.
    """
    lines = [line for line in table.text.splitlines() if line.strip()]
    if not block.children:
        yield from _plain(table, lines, terms)
        return
    columns = lines[0].split("\t") if lines else []
    rows = list(_rows(block.children, terms))
    gathered: dict[str, dict[str, f.Entry]] = {}
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            why = f"{len(cells)} cells, the header has {len(columns)}"
            raise Mistake(messages.table_line(block.span, table.name, number, why))
        given = gathered.setdefault(cells[0], {})
        for row, entries in rows:
            if _matches(row, dict(zip(columns, cells, strict=True)), columns):
                given.update((entry.terms[0].name or "", entry) for entry in entries)
    for word, given in gathered.items():
        terms.budget.spend(len(given), block.span)
        yield f.LexiconEntry(word, tuple(given.values()), block.span)
    yield from _spelled_out(block.children, terms)


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


def _rows(
    children: tuple[s.Statement, ...], terms: Terms
) -> Iterator[tuple[s.LexiconRow, f.Entries]]:
    for child in children:
        match child:
            case s.LexiconRow():
                yield child, terms.entries(child.gives)
            case s.ForBlock():
                for scope in loops(child.clauses, terms.scope, terms.budget):
                    yield from _rows(child.children, Terms(scope, terms.budget))
            case _:
                pass


def _matches(row: s.LexiconRow, cells: dict[str, str], columns: list[str]) -> bool:
    column = columns[0] if row.column == "word" else row.column
    if column not in cells:
        raise Mistake(messages.table_column(row.span, row.column, columns))
    cell = cells[column]
    match row.test:
        case "=":
            return cell in row.values
        case "has":
            return bool(set(cell.split("/")) & set(row.values))
        case "starts with":
            return cell.startswith(row.values)
        case _:
            return cell.endswith(row.values)


def _plain(table: Source, lines: list[str], terms: Terms) -> Iterator[f.LexiconEntry]:
    for number, text in enumerate(lines, start=1):
        word, _, vector = text.partition("\t")
        line = Line(table, number, len(word) + 1, vector)
        try:
            parsed = parse_line(line, "entries_line")
        except UnexpectedInput:
            raise Mistake(messages.table_vector(line.span())) from None
        yield f.LexiconEntry(word, terms.entries(parsed.value), line.span())
