"""Adam with a rate for each part of the network, and how rates change from step to step."""

import torch
from torch import nn

from progtf.training.config import Train
from progtf.training.subject import Subject


def rates_of(
    subject: Subject, free: list[tuple[nn.Parameter, float]], usual: float
) -> dict[str, float]:
    """The learning rate of every parameter by its name, which survives its division.

    It is the ``usual`` one of all but those that are ``free``.
    """
    own = {id(parameter): rate for parameter, rate in free}
    named = subject.named_parameters()
    return {name: own.get(id(p), usual) for name, p in named if p.requires_grad}


def build_optimiser(
    subject: Subject, rates: dict[str, float], train: Train
) -> torch.optim.Optimizer:
    """Adam or AdamW, with a group for each rate; ``peak`` of a group is its rate."""
    groups: dict[float, list[nn.Parameter]] = {}
    for name, parameter in subject.named_parameters():
        if name in rates:
            groups.setdefault(rates[name], []).append(parameter)
    kind = torch.optim.AdamW if train.optimiser == "adamw" else torch.optim.Adam
    return kind(
        [{"params": some, "lr": rate, "peak": rate} for rate, some in groups.items()],
        lr=train.learning_rate, betas=train.betas, weight_decay=train.weight_decay,
        fused=not train.shard,
    )  # fmt: skip


def set_rates(optimiser: torch.optim.Optimizer, step: int, train: Train) -> None:
    """Gives every group the rate that it has at a step."""
    factor = rate_factor(step, train)
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * factor


def rate_factor(step: int, train: Train) -> float:
    """What the peak rate is multiplied with: linear warm-up, constant, linear decay at the end."""
    warm = min(1.0, (step + 1) / train.warmup) if train.warmup else 1.0
    falling = train.decay * train.steps
    left = train.steps - step
    return warm * min(1.0, left / falling) if falling else warm
