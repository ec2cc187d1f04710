"""A program trained into a network, beside the same network without.

    python -m benchmarks.interchange FOLDER

Trains `runs/interchange.toml`, and the same run on answers alone, and swaps `asked` between
questions that neither has seen. What was found is written to ``docs/experiments/interchange.json``.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

import progtf
from benchmarks.interchange.questions import write_questions
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
PAIRS = 60
WIDTH, NUMBERS = 64, 16
ALONE = {"train.interchange": [], "train.strictness": 0.0}


def main() -> None:
    """Trains both, unless FOLDER has them, and writes what was found."""
    torch.set_num_threads(1)
    folder, rows = Path(sys.argv[1]), list[dict[str, Any]]()
    write_questions(folder / "data")
    questions = (folder / "data" / "extrapolate" / "places.txt").read_text().splitlines()
    for name, changes in (("siit", {}), ("plain", ALONE)):
        model = LearnedModel.load(_trained(folder, name, changes))
        right = model.run(questions[::2])
        accuracy = np.mean([a == b for a, b in zip(right, questions[1::2], strict=True)])
        rows.append({"network": name, "accuracy": float(accuracy), **agreements(model, questions)})
        print(json.dumps(rows[-1]), flush=True)
        FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _trained(folder: Path, name: str, changes: dict[str, Any]) -> Path:
    """The last checkpoint of a run."""
    places = {"data.folder": str(folder / "data"), "out": str(folder / name)}
    with joined() as ranks:
        Trainer(set_up(read_run(RUN, {**changes, **places}), ranks)).train(Log(folder / name))
    return checkpoints(folder / name / "checkpoints")[-1]


def agreements(model: LearnedModel, lines: list[str]) -> dict[str, Any]:
    """The share of counterfactual answers that agree where `asked` is swapped; random beside it."""
    pairs = [sorted(pair, key=len) for pair in zip(lines[::4], lines[2::4], strict=True)][:PAIRS]
    bases, sources = ([pair[n] for pair in pairs] for n in (0, 1))
    program = progtf.load(ROOT / "examples" / "math" / "place_value.seme")
    place = Subspace("encoder.blocks.0.hook_resid_post", torch.eye(WIDTH)[:, :NUMBERS])
    found = progtf.interchange(model, program, bases, sources, "asked", subspace=place)
    said = [pair for pair in found.pairs if pair.counts and pair.meant != "?"]
    there = np.mean([pair.network == pair.meant for pair in said])
    return {
        "pairs": found.counted,
        "agreement": round(found.agreement, 3),
        "where there is such a digit": [len(said), round(float(there), 3)],
        "random subspace": round(found.control, 3),
    }


if __name__ == "__main__":
    main()
