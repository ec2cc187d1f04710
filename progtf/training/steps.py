"""Steps of training: batches, gradients, the optimiser and its rates, the mean of the weights."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import nn

from progtf.data import Cursor
from progtf.data.loading import TensorBatch, in_order_of_length, moved
from progtf.training import config
from progtf.training.average import Average
from progtf.training.config import Train
from progtf.training.parallel import Loss, full, no_sync, shared
from progtf.training.ranks import Drawing, Ranks
from progtf.training.subject import IGNORED, Subject


class NotFiniteError(ArithmeticError):
    """A loss, or the norm of its gradient, is no number; no weight has been changed by it."""


class Taken(NamedTuple):
    """What a step came to: its loss, its questions in all processes, the batch that is next."""

    loss: float
    questions: int
    after: Cursor


class Steps:
    """What takes steps: the loss, as processes share it, the optimiser, the mean of the weights.

    Args:
        subject: what is trained.
        ranks: the processes.
        run: its settings.
        free: parameters with learning rates of their own.
    """

    def __init__(
        self,
        subject: Subject,
        ranks: Ranks,
        run: config.Run,
        free: list[tuple[nn.Parameter, float]],
    ) -> None:
        self.subject, self.ranks, self.train = subject, ranks, run.train
        rates = rates_of(subject, free, run.train.learning_rate)
        self.loss = shared(Loss(subject), ranks, run.train.shard)
        self.drawing = Drawing(ranks.device, run.seed + ranks.rank)
        self.optimiser = build_optimiser(subject, rates, run.train)
        self.average = Average.of(self._parameters(), run.train.average)

    def take(self, batches: Iterator[TensorBatch], number: int) -> Taken:
        """One step, the ``number``-th from 0.

        Raises:
            NotFiniteError: before it would change a weight.
        """
        train = self.train
        parts = [next(batches) for _ in range(train.accumulate)]
        if self.subject.parted:
            parts = in_order_of_length(parts)
        self.subject.train()
        self.optimiser.zero_grad(set_to_none=True)
        with self.drawing.going_on():
            loss = self._gradients(parts)
        norm = full(nn.utils.clip_grad_norm_(self._parameters(), train.clip or math.inf))
        _check_finite(float(norm))
        for group in self.optimiser.param_groups:
            group["lr"] = group["peak"] * rate_factor(number, train)
        self.optimiser.step()
        self.subject.after_step()
        self.average.update(number)
        questions = sum(len(batch.answer) for batch in parts) * self.ranks.ranks
        return Taken(loss, questions, parts[-1].after)

    def _gradients(self, parts: list[TensorBatch]) -> float:
        """Puts the gradients of some batches where the optimiser finds them; their mean loss."""
        device, total = self.ranks.device, 0.0
        for number, (batch, share) in enumerate(zip(parts, self._shares(parts), strict=True), 1):
            last = number == len(parts)
            with no_sync(self.loss, last=last), self.ranks.autocast(self.train.precision):
                loss = self.loss(*(moved(side, device) for side in batch[:2]))
            (loss * share).backward()
            total += float(loss.detach()) * share
        (mean,) = self.ranks.total(total / self.ranks.ranks)
        _check_finite(mean)
        return mean

    def _shares(self, parts: list[TensorBatch]) -> list[float]:
        """What the mean loss of each batch counts, so that each symbol of a step counts the same.

        Batches differ in size; gradients are the mean over processes.
        """
        symbols = [int((self.subject.due(part.answer) != IGNORED).sum()) for part in parts]
        (whole,) = self.ranks.total(sum(symbols))
        return [some * self.ranks.ranks / max(whole, 1.0) for some in symbols]

    def _parameters(self) -> list[nn.Parameter]:
        return [p for p in self.subject.parameters() if p.requires_grad]


def _check_finite(number: float) -> None:
    if not math.isfinite(number):
        raise NotFiniteError(f"the loss or its gradient is {number}")


def rates_of(
    subject: Subject, free: list[tuple[nn.Parameter, float]], usual: float
) -> dict[str, float]:
    """The learning rate of every parameter by its name, which survives its division.

    Args:
        subject: what is trained.
        free: parameters with rates of their own.
        usual: the rate of all others.
    """
    own = {id(parameter): rate for parameter, rate in free}
    named = subject.named_parameters()
    return {name: own.get(id(p), usual) for name, p in named if p.requires_grad}


def build_optimiser(
    subject: Subject, rates: dict[str, float], train: Train
) -> torch.optim.Optimizer:
    """Adam, AdamW or LAMB, with a group for each rate; ``peak`` of a group is its rate."""
    groups: dict[float, list[nn.Parameter]] = {}
    for name, parameter in subject.named_parameters():
        if name in rates:
            groups.setdefault(rates[name], []).append(parameter)
    rated = [{"params": some, "lr": rate, "peak": rate} for rate, some in groups.items()]
    given: dict[str, Any] = {
        "lr": train.learning_rate, "betas": train.betas, "weight_decay": train.weight_decay,
    }  # fmt: skip
    if train.optimiser == "lamb":
        from pytorch_optimizer import Lamb  # noqa: PLC0415  most runs do without it

        return Lamb(rated, **given, max_grad_norm=0.0)
    kind = torch.optim.AdamW if train.optimiser == "adamw" else torch.optim.Adam
    return kind(rated, **given, fused=not train.shard)


def rate_factor(step: int, train: Train) -> float:
    """What the peak rate is multiplied with: linear warm-up, constant, linear decay at the end."""
    warm = min(1.0, (step + 1) / train.warmup) if train.warmup else 1.0
    falling = train.decay * train.steps
    left = train.steps - step
    return warm * min(1.0, left / falling) if falling else warm
