"""Affine maps that touch only the columns of the residual that they read or write."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from progtf.nn import Affine

Residual = Float[Tensor, "batch pos d_model"]
Columns = Float[Tensor, "batch pos columns"]


class Reader:
    """Affine maps of the same source, side by side.

    Shapes:
        residual  batch pos d_model
        returns   batch pos columns   those of the first map, then those of the next
    """

    def __init__(self, maps: Sequence[Affine]) -> None:
        weight = torch.cat([wide(each.weight) for each in maps], dim=1)
        self.columns = _places(weight.ne(0).any(dim=1))
        self.weight = weight[self.columns].t().contiguous()
        self.bias = torch.cat([wide(each.bias) for each in maps])

    def __call__(self, residual: Residual) -> Columns:
        read = residual.index_select(-1, self.columns).to(self.weight.dtype)
        return functional.linear(read, self.weight, self.bias)


class Writer:
    """Affine maps to the same residual, one below the other.

    Shapes:
        source    batch pos columns   those of the first map, then those of the next
        residual  batch pos d_model   what is written is added to it, in place
    """

    def __init__(self, maps: Sequence[Affine]) -> None:
        weight = torch.cat([wide(each.weight) for each in maps])
        bias = torch.stack([wide(each.bias) for each in maps]).sum(dim=0)
        self.columns = _places(weight.ne(0).any(dim=0) | bias.ne(0))
        self.weight = weight[:, self.columns].t().contiguous()
        self.bias = bias[self.columns]

    def add(self, residual: Residual, source: Columns) -> None:
        """Adds the image of ``source`` to the residual."""
        update = functional.linear(source, self.weight, self.bias)
        residual.index_add_(-1, self.columns, update.to(residual.dtype))


def wide(weight: Tensor) -> Tensor:
    """A weight in the format that arithmetic has: float32 at least."""
    return weight.detach().to(torch.promote_types(weight.dtype, torch.float32))


def _places(chosen: Tensor) -> Int[Tensor, " place"]:
    return chosen.nonzero().squeeze(-1)
