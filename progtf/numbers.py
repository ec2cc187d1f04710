"""Numbers as texts, and when two of them are the same: the one place that rounds what people read.

A whole number has all of its digits, any other some of them. ``js/src/numbers.js`` says the same in
a browser, and a test compares both.
"""

import math
import re
from dataclasses import dataclass, replace

DIGITS = 6
"""Significant digits of a number that is not whole."""
DECIMALS = 4
"""Decimals of a score."""
NOTHING = 1e-6
"""What is no larger is no more than the leak of a softmax."""
QUARTER = 0.25
"""How far off a whole number may lie and still be read as that one: rules compare no closer."""
EXACT, SINGLE = 1e-12, 1e-6
"""The share of a number by which sums in float64, and in float32, may lie off."""
MOST_DIGITS = 17
"""Digits that tell any two float64 apart."""
_SINGLE_DIGITS = 7
"""Digits that float32 has for certain."""
_LONGEST = 1e21  # from here on a whole number is written with an exponent, as browsers do
_LITERAL = re.compile(r"([-+−]?)\s*((\d*)(\.\d+)?(?:[eE]([+-]\d+))?)")


def exact(value: float) -> str:
    """The shortest decimal that reads back to the same float64, -0 with its sign.

    Raises:
        ValueError: for infinities and NaN, which the notation does not have.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written in the notation")
    return repr(float(value)).removesuffix(".0")


def plain(value: float) -> str:
    """A number in a sentence: a whole one with every digit, another with six and three decimals
    at least; never ``-0``.
    """
    if not math.isfinite(value):
        return str(float(value))
    if not float(value).is_integer():
        return f"{value:.{_digits(value, DIGITS, EXACT, whole=True)}g}"
    return str(int(value)) if abs(value) < _LONGEST else exact(value)


def shown(value: float, *, whole: bool = False, digits: int = DIGITS, noise: float = EXACT) -> str:
    """A number as answers, traces and pictures have it.

    ``3``, ``1000001`` where it is declared whole, else ``0.333333``, ``1e+06``. Where digits are
    left out before the point, an exponent says so.

    Args:
        value: the number.
        whole: it is declared to be whole: every digit counts.
        digits: how many it has, where it is not whole.
        noise: the share of it by which arithmetic may have missed it.
    """
    near = rounded(value, whole=whole, digits=digits, noise=noise)
    if not math.isfinite(near) or (near.is_integer() and (near == value or whole)):
        return plain(near)
    return f"{near:.{_digits(near, digits, noise, whole=whole)}g}"


def rounded(
    value: float, *, whole: bool = False, digits: int = DIGITS, noise: float = EXACT
) -> float:
    """The number that ``shown`` writes; what is no more than the leak of a softmax is 0."""
    value = float(value)
    if not math.isfinite(value):
        return value
    if whole and (near := whole_near(value, noise)) is not None:
        return near
    if abs(value) < min(NOTHING, float(f"1e-{digits}")):
        return 0.0
    return float(f"{value:.{_digits(value, digits, noise, whole=whole)}g}") + 0.0


def whole_near(value: float, noise: float = EXACT) -> float | None:
    """The whole number that is meant, if a value is no further off than arithmetic may miss it."""
    if not math.isfinite(value):
        return None
    near = float(round(value)) + 0.0
    return near if abs(value - near) <= _slack(value, noise) else None


def settled(value: float, digits: int) -> float:
    """A number for comparisons by eye: whole where it is meant to be, else so many digits."""
    near = whole_near(value)
    return rounded(value, digits=digits) if near is None else near


def score(value: float, decimals: int = DECIMALS) -> str:
    """A score: so many decimals at most, and every digit before them."""
    if not math.isfinite(value):
        return str(float(value))
    near = round(float(value), decimals) + 0.0
    return plain(near) if near.is_integer() else exact(near)


def whole_steps(low: float, grain: float) -> bool:
    """Whether a range such as ``0..9`` has whole numbers alone; grain 0: it has all numbers."""
    return grain >= 1 and grain % 1 == 0 and low % 1 == 0


def _slack(value: float, noise: float) -> float:
    return min(QUARTER, max(NOTHING, noise * max(1.0, abs(value))))


def _digits(value: float, digits: int, noise: float, *, whole: bool) -> int:
    """Of what should be whole and is not, three decimals are shown where there are some."""
    most = MOST_DIGITS if noise <= EXACT else _SINGLE_DIGITS
    return max(digits, min(_exponent(value) + 4, most)) if whole else digits


def _exponent(value: float) -> int:
    """The power of ten of the first digit."""
    return int(f"{value:.17e}".partition("e")[2])


# ------------------------------------------------------------------ comparing


@dataclass(frozen=True, slots=True)
class Written:
    """A number that somebody wrote, to be compared at the digits that it has.

    Attributes:
        value: the number.
        unit: of its last decimal; 0: it is whole, and longer than answers round it; None: it was
            written without a point, and counts to six digits at least.
        digits: how many it has, leading zeros left out.
    """

    value: float
    unit: float | None = None
    digits: int = 0

    def __add__(self, other: "Written") -> "Written":
        """The sum; it counts as far as the finer one."""
        units = [each.unit for each in (self, other) if each.unit is not None]
        digits = max(self.digits, other.digits)
        return Written(self.value + other.value, min(units) if units else None, digits)


ABSENT = Written(0.0)
"""What an example does not name."""


def written(text: str) -> Written | None:
    """A number as the notation has it, ``-2.10`` or ``1.5e+9``; None if it is none of float64."""
    found = _LITERAL.fullmatch(text.strip())
    if found is None or not (found[3] or found[4]):
        return None
    sign, number, before, after, exponent = found.groups()
    value = float(number) * (1.0 if sign in ("", "+") else -1.0) + 0.0
    if not math.isfinite(value) or (number.isdecimal() and int(number) != abs(value)):
        return None
    digits = len(f"{before}{(after or '')[1:]}".lstrip("0"))
    if after is not None:
        return Written(value, float(f"1e{int(exponent or 0) - len(after) + 1}"), digits)
    return Written(value, None if exponent or digits <= DIGITS else 0.0, digits)


def coefficient(text: str, value: float) -> Written:
    """A coefficient of which the value is known.

    Args:
        text: what was written before the name: ``+0.50``; ``+`` alone and what is computed, as
            ``+{1 / 3}``, have no digits.
        value: what it comes to.
    """
    literal = written(text)
    return Written(value) if literal is None else replace(literal, value=value)


def agree(
    value: float,
    due: Written,
    *,
    whole: bool = False,
    within: float | None = None,
    noise: float = EXACT,
    decimals: int | None = None,
) -> bool:
    """Whether a number is what somebody wrote.

    A whole one is compared exactly, another at the digits that are written.

    Args:
        value: what was computed.
        due: what was written.
        whole: the number is declared to be whole.
        within: how far it may lie off, where that is asked for.
        noise: the share of it by which arithmetic, and the format of weights, may have missed it.
        decimals: how many count where none are written; None: six digits do.
    """
    if value == due.value:
        return True
    away, slack = abs(value - due.value), noise * max(1.0, abs(value))
    if within is not None:
        return away <= within + slack
    if (whole and due.value.is_integer()) or (decimals is None and due.unit == 0):
        return away <= _slack(value, noise)
    slack = slack if due.unit else min(QUARTER, slack)
    return away <= _unit(due, decimals) / 2 * (1 + EXACT) + slack


def _unit(due: Written, decimals: int | None) -> float:
    """Of the last digit that counts."""
    if due.unit:
        return due.unit
    if decimals is not None:
        return float(f"1e-{decimals}")
    if not due.value:
        return 2 * NOTHING
    return float(f"1e{_exponent(due.value) + 1 - max(DIGITS, due.digits)}")
