"""Number formats: what a stored weight becomes, and which numbers arithmetic keeps exactly."""

import math
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Format:
    """How weights are stored; arithmetic is float32 at least.

    Attributes:
        name: as ``--dtype`` spells it.
        bits: of the significand, the leading one included: all integers up to 2**bits are exact.
        largest: the largest finite number.
        finest: the smallest step.
        blind: errors below this share of a step are taken to vanish; 0: those that certainly do.
    """

    name: str
    bits: int
    largest: float
    finest: float
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
        """The number that stands in this format for a weight."""
        return _stored(value, self.bits, self.largest, self.finest)


FORMATS = {
    known.name: known
    for known in (
        Format("float64", 53, 1.8e308, 5e-324),
        Format("float32", 24, 3.4028235e38, 2.0**-149),
        Format("bfloat16", 8, 3.3895e38, 2.0**-133),
        Format("float16", 11, 65504.0, 2.0**-24),
    )
}


@lru_cache(maxsize=65_536)
def _stored(value: float, bits: int, largest: float, finest: float) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    step = max(math.ldexp(1.0, math.frexp(value)[1] - bits), finest)
    rounded = round(value / step) * step  # ties to even, as in IEEE 754
    return rounded if abs(rounded) <= largest else math.copysign(math.inf, value)


@lru_cache(maxsize=65_536)
def grid_of(value: float) -> float:
    """The largest power of two that a number is a multiple of; infinite for 0."""
    if value == 0:
        return math.inf
    numerator, denominator = abs(value).as_integer_ratio()
    return (numerator & -numerator) / denominator
