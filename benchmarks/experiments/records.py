"""What the runs came to: curves and last results, from their folders or from docs/experiments."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.experiments.plan import ROOT, RUNS, Arm, Experiment
from progtf.records import read_records

DOCS = ROOT / "docs" / "experiments"
LATE = 10
"""Evaluations at the end of which the mean is told."""

Points = list[dict[str, Any]]


@dataclass(frozen=True)
class Record:
    """One run: its evaluations, and its result on more questions at the end."""

    points: Points
    final: dict[str, Any]

    def steps_to(self, threshold: float) -> int | None:
        """The first evaluation at which a threshold is reached, if it still is at the next one."""
        results = [point["interpolate"] >= threshold for point in self.points]
        for number, point in enumerate(self.points):
            if results[number] and all(results[number : number + 2]):
                return point["step"]
        return None

    def late(self, split: str) -> float | None:
        """The mean of the last evaluations: a single one swings with the step that it falls on."""
        return mean([point[split] for point in self.points if split in point][-LATE:])


def mean(values: list[float | None]) -> float | None:
    """The mean, or None if one is missing."""
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 1) if known and len(known) == len(values) else None


def folder(experiment: Experiment, arm: Arm, seed: int) -> Path:
    """Where a run is; experiments share the runs that they have in common."""
    return RUNS / "out" / (arm.of or experiment.key) / f"{arm.name}-{seed}"


def record(experiment: Experiment, arm: Arm, seed: int) -> Record | None:
    """A run, finished or not, from its folder, or, where that is gone, from the docs."""
    curve = folder(experiment, arm, seed) / "metrics.jsonl"
    if not curve.exists():
        return _kept(arm.of or experiment.key).get(f"{arm.name}-{seed}")
    points = read_records(curve)
    final = curve.parent / "final.json"
    return Record(points, json.loads(final.read_text()) if final.exists() else points[-1])


@cache
def _kept(key: str) -> dict[str, Record]:
    path = DOCS / f"{key}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    return {name: Record(**run) for name, run in kept.items()}


def records(experiment: Experiment) -> dict[Arm, dict[int, Record]]:
    """Every run of an experiment that has been started, whichever seeds were asked for."""
    return {
        arm: {
            seed: run
            for seed in _seeds(experiment, arm)
            if (run := record(experiment, arm, seed)) is not None
        }
        for arm in experiment.arms
    }


def _seeds(experiment: Experiment, arm: Arm) -> list[int]:
    """The seeds of which there is a folder, or something in the docs."""
    there = (path.name for path in folder(experiment, arm, 0).parent.glob("*"))
    names = {*there, *_kept(arm.of or experiment.key)}
    parts = (name.rpartition("-") for name in names)
    return sorted(int(seed) for stem, _, seed in parts if stem == arm.name and seed.isdigit())


def keep(experiment: Experiment, runs: dict[Arm, dict[int, Record]]) -> None:
    """Writes the runs of an experiment to the docs, but for those of another one."""
    mine = {
        f"{arm.name}-{seed}": vars(run)
        for arm, some in runs.items() if not arm.of for seed, run in some.items()
    }  # fmt: skip
    if mine:
        (DOCS / f"{experiment.key}.json").write_text(json.dumps(mine) + "\n")
