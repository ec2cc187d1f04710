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
FINE = 0.5 * 10.0**-DECIMALS
"""How far a number of an answer that is proven lies off at most, or by what share: half of the last
decimal of a score.
"""
NOTHING = 1e-6
"""What is no larger, and is not declared whole, is no more than the leak of a softmax."""
QUARTER = 0.25
"""Whole numbers that arithmetic misses by so much are none: rules compare no closer."""
EXACT, DOUBLE, SINGLE, BRAIN = 0.0, 2.0**-50, 2.0**-21, 2.0**-6
"""The share of a number that may be missed: by the interpreter nothing, by networks four units in
the last place of float64, of float32, and of weights in bfloat16.
"""
NOISE = {"float64": DOUBLE, "float32": SINGLE, "bfloat16": BRAIN, "float16": 2.0**-9}
"""The same by the format of weights."""
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
    at least, and with as many as tell it from a whole one; never ``-0``.
    """
    if not math.isfinite(value):
        return str(float(value))
    if not float(value).is_integer():
        return _broken(value, DIGITS)
    return str(int(value)) if abs(value) < _LONGEST else exact(value)


def refused(value: float) -> str:
    """A number that is not allowed. Where rounding would make a short one of it, all of its digits:
    6.66667, but not 9 for 9.0000001, nor 0.3 for 0.30000001.
    """
    text = plain(value)
    digits = text.partition("e")[0].lstrip("-0.").replace(".", "")
    short = math.isfinite(value) and len(digits) < DIGITS and float(text) != value
    return exact(value) if short else text


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
    return _broken(near, digits, noise) if whole else f"{near:.{digits}g}"


def rounded(
    value: float, *, whole: bool = False, digits: int = DIGITS, noise: float = EXACT
) -> float:
    """The number that ``shown`` writes. Where it is declared whole, only what is whole, but for
    noise, is written as whole; elsewhere what is no more than the leak of a softmax is 0.
    """
    value = float(value)
    if not math.isfinite(value):
        return value
    if whole:
        near = whole_near(value, noise)
        return float(_broken(value, digits, noise)) if near is None else near
    if abs(value) < min(NOTHING, float(f"1e-{digits}")):
        return 0.0
    return float(f"{value:.{digits}g}") + 0.0


def whole_near(value: float, noise: float = EXACT) -> float | None:
    """The whole number that is meant, if a value is no further off than arithmetic may miss it."""
    if not math.isfinite(value):
        return None
    near = float(round(value)) + 0.0
    return None if _missed(value, near, noise) else near


def as_data(
    value: float, *, whole: bool = False, digits: int | None = None, noise: float = EXACT
) -> float:
    """A number in JSON: what ``shown`` writes where it is declared whole, else as it is.

    Args:
        value: a finite number.
        whole: it is declared to be whole: it is an int, if it is not off.
        digits: how many others have; None: all.
        noise: the share of it by which arithmetic may have missed it.
    """
    if whole and (near := whole_near(value, noise)) is not None:
        return int(near)
    return float(value) + 0.0 if digits is None else rounded(value, digits=digits, noise=noise)


def settled(value: float, digits: int) -> float:
    """A number for comparisons by eye: whole where it nearly is, else so many digits."""
    near = whole_near(value, DOUBLE)
    if near is None and math.isfinite(value) and abs(value - round(value)) <= NOTHING:
        near = float(round(value)) + 0.0
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


def _missed(value: float, near: float, noise: float) -> bool:
    """Whether a value is not a whole number, and not as near to it as arithmetic brings it."""
    away = abs(value - near)
    return bool(away) and (away > noise * max(1.0, abs(value)) or away >= QUARTER)


def _broken(value: float, digits: int, noise: float = EXACT) -> str:
    """A number that is not whole: so many digits, three decimals, and what tells it from a whole
    one.
    """
    most = MOST_DIGITS if noise <= DOUBLE else _SINGLE_DIGITS
    least = max(digits, min(_exponent(value) + 4, most))
    texts = (f"{value:.{each}g}" for each in range(least, MOST_DIGITS))
    return next((each for each in texts if not float(each).is_integer()), f"{value:.17g}")


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
    if not value and re.search("[1-9]", f"{before}{after or 0}"):  # it is too small for float64
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
    off: float = 0.0,
) -> bool:
    """Whether a number is what somebody wrote.

    A whole one is compared exactly, another at the digits that are written.

    Args:
        value: what was computed.
        due: what was written.
        whole: the number is declared to be whole.
        within: how far it may lie off, where that is asked for.
        noise: the share of it by which arithmetic, and the format of weights, may have missed it;
            a whole one never by a quarter.
        decimals: how many count where none are written; None: six digits do.
        off: how far it lies off at most, where that is proven.
    """
    if value == due.value:
        return True
    is_whole = due.value.is_integer()
    near = is_whole and not _missed(value, due.value, min(noise, SINGLE))
    if within is None and whole and (is_whole or whole_near(value, noise) is not None):
        return near
    if within is None and decimals is None and is_whole and due.unit == 0:
        stored = noise / (8 if noise <= SINGLE else 4)  # half a unit in the last place
        return near or abs(value - due.value) <= stored * abs(due.value)
    allowed = _unit(due, decimals, value) / 2 if within is None else within
    written_off = min(DOUBLE * abs(value), allowed)  # what is written is rounded, too
    return abs(value - due.value) <= allowed + max(off, noise * max(1.0, abs(value)), written_off)


def _unit(due: Written, decimals: int | None, value: float) -> float:
    """Of the last digit that counts."""
    if due.unit:
        return due.unit
    if decimals is not None:
        return float(f"1e-{decimals}")
    if not due.value:
        return 2 * NOTHING
    first = min(_exponent(due.value), _exponent(value)) if value else _exponent(due.value)
    return float(f"1e{first + 1 - max(DIGITS, due.digits)}")  # 0.999999 is not 1 in six digits
