"""The questions of a program and their answers, worked out in another way than programs do it.

What is no question has the answer `?`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt

from tests.acceptance.questions import said

DECIMAL, WHOLE = r"(-?\d+(?:\.\d+)?)", r"(\d+)"
ANY = r"-?\d+(?:[./]\d+)?"
EXACT = Context(prec=200)
PRIMES = [n for n in range(2, 841) if all(n % k for k in range(2, n))]

Rule = tuple[list[str], Callable[..., str]] | tuple[list[str], Callable[..., str], str]


@dataclass(frozen=True)
class Kind:
    """The questions of a program, and what they come to.

    Attributes:
        modules: where true questions are found.
        number: a slash in a wording, as a regular expression.
        rules: wordings, the answer from their numbers, and what a slash stands for in these.
        digits: as many may a number have that must be answered; longer ones may be refused.
    """

    modules: tuple[str, ...]
    number: str
    rules: tuple[Rule, ...]
    digits: int

    def answer(self, text: str) -> str:
        """The answer, `?` to what is no question."""
        for wordings, value, *number in self.rules:
            for wording in wordings:
                said = wording.rstrip(".?") if wording.endswith(("/.", "/?")) else wording
                may_end = "[.?]?" if said.endswith("/") else ""  # the last mark
                pattern = (number or [self.number])[0].join(
                    map(re.escape, said.split("/"))
                ) + may_end
                found = re.fullmatch(pattern, text, re.IGNORECASE)
                if found:
                    try:
                        return value(*found.groups())
                    except ZeroDivisionError:
                        return "?"
        return "?"


def sums(sign: int, *, swapped: bool = False, absolute: bool = False) -> Callable[[str, str], str]:
    def value(a: str, b: str) -> str:
        left, right = (b, a) if swapped else (a, b)
        total = EXACT.add(Decimal(left), sign * Decimal(right))
        return said(abs(total) if absolute else total)

    return value


def prime(*, composite: bool) -> Callable[[str], str]:
    """Of numbers below 10**11, and of those that a prime below 841 divides."""

    def value(text: str) -> str:
        number = int(text)
        divided = any(number % p == 0 and number != p for p in PRIMES)
        if number >= 10**11 and not divided:
            return "?"
        is_composite = divided or any(number % n == 0 for n in range(841, isqrt(number) + 1, 2))
        return str(number > 1 and is_composite == composite)

    return value


def sign(a: str, b: str) -> int:
    """Of the difference; dividing by zero is no question."""
    difference = Fraction(a) - Fraction(b)
    return (difference > 0) - (difference < 0)


def compared(*signs: int) -> Callable[[str, str], str]:
    return lambda a, b: str(sign(a, b) in signs)


def chosen(sought: int) -> Callable[[str, str], str]:
    return lambda a, b: b if sign(a, b) == -sought else a


def in_order(*, backwards: bool) -> Callable[[str], str]:
    return lambda listed: ", ".join(sorted(listed.split(", "), key=Fraction, reverse=backwards))


ASKED = ["Work out ", "Calculate ", "What is "]
PRODUCTS = ["Multiply / and /.", "Product of / and /.", "What is the product of / and /?"]
LESS = ["<=", "less than or equal to", "at most", "at most as big as"]
MORE = [">=", "greater than or equal to", "at least", "at least as big as"]


def wordings(middle: str) -> list[str]:
    return [
        f"/{middle}/",
        *(f"{asked}/{middle}/{mark}" for asked, mark in zip(ASKED, "..?", strict=True)),
    ]


def orders(order: str) -> list[str]:
    return [f"{verb} / in {order} order." for verb in ("Sort", "Put")]


FIRST_KINDS = {
    "add_or_sub": Kind(
        ("arithmetic__add_or_sub", "arithmetic__add_or_sub_big"),
        DECIMAL,
        (
            (
                [*wordings(" + "), "/+/", "Add / and /.", "Put together / and /.", "Sum / and /."],
                sums(1),
            ),
            (["Total of / and /.", "Add together / and /.", "What is / plus /?"], sums(1)),
            ([*wordings(" - "), "What is / minus /?", "What is / take away /?"], sums(-1)),
            (["What is / less than /?", "Subtract / from /."], sums(-1, swapped=True)),
            (
                [f"What is the {d} between / and /?" for d in ("distance", "difference")],
                sums(-1, absolute=True),
            ),
            (["/-/"], lambda a, b: "?" if b.startswith("-") else sums(-1)(a, b)),
        ),
        20,
    ),
    "mul": Kind(
        ("arithmetic__mul", "arithmetic__mul_big"),
        DECIMAL,
        (
            (
                [*wordings("*"), *wordings(" * "), *wordings(" times ")[::3], *PRODUCTS],
                lambda a, b: said(EXACT.multiply(Decimal(a), Decimal(b))),
            ),
        ),
        12,
    ),
    "is_prime": Kind(
        ("interpolate/numbers__is_prime",),
        WHOLE,
        (
            (["Is / prime?", "Is / a prime number?"], prime(composite=False)),
            (["Is / composite?", "Is / a composite number?"], prime(composite=True)),
        ),
        12,
    ),
    "pair": Kind(
        ("interpolate/comparison__pair",),
        f"({ANY})",
        (
            (["Which is bigger: / or /?", "Which is greater: / or /?"], chosen(1)),
            (["Which is smaller: / or /?"], chosen(-1)),
            (["Is / < /?", "Is / less than /?", "Is / smaller than /?"], compared(-1)),
            (["Is / > /?", "Is / greater than /?", "Is / bigger than /?"], compared(1)),
            ([f"Is / {less} /?" for less in LESS], compared(-1, 0)),
            ([f"Is / {more} /?" for more in MORE], compared(1, 0)),
            (["Does / = /?", "Is / equal to /?", "Are / and / equal?"], compared(0)),
            (["Do / and / have the same value?"], compared(0)),
            (["Is / != /?", "Is / not equal to /?"], compared(-1, 1)),
            ([f"Are / and / {un}equal?" for un in ("un", "non", "non-")], compared(-1, 1)),
            (["Do / and / have different values?"], compared(-1, 1)),
        ),
        12,
    ),
    "sort": Kind(
        ("interpolate/comparison__sort", "extrapolate/comparison__sort_more"),
        f"({ANY}(?:, {ANY}){{0,9}})",
        (
            (["Sort /.", *orders("ascending"), *orders("increasing")], in_order(backwards=False)),
            ([*orders("descending"), *orders("decreasing")], in_order(backwards=True)),
        ),
        12,
    ),
}
