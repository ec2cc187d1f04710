"""A run's report: report.md with its curve, what moved, and what the run was."""

import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

from progtf.atomic import replacing, write
from progtf.building.load import load
from progtf.data import Cursor
from progtf.markup import as_code, as_text, fenced
from progtf.network.model import Model
from progtf.training.config import Run
from progtf.training.labels import subject_of
from progtf.training.questions import Questions
from progtf.training.recipe import flat
from progtf.training.warnings import LOOKED_AT, dead_semes
from progtf.weights.changes import changes, counts, shown
from progtf.weights.decompile.opening import chosen_lines
from progtf.weights.folder import load_weights
from progtf.weights.lower import lower
from progtf.weights.weights import Weights

CHOSEN = "chosen.seme"
"""What words have chosen, as lines of a lexicon."""
FARTHEST = 12
"""Changed weights that a report shows."""


def write_report(run: Run, result: Any, processes: int = 1) -> Path:
    """Writes ``report.md`` and ``curve.png`` to the run's folder."""
    batch = run.train.batch * run.train.accumulate * processes
    draw_curve(result.curve, run.out / "curve.png")
    rows = dict(result.scores)
    for split, modules in result.modules.items():
        rows |= {f"{split}: {module}": score for module, score in modules.items()}
    scores = "\n".join(f"| {as_text(name)} | {score:.1f} |" for name, score in rows.items())
    text = f"""# {as_text(run.name)}

{result.step} steps of {batch} questions; {result.stopped}.

| questions | % right |
| --- | --- |
{scores}

![percent right by step](curve.png)
{_written(run, result)}
## Settings

Those that are not the usual ones; `settings.json` has all.

{fenced(_settings(run))}
{_asked(run, result.folder)}"""
    path = run.out / "report.md"
    write(path, text)
    return path


def _asked(run: Run, checkpoint: Path) -> str:
    """How the last checkpoint answers; without its random features it would answer otherwise."""
    if run.control == "random":
        return ""
    asked = as_code(f'progtf run {_shown(checkpoint)} "QUESTION"')
    return f"\n{asked} asks the last checkpoint.\n"


def _shown(path: Path) -> str:
    """A path as it is typed from here."""
    return min(os.path.relpath(path.resolve()), str(path.resolve()), key=len)


def _settings(run: Run) -> str:
    said = flat(run.model_dump(mode="json", exclude_defaults=True)) | {"seed": run.seed}
    said |= {"program": _shown(run.program)} if run.program else {}
    said |= {"out": _shown(run.out), "data.folder": _shown(run.data.folder)}
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in said.items())


def _written(run: Run, result: Any) -> str:
    """What became of the written part of a program."""
    if run.program is None or run.control == "off":
        return ""
    drifts = [line["drift"] for line in result.curve if "drift" in line]
    checkpoint = load_weights(result.folder)
    return f"""
## What was written

{_moved(run, run.program, checkpoint, result.folder)}
{_chosen(run, run.program, checkpoint)}\
{_drift(drifts[-1]) if drifts else ""}{_dead(_dead_semes(run, checkpoint))}"""


def _moved(run: Run, program: Path, checkpoint: Weights, folder: Path) -> str:
    """The written weights that are others now, the largest change first."""
    found = changes(lower(load(program, run.learn, run.lexicon)), checkpoint)
    if not found:
        return "No written weight has changed."
    farthest = "\n".join(map(shown, found[:FARTHEST]))
    return f"""Not as they were written are {counts(found)}. The farthest:

{fenced(farthest)}

{as_code(f"progtf diff {_shown(program)} {_shown(folder)}")} shows more."""


def _chosen(run: Run, program: Path, checkpoint: Weights) -> str:
    """What words have chosen; the lines are kept beside the report, to be checked."""
    if not (lines := chosen_lines(checkpoint)):
        return ""
    path, shown_lines = run.out / CHOSEN, "\n".join(lines)
    write(path, f"{shown_lines}\n")
    return f"""
Words have chosen, and stand in `{CHOSEN}`:

{fenced(shown_lines)}

{as_code(f"progtf check {_shown(program)} --lexicon {_shown(path)}")} proves what the program is
with them.
"""


def _drift(measured: dict[str, float]) -> str:
    return (
        f"\nFor every 100 values that the written semes had, {measured['changed']:.2f} are others"
        f" now; on average they have moved by {measured['moved']:.4f}.\n"
    )


def _dead_semes(run: Run, checkpoint: Weights) -> list[str]:
    if run.control:
        return []
    hybrid = subject_of(Model(checkpoint), None, run.data)
    questions = Questions(run.data, 64, run.seed, rows=hybrid.batch).batches(Cursor())
    return dead_semes(hybrid, islice(questions, LOOKED_AT // 64))


def _dead(names: list[str]) -> str:
    if not names:
        return ""
    return (
        f"\nNever there in a sample of {LOOKED_AT} training questions:"
        f" {', '.join(map(as_code, names))}. Of semes that do not occur, nothing is learned:"
        " where they do occur later, learned parts take no notice.\n"
    )


def draw_curve(curve: list[dict[str, Any]], path: Path) -> None:
    """Percent right by step, a line for each test split."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  slow
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for split in ("interpolate", "extrapolate", "train"):
        points = [(line["step"], line[split]) for line in curve if split in line]
        if points:
            axes.plot(*zip(*points, strict=True), label=split)
    axes.set(xlabel="step", ylabel="% right", ylim=(-2, 102))
    if axes.get_lines():
        axes.legend()
    with replacing(path) as file:
        FigureCanvasAgg(figure).print_png(file)
