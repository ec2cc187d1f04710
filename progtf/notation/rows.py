"""Tables: text files whose cells are separated by tabs, with a header line.

A cell ``gender=m;number=sg`` holds columns of its own; they are named like the others.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source, Span

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
            raise Mistake(messages.table_column(span, column, self.columns))
        return column

    def where(self, tests: Iterable[s.RowTest]) -> Iterator[Row]:
        """The rows that pass all tests."""
        tests = tuple(tests)
        self.check(tests)
        return (row for row in self.rows if passes(row, *tests))

    def check(self, tests: Iterable[s.RowTest]) -> None:
        """That there are the columns that tests are about."""
        for test in tests:
            self.checked(test.column, test.span)


def read_table(table: Source, place: Span) -> Table:
    """The rows of a table that is used at ``place``.

    Raises:
        Mistake: for a line with more or fewer cells than the first one.
    """
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    for number, line in enumerate(table.lines, start=1):
        cells = line.split("\t")
        if not line.strip():
            continue
        if not columns:
            columns = tuple(cells)
        elif len(cells) != len(columns):
            span = Span(table, number, 0, len(line))
            why = f"this line has {messages.counted(len(cells), 'cell')}, not {len(columns)}"
            raise Mistake(messages.table_line(span, why, "as the first line has", place))
        else:
            inner = {name: value for cell in cells for name, value in _inner(cell)}
            rows.append(inner | dict(zip(columns, cells, strict=True)) | {"word": cells[0]})
    inside = dict.fromkeys(name for row in rows for name in row)
    return Table(tuple(dict.fromkeys((*columns, *inside))), tuple(rows))


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
