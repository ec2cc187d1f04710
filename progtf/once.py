"""Values that are computed once for every object, and kept as long as it lives."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import finalize, ref

Given = TypeVar("Given")
Found = TypeVar("Found")


def once(compute: Callable[[Given], Found]) -> Callable[[Given], Found]:
    """A function of one object that is never changed; objects are told apart by identity.

    What it found is kept as long as both live: the object, and this function. What is found must
    not hold on to the object, or neither ever goes.
    """
    kept: _Kept[Found] = _Kept()
    alive = ref(kept)

    @wraps(compute)
    def known(given: Given) -> Found:
        key = id(given)
        if key not in kept:
            kept[key] = compute(given)
            finalize(given, _forget, alive, key).atexit = False
        return kept[key]

    return known


class _Kept(dict[int, Found]):
    """What was found, by the ``id`` of what it was found of."""


def _forget(alive: "ref[_Kept[Any]]", key: int) -> None:
    kept = alive()
    if kept is not None:
        kept.pop(key, None)
