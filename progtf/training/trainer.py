"""The training loop: one process or several, exact resume, a clear stop when something is wrong."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from progtf.compiler.free import whole
from progtf.data import Cursor, Problem
from progtf.data.loading import TensorBatch
from progtf.training import checkpoint, config
from progtf.training.average import Average
from progtf.training.build import Plan, apply_plan, build_subject, plan_of
from progtf.training.checkpoint import Progress
from progtf.training.controls import damage
from progtf.training.drift import Drift
from progtf.training.extent import sides_in, sides_of
from progtf.training.log import Log
from progtf.training.optimiser import build_optimiser, rates_of, set_rates
from progtf.training.questions import (
    TESTS,
    Questions,
    by_length,
    opened,
    prepare,
    test_problems,
)
from progtf.training.ranks import Ranks
from progtf.training.recipe import note_settings, recipe_of, what_changed
from progtf.training.shared import Loss, full, no_sync, shared, whole_weights
from progtf.training.subject import IGNORED, Hybrid, as_batch
from progtf.training.watch import Reach, fix_unused

MOST_PER_TEST = 256
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
        self.tests = {split: test_problems(run.data, split, run.evaluate.final) for split in TESTS}
        self._check_questions()
        self.recipe = recipe_of(run, self.subject)
        self.progress = Progress(0, Cursor(), -1.0, 0, ranks.ranks, self.recipe)
        self.saved = -1
        self.folder = run.out / "checkpoints"
        start = self._start()
        self._check_agreed()
        self.plan = Plan((), soft=False)
        self.drift: Drift | None = None
        self.reach = Reach({})
        free = self._divided(fresh=start is None)
        fix_unused(self.subject, *as_batch(self.tests["interpolate"][:1], ranks.device))
        rates = rates_of(self.subject, free, run.train.learning_rate)
        self.loss = shared(Loss(self.subject), ranks, run.train.shard)
        torch.manual_seed(run.seed + ranks.rank)
        self.optimiser = build_optimiser(self.subject, rates, run.train)
        self.average = Average.of(self._parameters(), run.train.average)
        if start is not None:
            self._restore(start)

    def _check_questions(self) -> None:
        """Raises RunError if the subject cannot take one of the questions, or give an answer."""
        for split, problems in self.tests.items():
            self.subject.check(sides_of(split, problems))
        if isinstance(self.subject, Hybrid):  # any other takes all questions
            self.subject.check(sides_in(opened(self.run.data)))

    def _start(self) -> Path | None:
        """The checkpoint to go on from, its weights loaded."""
        found = checkpoint.checkpoints(self.folder)
        if not found:
            return None
        progress = checkpoint.read_progress(found[-1])
        if progress.recipe != self.recipe:
            raise config.RunError(
                f"{found[-1]}: something has changed since: {what_changed(self.run)}; give the run"
                f" another `out`, or remove {self.run.out} to begin again"
            )
        if progress.ranks != self.ranks.ranks:
            raise config.RunError(
                f"{found[-1]} was trained by {progress.ranks} processes, not {self.ranks.ranks};"
                " a run goes on exactly only with as many"
            )
        checkpoint.load_weights(found[-1], self.subject)
        self.progress, self.saved = progress, progress.step
        return found[-1]

    def _check_agreed(self) -> None:
        """All processes go on from the same step: they see the same folder."""
        (steps,) = self.ranks.total(self.progress.step)
        if steps != self.progress.step * self.ranks.ranks:
            raise config.RunError(
                f"{self.folder}: not every process finds the same checkpoints there: `out` is to"
                " be a folder that all machines of a run share"
            )

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
            subject.randomise(self.tests["interpolate"][:CALIBRATION], run.seed)
        return free

    def _restore(self, folder: Path) -> None:
        tensors = checkpoint.load_tensors(folder)
        checkpoint.restore_optimiser(self.optimiser, tensors)
        self.average.restore(tensors)
        self.ranks.restore_random_state(tensors[f"random.{self.ranks.rank}"])

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
        stopped, since, done = self.progress.stopped, time.monotonic(), 0
        while self.progress.step < run.train.steps and not stopped:
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
        self._save()
        more = self.progress.step > run.train.steps
        stopped = stopped or (f"{run.train.steps} were asked for" if more else "all steps are done")
        scores = self.scores(run.evaluate.final)
        log.end(self.progress.step, scores, stopped)
        return Result(self.progress.step, scores, stopped, self.latest, log.curve)

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
        return self.folder / f"step-{self.progress.step:07d}"

    def _step(self, batches: Iterator[TensorBatch]) -> tuple[float, int]:
        train, number = self.run.train, self.progress.step
        self.subject.train()
        self.optimiser.zero_grad(set_to_none=True)
        parts = [next(batches) for _ in range(train.accumulate)]
        shares = self._shares(parts)
        total = 0.0
        for part, (batch, share) in enumerate(zip(parts, shares, strict=True), start=1):
            with no_sync(self.loss, last=part == len(parts)), self._precision():
                loss = self.loss(
                    batch.question.to(self.ranks.device), batch.answer.to(self.ranks.device)
                )
            (loss * share).backward()
            total += float(loss.detach()) * share
        (mean,) = self.ranks.total(total / self.ranks.ranks)
        self._stop_if_broken(mean, number)
        norm = full(nn.utils.clip_grad_norm_(self._parameters(), train.clip or math.inf))
        self._stop_if_broken(float(norm), number)
        set_rates(self.optimiser, number, train)
        self.optimiser.step()
        self.average.update(number)
        self.progress = replace(self.progress, step=number + 1, cursor=parts[-1].after)
        return mean, sum(len(batch.answer) for batch in parts) * self.ranks.ranks

    def _shares(self, parts: list[TensorBatch]) -> list[float]:
        """What the mean loss of each batch counts, so that each symbol of a step counts the same.

        Batches differ in size; gradients are the mean over processes.
        """
        symbols = [int((self.subject.due(part.answer) != IGNORED).sum()) for part in parts]
        (whole,) = self.ranks.total(sum(symbols))
        return [some * self.ranks.ranks / max(whole, 1.0) for some in symbols]

    def _parameters(self) -> list[nn.Parameter]:
        return [p for p in self.subject.parameters() if p.requires_grad]

    def _precision(self) -> Any:
        enabled = self.run.train.precision == "bfloat16"
        return torch.autocast(self.ranks.device.type, torch.bfloat16, enabled=enabled)

    def _stop_if_broken(self, number: float, step: int) -> None:
        if math.isfinite(number):
            return
        found = checkpoint.checkpoints(self.folder)
        good = f"the last good checkpoint is {found[-1]}" if found else "there is no checkpoint yet"
        raise config.RunError(
            f"step {step + 1}: the loss or its gradient is {number}; {good}."
            " Try a lower learning rate, `clip`, or float32"
        )

    def _save(self) -> None:
        if self.saved == self.progress.step:
            return
        random = self.ranks.random_state()
        states = self._gathered(random)
        tensors = checkpoint.optimiser_tensors(self.optimiser)
        tensors |= {f"random.{rank}": state for rank, state in enumerate(states)}
        tensors |= self.average.tensors()
        with self.average.in_place():
            plain = self._whole()
        if self.ranks.first:
            checkpoint.save(self.latest, self.subject, plain, tensors, self.progress)
            checkpoint.drop_old(self.folder, self.run.checkpoints.keep)
        self.saved = self.progress.step
        self.ranks.wait()

    def _whole(self) -> Any:
        with whole_weights(self.loss):
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

    def _evaluated(self, log: Log, loss: float) -> str:
        """Tests, writes it down, and says why the run should stop, if it should."""
        scores = self.scores(self.run.evaluate.questions)
        with self.average.in_place(), whole_weights(self.loss):
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

    def scores(self, count: int) -> dict[str, float]:
        """Percent of test questions answered rightly, split by split; all processes share them."""
        self.subject.eval()
        found: dict[str, float] = {}
        for split, problems in self.tests.items():
            some = problems[:count]
            with self.average.in_place():
                (right,) = self.ranks.total(self._right(some))
            if some:
                found[split] = 100.0 * right / len(some)
        return found

    @torch.no_grad()
    def _right(self, problems: list[Problem]) -> int:
        """How many of its share this process has right; each has equally many batches.

        Processes that share weights (FSDP2) wait for each other at every batch, so that one
        without questions of its own looks at another's.
        """
        total = 0
        for some in by_length(problems, MOST_PER_TEST * self.ranks.ranks):
            mine = some[self.ranks.rank :: self.ranks.ranks]
            with self._precision():
                batch = as_batch(mine or some[:1], self.ranks.device)
                right = self.loss(*batch, judged=True)
            total += int(right.sum()) if mine else 0
        return total
