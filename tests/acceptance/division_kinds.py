"""Questions about two whole numbers, as `kinds` has them."""

from fractions import Fraction
from math import gcd, lcm

from tests.acceptance.kinds import WHOLE, Kind
from tests.acceptance.questions import numeral

ASKED = ("What is the", "Calculate the")


def divides(a: str, b: str) -> str:
    """Whether the first number divides the second; none divides anything by 0."""
    return str(int(b) % int(a) == 0)


def divisor(a: str, b: str) -> str:
    return str(gcd(int(a), int(b)))


def quotient(a: str, b: str) -> str:
    return str(Fraction(int(a), int(b)))


def multiple(a: str, b: str) -> str:
    """Of two numbers above 0, as far as it has 13 digits."""
    found = lcm(int(a), int(b))
    return str(found) if 0 < found < 10**13 else "?"


def denominator(a: str, b: str) -> str:
    """Of two fractions as they are written."""
    return multiple(*([*text.split("/"), "1"][1] for text in (a, b)))


def prime_factors(number: str) -> str:
    """Each once, of numbers for which trying 10,919 numbers is enough."""
    left, found = int(number), list[int]()
    if not 2 <= left < 10920**2:
        return "?"
    for n in range(2, 10920):
        while left % n == 0:
            left //= n
            found = found if n in found else [*found, n]
    return ", ".join(map(str, [*found, left] if left > 1 else found))


def converted(number: str, base: str, other: str) -> str:
    """As far as every place is worth 10**11 or less."""
    if not (base + other).isdecimal():
        return "?"
    digits, old, new = number.lstrip("-").lower(), int(base), int(other)
    if not (2 <= old <= 16 and 2 <= new <= 16) or base[0] == "0" or other[0] == "0":
        return "?"
    if any(int(d, 16) >= old for d in digits) or old ** (len(digits) - 1) > 10**11:
        return "?"
    return numeral(int(number, old), new)


DIVISION_KINDS = {
    "div_remainder": Kind(
        ("interpolate/numbers__div_remainder",),
        WHOLE,
        (
            (
                [f"{asked} remainder when / is divided by /." for asked in ASKED],
                lambda a, b: str(int(a) % int(b)),
            ),
        ),
        12,
    ),
    "list_prime_factors": Kind(
        ("interpolate/numbers__list_prime_factors",),
        WHOLE,
        ((["List the prime factors of /.", "What are the prime factors of /?"], prime_factors),),
        13,
    ),
    "is_factor": Kind(
        ("interpolate/numbers__is_factor",),
        WHOLE,
        (
            (["Does / divide /?", "Is / a factor of /?"], divides),
            (["Is / a multiple of /?"], lambda a, b: divides(b, a)),
            (["Is / even?"], lambda a: divides("2", a)),
        ),
        12,
    ),
    "base_conversion": Kind(
        ("interpolate/numbers__base_conversion",),
        "",
        (
            (
                ["/ (base /) to base /", "Convert / (base /) to base /."],
                converted,
                r"(-?[\da-f]+)",
            ),
            (["What is / (base /) in base /?"], converted, r"(-?[\da-f]+)"),
        ),
        11,
    ),
    "div": Kind(
        ("interpolate/arithmetic__div", "extrapolate/arithmetic__div_big"),
        r"(-?\d+)",
        (
            (
                [
                    "/ divided by /",
                    "Divide / by /.",
                    "Calculate / divided by /.",
                    "What is / divided by /?",
                ],
                quotient,
            ),
        ),
        13,
    ),
    "lcm": Kind(
        ("interpolate/numbers__lcm",),
        WHOLE,
        (
            (
                [
                    f"{asked} {least} common multiple of / and /."
                    for asked in ASKED
                    for least in ("least", "lowest", "smallest")
                ],
                multiple,
            ),
            (
                [f"{asked} common denominator of / and /." for asked in (*ASKED, "Find the")],
                denominator,
                r"(-?\d+(?:/\d+)?)",
            ),
        ),
        13,
    ),
    "gcd": Kind(
        ("interpolate/numbers__gcd",),
        WHOLE,
        (
            (
                [
                    f"{asked} {most} common {what} of / and /."
                    for asked in ASKED
                    for most in ("greatest", "highest")
                    for what in ("divisor", "factor")
                ],
                divisor,
            ),
        ),
        12,
    ),
}
