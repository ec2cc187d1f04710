"""Semes that a running network has driven out of their ranges."""

from collections.abc import Sequence

import torch
from torch import Tensor

from progtf.program.answers import Outside, first_outside
from progtf.weights.layout import Layout


def outside(
    layout: Layout, rows: Sequence[Sequence[str]], residual: Tensor | None
) -> list[Outside | None]:
    """For every row the first seme that the encoder left outside its range."""
    if residual is None or not rows:
        return [None] * len(rows)
    ranges = [(seme.name, seme.low, seme.high) for seme in layout.space[: layout.semes]]
    stream = residual[..., : layout.semes]
    ends = torch.stack([stream.amin(dim=(0, 1)), stream.amax(dim=(0, 1))]).double().cpu().numpy()
    if first_outside(("", ""), ends, ranges) is None:  # as it nearly always is
        return [None] * len(rows)
    stream = stream.double().cpu().numpy()
    return [first_outside(row, each, ranges) for row, each in zip(rows, stream, strict=True)]
