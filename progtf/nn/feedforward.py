"""The position-wise layers: feed-forward block, dense layer, and the norms of the residual."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.affine import Affine
from progtf.nn.enclosed import enclosable
from progtf.nn.hooks import observed
from progtf.nn.precision import Precision, follow_autocast

Residual = Float[Tensor, "batch pos d_model"]
Hidden = Float[Tensor, "batch pos d_ff"]
Update = Float[Tensor, "batch pos d_out"]


class FeedForward(nn.Module):
    """relu(residual · W1 + b1) · W2 + b2 (Eq. 7).

    Args:
        inner, outer: the two maps; ``outer`` knows where its update is added.

    Shapes:
        residual  batch pos d_model
        hidden    batch pos d_ff     dropout falls here
        returns   batch pos d_out    an update; `add_to` adds it
    """

    def __init__(
        self,
        inner: Affine,
        outer: Affine,
        dropout: float = 0.0,
        precision: Precision = follow_autocast,
    ) -> None:
        super().__init__()
        self.inner, self.outer = inner, outer
        self.dropout = dropout
        self.precision = precision

    @classmethod
    def sized(
        cls, d_model: int, d_ff: int, dropout: float = 0.0, precision: Precision = follow_autocast
    ) -> "FeedForward":
        """A block with maps of its own, which read and write the whole residual."""
        return cls(Affine(d_model, d_ff), Affine(d_ff, d_model), dropout, precision)

    @enclosable
    def forward(self, residual: Residual) -> Update:
        """The update that the hidden units make."""
        with self.precision(residual.device):
            return self.outer(self._hidden(residual))

    def hidden(self, residual: Residual) -> Hidden:
        """What the hidden units amount to."""
        with self.precision(residual.device):
            return self._hidden(residual)

    def written(self, hidden: Hidden) -> Update:
        """The update of what the hidden units amount to."""
        with self.precision(hidden.device):
            return self.outer(hidden)

    def _hidden(self, residual: Residual) -> Hidden:
        hidden = self.inner(residual)
        hidden = hidden.relu() if observed(self.inner) else hidden.relu_()
        if self.training and self.dropout:
            hidden = functional.dropout(hidden, self.dropout)
        return hidden

    def readers(self) -> list[nn.Module]:
        """The map that reads the residual."""
        return [self.inner]

    def add_to(self, residual: Residual, update: Update, *, in_place: bool = False) -> Residual:
        """The residual with an update of these units."""
        return self.outer.add_to(residual, update, in_place=in_place)


class Dense(nn.Module):
    """residual · W + b, with or without relu: a layer that replaces the residual.

    Shapes:
        residual  batch pos d_in
        returns   batch pos d_out
    """

    def __init__(
        self, affine: Affine, *, relu: bool = False, precision: Precision = follow_autocast
    ) -> None:
        super().__init__()
        self.affine = affine
        self.relu = relu
        self.precision = precision

    def forward(
        self, residual: Float[Tensor, "batch pos d_in"]
    ) -> Float[Tensor, "batch pos d_out"]:
        """What stands in the residual's place."""
        with self.precision(residual.device):
            image = self.affine(residual)
            return image.relu() if self.relu else image


class RoundNorm(nn.Module):
    """The first dimensions become the nearest integers, halves the even one; no gradient passes.

    All others, hands of clocks, pass through bit by bit.
    """

    def __init__(self, rounded: int) -> None:
        super().__init__()
        self.rounded = rounded

    def forward(self, residual: Residual) -> Residual:
        """The residual with its first dimensions rounded."""
        rounded, others = residual[..., : self.rounded].round(), residual[..., self.rounded :]
        return torch.cat([rounded, others], dim=-1) if others.shape[-1] else rounded


class SplitNorm(nn.Module):
    """Layer norm over the named dimensions alone; all others pass through bit by bit."""

    dims: Int[Tensor, " d_normalised"]

    def __init__(self, d_model: int, dims: Sequence[int]) -> None:
        super().__init__()
        beyond = [dim for dim in dims if not 0 <= dim < d_model]
        if beyond:
            raise ValueError(f"dimension {beyond[0]} of a residual of width {d_model}")
        self.register_buffer("dims", torch.tensor(list(dims), dtype=torch.long))
        self.norm = nn.LayerNorm(len(dims))
        in_a_row = list(dims) == list(range(dims[0], dims[0] + len(dims))) if dims else False
        self.parts = [dims[0], len(dims), d_model - dims[0] - len(dims)] if in_a_row else []

    def forward(self, residual: Residual) -> Residual:
        """The residual with the chosen dimensions normalised."""
        if self.parts:  # cheaper than an index, backwards above all
            before, chosen, behind = residual.split_with_sizes(self.parts, dim=-1)
            normed = self.norm(chosen.to(self.norm.weight.dtype)).to(residual.dtype)
            return torch.cat([before, normed, behind], dim=-1)
        chosen = residual.index_select(-1, self.dims).to(self.norm.weight.dtype)
        return residual.index_copy(-1, self.dims, self.norm(chosen).to(residual.dtype))
