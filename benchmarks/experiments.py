"""The experiments of docs/experiments: trains what has not been trained, then draws and sums up.

    python -m benchmarks.experiments                  # all of them, three seeds; hours
    python -m benchmarks.experiments a c --seeds 1    # some of them
    python -m benchmarks.experiments gpu-a gpu-b gpu-g --seeds 1    # at width 256, on a GPU
    python -m benchmarks.experiments --only-report    # what there is

A run that is finished is not done again; one that was stopped goes on. What has not been run is
reported as not run.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
RUNS, DOCS = ROOT / "runs", ROOT / "docs" / "experiments"
THRESHOLD = 95.0
LATE = 10
"""Evaluations at the end of which the mean is told."""
COLOURS = {"off": "C3", "hybrid": "C0", "random": "C7", "trainable": "C2"}
OTHERS = ("C1", "C4", "C8", "C9", "C5")


@dataclass(frozen=True)
class Arm:
    """One way to train: its name, its file, and the settings that differ.

    ``of``: the experiment that has made this run already, if another one has.
    """

    name: str
    file: str
    settings: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True)
class Experiment:
    """What is compared: the scratch arm comes first, the hybrid second."""

    key: str
    module: str
    arms: tuple[Arm, ...]
    hardware: str = f"CPU, 1 thread, {platform.machine()}"


def arm(name: str, file: str, *settings: str) -> Arm:
    """An arm that is named as its control."""
    control = () if name == "hybrid" else (f'control="{name}"',)
    return Arm(name, file, (*control, *settings))


def damaged(share: float) -> Arm:
    """The written reader with a share of its entries dropped, repaired by training."""
    name = f"damaged-{round(100 * share)}"
    settings = ('control="trainable"', f"damage.drop={share}", "train.steps=500")
    return Arm(name, "place_value.toml", settings)


RETRY = Arm(
    "retry-30",
    "place_value.toml",
    (
        'written=[{"mode":"values","learning_rate":0.003}]',
        "damage.drop=0.3",
        "train.steps=500",
    ),
)
"""Addresses left alone, the rest of the written weights at thirty times the rate."""

PLACE = (
    arm("off", "place_value.toml", "train.steps=2400"),
    arm("hybrid", "place_value.toml"),
    arm("random", "place_value.toml", "train.steps=1000"),
    arm("trainable", "place_value.toml", "train.steps=1000"),
)
ALL = (
    Experiment("a", "numbers__place_value", PLACE),
    Experiment("b", "numbers__round_number",
               (arm("off", "round_number.toml", "train.steps=5400"),
                arm("hybrid", "round_number.toml"))),
    Experiment("c", "arithmetic__add_or_sub",
               (Arm("off", "add_or_sub_scratch.toml"), Arm("hybrid", "add_or_sub.toml"))),
    Experiment("d", "comparison__pair",
               (arm("off", "pair.toml"), arm("hybrid", "pair.toml"))),
    Experiment("d-no-help", "numbers__is_prime",
               (arm("off", "is_prime.toml"), arm("hybrid", "is_prime.toml"))),
    Experiment("e", "numbers__place_value",
               (replace(PLACE[0], of="a"), damaged(0.1), damaged(0.3), damaged(0.6), RETRY)),
    Experiment("f", "numbers__place_value",
               tuple(replace(PLACE[number], of="a") for number in (0, 1, 3))),
    Experiment("g", "three modules of the report",
               (Arm("lstm", "report_lstm.toml"), Arm("tp", "report_tp.toml"),
                Arm("transformer", "report_transformer.toml"))),
)  # fmt: skip

GPU = tuple(
    Experiment(f"gpu-{key}", module, arms, "one GPU")
    for key, module, arms in (
        ("a", "numbers__place_value",
         (arm("off", "gpu/place_value.toml"), arm("hybrid", "gpu/place_value.toml"))),
        ("b", "numbers__round_number",
         (arm("off", "gpu/round_number.toml"), arm("hybrid", "gpu/round_number.toml"))),
        ("g", "three modules of the report",
         (Arm("lstm", "gpu/report_lstm.toml"), Arm("tp", "gpu/report_tp.toml"),
          Arm("transformer", "gpu/report_transformer.toml"))),
    )
)  # fmt: skip
"""Larger ones, which are trained when they are named."""


def folder(experiment: Experiment, arm: Arm, seed: int) -> Path:
    """Where a run is; experiments share the runs that they have in common."""
    return RUNS / "out" / (arm.of or experiment.key) / f"{arm.name}-{seed}"


def train(experiment: Experiment, arm: Arm, seed: int) -> None:
    """Trains one arm, unless it is finished."""
    out = folder(experiment, arm, seed)
    if (out / "final.json").exists():
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    more = [word for setting in arm.settings for word in ("--set", setting)]
    command = [sys.executable, "-m", "progtf.cli.main", "train", str(RUNS / arm.file)]
    print(f"{experiment.key} {arm.name} {seed}", flush=True)
    subprocess.run(
        [*command, "-o", str(out), "--seed", str(seed), "--threads", "1", *more],
        check=True,
        cwd=ROOT,
    )


def curve(experiment: Experiment, arm: Arm, seed: int) -> list[dict[str, Any]]:
    """The evaluations of a run, finished or not."""
    path = folder(experiment, arm, seed) / "metrics.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def steps_to(points: list[dict[str, Any]], threshold: float) -> int | None:
    """The first evaluation at which a threshold is reached, if it still is at the next one."""
    results = [point["interpolate"] >= threshold for point in points]
    for number, point in enumerate(points):
        if all(results[number : number + 2]) and results[number]:
            return point["step"]
    return None


def mean(values: list[float | None]) -> float | None:
    """The mean, or None if one is missing."""
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 1) if known and len(known) == len(values) else None


def late(points: list[dict[str, Any]], split: str) -> float | None:
    """The mean of the last evaluations: a single one swings with the step that it falls on."""
    results = [point[split] for point in points if split in point]
    return mean(results[-LATE:])


def outcome(experiment: Experiment, arm: Arm, seeds: list[int]) -> dict[str, Any]:
    """What an arm came to, over the seeds that have been run."""
    curves = {seed: points for seed in seeds if (points := curve(experiment, arm, seed))}
    last = {seed: _final(experiment, arm, seed) for seed in curves}
    return {
        "seeds": len(curves),
        "finished": sum("stopped" in final for final in last.values()),
        "steps": mean([steps_to(points, THRESHOLD) for points in curves.values()]),
        "steps_to": {
            at: mean([steps_to(points, at) for points in curves.values()]) for at in (50, 80, 90)
        },
        "trained": [final.get("step") for final in last.values()],
        **{split: mean([final.get(split) for final in last.values()])
           for split in ("interpolate", "extrapolate")},
        **{f"late_{split}": mean([late(points, split) for points in curves.values()])
           for split in ("interpolate", "extrapolate")},
    }  # fmt: skip


def _final(experiment: Experiment, arm: Arm, seed: int) -> dict[str, Any]:
    """The final result of a run, or its last evaluation."""
    path = folder(experiment, arm, seed) / "final.json"
    return json.loads(path.read_text()) if path.exists() else curve(experiment, arm, seed)[-1]


def _pair(experiment: Experiment) -> tuple[str, str]:
    """Which arms are held against each other: the first, scratch, and the second."""
    return experiment.arms[0].name, experiment.arms[1].name


def summary(experiment: Experiment, seeds: list[int]) -> dict[str, Any]:
    """One entry of summary.json: None where nothing was measured, or the threshold not reached."""
    arms = {arm.name: outcome(experiment, arm, seeds) for arm in experiment.arms}
    scratch, hybrid = (arms[name] for name in _pair(experiment))
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


def draw(experiment: Experiment, seeds: list[int]) -> None:
    """A panel for each split, and one for drift where that is the question; a line a seed."""
    panels = [("% right, interpolation", _of("interpolate"))]
    arms = experiment.arms
    if any("extrapolate" in point for arm in arms for point in curve(experiment, arm, seeds[0])):
        panels.append(("% right, extrapolation", _of("extrapolate")))
    if experiment.key == "f":
        panels.append(("% of written semes changed", _drift))
    figure = Figure(figsize=(8, 1 + 2.6 * len(panels)), layout="constrained")
    rows = figure.subplots(len(panels), squeeze=False, sharex=True)[:, 0]
    for axes, (label, values) in zip(rows, panels, strict=True):
        for place, arm in enumerate(arms):
            colour, name = COLOURS.get(arm.name, OTHERS[place]), arm.name
            for seed in seeds:
                if pairs := values(curve(experiment, arm, seed)):
                    axes.plot(*zip(*pairs, strict=True), color=colour, label=name, linewidth=1)
                    name = None
        axes.set(ylabel=label)
        axes.grid(color="0.9")
        if values is not _drift:
            axes.set(ylim=(-2, 102))
    rows[0].axhline(THRESHOLD, color="0.5", linewidth=0.8, linestyle=":")
    rows[0].set(title=f"{experiment.key}: {experiment.module}")
    rows[-1].set(xlabel="step")
    figure.legend(*rows[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    FigureCanvasAgg(figure).print_png(str(DOCS / f"{experiment.key}.png"))


Points = list[dict[str, Any]]
Pairs = list[tuple[int, float]]


def _of(split: str) -> Callable[[Points], Pairs]:
    return lambda points: [(point["step"], point[split]) for point in points if split in point]


def _drift(points: Points) -> Pairs:
    return [(point["step"], point["drift"]["changed"]) for point in points if "drift" in point]


def table(experiment: Experiment, seeds: list[int]) -> str:
    """What the arms came to, as a Markdown table."""
    lines = ["| arm | seed | steps | 95 % at step | interpolation | extrapolation | late mean |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for arm in experiment.arms:
        for seed in seeds:
            if points := curve(experiment, arm, seed):
                lines.append(_row(arm, seed, points, _final(experiment, arm, seed)))
    return "\n".join(lines)


def _row(arm: Arm, seed: int, points: list[dict[str, Any]], final: dict[str, Any]) -> str:
    """One run: a dash where nothing was measured."""
    reached = steps_to(points, THRESHOLD)
    cells = [
        f"`{arm.name}`",
        seed,
        f"{final['step']}{'' if 'stopped' in final else ', cut off'}",
        "not reached" if reached is None else reached,
        *(final.get(split) for split in ("interpolate", "extrapolate")),
        late(points, "extrapolate"),
    ]
    return f"| {' | '.join('–' if cell is None else str(cell) for cell in cells)} |"


def report(seeds: list[int]) -> None:
    """Curves as JSON and PNG, and summary.json, of everything that has been run."""
    DOCS.mkdir(parents=True, exist_ok=True)
    entries = []
    for experiment in (*ALL, *GPU):
        curves = {
            f"{arm.name}-{seed}": points
            for arm in experiment.arms
            for seed in seeds
            if (points := curve(experiment, arm, seed))
        }
        if not any(curve(experiment, experiment.arms[1], seed) for seed in seeds):
            continue  # nothing to compare yet
        (DOCS / f"{experiment.key}.json").write_text(json.dumps(curves))
        draw(experiment, seeds)
        entries.append(summary(experiment, seeds))
        print(f"\n{experiment.key}: {experiment.module}\n{table(experiment, seeds)}")
    (DOCS / "summary.json").write_text(json.dumps(entries, indent=1) + "\n")


def main() -> None:
    """Trains and reports as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("experiments", nargs="*", help="keys, such as a b c; all of them if none")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only-report", action="store_true")
    asked = parser.parse_args()
    seeds = list(range(1, asked.seeds + 1))
    chosen = [e for e in (*ALL, *GPU) if e.key in asked.experiments] or ALL
    for seed in [] if asked.only_report else seeds:
        for experiment in chosen:
            for arm in experiment.arms:
                train(experiment, arm, seed)
    report(seeds)


if __name__ == "__main__":
    main()
