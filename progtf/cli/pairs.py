"""``progtf pairs``: how often a program scores the better sentence of a minimal pair higher."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from progtf.cli.data import mistakes_told, tell_passed
from progtf.cli.messages import say
from progtf.cli.outcome import Asked, NoCache, kept, tell
from progtf.cli.ranges import MOST
from progtf.cli.sources import read_inside
from progtf.data import DataError, Told
from progtf.data.pairs import records_of
from progtf.tables import print_table
from progtf.texts import passed_over

GOOD, BAD = "sentence_good", "sentence_bad"
SMALLEST = 1e-6  # scores no further apart than rounding are a tie, and ties are wrong


class Counts(NamedTuple):
    """How many pairs there are, how many of them the program takes, and judges right."""

    pairs: int
    taken: int
    right: int

    @property
    def rate(self) -> float:
        """How many are right, in percent of all."""
        return 100 * self.right / self.pairs

    def cells(self) -> tuple[str, ...]:
        """As the table shows them."""
        of_taken = f"{100 * self.right / self.taken:.1f}" if self.taken else "-"
        return str(self.pairs), f"{self.rate:.1f}", str(self.taken), of_taken


def pairs(
    model: Annotated[Path, typer.Argument(help="A program with `score:`, or a compiled folder.")],
    data: Annotated[Path, typer.Argument(help="A .jsonl file, or a folder of such files.")],
    *,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Only the first pairs of each file.")
    ] = None,
    misses: Annotated[
        int,
        typer.Option(
            min=0, max=MOST, help="Show so many pairs of each file that were judged wrongly."
        ),
    ] = 0,
    engine: Asked = None,
    no_cache: NoCache = False,
) -> None:
    """Judge minimal pairs, as those of BLiMP: the better sentence must have the higher score.

    Each line of a file is an object with `sentence_good` and `sentence_bad`. Ties count as wrong,
    and so does a pair of which the program cannot take both sentences, as where it does not know
    a word; how many it takes, and what is right of these, stands beside.

    Example: `progtf pairs examples/language/blimp.seme ../blimp/data --misses 2`
    """
    runner = read_inside(model, None, kept(no_cache=no_cache), engine)
    tell(model, runner.outcome)
    if not runner.speaker.interface.number:
        raise typer.BadParameter("the program has no `score:`", param_hint="MODEL")
    table = Table("paradigm", "pairs", "right, %", "taken", "right of these, %")
    counts, told, read = list[Counts](), Told(), 0
    with mistakes_told():
        for path in _files(data, told):
            found = list(_pairs(path, told))[:limit]
            read += len(found)
            if not found:
                continue
            scores = [_scores(runner.try_answers(side)) for side in zip(*found, strict=True)]
            taken = [None not in pair for pair in zip(*scores, strict=True)]
            right = [_is_right(good, bad) for good, bad in zip(*scores, strict=True)]
            counts.append(Counts(len(found), sum(taken), sum(right)))
            table.add_row(path.stem, *counts[-1].cells())
            wrong = (pair for pair, is_right in zip(found, right, strict=True) if not is_right)
            for good, bad in islice(wrong, misses):
                say(f"{path.stem}: {good} | {bad}")
    if counts:
        table.add_section()
        rate = sum(each.rate for each in counts) / len(counts)
        table.add_row("mean", str(len(counts)), f"{rate:.2f}")
        table.add_row("all", *Counts(*map(sum, zip(*counts, strict=True))).cells())
        print_table(table)
    if tell_passed(told, read):
        raise typer.Exit(1)


def _files(data: Path, told: Told) -> Sequence[Path]:
    if not data.is_dir():
        return [data]
    files = sorted(path for path in data.iterdir() if not passed_over(path))
    for path in sorted(data.iterdir()):
        if passed_over(path):
            told.pass_over(path)
    files = [path for path in files if path.name.lower().endswith((".jsonl", ".jsonl.gz"))]
    if not files:
        raise DataError("no .jsonl file in this folder", data)
    return files


def _pairs(path: Path, told: Told) -> Iterator[tuple[str, str]]:
    """The sentences of each pair, the better one first."""
    for number, row in records_of(path, told):
        pair = [row.get(name) for name in (GOOD, BAD)] if isinstance(row, dict) else []
        match pair:
            case [str(good), str(bad)]:
                yield good, bad
            case _:
                what = f"this is no object with `{GOOD}` and `{BAD}`"
                told.refuse(DataError(what, path, number))


def _scores(answers: Sequence[object]) -> list[float | None]:
    """The scores; None of what the program cannot take."""
    found = (getattr(answer, "score", None) for answer in answers)
    return [None if score is None else float(score) for score in found]


def _is_right(good: float | None, bad: float | None) -> bool:
    return good is not None and bad is not None and good > bad + SMALLEST
