"""Who looks at what a network computes: a watch belongs to the call that asked for it.

One thread patches a network, another one asks the same network: the first sees its patch, the other
nothing of it. So a watch is no part of the network. It is known to the context (`contextvars`) that
opened it, and to what that context starts, until it is over. Watches may end in any order, in an
error, or where a generator that was left half-way is collected, in whichever thread that is.
"""

from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import nn


class Watch:
    """One who looks at some places.

    Attributes:
        places: by the module that asks there, what that module needs to know.
        seats: what is known while a network computes, by thread and by all that are open there.
        over: whether nobody is to be told any more.
    """

    __slots__ = ("over", "places", "seats")

    def __init__(self, places: Mapping[nn.Module, Any]) -> None:
        self.places = places
        self.seats: dict[object, dict[nn.Module, Any]] = {}
        self.over = False


_NONE: tuple[Watch, ...] = ()
_open: ContextVar[tuple[Watch, ...]] = ContextVar("progtf watches", default=_NONE)


def watches() -> tuple[Watch, ...]:
    """Those that are open here, in the order in which they were; a graph compiler sees none."""
    if torch.compiler.is_compiling():
        return _NONE
    found = _open.get()
    if found and any(each.over for each in found):
        found = tuple(each for each in found if not each.over)
        _open.set(found)
    return found


class watching(ContextDecorator):  # noqa: N801  a context, as those of `contextlib` are
    """While it lasts the watch is open, behind those that are.

    It is entered once; a function that it decorates opens a watch of its own at each call.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch, self.entered = watch, False

    def __enter__(self) -> None:
        if self.entered:
            raise RuntimeError("this context was entered before: ask `hooked` for another one")
        self.entered = True
        _open.set((*watches(), self.watch))

    def __exit__(self, *_error: object) -> None:
        self.watch.over = True
        self.watch.seats = {}
        watches()  # and so forgets it, if it was opened here

    def __del__(self) -> None:  # whoever lets go of it looks no more, in whichever thread
        self.watch.over = True
        self.watch.seats = {}

    def _recreate_cm(self) -> "watching":
        return watching(Watch(self.watch.places))


@contextmanager
def unwatched() -> Iterator[None]:
    """While it lasts no watch is open: what is told of a run may ask the same network itself."""
    token = _open.set(_NONE)
    try:
        yield
    finally:
        _open.reset(token)


def is_looked_at(modules: list[nn.Module]) -> bool:
    """Whether a watch that is open looks at one of these."""
    found = watches()
    return bool(found) and any(place in modules for each in found for place in each.places)
