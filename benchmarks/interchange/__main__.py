"""A program trained into a network, beside the same network without.

    python -m benchmarks.interchange FOLDER

Trains `runs/interchange.toml`, the same on answers alone, and strictly; swaps `asked` between
questions that neither has seen. What was found is added to ``docs/experiments/interchange.json``; a
row that is there is not measured again.
"""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer

import progtf
from benchmarks.interchange.questions import write_questions
from benchmarks.rows import add_row, read_rows
from progtf.network.interchange import Subspace
from progtf.training.checkpoint import checkpoints
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.networks import LearnedModel
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "docs" / "experiments" / "interchange.json"
RUN = ROOT / "runs" / "interchange.toml"
PAIRS, KEPT = 500, 60
WIDTH, NUMBERS = 64, 16
SEEDS = (1, 2, 3)
ARMS: dict[str, dict[str, Any]] = {
    "siit": {},
    "plain": {"train.interchange": []},
    "siit, strict": {"train.strictness": 0.5},
}


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Trains in FOLDER what is not found yet, and adds what it comes to."""
    torch.set_num_threads(1)
    there = {(r["network"], r["seed"]) for r in read_rows(FOUND)}
    write_questions(folder / "data")
    lines = (folder / "data" / "extrapolate.tsv").read_text().splitlines()
    questions, answers = zip(*(line.split("\t") for line in lines), strict=True)
    wanted = [(seed, arm) for seed, arm in product(SEEDS, ARMS) if (arm, seed) not in there]
    if not wanted:
        print(f"{FOUND} has every network: take out the rows that are to be measured again")
    for seed, arm in wanted:
        where = folder / f"{arm}-{seed}".replace(", ", "-")
        model = LearnedModel.load(_trained(where, folder / "data", {**ARMS[arm], "seed": seed}))
        said = model.run(list(questions))
        accuracy = np.mean([a == b for a, b in zip(said, answers, strict=True)])
        found = {"accuracy": float(accuracy), **agreements(model, questions)}
        row = {"network": arm, "seed": seed, **found}
        add_row(FOUND, row)
        print(json.dumps(row), flush=True)


def _trained(out: Path, data: Path, changes: dict[str, Any]) -> Path:
    """The last checkpoint of a run."""
    run = read_run(RUN, {**changes, "data.folder": str(data), "out": str(out)})
    with joined() as ranks:
        Trainer(set_up(run, ranks)).train(Log(out))
    return checkpoints(out / "checkpoints")[-1]


def agreements(model: LearnedModel, questions: Sequence[str]) -> dict[str, Any]:
    """How many answers agree where `asked` is swapped, and how many stay where all others are."""
    pairs = zip(questions[::2], questions[1::2], strict=True)
    pairs = [sorted(pair, key=len) for pair in pairs][:PAIRS]
    bases, sources = ([pair[n] for pair in pairs] for n in (0, 1))
    program = progtf.load(ROOT / "examples" / "math" / "place_value.seme")
    place = Subspace("encoder.blocks.0.hook_resid_post", torch.eye(WIDTH)[:, :NUMBERS])
    found = progtf.interchange(model, program, bases, sources, "asked", subspace=place)
    rest = Subspace(place.point, torch.eye(WIDTH)[:, NUMBERS:])
    others = progtf.interchange(
        model, program, bases[:KEPT], sources[:KEPT], "asked", subspace=rest
    )
    kept = [pair.network == pair.plain for pair in others.pairs]
    return {
        "pairs": found.counted,
        "agreement": round(found.agreement, 3),
        "random subspace": round(found.control, 3),
        "others swapped, answer kept": round(float(np.mean(kept)), 3),
    }


if __name__ == "__main__":
    typer.run(main)
