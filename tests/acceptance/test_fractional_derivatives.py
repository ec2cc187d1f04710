"""Derivatives of polynomials with fractions, terms in any order, held against fractions."""

import random
from collections import Counter
from fractions import Fraction
from math import perm
from typing import NamedTuple

import pytest

import progtf
from tests.acceptance.polynomial_kinds import added
from tests.acceptance.questions import all_right

ORDERS = {"first": 1, "second": 2, "third": 3}
REFUSED = (
    "Differentiate x/0 + x**2 wrt x.",
    "Differentiate x/2 + x wrt x.",
    "Differentiate x/2 + x/2 wrt x.",
    "Differentiate x**7 + x**7 wrt x.",
    "Differentiate 2*y + x**2 wrt x.",
    "Differentiate 2*x*x + x**2 wrt x.",
    "Differentiate 2/3*x**3/3 + x wrt x.",
    "Differentiate 4/2/2*x + x wrt x.",
    "Differentiate 4/x + x wrt x.",
    "Differentiate 4/2x + x wrt x.",
    "Differentiate 4/2*3 + x wrt x.",
    "Differentiate x**10/10 wrt x.",
    "Differentiate x/2*4 wrt x.",
    "Differentiate -4/-2*x wrt x.",
    "Differentiate 12345678*x/2 wrt x.",
    "Differentiate x**0/1 wrt x.",
    "Differentiate x**2/2 wrt xy.",
    "Differentiate x**2/2.",
    "Differentiate (x)/1 wrt x.",
    "Differentiate x**2/ 2 wrt x.",
    "Differentiate + x/1 wrt x.",
    "Differentiate x**2/2 - wrt x.",
    "Differentiate 9999999*x**5/1 + 9999999*x**5/1 + 999999*x**4 - 999*x**3 + x**2 - x wrt x.",
    "finds the first derivative of x**2/2 wrt x.",
    "Find the fourth derivative of x**6/2 wrt x.",
)


class Term(NamedTuple):
    above: int
    below: int
    power: int

    def written(self, behind: bool) -> str:
        """4/9*x**2 or 4*x**2/9; what is 1 may be left out."""
        size, bar = abs(self.above), f"/{self.below}" if self.below > 1 else ""
        letter = {0: "", 1: "x"}.get(self.power, f"x**{self.power}")
        if not letter:
            return f"{size}{bar}"
        if behind or size == 1 and not bar:
            return (letter if size == 1 else f"{size}*{letter}") + bar
        return f"{size}{bar}*{letter}"


def term(rng: random.Random, order: int) -> Term:
    """One that mostly comes out whole."""
    power = rng.randint(0, min(order + 5, 8))
    below = rng.choice((1, 1, rng.randint(2, 12), rng.randint(2, 9999)))
    above = rng.choice((0, 1, rng.randint(1, 40), rng.randrange(10 ** rng.randint(1, 7))))
    short = Fraction(below, perm(power, order) or below).numerator
    if rng.random() < 0.97:  # then a multiple of what is missing
        above = short * max(1, min(above, 9999999 // short)) if above else 0
    return Term(above * rng.choice((1, -1)), below, power)


def question(rng: random.Random) -> tuple[str, str]:
    """With its answer."""
    name, order = rng.choice(list(ORDERS.items()))
    terms = [term(rng, order) for _ in range(rng.randint(1, 6))]
    text = ""
    for each in terms:
        sign = "-" if each.above < 0 else "+"
        text += (f" {sign} " if text else sign.strip("+")) + each.written(rng.random() < 0.5)
    found = Counter[int]()
    parts = [Fraction(t.above * perm(t.power, order), t.below) for t in terms]
    for each, part in zip(terms, parts, strict=True):
        found[each.power - order] += int(part)
    answer = added([(found[n], {"x": n}) for n in sorted(found, reverse=True) if found[n]])
    whole = all(part.denominator == 1 for part in parts)
    fits = len(answer) <= 40 and all(abs(number) < 10**9 for number in found.values())
    return f"Find the {name} derivative of {text} wrt x.", answer if whole and fits else "?"


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/derivative.seme"))


def test_fractions_in_any_order_are_differentiated(model):
    rng = random.Random(33)
    asked = [question(rng) for _ in range(250)]
    asked = [(text, answer) for text, answer in asked if len(text) <= 160]
    assert sum(answer == "?" for _, answer in asked) < len(asked) / 3
    all_right(model, asked)


def test_what_is_no_such_question_is_refused(model):
    all_right(model, [(text, "?") for text in REFUSED])
