"""Section 5.1 of Schlag et al. 2019 counted; ``python -m benchmarks.roles FOLDER``.

Trains TP-Transformers and Transformers on fractions of fractions, and holds the clusters of what
their heads bind, or retrieve, against numerators and denominators, which
``mul_div_multiple.seme`` knows. Runs stay in FOLDER, so that one that was stopped goes on; what was
found is written to ``docs/experiments/roles.json`` and ``docs/roles.md`` after each.
"""

import json
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

import progtf
from benchmarks.roles.page import DOCS, write_page
from benchmarks.roles.questions import write_questions
from progtf.data.problem import Problem
from progtf.training.checkpoint import checkpoints
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.ranks import joined
from progtf.training.roles import read_roles
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

ROOT = Path(__file__).parents[2]
FOUND = DOCS / "experiments" / "roles.json"
KINDS, SEEDS = ("tp", "transformer"), (1, 2, 3)
SEME = "turned"
QUESTIONS, CLUSTERS = 400, 20


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Measures every network, and writes what was found."""
    torch.set_num_threads(1)
    write_questions(folder / "data")
    program = progtf.compile(progtf.load(ROOT / "examples" / "math" / "mul_div_multiple.seme"))
    lines = (folder / "data" / "interpolate" / "fractions.txt").read_text().splitlines()
    problems = [Problem(*each) for each in zip(lines[::2], lines[1::2], strict=True)]
    rows: list[dict[str, Any]] = []
    for kind, seed in product(KINDS, SEEDS):
        network, accuracy = trained(folder, kind, seed)
        reading = read_roles(network, program, problems[:QUESTIONS], CLUSTERS, (SEME,))
        scores = {name: found[0] for name, found in reading.found.items()}
        own = next(iter(scores.values()))
        controls = {name: round(each.held_out.ami, 3) for name, each in scores.items()}
        rows.append(
            {"network": kind, "seed": seed, "accuracy": accuracy, "head": own.name, "seme": SEME}
            | {"ami": round(own.held_out.ami, 3), "told": round(own.held_out.told, 3)}
            | {
                "control": {
                    name: ami for name, ami in controls.items() if name != next(iter(scores))
                }
            }
        )
        print(json.dumps(rows[-1]), flush=True)
        FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        write_page(rows)


def trained(folder: Path, kind: str, seed: int, binding: str = "hadamard") -> tuple[Path, float]:
    """A network's last checkpoint, and what it gets right of unseen questions, in percent."""
    changes: dict[str, Any] = {"model.kind": kind, "seed": seed}
    changes["data.folder"] = str(folder / "data")
    if kind == "tp":
        changes["model.binding"] = binding
    out = folder / f"{'outer' if binding == 'outer' else kind}-{seed}"
    run = read_run(Path(__file__).parent / "fractions.toml", changes | {"out": str(out)})
    with joined() as ranks:
        result = Trainer(set_up(run, ranks)).train(Log(None, show=False))
    return checkpoints(out / "checkpoints")[-1], round(result.scores["interpolate"], 2)


if __name__ == "__main__":
    typer.run(main)
