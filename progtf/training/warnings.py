"""What a run tells of its written part: dead semes, drift, entries that no gradient reaches."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from progtf.data import Problem
from progtf.data.loading import TensorBatch
from progtf.equality import compared
from progtf.network.free import free_tensors
from progtf.network.model import Model
from progtf.training.build import Plan
from progtf.training.hearing import unheard, written_by
from progtf.training.subject import Hybrid, Subject

WEAK = 1e-5
"""A gradient of an address smaller than that trains nothing, if other gradients are about 1."""
ADDRESS = (" / query", " / key")
LOOKED_AT = 512
"""Training questions in which a seme has to occur, not to be called dead."""


@torch.no_grad()
def dead_semes(subject: Hybrid, batches: Iterable[TensorBatch]) -> list[str]:
    """The semes that learned parts read and that are 0 at every symbol of these questions.

    What is learned of such a seme is nothing, so that it changes no answer where it does occur.
    """
    model = subject.module
    learn, names = model.layout.learn, model.layout.names
    alive = torch.zeros(model.layout.width, dtype=torch.bool, device="cpu")
    for batch in batches:
        for residual, here in subject.residuals(batch.question, batch.answer):
            alive |= (residual[here][:, : len(alive)] != 0).any(dim=0).cpu()
    reads = names[: model.layout.semes] if learn is None else learn.reads
    return [name for name in reads if not alive[names.index(name)]]


def fix_unused(subject: Subject, source: Tensor, answer: Tensor) -> None:
    """Fixes parameters that no gradient reaches: several processes would wait for it for ever."""
    subject.loss(source, answer).backward()
    for parameter in subject.parameters():
        if parameter.grad is None:
            parameter.requires_grad_(False)
        parameter.grad = None


@compared
@dataclass(frozen=True)
class Reach:
    """The trained entries of the written part, field by field.

    Attributes:
        entries: place and field -> parameter, number in it.
        unheard: those of which only sharp addresses take notice, whatever their gradients are.
    """

    entries: dict[str, list[tuple[nn.Parameter, int]]]
    unheard: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: Model) -> "Reach":
        """Those of a model."""
        entries: dict[str, list[tuple[nn.Parameter, int]]] = {}
        weights, found = model.network.weights, set[str]()
        nodes = unheard(weights)
        for free in free_tensors(model.network.held):
            for place, (key, number) in enumerate(free.entries):
                each = weights.maps[key]
                label, (inside, name) = each.name, written_by(each, number)
                if (inside, name) in nodes:
                    label = f"{label}: `{name}`, which only sharp addresses read"
                    found.add(label)
                entries.setdefault(label, []).append((free.parameter, place))
        return cls(entries, frozenset(found))

    def weak(self) -> dict[str, float]:
        """The trained entries that gradients do not teach, and their norms; after a step."""
        grads = {
            label: [0.0 if p.grad is None else float(p.grad[place]) for p, place in entries]
            for label, entries in self.entries.items()
        }
        norms = {label: math.hypot(*found) for label, found in grads.items()}
        return {
            label: norm for label, norm in norms.items()
            if label in self.unheard or norm <= (WEAK if label.endswith(ADDRESS) else 0.0)
        }  # fmt: skip


QUESTIONS = 64


@dataclass(eq=False)
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
        if problems:
            source = subject.batch(problems[:QUESTIONS], device)[0]
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
    return model.residual(subject.ids_of(source))[..., : model.layout.semes]
