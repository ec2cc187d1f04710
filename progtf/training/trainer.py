"""The training loop: one process or several, exact resume, a clear stop when something is wrong."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from progtf.data.loading import TensorBatch
from progtf.numbers import plain
from progtf.training import config
from progtf.training.evaluation import Evaluation
from progtf.training.keeper import Keeper
from progtf.training.log import Log
from progtf.training.pairs import word_problems_of
from progtf.training.parallel import whole_weights
from progtf.training.questions import Questions
from progtf.training.ranks import interruptible
from progtf.training.recipe import note_settings
from progtf.training.setup import Setup
from progtf.training.steps import NotFiniteError, Steps

WATCHED = 10
"""The step at which gradients are looked at: at the first one, learned scores are still 0."""


@dataclass
class Result:
    """What a run came to.

    Attributes:
        scores: percent that is right, split by split.
        modules: the same of each module, ``{split: {module: percent}}``, where there are several.
    """

    step: int
    scores: Mapping[str, float]
    stopped: str
    folder: Path
    curve: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    modules: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, dict[str, float]])


class Trainer:
    """Takes the steps of one run, to its last checkpoint.

    Raises:
        RunError: for everything that stops a run.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup, self.run, self.ranks = setup, setup.run, setup.ranks
        self.progress = setup.progress
        self.steps = Steps(setup.subject, setup.ranks, setup.run, list(setup.rates))
        asked = word_problems_of(setup.run.data)
        self.evaluation = Evaluation(setup.tests, self.steps, asked)
        saved = -1 if setup.start is None else setup.progress.step
        self.keeper = Keeper(setup.run, setup.ranks, setup.subject, setup.start, saved)
        self.keeper.restore(self.steps)

    def train(self, log: Log) -> Result:
        """Trains to the end; what was done before is not done again.

        Raises:
            RunError: for a loss that is no number, and a disk that is full.
        """
        try:
            return self._trained(log)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise config.RunError(
                f"{self.run.out}: {reason}; the last checkpoint is whole, the run goes on from it"
            ) from None

    def _trained(self, log: Log) -> Result:
        run, batches = self.run, self._begin(log)
        with interruptible(wanted=self.ranks.ranks == 1) as asked_to_stop:
            stopped = self._stepped(log, batches, asked_to_stop)
            self._save()
            if asked_to_stop():
                raise KeyboardInterrupt
        more = self.progress.step > run.train.steps
        stopped = stopped or (f"{run.train.steps} were asked for" if more else "all steps are done")
        scores = self.evaluation.scores(run.evaluate.final)
        log.end(self.progress.step, scores, stopped)
        found = scores.splits, stopped, self.latest, log.curve, scores.modules
        return Result(self.progress.step, *found)

    def _stepped(
        self, log: Log, batches: Iterator[TensorBatch], asked_to_stop: Callable[[], bool]
    ) -> str:
        """Steps until all are done or there is a reason to stop, which is returned."""
        run = self.run
        stopped, since, done = self.progress.stopped, time.monotonic(), 0
        while self.progress.step < run.train.steps and not stopped and not asked_to_stop():
            loss, count = self._step(batches)
            step, done = self.progress.step, done + count
            if step == min(WATCHED, run.train.steps):
                log.unreached(self.setup.reach.weak())
            log.step(step, loss, done / max(time.monotonic() - since, 1e-9))
            if step % run.train.log_every == 0:
                log.noted(step)
            if step % run.evaluate.every == 0:
                stopped = self._evaluated(log, loss)
                since, done = time.monotonic(), 0
            if step % run.checkpoints.every == 0 or stopped:
                self._save()
        return stopped

    def _begin(self, log: Log) -> Iterator[TensorBatch]:
        """The batches that come next; at the very beginning, what the network knows already."""
        run, ranks = self.run, self.ranks
        log.begin(self.progress.step, run.train.steps, self.setup.note, self.progress.curve)
        if self.progress.step == 0:
            self._evaluated(log, math.nan)
        if log.folder is not None:
            note_settings(run)
        given = run.data, run.train.batch, run.seed, ranks.rank, ranks.ranks
        questions = Questions(*given, rows=self.setup.subject.batch)
        return questions.batches(self.progress.cursor)

    @property
    def latest(self) -> Path:
        """The name of the checkpoint of this step."""
        return self.keeper.path(self.progress.step)

    def _step(self, batches: Iterator[TensorBatch]) -> tuple[float, int]:
        number = self.progress.step
        try:
            taken = self.steps.take(batches, number)
        except NotFiniteError as error:
            raise config.RunError(
                f"step {number + 1}: {error}; {self.keeper.last_good()}."
                " Try a lower learning rate, `clip`, or float32"
            ) from None
        self.progress = replace(self.progress, step=number + 1, cursor=taken.after)
        return taken.loss, taken.questions

    def _save(self) -> None:
        self.keeper.save(self.steps, self.progress)

    def _evaluated(self, log: Log, loss: float) -> str:
        """Tests, writes it down, and says why the run should stop, if it should."""
        scores = self.evaluation.scores(self.run.evaluate.questions)
        with self.steps.average.in_place(), whole_weights(self.steps.loss):
            drift = {} if self.setup.drift is None else self.setup.drift.measure()
        log.evaluated(self.progress.step, loss, scores, drift)
        train, result = self.run.train, scores.splits.get("interpolate", 0.0)
        again = min(result, self.progress.last) >= train.stop_at
        better = result > self.progress.best
        best, stale = (result, 0) if better else (self.progress.best, self.progress.stale + 1)
        stopped = ""
        if again:
            stopped = f"{plain(train.stop_at)} % of the interpolation questions are right"
        elif train.patience and stale >= train.patience:
            stopped = f"no better result in {stale} evaluations"
        self.progress = replace(
            self.progress,
            best=best,
            stale=stale,
            last=result,
            stopped=stopped,
            curve=tuple(log.curve),
        )
        return stopped
