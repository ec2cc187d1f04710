"""Affine maps in the row-vector convention, and the number format they compute in."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Precision = Callable[[torch.device], AbstractContextManager[object]]
"""What surrounds a layer's arithmetic: `follow_autocast` or `full_precision`."""

_NARROW = (torch.bfloat16, torch.float16)


def follow_autocast(_device: torch.device) -> AbstractContextManager[object]:
    """Learned layers compute in whatever format an enclosing autocast asks for."""
    return nullcontext()


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """Written layers compute in float32 at least, also under autocast."""
    return torch.autocast(device.type, enabled=False)


class Affine(nn.Module):
    """``source @ weight + bias``: source = row, target = column, as the notation writes it.

    Weights stored in bfloat16 or float16 are widened before use.

    Shapes:
        source   ... d_in
        weight   d_in d_out
        bias     d_out
        returns  ... d_out
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.empty(d_out))
        bound = d_in**-0.5 if d_in else 0.0
        nn.init.uniform_(self.weight, -bound, bound)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, source: Float[Tensor, "*rows d_in"]) -> Float[Tensor, "*rows d_out"]:
        weight, bias = self.weight, self.bias
        if weight.dtype in _NARROW:
            weight, bias = weight.float(), bias.float()
        if source.dtype != weight.dtype and not torch.is_autocast_enabled(source.device.type):
            source = source.to(weight.dtype)
        return functional.linear(source, weight.t(), bias)


def store_weights(module: nn.Module, dtype: torch.dtype) -> None:
    """Stores every affine map below ``module`` in ``dtype``; tables and scores stay as they are."""
    for part in module.modules():
        if isinstance(part, Affine):
            part.to(dtype)
