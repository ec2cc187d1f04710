"""What a hybrid is held against: random features in place of written semes, damaged weights."""

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn import (
    Affine,
    Block,
    FeedForward,
    Hadamard,
    HeadGroups,
    HeadSizes,
    RoleAttention,
    ScaledSoftmax,
    Stack,
    Sublayer,
)
from progtf.nn.making import making
from progtf.training.config import Damage
from progtf.weights.marking import trainable_entries
from progtf.weights.weights import Weights

WIDTH, HEADS, FILTER, LAYERS = 48, 4, 96, 2
LEVELS = 32
"""Different values of a seme that a random feature can have; more are binned."""


class RandomFeatures(nn.Module):
    """A fixed random TP-Transformer over what the written part sees, cut to the semes' values.

    Each feature takes the values of one seme, each as often as the seme does: the same shape, the
    same statistics, none of the meaning.
    """

    def __init__(self, d_written: int, n_features: int, seed: int) -> None:
        super().__init__()
        with making(seed):
            self.enter = Affine(d_written, WIDTH)
            self.stack = Stack([_block() for _ in range(LAYERS)], nn.LayerNorm(WIDTH))
            self.leave = Affine(WIDTH, n_features)
        self.d_written = d_written
        self.values: list[tuple[Tensor, Tensor]] = []
        self.requires_grad_(requires_grad=False)

    def fit(self, residual: Tensor, real: Bool[Tensor, "batch src"], semes: Tensor) -> None:
        """Learns from written semes, batch src feature, how often each value occurs."""
        raw, given = self._raw(residual, real)[real], semes[real]
        for column in range(given.shape[1]):
            values, counts = given[:, column].round(decimals=3).unique(return_counts=True)
            if len(values) > LEVELS:
                values = given[:, column].quantile(
                    torch.linspace(0, 1, LEVELS, dtype=torch.float32, device="cpu").to(given)
                )
                counts = torch.ones(LEVELS, dtype=torch.float32, device="cpu")
            counts = counts.to(torch.float32)
            shares = (counts.cumsum(0) / counts.sum())[:-1].to(raw)
            self.values.append((raw[:, column].quantile(shares), values.float()))

    def forward(
        self, residual: Float[Tensor, "batch src d"], real: Bool[Tensor, "batch src"]
    ) -> Float[Tensor, "batch src feature"]:
        raw = self._raw(residual, real)
        columns = [
            values[torch.bucketize(raw[..., column].contiguous(), knots)]
            for column, (knots, values) in enumerate(self.values)
        ]
        return torch.stack(columns, dim=-1)

    def _raw(self, residual: Tensor, real: Bool[Tensor, "batch src"]) -> Tensor:
        return self.leave(self.stack(self.enter(residual[..., : self.d_written].float()), real))


def _block() -> Block:
    heads = RoleAttention.sized(HeadSizes.split(WIDTH, HEADS), ScaledSoftmax(), Hadamard())
    with torch.no_grad():
        for name in ("query", "role", "key", "value"):
            heads.parts()[name][0].mul_(3.0)  # sharper than at the beginning of training
    rules = FeedForward.sized(WIDTH, FILTER)
    return Block(
        Sublayer(HeadGroups([heads]), nn.LayerNorm(WIDTH)),
        None,
        Sublayer(rules, nn.LayerNorm(WIDTH)),
    )


def damaged(weights: Weights, wanted: Damage, seed: int) -> tuple[Weights, int]:
    """Weights of which a share is dropped, with noise on the others; how many were dropped."""
    random, dropped = np.random.default_rng(seed), 0
    changed = []
    for each in weights.maps.values():
        spared = ~trainable_entries(each)
        gone = (random.random(len(each)) < wanted.drop) & ~spared
        noise = np.where(spared, 0.0, wanted.noise * random.standard_normal(len(each)))
        changed.append(each.with_numbers(np.where(gone, 0.0, each.numbers * (1.0 + noise))))
        dropped += int(gone.sum())
    return weights.with_maps(changed), dropped
