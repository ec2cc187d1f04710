"""Whether a network still is what it was made as."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from progtf.nn.hooks import version, watched

Stamp = tuple[tuple[int, int], ...] | None


def bits(network: nn.Module) -> int:
    """Of all numbers that it computes with; within one process."""
    arrays = (each.detach().cpu() for each in _tensors(network))
    return hash(tuple((each.dtype, _as_numpy_knows(each).numpy().tobytes()) for each in arrays))


def _as_numpy_knows(tensor: Tensor) -> Tensor:
    return tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor


def stamp(network: nn.Module) -> Stamp:
    """Another one after every change that torch counts; None where a hook may change anything."""
    return None if watched(network) else tuple(map(version, _tensors(network)))


def _tensors(network: nn.Module) -> Iterator[Tensor]:
    yield from network.parameters()
    yield from network.buffers()
