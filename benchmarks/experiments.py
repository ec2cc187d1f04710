"""The experiments of docs/experiments: trains what has not been trained, then draws and sums up.

    python -m benchmarks.experiments                  # all of them, three seeds; hours
    python -m benchmarks.experiments a c --seeds 1    # some of them
    python -m benchmarks.experiments --only-report    # what there is

A run that is finished is not done again; one that was stopped goes on. What has not been run is
reported as not run.
"""

import argparse
import json
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
RUNS, DOCS = ROOT / "runs", ROOT / "docs" / "experiments"
THRESHOLD = 95.0
COLOURS = {"hybrid": "C0", "off": "C3", "random": "C7", "trainable": "C2"}


@dataclass(frozen=True)
class Arm:
    """One way to train: its name, its file, and the settings that differ."""

    name: str
    file: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """What is compared: the scratch arm comes first, the hybrid second."""

    key: str
    module: str
    arms: tuple[Arm, ...]


def controls(file: str, *more: Arm) -> tuple[Arm, ...]:
    """Scratch, hybrid, random features, trainable."""
    return (
        Arm("off", file, ('control="off"',)),
        Arm("hybrid", file),
        Arm("random", file, ('control="random"',)),
        Arm("trainable", file, ('control="trainable"',)),
        *more,
    )


def damaged(share: float) -> Arm:
    """The written reader with a share of its entries dropped, repaired by training."""
    name = f"damaged-{round(100 * share)}"
    return Arm(name, "place_value.toml", ('control="trainable"', f"damage.drop={share}"))


ALL = (
    Experiment("a", "numbers__place_value", controls("place_value.toml")),
    Experiment("b", "numbers__round_number", controls("round_number.toml")[:3]),
    Experiment("c", "arithmetic__add_or_sub",
               (Arm("off", "add_or_sub_scratch.toml"), Arm("hybrid", "add_or_sub.toml"))),
    Experiment("d", "comparison__pair", controls("pair.toml")[:2]),
    Experiment("d-no-help", "numbers__is_prime", controls("is_prime.toml")[:2]),
    Experiment("e", "numbers__place_value",
               (Arm("off", "place_value.toml", ('control="off"',)), damaged(0.1), damaged(0.3),
                damaged(0.6))),
    Experiment("f", "numbers__place_value",
               (Arm("hybrid", "place_value.toml", ("train.steps=1500", "train.stop_at=101")),
                Arm("trainable", "place_value.toml",
                    ('control="trainable"', "train.steps=1500", "train.stop_at=101")))),
    Experiment("g", "three modules of the report",
               (Arm("lstm", "report_lstm.toml"), Arm("transformer", "report_transformer.toml"),
                Arm("tp", "report_tp.toml"))),
)  # fmt: skip


def folder(experiment: Experiment, arm: Arm, seed: int) -> Path:
    """Where a run is; experiments share the runs that they have in common."""
    shared = experiment.key == "e" and arm.name == "off"
    return RUNS / "out" / ("a" if shared else experiment.key) / f"{arm.name}-{seed}"


def train(experiment: Experiment, arm: Arm, seed: int) -> None:
    """Trains one arm, unless it is finished."""
    out = folder(experiment, arm, seed)
    if (out / "final.json").exists() or not (RUNS / arm.file).exists():
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    more = [word for setting in arm.settings for word in ("--set", setting)]
    command = [
        sys.executable,
        "-m",
        "progtf.cli.main",
        "train",
        str(RUNS / arm.file),
        "-o",
        str(out),
    ]
    print(f"{experiment.key} {arm.name} {seed}", flush=True)
    subprocess.run([*command, "--seed", str(seed), "--threads", "1", *more], check=False, cwd=ROOT)


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


def outcome(experiment: Experiment, arm: Arm, seeds: list[int]) -> dict[str, Any]:
    """What an arm came to, over the seeds that have been run."""
    curves = {seed: points for seed in seeds if (points := curve(experiment, arm, seed))}
    last = {seed: _final(experiment, arm, seed) for seed in curves}
    return {
        "seeds": len(curves),
        "finished": sum("stopped" in final for final in last.values()),
        "steps": mean([steps_to(points, THRESHOLD) for points in curves.values()]),
        "trained": [final.get("step") for final in last.values()],
        **{split: mean([final.get(split) for final in last.values()])
           for split in ("interpolate", "extrapolate")},
    }  # fmt: skip


def _final(experiment: Experiment, arm: Arm, seed: int) -> dict[str, Any]:
    """The final result of a run, or its last evaluation."""
    path = folder(experiment, arm, seed) / "final.json"
    return json.loads(path.read_text()) if path.exists() else curve(experiment, arm, seed)[-1]


def summary(experiment: Experiment, seeds: list[int]) -> dict[str, Any]:
    """One entry of summary.json: None where nothing was measured, or the threshold not reached."""
    arms = {arm.name: outcome(experiment, arm, seeds) for arm in experiment.arms}
    scratch, hybrid = (arms[arm.name] for arm in experiment.arms[:2])
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
        "hardware": f"CPU, 1 thread, {platform.machine()}",
        "arms": arms,
    }


def draw(experiment: Experiment, seeds: list[int]) -> None:
    """Percent right by step: interpolation full, extrapolation dashed."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for place, arm in enumerate(experiment.arms):
        colour = COLOURS.get(arm.name, f"C{place}")
        for seed in seeds:
            points = curve(experiment, arm, seed)
            for split, style in (("interpolate", "-"), ("extrapolate", "--")):
                pairs = [(point["step"], point[split]) for point in points if split in point]
                if pairs:
                    label = f"{arm.name}, {split}" if seed == seeds[0] else None
                    axes.plot(*zip(*pairs, strict=True), style, color=colour, label=label)
    axes.axhline(THRESHOLD, color="0.8", linewidth=0.8)
    axes.set(xlabel="step", ylabel="% right", ylim=(-2, 102), title=experiment.module)
    axes.legend(fontsize=7)
    FigureCanvasAgg(figure).print_png(str(DOCS / f"{experiment.key}.png"))


def report(seeds: list[int]) -> None:
    """Curves as JSON and PNG, and summary.json, of everything that has been run."""
    DOCS.mkdir(parents=True, exist_ok=True)
    entries = []
    for experiment in ALL:
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
    (DOCS / "summary.json").write_text(json.dumps(entries, indent=1) + "\n")


def main() -> None:
    """Trains and reports as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("experiments", nargs="*", help="keys, such as a b c; all of them if none")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only-report", action="store_true")
    asked = parser.parse_args()
    seeds = list(range(1, asked.seeds + 1))
    for seed in [] if asked.only_report else seeds:
        for experiment in ALL:
            if not asked.experiments or experiment.key in asked.experiments:
                for arm in experiment.arms:
                    train(experiment, arm, seed)
                    report(seeds)
    report(seeds)


if __name__ == "__main__":
    main()
