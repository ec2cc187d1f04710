"""Semes that a running network has driven out of their ranges."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from progtf.nn.affine import beside, columns
from progtf.program.answers import Outside, first_outside, limits
from progtf.program.arrays import Array
from progtf.program.interface import Dimension
from progtf.weights.layout import Layout


@dataclass(frozen=True, eq=False)
class Ranges:
    """What semes may be; flags are left out: sums of them are often meant.

    Attributes:
        columns: of the semes in the residual.
        semes: with their ranges.
        noise: the share of a number by which the arithmetic may have missed it.
        low, high: the numbers with which each still passes for being in its range.
    """

    columns: Int[Tensor, " column"]
    semes: tuple[Dimension, ...]
    low: Array
    high: Array
    noise: float

    @classmethod
    def of(cls, layout: Layout, noise: float) -> "Ranges":
        """Those of a program."""
        semes = enumerate(layout.space[: layout.semes])
        chosen = [(i, seme) for i, seme in semes if (seme.low, seme.high) != (0.0, 1.0)]
        ranged = tuple(seme for _, seme in chosen)
        columns = torch.tensor([column for column, _ in chosen], dtype=torch.long, device="cpu")
        return cls(columns, ranged, *limits(ranged), noise)

    def left(self, rows: Sequence[Sequence[str]], residual: Tensor | None) -> list[Outside | None]:
        """For every row the first seme that the encoder left outside its range."""
        if residual is None or not self.semes:
            return [None] * len(rows)
        stream = columns(residual).index_select(0, self.columns.to(residual.device))
        flat = stream.flatten(1)  # `aminmax` would take several times as long
        least, most = (each.cpu().numpy() for each in (flat.amin(dim=1), flat.amax(dim=1)))
        if not ((least < self.low) | (most > self.high)).any():  # as it nearly always is
            return [None] * len(rows)
        each = beside(stream).double().cpu().numpy()
        found = zip(rows, each, strict=True)
        return [first_outside(row, one, self.semes, self.noise) for row, one in found]
