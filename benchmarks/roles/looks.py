"""Where decoders look while they write above the bar and below it (Schlag et al. 2019, 5.2).

    python -m benchmarks.roles.looks FOLDER

FOLDER is that of `benchmarks.roles`, whose TP-Transformers are read. Counted is the share of a
head's attention that lies on digits which go to the side of the bar that is being written, as
`turned` of ``mul_div_multiple.seme`` says. The head is chosen on half of the questions and scored
on the others. What was found is written to ``docs/experiments/looks.json``.
"""

import json
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray

import progtf
from benchmarks.networks import network_of
from benchmarks.roles.__main__ import ROOT, SEEDS
from benchmarks.roles.page import DOCS
from progtf.data.problem import Problem
from progtf.training.networks import LearnedModel
from progtf.training.states import ENCODER, Pattern, patterns, semes_of

FOUND = DOCS / "experiments" / "looks.json"
QUESTIONS, BLOCKS, HEADS = 400, 2, 4
Below = list[NDArray[np.float64]]


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Prints and writes what was found."""
    torch.set_num_threads(1)
    rows = list[dict[str, Any]]()
    lines = (folder / "data" / "interpolate" / "fractions.txt").read_text().splitlines()
    problems = [Problem(*each) for each in zip(lines[::2], lines[1::2], strict=True)][:QUESTIONS]
    below = _below(problems)
    for seed in SEEDS:
        model = network_of(folder / f"tp-{seed}")
        rows.append({"seed": seed, **looks(model, problems, below)})
        print(json.dumps(rows[-1]), flush=True)
        FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _below(problems: list[Problem]) -> Below:
    """Of every question what `turned` is at its characters and both its ends."""
    path = ROOT / "examples" / "math" / "mul_div_multiple.seme"
    number, names, semes = semes_of(progtf.compile(progtf.load(path)), problems, ENCODER)
    turned = semes[:, names.index("turned")]
    return np.split(turned, np.flatnonzero(np.diff(number)) + 1)


def looks(model: LearnedModel, problems: list[Problem], below: Below) -> dict[str, Any]:
    """The head that looks most at the side that is due, and what an even look would have."""
    found: dict[str, NDArray[np.float64]] = {}
    for block, head in product(range(BLOCKS), range(HEADS)):
        maps = patterns(model, f"decoder.blocks.{block}.cross", head, problems)
        each = zip(maps, below, strict=True)
        found[f"layer {block} cross head {head}"] = np.array([shares(*one) for one in each])
    name = max(found, key=lambda each: float(found[each][::2, :2].mean()))
    kinds = ("above", "below", "above, even look", "below, even look")
    held_out = found[name][1::2].mean(axis=0).round(3).tolist()
    return {"head": name, **dict(zip(kinds, held_out, strict=True))}


def shares(one: Pattern, below: NDArray[np.float64]) -> list[float]:
    """What of a look is at digits of the side that is written, above the bar and below it.

    Returns:
        Both, then both for a head that looks everywhere alike.
    """
    digit = np.array([each.isdigit() for each in one.src])
    sides = [digit & (below == side) for side in (0, 1)]
    bar = one.dst.index("/") - 1  # where the bar is due
    rows = one.shares[:bar], one.shares[bar + 1 : -1]
    own = [float(r[:, side].sum(axis=1).mean()) for r, side in zip(rows, sides, strict=True)]
    return own + [float(side.mean()) for side in sides]


if __name__ == "__main__":
    typer.run(main)
