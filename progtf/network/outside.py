"""Semes that a running network has driven out of their ranges."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from progtf.program.answers import Outside, first_outside
from progtf.weights.layout import Layout


@dataclass(frozen=True)
class Ranges:
    """What semes may be; flags are left out: sums of them are often meant.

    Attributes:
        columns: of the semes in the residual.
        ends: name, lowest and highest value of each.
    """

    columns: tuple[int, ...]
    ends: tuple[tuple[str, float, float], ...]

    @classmethod
    def of(cls, layout: Layout) -> "Ranges":
        """Those of a program."""
        semes = enumerate(layout.space[: layout.semes])
        chosen = [(i, seme) for i, seme in semes if (seme.low, seme.high) != (0.0, 1.0)]
        ends = tuple((seme.name, seme.low, seme.high) for _, seme in chosen)
        return cls(tuple(column for column, _ in chosen), ends)

    def left(self, rows: Sequence[Sequence[str]], residual: Tensor | None) -> list[Outside | None]:
        """For every row the first seme that the encoder left outside its range."""
        if residual is None or not self.columns:
            return [None] * len(rows)
        columns = torch.tensor(self.columns, device=residual.device)
        stream = residual.index_select(-1, columns)
        ends = [stream.amin(dim=(0, 1)), stream.amax(dim=(0, 1))]
        found = torch.stack(ends).double().cpu().numpy()
        if first_outside(("", ""), found, self.ends) is None:  # as it nearly always is
            return [None] * len(rows)
        each = stream.double().cpu().numpy()
        return [first_outside(row, one, self.ends) for row, one in zip(rows, each, strict=True)]
