"""Files of pairs: a question, a tab, its answer and perhaps, behind another tab, its category.

Or, in a `.txt` file, lines as SCAN has them: `IN: jump twice OUT: I_JUMP I_JUMP`.
"""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from progtf.data.errors import DataError, nearest
from progtf.data.lines import lines_of
from progtf.data.problem import Problem

SCAN = (".txt", ".txt.gz")
PAIRS = (".tsv", ".tsv.gz", *SCAN)
"""Endings of file names that say that a file has pairs."""
UNSORTED = "all"  # the category of rows that have none


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
    """Returns whether the name of a file says that it has pairs."""
    return path.name.endswith(PAIRS)


def open_pairs(
    path: Path, categories: Iterable[str] = (), limit: int | None = None
) -> list[PairFile]:
    """Returns the pairs of a file by category, in the order in which these begin.

    Args:
        path: A .tsv file or a .txt file, or one compressed by gzip.
        categories: Patterns of those that are wanted, joined by commas; none for all.
        limit: How many of each are kept, the first ones; None for all.

    Raises:
        DataError: The file is not there, is damaged or empty, has a line that is no pair, or a
            pattern names no category.
    """
    found: dict[str, list[tuple[int, Problem]]] = {}
    pair = _in_and_out if path.name.endswith(SCAN) else _between_tabs
    try:
        for number, line in enumerate(lines_of(path), start=1):
            problem, category = pair(line, path, number)
            kept = found.setdefault(category or UNSORTED, [])
            if limit is None or len(kept) < limit:
                kept.append((number, problem))
    except MemoryError:
        raise DataError("memory is too small for these pairs", path) from None
    if not found:
        raise DataError("there are no pairs in this file", path)
    split = path.name.partition(".")[0]
    return [PairFile(split, name, tuple(found[name])) for name in _chosen(found, categories)]


def _between_tabs(line: str, path: Path, number: int) -> tuple[Problem, str]:
    """The pair of a line, and its category."""
    question, tab, rest = line.partition("\t")
    if not tab:
        told = "a line is a question, a tab, the answer, and perhaps a tab and a category"
        raise DataError("this line has no tab", path, number, help=told)
    answer, _, category = rest.partition("\t")
    return Problem(question, answer), category


def _in_and_out(line: str, path: Path, number: int) -> tuple[Problem, str]:
    """The pair of a line as SCAN has them, which has no category."""
    question, out, answer = line.partition(" OUT: ")
    if not out or not question.startswith("IN: "):
        told = "a line of a .txt file is `IN: question OUT: answer`; with tabs, call the file .tsv"
        raise DataError("this line is no pair", path, number, help=told)
    return Problem(question.removeprefix("IN: "), answer), ""


def _chosen(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    wanted = [part for pattern in patterns for part in pattern.split(",")]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise DataError(f"no category is called {pattern}", help=nearest(pattern, names))
    return [name for name in names if not wanted or any(fnmatchcase(name, p) for p in wanted)]
