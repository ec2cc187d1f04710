"""Values that are computed once for every object, and kept as long as it lives."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import finalize

Given = TypeVar("Given")
Found = TypeVar("Found")


def once(compute: Callable[[Given], Found]) -> Callable[[Given], Found]:
    """A function of one object that is never changed; objects are told apart by identity."""
    kept: dict[int, Found] = {}

    @wraps(compute)
    def known(given: Given) -> Found:
        key = id(given)
        if key not in kept:
            kept[key] = compute(given)
            finalize(given, kept.pop, key, None).atexit = False
        return kept[key]

    return known
