"""Tables, pictures and summary.json of what has been run."""

import json
from collections.abc import Callable
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.experiments.plan import ALL, GPU, Arm, Experiment
from benchmarks.experiments.records import DOCS, Points, Record, keep, mean, records

THRESHOLD = 95.0
COLOURS = {"off": "C3", "hybrid": "C0", "random": "C7", "trainable": "C2"}
OTHERS = ("C1", "C4", "C8", "C9", "C5", "C6", "black", "C2", "C0")
SPLITS = ("interpolate", "extrapolate")

Runs = dict[Arm, dict[int, Record]]
Pairs = list[tuple[int, float]]


def outcome(runs: list[Record]) -> dict[str, Any]:
    """What an arm came to, over the seeds that have been run."""
    return {
        "seeds": len(runs),
        "finished": sum("stopped" in run.final for run in runs),
        "steps": mean([run.steps_to(THRESHOLD) for run in runs]),
        "steps_to": {at: mean([run.steps_to(at) for run in runs]) for at in (50, 80, 90)},
        "trained": [run.final["step"] for run in runs],
        **{split: mean([run.final.get(split) for run in runs]) for split in SPLITS},
        **{f"late_{split}": mean([run.late(split) for run in runs]) for split in SPLITS},
    }


def summary(experiment: Experiment, runs: Runs) -> dict[str, Any]:
    """One entry of summary.json: None where nothing was measured, or the threshold not reached."""
    arms = {arm.name: outcome(list(some.values())) for arm, some in runs.items()}
    scratch, hybrid = list(arms.values())[:2]
    return {
        "experiment": experiment.key,
        "module": experiment.module,
        "seeds": min(scratch["seeds"], hybrid["seeds"]),
        "threshold": THRESHOLD,
        "scratch_steps": scratch["steps"],
        "hybrid_steps": hybrid["steps"],
        "scratch_interpolation": scratch["interpolate"],
        "hybrid_interpolation": hybrid["interpolate"],
        "scratch_extrapolation": scratch["extrapolate"],
        "hybrid_extrapolation": hybrid["extrapolate"],
        "hardware": experiment.hardware,
        "arms": arms,
    }


def draw(experiment: Experiment, runs: Runs) -> None:
    """A panel for each split, and one for drift where that is the question; a line a seed."""
    panels = [("% right, interpolation", _of("interpolate"))]
    if any("extrapolate" in point for some in runs.values() for run in some.values()
           for point in run.points):  # fmt: skip
        panels.append(("% right, extrapolation", _of("extrapolate")))
    if experiment.key == "f":
        panels.append(("% of written semes changed", _drift))
    figure = Figure(figsize=(8, 1 + 2.6 * len(panels)), layout="constrained")
    rows = figure.subplots(len(panels), squeeze=False, sharex=True)[:, 0]
    for axes, (label, values) in zip(rows, panels, strict=True):
        _lines(axes, runs, values)
        axes.set(ylabel=label)
        axes.grid(color="0.9")
        if values is not _drift:
            axes.set(ylim=(-2, 102))
    rows[0].axhline(THRESHOLD, color="0.5", linewidth=0.8, linestyle=":")
    rows[0].set(title=f"{experiment.key}: {experiment.module}")
    rows[-1].set(xlabel="step")
    figure.legend(*rows[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    FigureCanvasAgg(figure).print_png(str(DOCS / f"{experiment.key}.png"))


def _lines(axes: Any, runs: Runs, values: Callable[[Points], Pairs]) -> None:
    for place, (arm, some) in enumerate(runs.items()):
        colour, name = COLOURS.get(arm.name, OTHERS[place % len(OTHERS)]), arm.name
        for run in some.values():
            if pairs := values(run.points):
                axes.plot(*zip(*pairs, strict=True), color=colour, label=name, linewidth=1)
                name = None


def _of(split: str) -> Callable[[Points], Pairs]:
    return lambda points: [(point["step"], point[split]) for point in points if split in point]


def _drift(points: Points) -> Pairs:
    return [(point["step"], point["drift"]["changed"]) for point in points if "drift" in point]


def table(runs: Runs) -> str:
    """What the arms came to, as a Markdown table."""
    lines = ["| arm | seed | steps | 95 % at step | interpolation | extrapolation | late mean |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    lines += [_row(arm, seed, run) for arm, some in runs.items() for seed, run in some.items()]
    return "\n".join(lines)


def _row(arm: Arm, seed: int, run: Record) -> str:
    """One run: a dash where nothing was measured."""
    reached, final = run.steps_to(THRESHOLD), run.final
    cells = [
        f"`{arm.name}`",
        seed,
        f"{final['step']}{'' if 'stopped' in final else ', cut off'}",
        "not reached" if reached is None else reached,
        *(mean([final.get(split)]) for split in SPLITS),
        run.late("extrapolate"),
    ]
    return f"| {' | '.join('–' if cell is None else str(cell) for cell in cells)} |"


def report() -> None:
    """Curves as JSON and PNG, and summary.json, of everything that has been run."""
    DOCS.mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, Any]] = []
    for experiment in (*ALL, *GPU):
        runs = records(experiment)
        if not runs[experiment.arms[1]]:
            continue  # nothing to compare yet
        keep(experiment, runs)
        draw(experiment, runs)
        entries.append(summary(experiment, runs))
        print(f"\n{experiment.key}: {experiment.module}\n{table(runs)}")
    (DOCS / "summary.json").write_text(json.dumps(entries, indent=1) + "\n")
