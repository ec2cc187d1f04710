"""Divisions of whole numbers, and their factors, in loops that end, on the hardest numbers."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import gcd, isqrt, lcm

import pytest

from tests.acceptance.division_kinds import prime_factors
from tests.acceptance.questions import all_right
from tests.programs import MATH, compiled

MOST = 10**13 - 1
PRIME = 999_999_999_989
REMAINDERS = (
    "What is the remainder when {a} is divided by {b}?",
    "Calculate the remainder when {a} is divided by {b}.",
)
FACTORS = ("Is {b} a factor of {a}?", "Is {a} a multiple of {b}?", "Does {b} divide {a}?")
DIVISORS = tuple(
    f"{ask} the {word} common {what} of {{a}} and {{b}}{end}"
    for ask, end in (("Calculate", "."), ("What is", "?"))
    for word in ("greatest", "highest")
    for what in ("divisor", "factor")
)
KINDS = {
    "div_remainder": (REMAINDERS, lambda a, b: str(a % b)),
    "is_factor": (FACTORS, lambda a, b: str(a % b == 0)),
    "gcd": (DIVISORS, lambda a, b: str(gcd(a, b))),
}
MULTIPLES = tuple(
    f"{ask} the {least} common multiple of {{a}} and {{b}}{end}"
    for ask, end in (("Calculate", "."), ("What is", "?"))
    for least in ("least", "lowest", "smallest")
)
QUOTIENTS = (
    "{a} divided by {b}",
    "Divide {a} by {b}.",
    "Calculate {a} divided by {b}.",
    "What is {a} divided by {b}?",
)
REDUCED = {
    "div": (QUOTIENTS, lambda a, b: str(Fraction(a, b))),
    "lcm": (MULTIPLES, lambda a, b: str(lcm(a, b)) if lcm(a, b) < 10**13 else "?"),
}


def fibonacci() -> list[int]:
    found = [1, 2]
    while found[-1] + found[-2] <= MOST:
        found.append(found[-1] + found[-2])
    return found


def pairs(count: int) -> Iterator[tuple[int, int]]:
    """The longest operands, equal ones, 1, primes, quotients of nines, Fibonacci's, and others."""
    yield from ((MOST, MOST), (MOST, 1), (1, MOST), (1, 1), (MOST, MOST - 1), (MOST - 1, MOST))
    yield from ((PRIME, 2), (PRIME, PRIME), (PRIME, 999_999_999_961), (2, PRIME), (10**11, 3))
    yield from ((899_999_999_999, 9), (899_999_999_999, 899), (199_999_999_999, 20), (9, 10))
    yield from ((2**39, 2**38), (2**39, 3**25), (6**15, 10**11), (10, 10**11))
    steps = fibonacci()
    yield from pairwise(steps)
    yield from pairwise(reversed(steps))
    rng = random.Random(4)
    for _ in range(count):
        a, b = (rng.randrange(1, 10 ** rng.randrange(1, 14)) for _ in range(2))
        yield from ((a, b), (a * b % MOST + 1, b), (a - a % b or b, b))


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", KINDS)
def test_numbers_of_all_sizes_are_divided(name, count):
    said, right = KINDS[name]
    model = compiled(MATH / f"{name}.seme", "float64")
    rng = random.Random(5)
    all_right(model, [(rng.choice(said).format(a=a, b=b), right(a, b)) for a, b in pairs(count)])


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", REDUCED)
def test_numbers_of_all_sizes_are_reduced(name, count):
    said, right = REDUCED[name]
    model = compiled(MATH / f"{name}.seme", "float64")
    rng = random.Random(5)
    signs = (1, -1) if name == "div" else (1,)
    asked = [(a * rng.choice(signs), b * rng.choice(signs)) for a, b in pairs(count)]
    all_right(model, [(rng.choice(said).format(a=a, b=b), right(a, b)) for a, b in asked])


@pytest.mark.parametrize("name", REDUCED)
def test_nothing_is_divided_by_0(name):
    said, _ = REDUCED[name]
    model = compiled(MATH / f"{name}.seme", "float64")
    asked = [(12, 0), (0, 0), ("1.2", 5), (10**13, 7), (12, "7 and 3"), ("1/2", 3)]
    answers = model.run([said[0].format(a=a, b=b) for a, b in asked])
    assert answers == ["?"] * len(asked)


@pytest.mark.parametrize("name", KINDS)
def test_what_no_division_answers_is_refused(name):
    said, _ = KINDS[name]
    model = compiled(MATH / f"{name}.seme", "float64")
    asked = [(12, 0), (-12, 5), ("1.2", 5), (10**13, 7), (12, "7 of 3"), ("1/2", 3)]
    answers = model.run([said[0].format(a=a, b=b) for a, b in asked])
    assert answers == ["?"] * len(asked)


@pytest.mark.parametrize(
    ("name", "asked", "right"),
    [
        ("mixed", "7/8 + 1", "15/8"),
        ("mixed", "33*4*64?", "8448"),
        ("lcm", "What is the lowest common multiple of 58780636 and 8485541?", "?"),
        ("lcm", "What is the least common multiple of 5000000000000 and 7?", "?"),
        ("lcm", "What is the least common multiple of 262745286288 and 2711?", "?"),
        ("lcm", "What is the least common multiple of 549755813887 and 32768?", "?"),
    ],
)
def test_nothing_leaves_its_range_where_the_answer_is_right(name, asked, right):
    (answer,) = compiled(MATH / f"{name}.seme", "float64").answers([asked])
    assert (answer.text, answer.outside) == (right, None)


def products() -> Iterator[int]:
    """Powers, large primes, squares of primes, both sides of 1,560 numbers, ends of the range."""
    most = 10920**2 - 1
    yield from (2**k for k in range(1, 27))
    yield from (2**a * 3**b for a in range(9) for b in range(1, 12))
    yield from (most, most - 1, 102_819_587, 99_999_989, 2 * 49_999_991, 9699690, 9699690 * 10)
    primes = [n for n in range(2, 10_920) if all(n % d for d in range(2, isqrt(n) + 1))]
    ends = [p for p in primes if p % 1560 in (1, 7, 11, 13, 1543, 1549, 1553, 1559)]
    yield from ends
    yield from (p * p for p in (*ends, *primes[-9:]))
    yield from (most // p * p for p in (*primes[:9], *primes[-9:]))


def test_numbers_of_all_kinds_are_factored():
    said = ("List the prime factors of {}.", "What are the prime factors of {}?")
    model = compiled(MATH / "list_prime_factors.seme", "float64")
    rng, numbers = random.Random(5), [*products()]
    assert len(numbers) > 200
    all_right(model, [(rng.choice(said).format(n), prime_factors(str(n))) for n in numbers])
