"""`progtf eval` of word problems: how many are solved, and what the others have."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from progtf.cli.messages import UserError, say
from progtf.data import Told
from progtf.tables import print_table
from progtf.tasks.word_problems import KINDS, kinds_of, read_word_problems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from progtf.training.solve import Scored


def evaluate_word_problems(
    checkpoint: Path, data: Path, limit: int | None, told: Told, *, as_json: bool
) -> int:
    """Prints what a network solves of a file, and the same by kinds; how many problems.

    Raises:
        UserError: if there is no such network, or no right answers are told.
        DataError: for a file that is none.
    """
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.solve import load_solving, scored  # noqa: PLC0415

    problems = read_word_problems(data, told)[:limit]
    if not problems:
        return 0
    for each in problems:
        if not each.answers:
            raise UserError(f"{data}: problem {each.name} tells no right answer")
    try:
        found = scored(load_solving(checkpoint, problems), problems)
    except RunError as error:
        raise UserError(str(error)) from None
    if as_json:
        say(json.dumps(_row(found) | {"kinds": _by_kind(found)}, indent=1))
    else:
        print_table(_table(found))
    return len(problems)


def _row(found: "Sequence[Scored]") -> dict[str, float]:
    return {
        "problems": len(found),
        "solved": sum(each.strict for each in found),
        "strict": _percent([each.strict for each in found]),
        "lenient": _percent([each.lenient for each in found]),
        "equations": _percent([each.equations for each in found]),
        "no solution": _percent([not each.solved.solutions for each in found]),
    }


def _percent(some: "Sequence[bool]") -> float:
    return round(100 * sum(some) / max(len(some), 1), 2)


def _by_kind(found: "Sequence[Scored]") -> dict[str, dict[str, float]]:
    """The same of the problems of each kind; a problem may be of several, or of none."""
    kinds = [kinds_of(each.problem) for each in found]
    of_kind = {
        kind: [each for each, has in zip(found, kinds, strict=True) if kind in has]
        for kind in KINDS
    }
    return {kind: _row(some) for kind, some in of_kind.items() if some}


def _table(found: "Sequence[Scored]") -> Table:
    table = Table(title="word problems", title_justify="left")
    table.add_column("kind")
    for heading in ("solved", "of", "strict, %", "lenient, %", "equations, %", "no solution, %"):
        table.add_column(heading, justify="right")
    for kind, row in _by_kind(found).items():
        table.add_row(kind, *_cells(row))
    table.add_section()
    table.add_row("together", *_cells(_row(found)))
    return table


def _cells(row: dict[str, float]) -> tuple[str, ...]:
    shares = ("strict", "lenient", "equations", "no solution")
    return f"{row['solved']:,}", f"{row['problems']:,}", *(f"{row[name]:.2f}" for name in shares)
