"""Files of pairs: a question, its answer and perhaps its category.

With tabs between them; with commas; as SCAN has them, `IN: jump twice OUT: I_JUMP I_JUMP`; or as
objects of JSON, one a line or in a list.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from progtf.data.errors import STRICT, DataError, Told, nearest
from progtf.data.forms import ACCEPTED, Form, form_of, is_heading
from progtf.data.lines import lines_of, whole_text
from progtf.data.problem import Problem
from progtf.published import brings
from progtf.texts import Line

UNSORTED = "all"  # the category of rows that have none
Row = tuple[int, Problem, str]
"""The number of a line, its pair and its category, "" for none."""


class PairFile(NamedTuple):
    """The pairs of one category of a file.

    Attributes:
        split: What the file is called, without its ending.
        module: The category.
        rows: Of each pair the number of its line, and the pair.
    """

    split: str
    module: str
    rows: tuple[tuple[int, Problem], ...]

    def problems(self) -> Iterator[Problem]:
        """Yields the pairs one by one."""
        yield from (problem for _, problem in self.rows)

    def line(self, number: int) -> int:
        """Returns the line of a pair in its file, from 1."""
        return self.rows[number][0]


def has_pairs(path: Path) -> bool:
    """Returns whether a file has pairs, by its content or else by its name."""
    return form_of(path) in _PAIRS


def open_pairs(
    path: Path, categories: Iterable[str] = (), limit: int | None = None, told: Told = STRICT
) -> list[PairFile]:
    """Returns the pairs of a file by category, in the order in which these begin.

    Args:
        path: A file, perhaps compressed by gzip.
        categories: Patterns of those that are wanted, joined by commas; none for all.
        limit: How many of each are kept, the first ones; None for all.
        told: Hears of records that are no pairs.

    Raises:
        DataError: The file is not there, is damaged, is no file of pairs or has none, or a pattern
            names no category.
    """
    found: dict[str, list[tuple[int, Problem]]] = {}
    form = form_of(path)
    if form not in _PAIRS:
        if not path.is_file():
            raise DataError("there is no such file", path, help=brings(path))
        raise DataError("this is no file of pairs", path, help=ACCEPTED)
    try:
        for number, problem, category in _rows(path, form, told):
            kept = found.setdefault(category or UNSORTED, [])
            if limit is None or len(kept) < limit:
                kept.append((number, problem))
    except MemoryError:
        raise DataError("memory is too small for these pairs", path) from None
    if not found:
        if told.count:
            return []
        raise DataError("there are no pairs in this file", path)
    split = path.name.partition(".")[0]
    return [PairFile(split, name, tuple(found[name])) for name in _chosen(found, categories)]


def _rows(path: Path, form: Form, told: Told) -> Iterator[Row]:
    if form == "commas":
        return _between_commas(path, told)
    if form == "pairs in JSON":
        return _in_json(path, told)
    return _by_line(path, told, tabs=form == "tabs")


def _by_line(path: Path, told: Told, *, tabs: bool) -> Iterator[Row]:
    """The pairs of lines; those without a word are passed over, and a first one of headings."""
    pair, first = (_between_tabs if tabs else _in_and_out), True
    for line in lines_of(path, told):
        if not line.text.strip(" "):
            continue
        if not (first and tabs and is_heading(line.text.split("\t"))):
            try:
                yield line.number, *pair(line, path)
            except DataError as error:
                told.refuse(error)
        first = False


def _between_tabs(line: Line, path: Path) -> tuple[Problem, str]:
    """The pair of a line, and its category."""
    question, tab, rest = line.text.partition("\t")
    if not tab:
        due = "a line is a question, a tab, the answer, and perhaps a tab and a category"
        raise DataError("this line has no tab", path, line.number, help=due)
    answer, _, category = rest.partition("\t")
    return Problem(question, answer), category


def _in_and_out(line: Line, path: Path) -> tuple[Problem, str]:
    """The pair of a line as SCAN has them, which has no category."""
    question, out, answer = line.text.partition(" OUT: ")
    if not out or not question.startswith("IN: "):
        due = "a line is `IN: question OUT: answer`, or all have a tab between both"
        raise DataError("this line is no pair", path, line.number, help=due)
    return Problem(question.removeprefix("IN: "), answer), ""


def _between_commas(path: Path, told: Told) -> Iterator[Row]:
    """The pairs of a table as spreadsheets write it, with commas or semicolons."""
    lines = (line for line in lines_of(path, told) if line.text.strip())
    begun = [*islice(lines, 1)]
    mark = _separator(begun[0].text) if begun else ","
    if begun and begun[0].text.lower() == f"sep={mark}":
        begun = [*islice(lines, 1)]
    if begun and is_heading(begun[0].text.split(mark)):
        begun = []
    number = [0]

    def given() -> Iterator[str]:
        for line in chain(begun, lines):
            number[0] = line.number
            yield f"{line.text}\n"

    table = given()
    while True:
        reader = csv.reader(table, delimiter=mark, strict=True)  # which a mistake leaves amid a row
        try:
            cells = next(reader, None)
        except csv.Error as error:
            told.refuse(DataError(f"this line is no row of a table: {error}", path, number[0]))
            continue
        if cells is None:
            return
        if len(cells) < 2:
            due = "a line is a question, a comma, the answer, and perhaps another and a category"
            told.refuse(DataError("this line has no comma", path, number[0], help=due))
            continue
        yield number[0], Problem(cells[0], cells[1]), "".join(cells[2:3])


def _separator(line: str) -> str:
    """What stands between the cells of a table whose first line this is."""
    if line.lower().startswith("sep=") and len(line) == len("sep=,"):
        return line[-1]
    bare = "".join(line.split('"')[::2])
    return next((mark for mark in ",;\t" if mark in bare), ",")


def _in_json(path: Path, told: Told) -> Iterator[Row]:
    """The pairs of objects, one a line or in a list, whose places then stand for lines."""
    for number, said in records_of(path, told):
        try:
            yield number, *_of_object(said)
        except (KeyError, TypeError, AttributeError) as error:
            lacks = f"this record lacks {error}" if isinstance(error, KeyError) else "no pair"
            due = 'a record is {"question": "...", "answer": "..."}, perhaps with a "category"'
            told.refuse(DataError(lacks, path, number, help=due))


def _of_object(said: Mapping[str, Any]) -> tuple[Problem, str]:
    cells = [said["question"], said["answer"], said.get("category") or ""]
    if not all(isinstance(cell, str | int | float) for cell in cells):
        raise TypeError
    question, answer, category = map(str, cells)
    return Problem(question, answer), category


def records_of(path: Path, told: Told = STRICT) -> Iterator[tuple[int, Any]]:
    """Yields what a file of JSON has: of each line its number and value, or those of one list.

    Raises:
        DataError: It is not there, or cannot be read.
    """
    listed = next((line.text.lstrip() for line in lines_of(path, Told()) if line.text.strip()), "")
    if listed.startswith("[") and isinstance(said := _value(whole_text(path)), list):
        yield from enumerate(said, start=1)
        return
    for line in lines_of(path, told):
        if not line.text.strip():
            continue
        try:
            said = json.loads(line.text)
        except (ValueError, RecursionError) as error:
            told.refuse(DataError(f"this line is no JSON: {error}", path, line.number))
            continue
        yield line.number, said


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_PAIRS = ("tabs", "commas", "in and out", "pairs in JSON")


def _chosen(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    wanted = [part for pattern in patterns for part in pattern.split(",")]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise DataError(f"no category is called {pattern}", help=nearest(pattern, names))
    return [name for name in names if not wanted or any(fnmatchcase(name, p) for p in wanted)]
