"""Number formats: what a stored weight becomes, and which numbers arithmetic keeps exactly."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from progtf.program.formats import DIGITS
from progtf.weights.formats import check_format, nearest


@dataclass(frozen=True, slots=True)
class Format:
    """How weights are stored; arithmetic is float32 at least.

    Attributes:
        name: as ``--dtype`` spells it.
        bits: of the significand, the leading one included: all integers up to 2**bits are exact.
        blind: errors below this share of a step are taken to vanish; 0: those that certainly do.
    """

    name: str
    bits: int
    blind: float = 0.0

    @property
    def vanishing(self) -> float:
        """Beside a number of at least 1, so small an error is rounded away."""
        return max(self.blind, 2.0 ** -(self.working_bits + 1))

    @property
    def integers(self) -> int:
        """All integers up to this one are exact."""
        return 2**self.bits

    @property
    def working_bits(self) -> int:
        """The significand of the arithmetic and of activations."""
        return max(self.bits, 24)

    @property
    def roundoff(self) -> float:
        """The largest relative error of one operation."""
        return 2.0**-self.working_bits

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
