"""How far written semes have moved: what the written part computes now, and what it did before."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from progtf.data import Problem
from progtf.training.build import Plan
from progtf.training.questions import by_length
from progtf.training.subject import Hybrid, as_batch

QUESTIONS = 64


@dataclass
class Drift:
    """The semes of some questions before training."""

    subject: Hybrid
    batches: list[tuple[Tensor, Tensor]]

    @classmethod
    def of(
        cls, subject: Hybrid, written: Hybrid, plan: Plan, problems: Sequence[Problem]
    ) -> "Drift | None":
        """Notes the semes as they were written; None where nothing can change them."""
        if not plan.groups and (learn := subject.module.layout.learn) and learn.protect:
            return None
        device = subject.module.output_ids.device
        drift = cls(subject, [])
        for some in by_length(problems[:QUESTIONS], QUESTIONS):
            source = as_batch(some, device, subject.vocabulary)[0]
            before = semes_of(written, source)
            drift.batches.append((source, before.to(device)))
        return drift

    def measure(self) -> dict[str, float]:
        """The share of seme values that are another number now, in percent, and the mean move."""
        changed = moved = count = 0.0
        for source, before in self.batches:
            difference = (semes_of(self.subject, source) - before).abs()
            changed += float((difference > 0.5).sum())
            moved += float(difference.sum())
            count += float((before != 0).sum())
        count = max(count, 1.0)
        return {"changed": 100.0 * changed / count, "moved": moved / count}


@torch.no_grad()
def semes_of(subject: Hybrid, source: Tensor) -> Tensor:
    """The written semes of some questions after the last layer."""
    model = subject.module
    ids = subject.translation.ids.to(source.device)[source]
    return model.residual(ids)[..., : model.layout.semes]
