"""The checkpoints of a run: the one to go on from, and those that it leaves."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from progtf.training import checkpoint, config
from progtf.training.checkpoint import Progress
from progtf.training.parallel import full, whole_weights
from progtf.training.ranks import Ranks
from progtf.training.recipe import Identity
from progtf.training.steps import Steps
from progtf.training.subject import Hybrid, Subject


def folder_of(run: config.Run) -> Path:
    """Where the checkpoints of a run are."""
    return run.out / "checkpoints"


def checkpoints_of(run: config.Run) -> list[Path]:
    """The finished checkpoints of a run, the latest last."""
    return checkpoint.checkpoints(folder_of(run))


def start_of(run: config.Run, ranks: Ranks, fresh: Progress) -> tuple[Progress, Path | None]:
    """Where a run stands, and the checkpoint that it goes on from, if it has one.

    Raises:
        RunError: if it is another run's, or processes see different ones.
    """
    found = checkpoints_of(run)
    progress = checked(run, found[-1], fresh.run) if found else fresh
    (steps,) = ranks.total(progress.step)
    if steps != progress.step * ranks.ranks:
        raise config.RunError(
            f"{folder_of(run)}: not every process finds the same checkpoints there: `out` is to"
            " be a folder that all machines of a run share"
        )
    return progress, found[-1] if found else None


def checked(run: config.Run, latest: Path, own: Identity) -> Progress:
    """Where the latest checkpoint of a run stands.

    Raises:
        RunError: if it is damaged, or that of a run of another identity.
    """
    progress = checkpoint.read_progress(latest)
    if changed := progress.run.changes(own):
        raise config.RunError(
            f"{latest}: something has changed since: {'; '.join(changed)}; give the run"
            f" another `out`, or remove {run.out} to begin again"
        )
    return progress


@dataclass
class Keeper:
    """Restores and writes the checkpoints of a run.

    Attributes:
        start: the checkpoint that the run goes on from, if it does.
        saved: the step of the last one that is written; -1: there is none.
    """

    run: config.Run
    ranks: Ranks
    subject: Subject
    start: Path | None
    saved: int = -1

    def path(self, step: int) -> Path:
        """The checkpoint of a step."""
        return folder_of(self.run) / f"step-{step:07d}"

    def restore(self, steps: Steps) -> None:
        """Puts back the rest of what was kept: optimiser, means, random generators."""
        if self.start is None:
            return
        tensors = load_file(self.start / checkpoint.TRAINER)
        checkpoint.restore_optimiser(steps.optimiser, tensors)
        steps.average.restore(tensors)
        for name, scores in self._scores().items():
            scores.data.copy_(tensors[name])
        steps.drawing.restore(tensors[f"random.{self.ranks.rank}"])

    def save(self, steps: Steps, progress: Progress) -> None:
        """Writes the checkpoint of this step, unless it is written."""
        if self.saved == progress.step:
            return
        states = self._gathered(steps.drawing.state)
        tensors = checkpoint.optimiser_tensors(steps.optimiser)
        tensors |= {f"random.{rank}": state for rank, state in enumerate(states)}
        tensors |= steps.average.tensors() | self._scores()
        with steps.average.in_place():
            plain = self._whole(steps)
        if self.ranks.first:
            checkpoint.save(self.path(progress.step), self.subject, plain, tensors, progress)
            checkpoint.drop_old(folder_of(self.run), self.run.checkpoints.keep)
        self.saved = progress.step
        self.ranks.wait()

    def _scores(self) -> dict[str, Tensor]:
        """What choices are made by, which the weights do not tell."""
        choices = self.subject.choices if isinstance(self.subject, Hybrid) else None
        return {} if choices is None else {"choices": choices.scores}

    def _whole(self, steps: Steps) -> Any:
        with whole_weights(steps.loss):
            if isinstance(self.subject, Hybrid):
                return self.subject.weights()
            return {name: full(t).clone() for name, t in self.subject.module.state_dict().items()}

    def _gathered(self, random: Tensor) -> list[Tensor]:
        if self.ranks.ranks == 1:
            return [random]
        mine = random.to(self.ranks.device)
        states = [torch.empty_like(mine) for _ in range(self.ranks.ranks)]
        torch.distributed.all_gather(states, mine)
        return [state.cpu() for state in states]

    def last_good(self) -> str:
        """Which checkpoint a broken run can go on from, in words."""
        found = checkpoints_of(self.run)
        return f"the last good checkpoint is {found[-1]}" if found else "there is no checkpoint yet"
