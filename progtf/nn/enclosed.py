"""Modules whose forward others compute, so that torch's own hooks on them are called around it.

Who looks at all heads of a sublayer computes them in lockstep, and calls no module by itself. The
modules are called none the less, one within the other: each with what it computes put in the place
of its forward.
"""

from collections.abc import Callable
from functools import wraps
from threading import local
from typing import Any, TypeVar, cast

import torch
from torch import nn

Forward = TypeVar("Forward", bound=Callable[..., Any])


class _Thread(local):
    """What a thread computes in the place of a module's forward; nothing nearly always."""

    def __init__(self) -> None:
        self.inner: dict[nn.Module, Callable[..., Any]] = {}


_thread = _Thread()


def enclosable(forward: Forward) -> Forward:
    """The forward of a module that `enclosed` can call."""

    @wraps(forward)
    def either(self: nn.Module, *given: Any, **named: Any) -> Any:
        if torch.compiler.is_compiling() or not _thread.inner:
            return forward(self, *given, **named)
        compute = _thread.inner.pop(self, None)
        return forward(self, *given, **named) if compute is None else compute(*given, **named)

    return cast("Forward", either)


def enclosed(module: nn.Module, compute: Callable[..., Any], *given: Any) -> Any:
    """What a module gives where it is computed so: torch's hooks on it see, and change, both ends.

    Args:
        module: with a forward that is `enclosable`.
        compute: gets what the forward would get.
        given: to the module.
    """
    before = _thread.inner.get(module)  # where a hook asks for the same anew, before it is called
    _thread.inner[module] = compute
    try:
        return module(*given)
    finally:
        _thread.inner.pop(module, None)
        if before is not None:
            _thread.inner[module] = before
