"""Positions as hands of clocks, computed in float64 and then cast."""

from collections.abc import Sequence

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor

Code = Float[Tensor, "pos d_clock"]


def clock(periods: Sequence[float], n_positions: int, dtype: torch.dtype = torch.float32) -> Code:
    """(cos, sin) of the angle at each position, pair by pair; a period is a number of tokens.

    Shapes:
        returns  pos (period 2)  cos and sin side by side, periods in the given order
    """
    period = torch.tensor(list(periods), dtype=torch.float64)
    if (period <= 0).any():
        raise ValueError(f"a clock's period is a positive number of tokens; got {list(periods)}")
    position = rearrange(torch.arange(n_positions, dtype=torch.float64), "pos -> pos 1")
    return _hands(position % period / period * 2 * torch.pi, first="cos").to(dtype)


def sinusoid(d_model: int, n_positions: int, dtype: torch.dtype = torch.float32) -> Code:
    """The position code of Vaswani et al. (2017): sin on even, cos on odd dimensions.

    Shapes:
        returns  pos d_model
    """
    if d_model % 2:
        raise ValueError(f"the sinusoid pairs dimensions; a width of {d_model} is odd")
    exponent = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    position = rearrange(torch.arange(n_positions, dtype=torch.float64), "pos -> pos 1")
    return _hands(position * 10000.0**-exponent, first="sin").to(dtype)


def _hands(angle: Float[Tensor, "pos period"], *, first: str) -> Code:
    pair = [angle.cos(), angle.sin()] if first == "cos" else [angle.sin(), angle.cos()]
    return rearrange(pair, "hand pos period -> pos (period hand)")
