"""Derivatives of polynomials of all sizes, worked out in another way than the program does it."""

import random

import pytest

import progtf
from tests.acceptance.polynomial_kinds import POLYNOMIAL_KINDS, added
from tests.acceptance.questions import all_right

SHORT = ("x", "-x", "1", "0", "0*x", "x**9", "-x**6", "a*x", "a**2*x**2", "3 - x", "x + 1", "5 - 7")
LONG = (
    "a**3*b**3*c**3*x**3 + a**3*b**3*c**3*x**2 + a*x - 1",
    "9999999999999999*x**6 - 9999999999999999*x**2",
    "-a**2*x - a*x**2 - a*x - a - x**3 - x**2 - x - 1",
    "1000000000*a - 999999*x**2",
    "-8*a*x + 77*x",
    "-a*x**2 - x + 5",
    "10*a**2*x**3 + a*x + 10*x",
)
ORDERS = ("first", "second", "third")


def polynomial(rng: random.Random) -> str:
    """Terms in order, of one to four letters; some are 0, some have ten digits or no number."""
    letters = sorted(rng.sample("abcdghkmnprstuwxz", rng.randint(1, 4)))
    rows = {tuple(rng.choice((0, 0, 1, 1, 2, 3, 6)) for _ in letters) for _ in range(8)}
    rows = sorted(rows, reverse=True)[: rng.randint(1, 8)]
    sizes = (1, 1, 9, 0, rng.randrange(1, 10 ** rng.randint(1, 10)), 10 ** rng.randint(1, 9))
    return added(
        [
            (rng.choice(sizes) * rng.choice((1, -1)), dict(zip(letters, row, strict=True)))
            for row in rows
        ]
    )


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/differentiate.seme"))


def test_polynomials_of_all_sizes_are_differentiated(model):
    rng, kind = random.Random(6), POLYNOMIAL_KINDS["differentiate"]
    given = [*SHORT, *LONG, *(polynomial(rng) for _ in range(80))]
    asked = [
        f"Find the {order} derivative of {text} wrt {rng.choice(['x', text.strip('-')[0]])}."
        if rng.random() < 0.3 or not set("x") & set(text)
        else f"What is the {order} derivative of {text} wrt x?"
        for text in given
        for order in ORDERS
    ]
    asked = [(text, kind.answer(text)) for text in asked if len(text) <= 160]
    assert sum(answer == "?" for _, answer in asked) < len(asked) / 3
    all_right(model, asked)
