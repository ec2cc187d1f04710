"""Networks that bind by whole products made into Hadamard ones (Schlag et al. 2019, A.2).

    python -m benchmarks.roles.converted FOLDER

FOLDER is that of `benchmarks.roles`; networks that bind by the whole product are trained first.
Each is converted twice, by principal directions alone and by directions that are fitted, and then
trained on for a few steps, beside one that begins from random weights. What was found is added to
``docs/experiments/hadamard.json``; a seed that is there is not measured again.
"""

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer

from benchmarks.roles.__main__ import ROOT, trained
from benchmarks.roles.questions import write_questions
from benchmarks.rows import add_row, read_rows
from progtf.cli.problems import read_problems
from progtf.data.problem import Problem
from progtf.training.checkpoint import checkpoints
from progtf.training.config import read_run
from progtf.training.hadamard import ROUNDS, to_hadamard
from progtf.training.log import Log
from progtf.training.networks import LearnedModel
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

FOUND = ROOT / "docs" / "experiments" / "hadamard.json"
SEEDS = (1, 2, 3)
WAYS = {"principal": 0, "fitted": ROUNDS}
STEPS, RATE = 200, 1e-4
SCRATCH_RATE = 1e-3
"""That of the runs of `benchmarks.roles`, which begin from random weights, too."""


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Prints what was found, and adds it."""
    torch.set_num_threads(1)
    there = {row["seed"] for row in read_rows(FOUND)}
    write_questions(folder / "data")
    problems = read_problems(folder / "data" / "interpolate" / "fractions.txt", None)
    for seed in (each for each in SEEDS if each not in there):
        row = measured(folder, seed, problems)
        add_row(FOUND, row)
        print(json.dumps(row), flush=True)


def measured(folder: Path, seed: int, problems: list[Problem]) -> dict[str, Any]:
    """What the conversions of one network cost, and what training makes of them."""
    network, _ = trained(folder, "tp", seed, "outer")
    row: dict[str, Any] = {"seed": seed}
    for way, rounds in WAYS.items():
        found = to_hadamard(network, problems, rounds)
        start = folder / f"converted-{way}-{seed}"
        shutil.rmtree(start, ignore_errors=True)
        found.save(start)
        costs = np.array(list(found.costs.values()))
        row |= {"questions": found.questions, "before": round(found.before, 2)}
        row[way] = {
            "after": round(found.after, 2),
            "bound": _spread(costs[:, 0]),
            "update": _spread(costs[:, 1]),
            "trained": right(go_on(folder, seed, start), problems[1::2]),
        }
    row["scratch"] = right(go_on(folder, seed, None), problems[1::2])
    return row


def _spread(numbers: Any) -> list[float]:
    return [round(float(each), 3) for each in (np.mean(numbers), min(numbers), max(numbers))]


def go_on(folder: Path, seed: int, start: Path | None) -> Path:
    """The checkpoint after a few steps of a Hadamard network."""
    name = "scratch" if start is None else start.name
    changes: dict[str, Any] = {
        "data.folder": str(folder / "data"), "out": str(folder / f"{name}-{seed}-on"), "seed": seed,
        "train.steps": STEPS, "train.warmup": 20, "evaluate.every": STEPS,
        "train.learning_rate": SCRATCH_RATE if start is None else RATE,
    }  # fmt: skip
    if start is not None:
        changes["model.start"] = str(start)
    run = read_run(Path(__file__).parent / "fractions.toml", changes)
    with joined() as ranks:
        Trainer(set_up(run, ranks)).train(Log(None, show=False))
    return checkpoints(run.out / "checkpoints")[-1]


def right(checkpoint: Path, problems: list[Problem]) -> float:
    """Right answers in percent."""
    answers = LearnedModel.load(checkpoint).run([each.question for each in problems])
    found = [answer == due for answer, (_, due) in zip(answers, problems, strict=True)]
    return round(100 * float(np.mean(found)), 2)


if __name__ == "__main__":
    typer.run(main)
