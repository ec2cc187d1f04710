"""What follows from the numbers of a module, and is worth keeping until they change."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

import torch
from torch import nn

from progtf.nn.hooks import stamp, state_of

Fact = TypeVar("Fact")


class Derived(Generic[Fact]):
    """A fact that follows from a module's numbers without gradients: found out when they change.

    Where the network that answers is known to be as it was, nothing more is asked.

    Args:
        cheap: elsewhere to ask whether they have changed takes longer than to find it out again.
    """

    def __init__(self, *, cheap: bool = False) -> None:
        self.cheap = cheap
        self._known: tuple[object, Fact] | None = None

    def of(self, module: nn.Module, derive: Callable[[], Fact], *given: object) -> Fact:
        """The fact as the module is now; ``given``: what else it follows from."""
        now = None if torch.compiler.is_compiling() else state_of(module)
        if now is None and not self.cheap:
            now = _own(module, given)
        if now is None:
            return derive()
        known = self._known  # threads may share it
        if known is None or known[0] != now:
            known = self._known = now, derive()
        return known[1]

    def __reduce__(self) -> tuple[Callable[..., "Derived[Fact]"], tuple[()]]:
        """A copy knows nothing yet."""
        return partial(Derived, cheap=self.cheap), ()


def _own(module: nn.Module, given: tuple[object, ...]) -> object | None:
    """What changes with what a module holds, where nobody watches it."""
    if torch.compiler.is_compiling():
        return None
    now = stamp(module)
    return None if now is None else (torch.is_inference_mode_enabled(), now, *given)
