"""Who looks at what modules compute, gradients and hooks, and when they change."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module

Stamp = tuple[list[int], list[int]]
"""Where tensors lie, and how often each was changed in its place."""


@dataclass(frozen=True, eq=False)
class State:
    """A network between two changes of it, which nobody watches.

    Attributes:
        network: the whole of it.
        modules: its parts.
        stamp: of its tensors.
        name: what stands for this state, and holds on to nothing.
    """

    network: nn.Module
    modules: frozenset[nn.Module]
    stamp: Stamp
    name: object = field(default_factory=object)


class _Thread(local):
    """What a thread knows while a network answers."""

    state: State | None = None
    notes: dict[str, Any] | None = None


_thread = _Thread()
_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Whole numbers by their bytes, to look at the bits of others."""


class Unchanged:
    """Asks once an answer whether a network is what it was at the last one."""

    def __init__(self) -> None:
        self.last: State | None = None

    @contextmanager
    def during(self, network: nn.Module) -> Iterator[None]:
        """While it lasts nobody else changes the network or begins to watch it."""
        before = _thread.state, _thread.notes
        if before[0] is None or before[0].network is not network:
            _thread.state, _thread.notes = self._state(network), {}
        try:
            yield
        finally:
            _thread.state, _thread.notes = before

    def _state(self, network: nn.Module) -> State | None:
        parts = _parts(network)
        if _hooked(parts):
            return None
        now, modules, last = _stamp(parts), frozenset(parts), self.last  # threads may share it
        if last is None or (last.network, last.stamp, last.modules) != (network, now, modules):
            last = self.last = State(network, modules, now)
        return last

    def __reduce__(self) -> tuple[type["Unchanged"], tuple[()]]:
        """A copy knows nothing yet."""
        return Unchanged, ()


def state_of(module: nn.Module) -> object | None:
    """What stands for the state of the network that answers, if the module is a part of it.

    None: nobody has made sure that it does not change.
    """
    now = _thread.state
    return now.name if now is not None and module in now.modules else None


def notes() -> dict[str, Any] | None:
    """What is found out once an answer; None where nothing is being answered."""
    return _thread.notes


def watched(module: nn.Module) -> bool:
    """Whether somebody has put a hook anywhere in a module, or on all modules there are."""
    return state_of(module) is None and _hooked(_parts(module))


def observed(module: nn.Module) -> bool:
    """Whether gradients, or hooks in a module, may look again at what they have seen."""
    return torch.is_grad_enabled() or torch.compiler.is_compiling() or watched(module)


def bits(network: nn.Module) -> int:
    """Of all numbers that it computes with; within one process."""
    return hash(tuple(map(_bits, _tensors(_parts(network)))))


def _bits(tensor: Tensor) -> tuple[object, ...]:
    """What tells a tensor from others: those of its numbers of which some bit is up."""
    array = tensor.detach().cpu().contiguous().flatten()
    words = array.view(_WORDS[array.element_size()]).numpy()
    there = np.flatnonzero(words)
    return tensor.dtype, tensor.shape, there.tobytes(), words[there].tobytes()


def stamp(network: nn.Module) -> Stamp | None:
    """Another one after every change that torch counts; None where a hook may change anything."""
    now = _thread.state
    if now is not None and now.network is network:
        return now.stamp
    parts = _parts(network)
    return None if _hooked(parts) else _stamp(parts)


def _parts(module: nn.Module) -> list[nn.Module]:
    """A module and all in it, without `Module.modules`, which takes as long as a small layer."""
    parts: list[nn.Module | None] = [module]
    for part in parts:  # which grows on the way
        if part is not None:
            parts += part._modules.values()  # noqa: SLF001  torch has no other word for it
    return [part for part in parts if part is not None]


def _hooked(parts: list[nn.Module]) -> bool:
    everywhere = torch_module._global_forward_hooks, torch_module._global_forward_pre_hooks  # noqa: SLF001  as above
    return any(everywhere) or any(
        part._forward_hooks or part._forward_pre_hooks  # noqa: SLF001  as above
        for part in parts
    )


def _stamp(parts: list[nn.Module]) -> Stamp:
    tensors = _tensors(parts)
    try:
        counts = [tensor._version for tensor in tensors]  # noqa: SLF001  as above
    except RuntimeError:  # of what was made in inference mode torch counts no changes
        counts = [each._version for each in tensors if not each.is_inference()]  # noqa: SLF001  as above
    return [tensor.data_ptr() for tensor in tensors], counts


def _tensors(parts: list[nn.Module]) -> list[Tensor]:
    """All that modules hold, without `Module.parameters`, which asks for names."""
    found: list[Tensor | None] = []
    for part in parts:
        found += part._parameters.values()  # noqa: SLF001  as above
        found += part._buffers.values()  # noqa: SLF001  as above
    return [tensor for tensor in found if tensor is not None]
