"""Who looks at what modules compute, gradients and hooks, and what is known while one answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext

from progtf.nn.watching import is_looked_at, unwatched


@dataclass(frozen=True, eq=False)
class State:
    """A network that nobody changes any more, and nobody watches.

    Attributes:
        modules: all of it, itself too.
        name: what stands for this state, and holds on to nothing.
    """

    modules: frozenset[nn.Module]
    name: object = field(default_factory=object)

    @classmethod
    def of(cls, network: nn.Module) -> "State":
        """That of a network as it is."""
        return cls(frozenset(network.modules()))


class _Thread(local):
    """What a thread knows while a network answers."""

    state: State | None = None
    notes: dict[Any, Any] | None = None


_thread = _Thread()


@contextmanager
def answering(state: State | None) -> Iterator[None]:
    """While it lasts a network answers, in a state if it is in one; what is found out is noted."""
    before = _thread.state, _thread.notes
    _thread.state, _thread.notes = state, {}
    try:
        yield
    finally:
        _thread.state, _thread.notes = before


@contextmanager
def aside() -> Iterator[None]:
    """While it lasts somebody else is asked: nothing is known of who answers, and nobody looks."""
    before = _thread.state, _thread.notes
    _thread.state, _thread.notes = None, None
    try:
        with unwatched():
            yield
    finally:
        _thread.state, _thread.notes = before


def state_of(module: nn.Module) -> object | None:
    """What stands for the state of the network that answers, if the module is a part of it.

    None: nobody has made sure that it does not change.
    """
    now = _thread.state
    return now.name if now is not None and module in now.modules else None


def notes() -> dict[Any, Any] | None:
    """What is found out once an answer; None where nothing is being answered."""
    return _thread.notes


def watched(module: nn.Module) -> bool:
    """Whether who asks looks at a module, or somebody has put a hook of torch on it, or on all."""
    return state_of(module) is None and _is_hooked(module)


def observed(module: nn.Module) -> bool:
    """Whether gradients, or hooks in a module, may look again at what they have seen."""
    return torch.is_grad_enabled() or torch.compiler.is_compiling() or watched(module)


def _is_hooked(module: nn.Module) -> bool:
    """In one walk, where each of torch's own takes as long as a layer.

    It reads the dictionaries of modules, for which torch has no other word, where they are.
    """
    if all_hooked():
        return True
    parts: list[nn.Module] = [module]
    for part in parts:  # which grows on the way
        if has_hooks(part):
            return True
        if some := part.__dict__["_modules"]:
            parts += [each for each in some.values() if each is not None]
    return is_looked_at(parts)


def has_hooks(module: nn.Module) -> bool:
    """Whether somebody has put a forward hook of torch on a module itself."""
    own = module.__dict__
    return bool(own["_forward_hooks"] or own["_forward_pre_hooks"])


def all_hooked() -> bool:
    """Whether somebody has put a hook on all modules there are."""
    return bool(torch_module._global_forward_hooks or torch_module._global_forward_pre_hooks)  # noqa: SLF001  as above


def overridden() -> bool:
    """Whether somebody looks at every product of torch, and may give another: by a mode of torch.

    A default device is such a mode, too, and changes no number.
    """
    if torch._C._len_torch_dispatch_stack():  # noqa: SLF001  as above
        return True
    modes = _get_current_function_mode_stack()
    return any(not isinstance(mode, DeviceContext) for mode in modes)
