"""A run's report: report.md with its curve, what moved, and what the run was."""

from pathlib import Path
from typing import Any

from progtf.training.config import Run


def write_report(run: Run, trainer: Any, result: Any) -> Path:
    """Writes ``report.md`` and ``curve.png`` to the run's folder."""
    draw_curve(result.curve, run.out / "curve.png")
    scores = "\n".join(f"| {split} | {score:.1f} |" for split, score in result.scores.items())
    drift = "" if trainer.drift is None else _drift(trainer.drift.measure())
    text = f"""# {run.name}

{result.step} steps of {run.train.batch} questions; {result.stopped}.
Control: {run.control or "none"}.

| questions | % right |
| --- | --- |
{scores}

![percent right by step](curve.png)
{drift}
Settings: seed {run.seed}, {run.train.optimiser}, learning rate {run.train.learning_rate:g}, clip
{run.train.clip:g}, {run.train.precision}. The last checkpoint is `{result.folder.name}`; compare it
with its program by `progtf diff {run.program or "PROGRAM"} {result.folder}`.
"""
    path = run.out / "report.md"
    path.write_text(text, encoding="utf-8")
    return path


def _drift(measured: dict[str, float]) -> str:
    return (
        f"\nWritten semes: {measured['changed']:.2f} % have another value than before training;"
        f" they moved by {measured['moved']:.4f} on average.\n"
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
