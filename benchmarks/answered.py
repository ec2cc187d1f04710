"""What a program answers rightly, refuses and answers wrongly, module by module.

    progtf data make --out FOLDER --split all --count 500 --seed 5500
    python -m benchmarks.answered examples/math/all.seme FOLDER --seed 5500

Nothing may be answered wrongly: what a program does not compute it answers `?`, which is a
refusal, as is a text that it does not take. Each module has a row in
`docs/experiments/answered.json`; a row that is there for the same program, questions and count is
not made again. What is answered wrongly is printed, and then the status is 1.
"""

import hashlib
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

import progtf
from benchmarks.rows import add_row, read_rows
from progtf.analysis import score_module
from progtf.cli.workers import Carried
from progtf.data import SPLITS, ModuleFile, open_layout
from progtf.data.errors import DataError

ROWS = Path(__file__).parents[1] / "docs" / "experiments" / "answered.json"
TOLD = ("program", "split", "module", "questions", "data")


def main(
    program: Annotated[Path, typer.Argument(help="A program.")],
    data: Annotated[Path, typer.Argument(help="A folder of `progtf data make`.")],
    *,
    seed: Annotated[int, typer.Option(help="Of the questions, as it is told in the rows.")],
    count: Annotated[int, typer.Option(help="Questions of each module.")] = 500,
    rows: Annotated[Path, typer.Option(help="Where the rows are kept.")] = ROWS,
) -> None:
    """Asks a program questions of every module of every split that is there."""
    model = progtf.interpret(progtf.load(program))
    there = {tuple(row[name] for name in TOLD) for row in read_rows(rows)}
    wrong = 0
    for file in files_of(data):
        told = program.name, file.split, file.module, count, content(file, count)
        if told in there:
            continue
        score = score_module(Carried(model).said, file, count)
        row = dict(zip(TOLD, told, strict=True)) | {
            "put": score.problems, "right": score.correct, "refused": score.refused,
            "wrong": score.wrong, "seed": seed, "outcome": model.outcome.verdict, **machine(),
        }  # fmt: skip
        add_row(rows, row)
        print(file.split, file.module, score.correct, score.refused, score.wrong, flush=True)
        wrong += score.wrong
        for miss in score.misses:
            if not miss.refusal:
                print(
                    f"  {miss.question}\n    expected {miss.expected}\n    got      {miss.answer}"
                )
    sys.exit(1 if wrong else 0)


def files_of(data: Path) -> list[ModuleFile]:
    """The modules of all splits that a folder has."""
    found: list[ModuleFile] = []
    for split in SPLITS:
        try:
            found += open_layout(data, [split])
        except DataError:  # it has no such split
            continue
    return found


def content(file: ModuleFile, count: int) -> str:
    """A digest of the questions and their answers."""
    lines = "\n".join("\n".join(problem) for problem in islice(file.problems(), count))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def machine() -> dict[str, str | int]:
    """When, where and by what it was measured."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "torch": version("torch"),
        "progtf": progtf.__version__,
    }


if __name__ == "__main__":
    typer.run(main)
