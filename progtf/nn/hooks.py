"""Who looks at what modules compute, gradients and hooks, and when they change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from threading import local
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module

from progtf.equality import compared

Stamp = tuple[list[int], list[int]]
"""Where tensors lie, and how often each was changed in its place."""


@dataclass(frozen=True, eq=False)
class State:
    """A network between two changes of it, which nobody watches.

    Attributes:
        network: the whole of it.
        parts: all modules in it, itself first, then those in each of these.
        modules: the same, to ask of one whether it is among them.
        stamp: of its tensors.
        name: what stands for this state, and holds on to nothing.
    """

    network: nn.Module
    parts: list[nn.Module]
    modules: frozenset[nn.Module]
    stamp: Stamp
    name: object = field(default_factory=object)


class _Thread(local):
    """What a thread knows while a network answers."""

    state: State | None = None
    notes: dict[str, Any] | None = None


_thread = _Thread()
_VERSION = attrgetter("_version")
_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Whole numbers by their bytes, to look at the bits of others."""


class Unchanged:
    """Asks once an answer whether a network is what it was at the last one.

    Args:
        alone: nobody else knows of the network, so that only who watches all modules there are can
            watch it.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self.alone = alone
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
        last = self.last  # threads may share it
        if self.alone and last is not None and not _all_hooked():
            return last
        held = _held(network)
        if held.hooked:
            return None
        parts, now = held.parts, _stamp(held.tensors)
        if last is None or last.parts != parts or last.stamp != now:
            last = self.last = State(network, parts, frozenset(parts), now)
        return last

    def __reduce__(self) -> tuple[Callable[..., "Unchanged"], tuple[()]]:
        """A copy knows nothing yet."""
        return partial(Unchanged, alone=self.alone), ()


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
    return state_of(module) is None and _held(module).hooked


def observed(module: nn.Module) -> bool:
    """Whether gradients, or hooks in a module, may look again at what they have seen."""
    return torch.is_grad_enabled() or torch.compiler.is_compiling() or watched(module)


def bits(network: nn.Module) -> int:
    """Of all numbers that it computes with; within one process."""
    return hash(tuple(map(_bits, _held(network).tensors)))


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
    held = _held(network)
    return None if held.hooked else _stamp(held.tensors)


@compared
class _Held(NamedTuple):
    """All that a module is made of.

    Attributes:
        parts: the modules in it, itself first, then those in each of these.
        tensors: what they hold.
        hooked: whether somebody has put a hook on one of them, or on all modules there are.
    """

    parts: list[nn.Module]
    tensors: list[Tensor]
    hooked: bool


def _held(module: nn.Module) -> _Held:
    """In one walk, where each of torch's own, of which there are four, takes as long as a layer.

    It reads the dictionaries of modules, for which torch has no other word, where they are.
    """
    parts: list[nn.Module | None] = [module]
    tensors: list[Tensor | None] = []
    hooked = _all_hooked()
    for part in parts:  # which grows on the way
        if part is None:
            continue
        own = part.__dict__
        if some := own["_modules"]:
            parts += some.values()
        if some := own["_parameters"]:
            tensors += some.values()
        if some := own["_buffers"]:
            tensors += some.values()
        if own["_forward_hooks"] or own["_forward_pre_hooks"]:
            hooked = True
    return _Held(_those(parts), _those(tensors), hooked)


def _all_hooked() -> bool:
    """Whether somebody has put a hook on all modules there are."""
    hooks = torch_module._global_forward_hooks, torch_module._global_forward_pre_hooks  # noqa: SLF001  as above
    return any(hooks)


def _those(some: list[Any]) -> list[Any]:
    """That are there: a module may have a name for what it lacks."""
    return [each for each in some if each is not None]


def _stamp(tensors: list[Tensor]) -> Stamp:
    try:
        counts = [*map(_VERSION, tensors)]
    except RuntimeError:  # of what was made in inference mode torch counts no changes
        counts = [_VERSION(each) for each in tensors if not each.is_inference()]
    return [*map(Tensor.data_ptr, tensors)], counts
