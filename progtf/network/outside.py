"""Semes that a running network has driven out of their ranges."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Int
from torch import Tensor

from progtf.nn.affine import beside, columns
from progtf.program.answers import Outside
from progtf.program.arrays import Array
from progtf.program.interface import Dimension
from progtf.program.speaking import first_outside, limits
from progtf.weights.layout import Layout


@dataclass(frozen=True, eq=False)
class Ranges:
    """What semes may be; flags are left out: sums of them are often meant.

    Attributes:
        layout: of the program.
        noise: the share of a number by which the arithmetic may have missed it.
    """

    layout: Layout
    noise: float

    @cached_property
    def chosen(self) -> list[tuple[int, Dimension]]:
        """The semes, each behind its column of the residual."""
        semes = enumerate(self.layout.space[: self.layout.semes])
        return [(i, seme) for i, seme in semes if (seme.low, seme.high) != (0.0, 1.0)]

    @cached_property
    def columns(self) -> Int[Tensor, " column"]:
        """Those of the semes in the residual."""
        return torch.tensor([i for i, _ in self.chosen], dtype=torch.long, device="cpu")

    @cached_property
    def semes(self) -> tuple[Dimension, ...]:
        """The semes, with their ranges."""
        return tuple(seme for _, seme in self.chosen)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """The lowest and highest numbers with which each still passes for being in its range."""
        return limits(self.semes)

    def left(self, rows: Sequence[Sequence[str]], residual: Tensor | None) -> list[Outside | None]:
        """For every row the first seme that the encoder left outside its range."""
        if residual is None or not self.semes:
            return [None] * len(rows)
        stream = columns(residual).index_select(0, self.columns.to(residual.device))
        flat = stream.flatten(1)  # `aminmax` would take several times as long
        least, most = (each.cpu().numpy() for each in (flat.amin(dim=1), flat.amax(dim=1)))
        low, high = self.ends
        if not ((least < low) | (most > high)).any():  # as it nearly always is
            return [None] * len(rows)
        each = beside(stream).double().cpu().numpy()
        found = zip(rows, each, strict=True)
        return [first_outside(row, one, self.semes, self.noise) for row, one in found]
