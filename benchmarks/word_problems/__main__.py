"""Measures word problems; `python -m benchmarks.word_problems`.

What `docs/experiments/word_problems.json` does not have yet is measured, and the tables and the
picture of `docs/word_problems.md` are made of it.
"""

import json
import os
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from benchmarks.published import missing
from benchmarks.rows import add_row, read_rows
from benchmarks.word_problems.page import DOCS, write_page
from benchmarks.word_problems.picture import draw
from benchmarks.word_problems.plan import Arm, arms, settings
from progtf.published import data_folder
from progtf.tasks.word_problems import WordProblem, leaked, read_word_problems
from progtf.training.config import Run, read_run
from progtf.training.log import Log
from progtf.training.networks import LearnedModel
from progtf.training.pairs import rows_of
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.solve import scored
from progtf.training.trainer import Trainer

DATA = data_folder() / "mwp"
FOUND = Path(os.environ.get("FOUND", DOCS / "experiments" / "word_problems.json"))


def main(
    folder: Annotated[
        Path, typer.Argument(help="Keeps the runs, so that one that was stopped goes on.")
    ] = Path("runs/out/word_problems"),
    wanted: Annotated[
        str, typer.Argument(help="Only arms of such a name, as `ALG514-lstm-off-100-*-1`.")
    ] = "*",
    *,
    page: Annotated[bool, typer.Option("--page", help="Measure nothing, make the page.")] = False,
) -> None:
    """Measures word problems as far as they are not yet, and makes docs/word_problems.md.

    `progtf data get alg514 draw1k mawps` brings the data.
    """
    if not page and (why := missing("alg514", "draw1k", "mawps")):
        sys.exit(f"error: {why}")
    torch.set_num_threads(1)
    for arm in () if page else arms():
        there = {Arm(*(row[key] for key in Arm._fields)) for row in read_rows(FOUND)}
        if arm not in there and fnmatchcase(name_of(arm), wanted):
            row = measured(arm, folder)
            add_row(FOUND, row)
            shown = {key: value for key, value in row.items() if key not in ("right", "curve")}
            print(json.dumps(shown), flush=True)
    write_page(read_rows(FOUND))
    draw(read_rows(FOUND))


def name_of(arm: Arm) -> str:
    """Such as `ALG514-lstm-off-100-0-1`: set, encoder, arm, part, fold, seed."""
    return "-".join(map(str, arm))


def measured(arm: Arm, runs: Path) -> dict[str, Any]:
    """One row of the file."""
    out = runs.absolute() / name_of(arm)
    file = DOCS.parent / "runs" / "ept_alg514.toml"
    run = read_run(file, {**settings(arm, 0), "out": str(out), "data.pairs.rows": 0})
    rows = len(rows_of(run.data)["train"])
    run = read_run(file, {**settings(arm, rows), "out": str(out)})
    begun = time.process_time()
    with joined() as ranks:
        setup = set_up(run, ranks)
        result = Trainer(setup).train(Log(out, show=False))
    seconds = None if setup.start else round(time.process_time() - begun)
    splits = "interpolate equations", "extrapolate equations"
    curve = [[line["step"], *(line[split] for split in splits)] for line in result.curve]
    trained = {"rows": len(rows_of(run.data)["train"]), "steps": result.step}
    return {
        **arm._asdict(), **trained, "cpu_seconds": seconds, **_judged(result.folder, run),
        "curve": curve,
    }  # fmt: skip


def _judged(checkpoint: Path, run: Run) -> dict[str, Any]:
    """What a network solves of its test problems."""
    assert run.data.pairs is not None
    problems = read_word_problems(DATA / run.data.pairs.extrapolate)
    found = scored(LearnedModel.load(checkpoint), problems)
    strict = [each.strict for each in found]
    names = [problem.name for problem in problems]
    known = leaked(problems, read_word_problems(DATA / run.data.pairs.train))
    unused = [has_unused(problem) for problem in problems]
    return {
        "problems": len(problems),
        "strict": percent(strict),
        "lenient": percent([each.lenient for each in found]),
        "invalid": percent([not each.solved.solutions for each in found]),
        "with_unused": sum(unused),
        "unused": percent([right for right, has in zip(strict, unused, strict=True) if has]),
        "clean": percent([r for r, leaks in zip(strict, known, strict=True) if not leaks]),
        "right": [name for name, right in zip(names, strict, strict=True) if right],
    }


def has_unused(problem: WordProblem) -> bool:
    """Whether the equations leave a number of the text out."""
    used = {name for equation in problem.equations for name in equation.split()}
    return any(f"N_{place}" not in used for place in range(len(problem.numbers)))


def percent(some: list[bool]) -> float:
    """How many hold."""
    return round(100 * sum(some) / max(len(some), 1), 2)


if __name__ == "__main__":
    typer.run(main)
