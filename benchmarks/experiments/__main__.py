"""The experiments of docs/experiments: trains what has not been trained, then draws and sums up.

    python -m benchmarks.experiments                  # all of them, three seeds; hours
    python -m benchmarks.experiments a c --seeds 1    # some of them
    python -m benchmarks.experiments --jobs 4         # four runs at a time, a core each
    python -m benchmarks.experiments gpu-a gpu-b gpu-g --seeds 1    # at width 256, on a GPU
    python -m benchmarks.experiments --only-report    # what there is

A run that is finished is not done again; one that was stopped goes on. What has not been run is
reported as not run.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.experiments.plan import ALL, GPU, ROOT, RUNS, Arm, Experiment
from benchmarks.experiments.records import folder
from benchmarks.experiments.report import report
from progtf.training.config import read_run
from progtf.training.questions import prepare


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


def main() -> None:
    """Trains and reports as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("experiments", nargs="*", help="keys, such as a b c; all of them if none")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--only-report", action="store_true")
    asked = parser.parse_args()
    chosen = [e for e in (*ALL, *GPU) if e.key in asked.experiments] or list(ALL)
    if not asked.only_report:
        train_all(chosen, list(range(1, asked.seeds + 1)), asked.jobs)
    report()


def train_all(chosen: list[Experiment], seeds: list[int], jobs: int) -> None:
    """Makes the questions, then trains, all arms of a seed before those of the next."""
    for file in {arm.file: None for experiment in chosen for arm in experiment.arms}:
        prepare(read_run(RUNS / file).data, os.cpu_count() or 1)
    runs = {
        folder(experiment, arm, seed): (experiment, arm, seed)
        for seed in seeds for experiment in chosen for arm in experiment.arms
    }  # fmt: skip
    with ThreadPoolExecutor(jobs) as pool:
        for result in [pool.submit(train, *run) for run in runs.values()]:
            result.result()


if __name__ == "__main__":
    main()
