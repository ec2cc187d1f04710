"""The checkpoints of a run: the one to go on from, and those that it leaves."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from progtf.compiler.free import whole
from progtf.training import checkpoint, config
from progtf.training.checkpoint import Progress
from progtf.training.ranks import Ranks
from progtf.training.recipe import what_changed
from progtf.training.shared import full, whole_weights
from progtf.training.steps import Steps
from progtf.training.subject import Hybrid, Subject


@dataclass
class Keeper:
    """Finds, loads and writes the checkpoints of a run.

    Attributes:
        start: the checkpoint that the run went on from, if it did.
        saved: the step of the last one that is written; -1: there is none.
    """

    run: config.Run
    ranks: Ranks
    subject: Subject
    start: Path | None = None
    saved: int = -1

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self.run.out / "checkpoints"

    def path(self, step: int) -> Path:
        """The checkpoint of a step."""
        return self.folder / f"step-{step:07d}"

    def begin(self, fresh: Progress) -> Progress:
        """Where the run stands; the weights of its last checkpoint are loaded, if it has one.

        Raises:
            RunError: if it is another run's, or processes see different ones.
        """
        progress = self._loaded(fresh) or fresh
        (steps,) = self.ranks.total(progress.step)
        if steps != progress.step * self.ranks.ranks:
            raise config.RunError(
                f"{self.folder}: not every process finds the same checkpoints there: `out` is to"
                " be a folder that all machines of a run share"
            )
        return progress

    def _loaded(self, fresh: Progress) -> Progress | None:
        found = checkpoint.checkpoints(self.folder)
        if not found:
            return None
        progress = checkpoint.read_progress(found[-1])
        if progress.recipe != fresh.recipe:
            raise config.RunError(
                f"{found[-1]}: something has changed since: {what_changed(self.run)}; give the run"
                f" another `out`, or remove {self.run.out} to begin again"
            )
        if progress.ranks != fresh.ranks:
            raise config.RunError(
                f"{found[-1]} was trained by {progress.ranks} processes, not {fresh.ranks};"
                " a run goes on exactly only with as many"
            )
        checkpoint.load_weights(found[-1], self.subject)
        self.start, self.saved = found[-1], progress.step
        return progress

    def restore(self, steps: Steps) -> None:
        """Puts back the rest of what was kept: optimiser, means, random generators."""
        if self.start is None:
            return
        tensors = checkpoint.load_tensors(self.start)
        checkpoint.restore_optimiser(steps.optimiser, tensors)
        steps.average.restore(tensors)
        self.ranks.restore_random_state(tensors[f"random.{self.ranks.rank}"])

    def save(self, steps: Steps, progress: Progress) -> None:
        """Writes the checkpoint of this step, unless it is written."""
        if self.saved == progress.step:
            return
        states = self._gathered(self.ranks.random_state())
        tensors = checkpoint.optimiser_tensors(steps.optimiser)
        tensors |= {f"random.{rank}": state for rank, state in enumerate(states)}
        tensors |= steps.average.tensors()
        with steps.average.in_place():
            plain = self._whole(steps)
        if self.ranks.first:
            checkpoint.save(self.path(progress.step), self.subject, plain, tensors, progress)
            checkpoint.drop_old(self.folder, self.run.checkpoints.keep)
        self.saved = progress.step
        self.ranks.wait()

    def _whole(self, steps: Steps) -> Any:
        with whole_weights(steps.loss):
            if isinstance(self.subject, Hybrid):
                return whole(self.subject.module)
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
        found = checkpoint.checkpoints(self.folder)
        return f"the last good checkpoint is {found[-1]}" if found else "there is no checkpoint yet"
