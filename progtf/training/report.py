"""A run's report: report.md with its curve, what moved, and what the run was."""

from itertools import islice
from pathlib import Path
from typing import Any

from progtf.compiler.folder import load_model
from progtf.data import Cursor
from progtf.training.config import Run
from progtf.training.questions import Questions
from progtf.training.subject import Hybrid
from progtf.training.watch import LOOKED_AT, dead_semes


def write_report(run: Run, result: Any, processes: int = 1) -> Path:
    """Writes ``report.md`` and ``curve.png`` to the run's folder."""
    batch = run.train.batch * run.train.accumulate * processes
    draw_curve(result.curve, run.out / "curve.png")
    scores = "\n".join(f"| {split} | {score:.1f} |" for split, score in result.scores.items())
    drifts = [line["drift"] for line in result.curve if "drift" in line]
    drift = _drift(drifts[-1]) if drifts else ""
    dead = _dead(_dead_semes(run, result.folder))
    text = f"""# {run.name}

{result.step} steps of {batch} questions; {result.stopped}.
Control: {run.control or "none"}.

| questions | % right |
| --- | --- |
{scores}

![percent right by step](curve.png)
{drift}{dead}
Settings: seed {run.seed}, {run.train.optimiser}, learning rate {run.train.learning_rate:g}, clip
{run.train.clip:g}, {run.train.precision}. The last checkpoint is `{result.folder.name}`; compare it
with its program by `progtf diff {run.program or "PROGRAM"} {result.folder}`.
"""
    path = run.out / "report.md"
    path.write_text(text, encoding="utf-8")
    return path


def _drift(measured: dict[str, float]) -> str:
    return (
        f"\nWritten semes: {measured['changed']:.2f} % have another value than as the program was"
        f" written; they are {measured['moved']:.4f} from it on average.\n"
    )


def _dead_semes(run: Run, checkpoint: Path) -> list[str]:
    if run.model is not None or run.control:
        return []
    questions = Questions(run.data, 64, run.seed).batches(Cursor())
    return dead_semes(Hybrid(load_model(checkpoint)), islice(questions, LOOKED_AT // 64))


def _dead(names: list[str]) -> str:
    if not names:
        return ""
    return (
        f"\nNever there in a sample of {LOOKED_AT} training questions:"
        f" {', '.join(f'`{n}`' for n in names)}. Of semes that do not occur, nothing is learned:"
        " where they do occur later, learned parts take no notice.\n"
    )


def draw_curve(curve: list[dict[str, Any]], path: Path) -> None:
    """Percent right by step, a line for each test split."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  slow
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for split in ("interpolate", "extrapolate"):
        points = [(line["step"], line[split]) for line in curve if split in line]
        if points:
            axes.plot(*zip(*points, strict=True), label=split)
    axes.set(xlabel="step", ylabel="% right", ylim=(-2, 102))
    axes.legend()
    FigureCanvasAgg(figure).print_png(str(path))
