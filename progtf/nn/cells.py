"""Recurrent layers with one face: torch's own cells, and a GRU that resets inside the product."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import torch
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from progtf.nn.affine import Affine
from progtf.nn.recurrent import scan

Inputs = Float[Tensor, "batch pos d_in"]
Outputs = Float[Tensor, "batch pos d_hidden"]
Hidden = Float[Tensor, "batch d_hidden"]
Present = Bool[Tensor, "batch pos"]
Cells = tuple[Float[Tensor, "batch layer d_hidden"], ...]
"""The state of all layers; the first tensor is what they put out."""


@runtime_checkable
class Recurrence(Protocol):
    """Layers of cells along the positions; padding leaves their state as it is."""

    def __call__(
        self, inputs: Inputs, cells: Cells | None = None, present: Present | None = None
    ) -> tuple[Outputs, Cells]:
        """The last layer's outputs and the state behind each row's last real position."""
        ...


class TorchCells(nn.Module):
    """Torch's LSTM or GRU; dropout falls between layers, as torch has it."""

    def __init__(self, cells: nn.LSTM | nn.GRU) -> None:
        super().__init__()
        if not cells.batch_first:
            raise ValueError("cells whose batch is axis 1; batch_first puts it on axis 0")
        self.cells = cells

    def forward(
        self, inputs: Inputs, cells: Cells | None = None, present: Present | None = None
    ) -> tuple[Outputs, Cells]:
        start = None if cells is None else self._to_torch(cells)
        if present is None:
            outputs, after = self.cells(inputs, start)
            return outputs, _from_torch(after)
        lengths = present.sum(dim=-1).clamp(min=1).cpu()
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        outputs, after = self.cells(packed, start)
        padded, _ = pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])
        return padded, _from_torch(after)

    def _to_torch(self, cells: Cells) -> Tensor | tuple[Tensor, ...]:
        layers = tuple(rearrange(c, "batch layer d -> layer batch d").contiguous() for c in cells)
        return layers if isinstance(self.cells, nn.LSTM) else layers[0]


class ResetInsideGRU(nn.Module):
    """GRU layers as in the report: n = tanh(W_in x + b_in + W_hn (r * h) + b_hn).

    Torch has r * (W_hn h + b_hn). Dropout falls on the input of each cell and on the output.
    """

    def __init__(self, d_in: int, d_hidden: int, n_layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.d_hidden = d_hidden
        widths = [d_in] + [d_hidden] * (n_layers - 1)
        self.inputs = nn.ModuleList(Affine(width, 3 * d_hidden) for width in widths)
        self.gates = nn.ModuleList(Affine(d_hidden, 2 * d_hidden) for _ in widths)
        self.news = nn.ModuleList(Affine(d_hidden, d_hidden) for _ in widths)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, inputs: Inputs, cells: Cells | None = None, present: Present | None = None
    ) -> tuple[Outputs, Cells]:
        outputs, after = inputs, []
        for layer, driven in enumerate(self.inputs):
            image = driven(self.dropout(outputs))
            hidden = image.new_zeros(image.shape[0], self.d_hidden)
            start = hidden if cells is None else cells[0][:, layer]
            outputs = scan(self._cell(layer), image, start, present)
            after.append(outputs[:, -1])
        return self.dropout(outputs), (torch.stack(after, dim=1),)

    def _cell(self, layer: int) -> Callable[[Tensor, Hidden], Hidden]:
        gates, news = self.gates[layer], self.news[layer]

        def cell(driven: Tensor, hidden: Hidden) -> Hidden:
            for_gates, for_new = driven.split([2 * self.d_hidden, self.d_hidden], dim=-1)
            reset, keep = (for_gates + gates(hidden)).sigmoid().chunk(2, dim=-1)
            new = (for_new + news(reset * hidden)).tanh()
            return (1 - keep) * new + keep * hidden

        return cell


def _from_torch(after: Tensor | tuple[Tensor, ...]) -> Cells:
    layers = (after,) if isinstance(after, Tensor) else after
    return tuple(rearrange(layer, "layer batch d -> batch layer d") for layer in layers)
