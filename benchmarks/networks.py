"""Networks that other benchmarks have trained."""

from pathlib import Path

from progtf.training.checkpoint import checkpoints
from progtf.training.networks import LearnedModel


def last_of(run: Path) -> Path:
    """The last checkpoint of a run; SystemExit where there is none."""
    found = checkpoints(run / "checkpoints")
    if not found:
        raise SystemExit(f"{run}: not trained; benchmarks.interchange and benchmarks.roles do that")
    return found[-1]


def network_of(run: Path) -> LearnedModel:
    """What a run has trained; SystemExit where it has not."""
    return LearnedModel.load(last_of(run))
