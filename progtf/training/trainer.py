"""The training loop: one process or several, exact resume, a clear stop when something is wrong."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torch import nn

from progtf.data import Cursor
from progtf.data.loading import TensorBatch
from progtf.training import config
from progtf.training.build import Plan, apply_plan, build_subject, plan_of
from progtf.training.checkpoint import Progress
from progtf.training.controls import damage
from progtf.training.drift import Drift
from progtf.training.evaluation import Evaluation, tests_of
from progtf.training.extent import sides_in, sides_of
from progtf.training.interrupt import interruptible
from progtf.training.keeper import Keeper
from progtf.training.log import Log
from progtf.training.questions import Questions, opened, prepare
from progtf.training.ranks import Ranks
from progtf.training.recipe import note_settings, recipe_of
from progtf.training.shared import whole_weights
from progtf.training.steps import NotFiniteError, Steps
from progtf.training.subject import Hybrid, as_batch
from progtf.training.watch import Reach, fix_unused

CALIBRATION = 100
WATCHED = 10
"""The step at which gradients are looked at: at the first one, learned scores are still 0."""


@dataclass
class Result:
    """What a run came to."""

    step: int
    scores: dict[str, float]
    stopped: str
    folder: Path
    curve: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Trainer:
    """One run, from its settings to its last checkpoint.

    Raises:
        RunError: for settings that mean nothing, and for everything that stops a run.
    """

    def __init__(self, run: config.Run, ranks: Ranks) -> None:
        self.run, self.ranks = run, ranks
        if ranks.first:
            prepare(run.data)
        ranks.wait()
        self.subject = build_subject(run).to(ranks.device)
        self.tests = tests_of(run)
        self._check_questions()
        self.keeper = Keeper(run, ranks, self.subject)
        recipe = recipe_of(run, self.subject)
        fresh = Progress(0, Cursor(), -1.0, 0, ranks.ranks, recipe, control=run.control)
        self.progress = self.keeper.begin(fresh)
        self.plan = Plan((), soft=False)
        self.drift: Drift | None = None
        self.reach = Reach({})
        free = self._divided(fresh=self.keeper.start is None)
        fix_unused(self.subject, *as_batch(self.tests["interpolate"][:1], ranks.device))
        self.steps = Steps(self.subject, ranks, run, free)
        self.evaluation = Evaluation(self.tests, self.steps)
        self.keeper.restore(self.steps)

    def _check_questions(self) -> None:
        """Raises RunError if the subject cannot take one of the questions, or give an answer."""
        for split, problems in self.tests.items():
            self.subject.check(sides_of(split, problems))
        if isinstance(self.subject, Hybrid):  # any other takes all questions
            self.subject.check(sides_in(opened(self.run.data)))

    def _divided(self, *, fresh: bool) -> list[tuple[nn.Parameter, float]]:
        """The written part as fixed weights and free ones, which are returned with their rates."""
        run, subject = self.run, self.subject
        if not isinstance(subject, Hybrid):
            return []
        model = subject.module
        undamaged = build_subject(run)
        assert isinstance(undamaged, Hybrid)
        self.plan = plan_of(undamaged.module, run)
        self.drift = Drift.of(subject, undamaged, self.plan, self.tests["interpolate"])
        if fresh:
            damage(model, run.damage, run.seed)
        self.reach = Reach.of(model, self.plan.groups)
        free = apply_plan(model, self.plan, run.seed)
        subject.use_cache(wanted=run.cache and not self.plan.soft)
        if run.control == "random":
            subject.randomise(self.tests["interpolate"][:CALIBRATION], undamaged, run.seed)
        return free

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
        return Result(self.progress.step, scores, stopped, self.latest, log.curve)

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
                log.unreached(self.reach.weak())
            log.step(step, loss, done / max(time.monotonic() - since, 1e-9))
            if step % run.evaluate.every == 0:
                stopped = self._evaluated(log, loss)
                since, done = time.monotonic(), 0
            if step % run.checkpoints.every == 0 or stopped:
                self._save()
        return stopped

    def _begin(self, log: Log) -> Iterator[TensorBatch]:
        """The batches that come next; at the very beginning, what the network knows already."""
        run, ranks = self.run, self.ranks
        log.begin(self.progress.step, run.train.steps)
        if self.progress.step == 0:
            self._evaluated(log, math.nan)
        if log.folder is not None:
            note_settings(run)
        questions = Questions(run.data, run.train.batch, run.seed, ranks.rank, ranks.ranks)
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
            drift = {} if self.drift is None else self.drift.measure()
        log.evaluated(self.progress.step, loss, scores, drift)
        train, result = self.run.train, scores.get("interpolate", 0.0)
        again = min(result, self.progress.last) >= train.stop_at
        better = result > self.progress.best
        best, stale = (result, 0) if better else (self.progress.best, self.progress.stale + 1)
        stopped = ""
        if again:
            stopped = f"{train.stop_at:g} % of the interpolation questions are right"
        elif train.patience and stale >= train.patience:
            stopped = f"no better result in {stale} evaluations"
        self.progress = replace(self.progress, best=best, stale=stale, last=result, stopped=stopped)
        return stopped
