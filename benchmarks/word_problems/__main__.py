"""Measures word problems; `python -m benchmarks.word_problems`.

What `docs/experiments/word_problems.json` does not have yet is measured, and the tables of
`docs/word_problems.md` are made of it; `--page`: that alone. A folder as argument keeps the runs
(`runs/out/word_problems` without one), so that one that was stopped goes on. The data is looked
for in `$PROGTF_DATA/mwp`. A pattern as second argument: only arms of such a name, as
`ALG514-lstm-off-100-*-1`.
"""

import json
import os
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch

from benchmarks.word_problems.page import DOCS, write_page
from benchmarks.word_problems.plan import Arm, arms, settings
from progtf.atomic import locked, write
from progtf.tasks.word_problems import (
    Solver,
    WordProblem,
    leaked,
    leniently_right,
    read_word_problems,
    strictly_right,
)
from progtf.training.config import Run, read_run
from progtf.training.log import Log
from progtf.training.networks import LearnedModel
from progtf.training.pairs import rows_of
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.solve import solved, written
from progtf.training.trainer import Trainer

DATA = Path(os.environ.get("PROGTF_DATA", "data")) / "mwp"
FOUND = Path(os.environ.get("FOUND", DOCS / "experiments" / "word_problems.json"))


def main() -> None:
    """Measures what is missing, and writes the page."""
    torch.set_num_threads(1)
    given = [word for word in sys.argv[1:] if word != "--page"]
    folder, wanted = (*given, *("runs/out/word_problems", "*")[len(given) :])
    for arm in arms() if "--page" not in sys.argv else ():
        there = {Arm(*(row[key] for key in Arm._fields)) for row in found_rows()}
        if arm not in there and fnmatchcase(_name(arm), wanted):
            row = measured(arm, Path(folder))
            with locked(FOUND.parent, wait=True):
                rows = [*found_rows(), row]
                lines = ",\n".join(f" {json.dumps(each)}" for each in rows)
                write(FOUND, f"[\n{lines}\n]\n")
            shown = {key: value for key, value in row.items() if key not in ("right", "curve")}
            print(json.dumps(shown), flush=True)
    write_page(found_rows())


def _name(arm: Arm) -> str:
    """Such as `ALG514-lstm-off-100-0-1`: set, encoder, arm, part, fold, seed."""
    return "-".join(map(str, arm))


def found_rows() -> list[dict[str, Any]]:
    """What has been measured."""
    return json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else []


def measured(arm: Arm, runs: Path) -> dict[str, Any]:
    """One row of the file."""
    out = runs / _name(arm)
    file = DOCS.parent / "runs" / "ept_alg514.toml"
    run = read_run(file, {**settings(arm, 0), "out": str(out), "data.pairs.rows": 0})
    rows = len(rows_of(run.data)["train"])
    run = read_run(file, {**settings(arm, rows), "out": str(out)})
    begun = time.process_time()
    with joined() as ranks:
        setup = set_up(run, ranks)
        result = Trainer(setup).train(Log(out, show=False))
    seconds = None if setup.start else round(time.process_time() - begun)
    curve = [[line["step"], line["interpolate"], line["extrapolate"]] for line in result.curve]
    trained = {"rows": len(rows_of(run.data)["train"]), "steps": result.step}
    return {
        **arm._asdict(), **trained, "cpu_seconds": seconds, **_judged(result.folder, run),
        "curve": curve,
    }  # fmt: skip


def _judged(checkpoint: Path, run: Run) -> dict[str, Any]:
    """What a network solves of its test problems."""
    assert run.data.pairs is not None
    problems = read_word_problems(DATA / run.data.pairs.extrapolate)
    answers = written(LearnedModel.load(checkpoint), problems)
    with Solver() as solver:
        found = [
            solved(answer, each, solver) for answer, each in zip(answers, problems, strict=True)
        ]
    pairs = [(some.solutions, each.answers) for some, each in zip(found, problems, strict=True)]
    strict = [strictly_right(*pair) for pair in pairs]
    invalid = [not some.solutions for some in found]
    names = [problem.name for problem in problems]
    known = leaked(problems, read_word_problems(DATA / run.data.pairs.train))
    return {
        "problems": len(problems),
        "strict": percent(strict),
        "lenient": percent([leniently_right(*pair) for pair in pairs]),
        "invalid": percent(invalid),
        "unused": percent([r for r, p in zip(strict, problems, strict=True) if has_unused(p)]),
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
    main()
