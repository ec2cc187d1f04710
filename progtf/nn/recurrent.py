"""A vanilla recurrent layer and the loop that recurrent cells share."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Literal

import torch
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn.affine import Affine
from progtf.nn.points import UNSEEN, Unseen, points_of
from progtf.nn.precision import Precision, follow_autocast

Inputs = Float[Tensor, "batch pos d_in"]
Hidden = Float[Tensor, "batch d_hidden"]
Trace = Float[Tensor, "batch pos d_hidden"]
Present = Bool[Tensor, "batch pos"]
Activation = Literal["relu", "tanh", "clip", "none"]

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "clip": lambda entry: entry.clamp(-1.0, 1.0),
    "none": lambda entry: entry,
}


def scan(
    cell: Callable[[Tensor, Hidden], Hidden],
    inputs: Float[Tensor, "batch pos d_cell"],
    hidden: Hidden,
    present: Present | None = None,
) -> Trace:
    """The hidden states of ``cell`` along the positions; at padding the state stands still."""
    if torch.compiler.is_exporting() and isinstance(inputs.shape[1], torch.SymInt):
        why = "a recurrent network goes from state to state, so that a graph has one length"
        raise ValueError(f"{why}: export it with that axis static; the batch may be dynamic")
    states: list[Tensor] = []
    for position, row in enumerate(inputs.unbind(dim=1)):
        moved = cell(row, hidden)
        if present is not None:
            real = rearrange(present[:, position], "batch -> batch 1")
            moved = torch.where(real, moved, hidden)
        hidden = moved
        states.append(hidden)
    if not states:
        return inputs.new_zeros(inputs.shape[0], 0, hidden.shape[-1])
    return rearrange(states, "pos batch d_hidden -> batch pos d_hidden")


class VanillaRNN(nn.Module):
    """h_t = activation(x_t · W + h_(t-1) · U + b), from h_0 = 0 unless given.

    ``clip`` bounds entries by -1 and 1. What somebody makes of a state goes into the next one.

    Shapes:
        inputs   batch pos d_in
        hidden   batch d_hidden
        returns  batch pos d_hidden  the state after each position

    Who looks (`points_of`) sees inputs and states at block 0.
    """

    def __init__(
        self,
        d_in: int,
        d_hidden: int,
        activation: Activation,
        precision: Precision = follow_autocast,
    ) -> None:
        super().__init__()
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation {activation!r} is none of {', '.join(_ACTIVATIONS)}")
        self.activation = activation
        self.precision = precision
        self.inputs = Affine(d_in, d_hidden)
        self.recurrent = nn.Parameter(torch.empty(d_hidden, d_hidden))
        nn.init.orthogonal_(self.recurrent)

    def forward(
        self, inputs: Inputs, present: Present | None = None, hidden: Hidden | None = None
    ) -> Trace:
        points = points_of(self).get(0, UNSEEN)
        points.goes_on(0)
        cell = self._cell if points is UNSEEN else partial(self._shown, points, count())
        with self.precision(inputs.device):
            driven = self.inputs(points.residual("hook_input", inputs))
            first = driven.new_zeros(driven.shape[0], driven.shape[-1])
            return scan(cell, driven, first if hidden is None else hidden, present)

    def _shown(
        self, points: Unseen, places: "count[int]", driven: Hidden, hidden: Hidden
    ) -> Hidden:
        """The next state, as somebody leaves it."""
        points.goes_on(next(places))
        state = rearrange(self._cell(driven, hidden), "batch d -> batch 1 d")
        return rearrange(points.residual("hook_state", state), "batch 1 d -> batch d")

    def _cell(self, driven: Hidden, hidden: Hidden) -> Hidden:
        recurrent = self.recurrent.to(driven.dtype)
        return _ACTIVATIONS[self.activation](driven + hidden @ recurrent)
