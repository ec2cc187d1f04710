"""What follows from the numbers of a module, and is worth keeping until they change."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

import torch
from torch import nn

from progtf.nn.bits import content
from progtf.nn.hooks import state_of, watched

Fact = TypeVar("Fact")


class Derived(Generic[Fact]):
    """A fact that follows from a module's numbers without gradients: found out when they change.

    Where the network that answers is known to be as it was, nothing more is asked; elsewhere the
    fact is found out again each time.

    Args:
        small: the module has few numbers: it takes less time to look at their bits.
    """

    def __init__(self, *, small: bool = False) -> None:
        self.small = small
        self._known: tuple[object, Fact] | None = None

    def of(self, module: nn.Module, derive: Callable[[], Fact], *given: object) -> Fact:
        """The fact as the module is now; ``given``: what else it follows from."""
        if torch.compiler.is_compiling():
            return derive()
        state = state_of(module)
        now = _own(module) if state is None and self.small else state
        if now is None:
            return derive()
        known, now = self._known, (now, torch.is_inference_mode_enabled(), *given)
        if known is None or known[0] != now:  # threads may share it
            known = self._known = now, derive()
        return known[1]

    def __reduce__(self) -> tuple[Callable[..., "Derived[Fact]"], tuple[()]]:
        """A copy knows nothing yet."""
        return partial(Derived, small=self.small), ()


def _own(module: nn.Module) -> object | None:
    """What changes with the numbers of a module, where nobody watches it."""
    return None if watched(module) else content([*module.parameters(), *module.buffers()])
