"""What heads keep of a state, and what the whole product keeps that a Hadamard one does not.

    python -m benchmarks.roles.probes FOLDER

FOLDER is that of `benchmarks.roles`, whose networks are read; the one that binds by the whole
product is trained first. What was found is added to ``docs/experiments/learned.json``; a row that
is there is not measured again.

- Section 6.1 of Schlag et al. 2019: an affine map from one head's value of a state back to the
  state. R² is counted on questions by which it was not fitted.
- Appendix A.2: of v ⊗ r as many directions are kept as roles have numbers: of all directions, of
  products of rank one next to these, of products of principal directions, and of those in pairs.
"""

import json
from itertools import product
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
from progtf.training.networks import LearnedModel
from progtf.training.probes import pairs_of_directions, states_told

FOUND = ROOT / "docs" / "experiments" / "learned.json"
NETWORKS = [*product(("tp", "transformer"), (1, 2, 3)), ("outer", 1)]
QUESTIONS = 300


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Prints what was found, and adds it."""
    torch.set_num_threads(1)
    there = {(r["network"], r["seed"]) for r in read_rows(FOUND)}
    write_questions(folder / "data")
    problems = read_problems(folder / "data" / "interpolate" / "fractions.txt", QUESTIONS)
    for name, seed in (each for each in NETWORKS if each not in there):
        kind, binding = ("tp", "outer") if name == "outer" else (name, "hadamard")
        model = LearnedModel.load(trained(folder, kind, seed, binding)[0])
        row = {"network": name, "seed": seed, **kept(model, problems)}
        if binding == "outer":
            row["A.2"] = pairing(model, problems)
        add_row(FOUND, row)
        print(json.dumps(row), flush=True)


def kept(model: LearnedModel, problems: list[Problem]) -> dict[str, Any]:
    """Section 6.1: how well a state is told from the value that one head makes of it."""
    scores, errors = zip(*states_told(model, problems).values(), strict=True)
    return {"6.1": {"R2": _spread(scores), "MSE": _spread(errors)}}


def _spread(numbers: Any) -> list[float]:
    return [round(float(each), 3) for each in (np.mean(numbers), min(numbers), max(numbers))]


def pairing(model: LearnedModel, problems: list[Problem]) -> dict[str, list[float]]:
    """Appendix A.2: the share of the variance of v ⊗ r that is kept, by head."""
    names = ("all", "rank one", "unpaired", "paired")
    columns = zip(*pairs_of_directions(model, problems).values(), strict=True)
    return {
        name: [round(share, 3) for share in column]
        for name, column in zip(names, columns, strict=True)
    }


if __name__ == "__main__":
    typer.run(main)
