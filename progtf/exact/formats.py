"""Number formats: what a stored weight becomes, and which numbers arithmetic keeps exactly."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from progtf.program.arrays import Array
from progtf.program.formats import DIGITS
from progtf.weights.formats import check_format, nearest

_DIGITS = 53


@dataclass(frozen=True, slots=True)
class Format:
    """How weights are stored; arithmetic is float32 at least.

    Attributes:
        name: as ``--dtype`` spells it.
        bits: of the significand, the leading one included: all integers up to 2**bits are exact.
    """

    name: str
    bits: int

    @property
    def integers(self) -> int:
        """All integers up to this one are exact as weights."""
        return 2**self.bits

    @property
    def counts(self) -> float:
        """Arithmetic is exact on multiples of a power of two up to so many times that power."""
        return 2.0 ** max(self.bits, 24)

    @property
    def roundoff(self) -> float:
        """The largest relative error of one operation: half a unit in the last place."""
        return 1.0 / self.counts

    def stored(self, value: float) -> float:
        """The number that stands in this format for a weight, as networks store it."""
        return _stored(value, self.name)


FORMATS = {name: Format(name, bits) for name, bits in DIGITS.items()}


@lru_cache(maxsize=65_536)
def _stored(value: float, dtype: str) -> float:
    return float(nearest(np.array([value]), check_format(dtype))[0])


@lru_cache(maxsize=65_536)
def grid_of(value: float) -> float:
    """The largest power of two that a number is a multiple of; infinite for 0."""
    if value == 0:
        return math.inf
    numerator, denominator = abs(value).as_integer_ratio()
    return (numerator & -numerator) / denominator


def grids_of(numbers: Array) -> Array:
    """The same of every number of an array."""
    mantissas, exponents = np.frexp(numbers)
    whole = np.ldexp(mantissas, _DIGITS).astype(np.int64)
    lowest = np.ldexp((whole & -whole).astype(np.float64), exponents - _DIGITS)
    return np.where(numbers == 0, np.inf, lowest)


def last_places(numbers: Array, number: Format) -> Array:
    """The unit in the last place of numbers as large as these; 0 of 0."""
    exponents = np.frexp(numbers)[1]
    return np.where(numbers == 0, 0.0, np.ldexp(2.0 * number.roundoff, exponents - 1))
