"""Expressions of whole numbers with all four operators, as `kinds` has questions."""

import re
from fractions import Fraction

from tests.acceptance.kinds import Kind

PARTS, FACTOR, UNREDUCED = 10**10, 10**4, 10**12  # what mixed.seme promises of the way


def value(text: str) -> str:
    try:
        found, rest = total(text)
    except (ValueError, OverflowError):
        return "?"
    deep = max(text[:k].count("(") - text[:k].count(")") for k in range(len(text) + 1))
    operators = len(re.findall(r" [-+] |[*/]", text))
    return "?" if rest or deep > 8 or operators > 15 else str(found)


def total(text: str) -> tuple[Fraction, str]:
    """The value of the longest sum that a text begins with, and what follows.

    Raises:
        ValueError: if it begins with none.
        OverflowError: if a number on the way is larger than promised.
        ZeroDivisionError: if it divides by 0.
    """
    found, rest = product(text)
    while rest[:3] in {" + ", " - "}:
        more, after = product(rest[3:])
        sign = 1 if rest[1] == "+" else -1
        across, back = (
            times(found.numerator, more.denominator),
            times(more.numerator, found.denominator),
        )
        below = times(found.denominator, more.denominator)
        found, rest = reduced(across + sign * back, below), after
    return found, rest


def product(text: str) -> tuple[Fraction, str]:
    found, rest = factor(text)
    while rest[:1] in {"*", "/"}:
        more, after = factor(rest[1:])
        above, below = more.numerator, more.denominator
        if rest[0] == "/":
            above, below = below, above
        found = reduced(times(found.numerator, above), times(found.denominator, below))
        rest = after
    return found, rest


def factor(text: str) -> tuple[Fraction, str]:
    if text.startswith("("):
        found, rest = total(text[1:])
        if not rest.startswith(")"):
            raise ValueError
        return found, rest[1:]
    number = re.match(r"-?(0|[1-9]\d*)(?!\d)", text)
    if number is None:
        raise ValueError
    return Fraction(number[0]), text[number.end() :]


def times(a: int, b: int) -> int:
    if min(abs(a), abs(b)) > FACTOR:
        raise OverflowError
    return a * b


def reduced(above: int, below: int) -> Fraction:
    found = Fraction(above, below)
    if max(abs(above), abs(below)) > UNREDUCED:
        raise OverflowError
    if max(abs(found.numerator), found.denominator) > PARTS:
        raise OverflowError
    return found


FRACTION_KINDS = {
    "mixed": Kind(
        (
            "interpolate/arithmetic__mixed",
            "extrapolate/arithmetic__mixed_longer",
            "interpolate/arithmetic__mul_div_multiple",
        ),
        r"([-+*/() \d]+)",
        ((["/", "Evaluate /.", "Calculate /.", "What is /?", "What is the value of /?"], value),),
        10,
    )
}
