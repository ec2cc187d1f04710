"""Exact arithmetic: numbers are whole or fractions, and float64 is what is built of them.

``0.1`` is the decimal that stands there, so ``0.1 + 0.2`` is ``0.3`` and ``1/3*3`` is 1. A number
becomes a float64 once, where it leaves expressions: the nearest one. ``pi`` and what ``cos``,
``sin``, ``sqrt``, ``log`` and powers with broken exponents give are float64 numbers, taken exactly.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeGuard

from progtf.rational import rational

Exact = int | Fraction
"""A number in an expression; a result that is whole is an int."""
LARGEST = 2**53
MOST_BITS = 4096
"""How long the numerator and the denominator of a result may be."""
_TOO_LONG = 1 << MOST_BITS
_EXACT = frozenset((int, Fraction))
MOST_DIGITS = 300
"""How long a number may be that somebody writes."""
PI = Fraction(math.pi)


class TooFineError(ArithmeticError):
    """A fraction has more than 4,096 bits."""


class TooSmallError(ArithmeticError):
    """A number is not 0, and float64 has nothing but 0 for it."""


REASONS: dict[type[Exception], str] = {
    ZeroDivisionError: "this divides by zero",
    OverflowError: "this is too large: more than 2**53",
    ValueError: "the result is no real number",
    TypeError: "the function takes another number of arguments",
    TooFineError: f"this fraction is too long: more than {MOST_BITS:,} bits",
    TooSmallError: "this is too small: float64 makes 0 of it",
}
"""What is said of what operations and ``nearest`` raise."""


def is_number(value: object) -> TypeGuard[Exact]:
    """Whether a constant is a number."""
    return type(value) in _EXACT


def nearest(value: Exact) -> int | float:
    """What is built of a number: an int as it is, of another the nearest float64, which knows it.

    Raises:
        TooSmallError: if that is 0, and the number is not.
        OverflowError: if it is larger than any float64.
    """
    if type(value) is int:
        return value
    found = rational(Fraction(value))
    if not found and value:
        raise TooSmallError
    return found


def spelled(value: Exact) -> str:
    """A number in texts, names and messages: ``3``, ``0.5``; ``2.0`` as it was written."""
    return str(value) if type(value) is int else str(float(value))


def settled(value: Exact) -> Exact:
    """The result of an operation, as an int if it is whole.

    Raises:
        OverflowError: if it is larger than 2^53.
        TooFineError: if its numerator or denominator has more than 4,096 bits.
    """
    if type(value) is int:
        if -LARGEST <= value <= LARGEST:
            return value
        raise OverflowError
    above, below = value.as_integer_ratio()
    if not -LARGEST * below <= above <= LARGEST * below:
        raise OverflowError
    if below == 1:
        return above
    if below >= _TOO_LONG or not -_TOO_LONG < above < _TOO_LONG:
        raise TooFineError
    return value


def _divide(one: Exact, other: Exact) -> Exact:
    if type(one) is int and type(other) is int and other and not one % other:
        return one // other  # quicker
    return Fraction(one, other)


def _power(base: Exact, exponent: Exact) -> Exact:
    if type(base) is int and type(exponent) is int and 0 <= exponent <= MOST_DIGITS:
        return base**exponent  # quicker
    if exponent.denominator != 1:
        return _real_power(base, exponent)
    times, size = int(exponent), max(abs(base.numerator), base.denominator)
    if (size.bit_length() - 1) * abs(times) > MOST_BITS:  # it has more bits than this, for certain
        whole = base.denominator == 1 if times > 0 else abs(base.numerator) == 1
        raise OverflowError if whole else TooFineError
    return Fraction(base) ** times


def _real_power(base: Exact, exponent: Exact) -> Fraction:
    """A power with a broken exponent: that of the float64 numbers."""
    if base < 0:
        raise ValueError
    value = float(nearest(base)) ** float(nearest(exponent))
    if base and not value:
        raise TooSmallError
    return Fraction(value)


def _rounded(function: Callable[..., float]) -> Callable[..., Fraction]:
    """A function of float64 numbers; what it gives is taken exactly."""

    def rounded(*numbers: Exact) -> Fraction:
        return Fraction(function(*map(nearest, numbers)))

    return rounded


def _gcd(*numbers: Exact) -> int:
    if any(number.denominator != 1 for number in numbers):
        raise ValueError
    return math.gcd(*map(int, numbers))


OPERATORS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": operator.mod,
    "**": _power,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cos": _rounded(math.cos),
    "sin": _rounded(math.sin),
    "sqrt": _rounded(math.sqrt),
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "log": _rounded(math.log),
    "gcd": _gcd,
}
