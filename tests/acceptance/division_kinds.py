"""Questions about two whole numbers, as `kinds` has them."""

from math import gcd

from tests.acceptance.kinds import WHOLE, Kind

ASKED = ("What is the", "Calculate the")


def divides(a: str, b: str) -> str:
    """Whether the first number divides the second; none divides anything by 0."""
    return str(int(b) % int(a) == 0)


def divisor(a: str, b: str) -> str:
    return str(gcd(int(a), int(b)))


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
