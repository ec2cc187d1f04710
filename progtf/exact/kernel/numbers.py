"""Numbers of the kernel: fractions for what is meant, floats rounded upwards for what is lost.

A fraction is exact. A float here is a bound: every operation on it is rounded away from 0 by one
place more than it may be off, so that a bound that is computed is never below the one that is
meant (Higham 2002, section 2.1).
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

HUGE = 1e30
"""No number on the way may be larger, which every format has room for."""


FINEST = 100
"""Digits behind the point, in base 2; numbers with as many underflow in no format."""
UNDERFLOW = 2.0**-120
"""What underflows is smaller."""


class NotProven(Exception):  # noqa: N818  no error: an outcome
    """A hypothesis of a lemma does not hold, or there is no lemma."""


class Format(NamedTuple):
    """A format of weights and the arithmetic that computes with them.

    Attributes:
        precision: the digits, in base 2, of a number that is computed with.
    """

    name: str
    precision: int

    @property
    def roundoff(self) -> float:
        """Half the distance from 1 to its next neighbour."""
        return 2.0**-self.precision


FORMATS = {
    name: Format(name, precision)
    for name, precision in (("float64", 53), ("float32", 24), ("bfloat16", 24), ("float16", 24))
}


def plus(*bounds: float) -> float:
    """A bound of a sum of bounds."""
    found = math.fsum(bounds)
    return found if not found else math.nextafter(found, math.inf)


def times(*bounds: float) -> float:
    """A bound of a product of bounds; 0 times anything is 0."""
    if not all(bounds):
        return 0.0
    found = 1.0
    for each in bounds:
        found = each if found == 1.0 else math.nextafter(found * each, math.inf)
    return found


def above(number: Fraction) -> float:
    """The float that is next to a fraction's amount, or above it."""
    amount = abs(number)
    try:
        found = amount.numerator / amount.denominator
    except OverflowError:
        return math.inf
    return found if Fraction(found) >= amount else math.nextafter(found, math.inf)


def below(number: Fraction) -> float:
    """The float that is next to a fraction, or below it."""
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, -math.inf)


def common(steps: Iterable[Fraction | None]) -> Fraction | None:
    """The largest number that all steps are multiples of; None if one of them is none, 0 of 0s."""
    found = Fraction(0)
    for step in steps:
        if step is None:
            return None
        if step != found:
            cross = math.gcd(found.numerator * step.denominator, step.numerator * found.denominator)
            found = Fraction(cross, found.denominator * step.denominator)
    return found


def grid_of(step: Fraction | None) -> float:
    """The largest power of two that a step is a multiple of; infinity: of 0.

    0: there is none, or it is so small that numbers may underflow.
    """
    if step is None:
        return 0.0
    if not step:
        return math.inf
    low = step.denominator & -step.denominator
    if low != step.denominator:
        return 0.0
    places, numerator = step.denominator.bit_length() - 1, abs(step.numerator)
    return 0.0 if places > FINEST else math.ldexp(float(numerator & -numerator), -places)


def is_power_of_two(number: Fraction) -> bool:
    """Whether a product by a number is rounded to nothing else."""
    n, d = abs(number.numerator), number.denominator
    return n > 0 and not n & (n - 1) and not d & (d - 1)
