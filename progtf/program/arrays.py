"""Arrays of numpy: what runs a program needs them; what only reads its text does without."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from progtf.rational import fraction_of

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


def hands(period: float, size: int) -> tuple[Array, Array]:
    """The hands of a clock at 0, 1, 2 ... tokens, shape (size,) each: entries of a table.

    The first eighth of a turn has the nearest float64 numbers; symmetry gives the others, so that
    what is equal is equal to the last bit, and a quarter of a turn is 0 and 1.
    """
    return _hands(fraction_of(period), max(8, 1 << (size - 1).bit_length()), size)


@lru_cache(maxsize=256)
def _hands(period: Fraction, room: int, size: int) -> tuple[Array, Array]:
    if size < room:
        cos, sin = _hands(period, room, room)
        return cos[:size], sin[:size]
    found = np.array([_hand(Fraction(place) / period % 1) for place in range(size)])
    found.setflags(write=False)
    return found[:, 0], found[:, 1]


@lru_cache(maxsize=65_536)
def _hand(turn: Fraction) -> tuple[float, float]:
    """The cosine and the sine of so much of a turn, 0 to 1."""
    if turn > _HALF:
        cos, sin = _hand(1 - turn)
        return cos, 0.0 - sin
    if turn > _QUARTER:
        cos, sin = _hand(_HALF - turn)
        return 0.0 - cos, sin
    if turn > _EIGHTH:
        cos, sin = _hand(_QUARTER - turn)
        return sin, cos
    return math.cos(2 * math.pi * float(turn)), math.sin(2 * math.pi * float(turn))


_HALF, _QUARTER, _EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
