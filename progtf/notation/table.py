"""Tables: text files with cells separated by tabs, or by commas if they end in ``.csv``.

Where such a one has tabs and no comma in its first line, tabs it is.

A cell ``gender=m;number=sg`` holds columns of its own; they are named like the others.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.notation.did_you_mean import nearest
from progtf.notation.spell import counted

Row = Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """The rows of a table, each by the names of its columns; ``word`` is always the first."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def checked(self, column: str, span: Span) -> str:
        """A column that some row has.

        Raises:
            Mistake: if none has it.
        """
        if column not in self.columns and column != "word":
            hint = nearest(column, self.columns) or f"its columns are {', '.join(self.columns)}"
            raise Mistake(messages.table_column(span, column, hint=hint))
        return column

    def in_forms(self, columns: tuple[str, ...], span: Span) -> "Table":
        """A row for each word that stands in one of some columns, which ``form`` tells.

        Raises:
            Mistake: if there is no such column, or one that is called ``form``.
        """
        for column in columns:
            self.checked(column, span)
        if "form" in self.columns:
            raise Mistake(messages.table_form(span))
        rows = (
            {**row, "word": row[column], "form": column}
            for row in self.rows
            for column in columns
            if row.get(column)
        )
        return Table((*self.columns, "form"), tuple(rows))

    def where(self, tests: Iterable[s.RowTest]) -> Iterator[Row]:
        """The rows that pass all tests."""
        tests = tuple(tests)
        self.check(tests)
        return (row for row in self.rows if passes(row, *tests))

    def check(self, tests: Iterable[s.RowTest]) -> None:
        """That there are the columns that tests are about."""
        for test in tests:
            self.checked(test.column, test.span)


def read_table(table: Source, place: Span, named: tuple[str, ...] = ()) -> Table:
    """The rows of a table that is used at ``place``.

    Args:
        table: the text.
        place: what reads it.
        named: its columns, if it has no header line; cells past them are left out.

    Raises:
        Mistake: for a line with more or fewer cells than there are columns.
    """
    columns = named
    rows: list[Row] = []
    for number, line in _lines(table, place):
        cells = line[: len(named)] if named else line
        if not columns:
            columns = tuple(cells)
            twice = next((c for n, c in enumerate(cells) if c and c in cells[:n]), None)
            if twice is not None:
                span = Span(table, number, 0, len(table.lines[number - 1]))
                why, due = f"two columns are called `{twice}`", "a column has a name of its own"
                raise Mistake(messages.table_line(span, why, due, at=place))
        elif len(cells) != len(columns):
            span = Span(table, number, 0, len(table.lines[number - 1]))
            why = f"this line has {counted(len(cells), 'cell')}, not {len(columns)}"
            due = "as `columns` says" if named else "as the first line has"
            raise Mistake(messages.table_line(span, why, due, at=place))
        else:
            inner = {name: value for cell in cells for name, value in _inner(cell)}
            rows.append(inner | dict(zip(columns, cells, strict=True)) | {"word": cells[0]})
    inside = dict.fromkeys(name for row in rows for name in row)
    return Table(tuple(dict.fromkeys((*columns, *inside))), tuple(rows))


def _lines(table: Source, place: Span) -> Iterator[tuple[int, list[str]]]:
    """The cells of every line with its number; lines without a word are left out."""
    lines = table.lines
    first = next((line for line in lines if line.strip()), "")
    if not table.name.lower().endswith(".csv") or ("\t" in first and "," not in first):
        cut = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
        yield from ((number, cells) for number, cells in cut if any(map(str.strip, cells)))
        return
    reader = csv.reader(lines, strict=True)
    try:
        yield from ((reader.line_num, cells) for cells in reader if cells and cells[0])
    except csv.Error as error:
        span = Span(table, reader.line_num, 0, len(lines[reader.line_num - 1]))
        why = "this line is no row of a comma-separated table"
        raise Mistake(messages.table_line(span, why, str(error), at=place)) from None


def _inner(cell: str) -> Iterator[tuple[str, str]]:
    """The columns inside of a cell."""
    if "=" not in cell:
        return
    for part in cell.split(";"):
        name, equals, value = part.partition("=")
        if equals and name.strip().isidentifier():
            yield name.strip(), value


def pieces(cell: str) -> set[str]:
    """What a cell ``sg/pl`` or ``sg;definite`` has."""
    return {piece for part in cell.split(";") for piece in part.split("/")}


def passes(row: Row, *tests: s.RowTest) -> bool:
    """Whether a row passes all tests; a row without a column has an empty cell there."""
    return all(_holds(row.get(t.column, ""), t) != t.negated for t in tests)


def _holds(cell: str, test: s.RowTest) -> bool:
    match test.test:
        case "=":
            return cell in test.values
        case "has":
            return bool(pieces(cell) & set(test.values))
        case "starts with":
            return cell.startswith(test.values)
        case _:
            return cell.endswith(test.values)
