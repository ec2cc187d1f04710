"""Measures SCAN and COGS; `python -m benchmarks.compositional`.

What `docs/experiments/compositional.json` does not have yet is measured, and the tables and the
picture of `docs/compositional.md` are made of it.
"""

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

import progtf
from benchmarks.compositional.page import DOCS, write_page
from benchmarks.compositional.plan import RUNS, WRITTEN, Arm, arms, told
from benchmarks.compositional.roles import write_program
from benchmarks.published import missing
from benchmarks.rows import add_row, read_rows
from progtf.data import open_pairs
from progtf.program.answers import Answer
from progtf.published import data_folder
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.pairs import rows_of
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

ROOT = DOCS.parent
EXAMPLES = ROOT / "examples" / "language"
FOUND = DOCS / "experiments" / "compositional.json"


def main(
    folder: Annotated[
        Path, typer.Argument(help="Keeps the runs, so that one that was stopped goes on.")
    ] = Path("runs/out/compositional"),
    wanted: Annotated[
        str, typer.Argument(help="Only arms of such a name, as `COGS-gen-lemmas-1-*`.")
    ] = "*",
    *,
    page: Annotated[bool, typer.Option("--page", help="Measure nothing, make the page.")] = False,
) -> None:
    """Measures SCAN and COGS as far as they are not yet, and makes docs/compositional.md.

    `progtf data get scan cogs` brings the data.
    """
    if not page and (why := missing("scan", "cogs")):
        sys.exit(f"error: {why}")
    torch.set_num_threads(1)
    for arm in () if page else arms():
        there = {told(row) for row in read_rows(FOUND)}
        if arm not in there and fnmatchcase(name_of(arm), wanted):
            row = measured(arm, folder)
            add_row(FOUND, row)
            print(json.dumps(row), flush=True)
    write_page(read_rows(FOUND))


def name_of(arm: Arm) -> str:
    """Such as `COGS-gen-lemmas-1-100-0`: benchmark, split, arm, seed, rows, cover."""
    return "-".join(map(str, arm))


def measured(arm: Arm, runs: Path) -> dict[str, Any]:
    """One row of the file; the whole test set is asked."""
    return _written(arm) if arm.arm == "written" else _trained(arm, runs)


def _written(arm: Arm) -> dict[str, Any]:
    """How many rows of a test set the written program answers."""
    model = progtf.compile(progtf.load(EXAMPLES / WRITTEN[arm.benchmark]))
    files = open_pairs(data_folder() / arm.benchmark.lower() / _files(arm)["extrapolate"])
    problems = [problem for file in files for problem in file.problems()]
    answers = model.try_answers([problem.question for problem in problems])
    right = sum(
        isinstance(answer, Answer) and answer.text == problem.answer
        for answer, problem in zip(answers, problems, strict=True)
    )
    return {**arm._asdict(), "steps": 0, "accuracy": round(100 * right / len(problems), 2)}


def _trained(arm: Arm, runs: Path) -> dict[str, Any]:
    name, changes = RUNS[arm.arm]
    out = (runs / name_of(arm)).resolve()
    with joined() as ranks:
        pairs = {f"data.pairs.{key}": value for key, value in _pairs(arm).items()}
        seeds = {"seed": arm.seed, "data.seed": arm.seed}
        if arm.arm == "roles":
            changes = {"program": str(write_program(EXAMPLES / "cogs.seme", out))}
        file = ROOT / f"{name.format(arm.benchmark.lower())}.toml"
        run = read_run(file, {**changes, **pairs, **seeds, "out": str(out)})
        result = Trainer(set_up(run, ranks)).train(Log(None, show=False))
        rows = len(rows_of(run.data)["train"])
    found = {"rows": rows, "steps": result.step, "accuracy": round(result.scores["extrapolate"], 2)}
    curve = [[line["step"], line["interpolate"], line["extrapolate"]] for line in result.curve]
    return {**arm._asdict(), **found, "curve": curve}


def _pairs(arm: Arm) -> dict[str, Any]:
    """The rows of a training, as its run file would name them."""
    chosen = {"rows": arm.rows, "cover": arm.cover} if arm.rows or arm.cover else {}
    return chosen if arm.benchmark == "COGS" else chosen | _files(arm)


def _files(arm: Arm) -> dict[str, str]:
    """The files of a split: what is trained on, and what is asked."""
    train, public = f"{arm.split}.train.tsv.gz", f"{arm.split}.test_public.tsv.gz"
    if arm.benchmark == "COGS":
        return {"extrapolate": {"gen": "gen_public.tsv"}.get(arm.split, f"{arm.split}.tsv")}
    return {"train": train, "extrapolate": public}


if __name__ == "__main__":
    typer.run(main)
