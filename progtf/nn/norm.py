"""Normalisations of the residual: none (`torch.nn.Identity`), layer, round, split."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Residual = Float[Tensor, "batch pos d_model"]


class RoundNorm(nn.Module):
    """Every entry becomes the nearest integer, halves the even one; no gradient passes."""

    def forward(self, residual: Residual) -> Residual:
        return residual.round()


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
        if self.parts:  # cheaper than an index, backwards above all
            before, chosen, behind = residual.split_with_sizes(self.parts, dim=-1)
            normed = self.norm(chosen.to(self.norm.weight.dtype)).to(residual.dtype)
            return torch.cat([before, normed, behind], dim=-1)
        chosen = residual.index_select(-1, self.dims).to(self.norm.weight.dtype)
        return residual.index_copy(-1, self.dims, self.norm(chosen).to(residual.dtype))
