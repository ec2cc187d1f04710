"""`examples/math/simplify_power.seme`: what it answers is what the sums of exponents come to."""

import random
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from progtf.analysis.scores import is_refused
from progtf.program.tokens import InputError
from tests.programs import MATH, compiled

PATH = MATH / "simplify_power.seme"
QUESTION = re.compile(r"Simplify (.*) assuming ([a-z]) is positive\.")
EXPONENT = re.compile(r"\*\*(?:\((-?\d+(?:/\d+)*)\)|(\d+))")
Refused = (InputError, ZeroDivisionError, ValueError)


class Reader:
    """Goes through a product of powers of one letter, from left to right."""

    def __init__(self, said: str, letter: str) -> None:
        self.said, self.letter, self.at = said, letter, 0

    def product(self) -> Fraction:
        exponent = self.power()
        while (sign := self.said[self.at : self.at + 1]) in {"*", "/"}:
            self.at += 1
            exponent += self.power() if sign == "*" else -self.power()
        return exponent

    def power(self) -> Fraction:
        first, self.at = self.said[self.at : self.at + 1], self.at + 1
        exponent = Fraction(1)
        if first == "(":
            exponent = self.product()
            if self.said[self.at : self.at + 1] != ")":
                raise ValueError(self.said)
            self.at += 1
        elif first != self.letter:
            raise ValueError(self.said)
        if raised := EXPONENT.match(self.said, self.at):
            self.at = raised.end()
            first, *divisors = (raised[1] or raised[2]).split("/")
            exponent *= Fraction(first)
            for divisor in divisors:
                exponent /= int(divisor)
        return exponent


def meaning(text: str) -> str:
    """The one power that a text comes to; `?` where it is no question. Doubled blanks are one."""
    asked = QUESTION.fullmatch(re.sub(" +", " ", text).strip())
    if asked is None:
        return "?"
    reader = Reader(asked[1], letter := asked[2])
    try:
        exponent = reader.product()
    except Refused:
        return "?"
    if reader.at < len(asked[1]):
        return "?"
    if exponent in {0, 1}:
        return letter if exponent else "1"
    bare = exponent.denominator == 1 and exponent > 0
    return f"{letter}**{exponent}" if bare else f"{letter}**({exponent})"


def product(draw: random.Random, letter: str, depth: int) -> str:
    said = ""
    for place in range(draw.choice([1, 2, 3, 4, 7, 8, 9])):
        opens = depth > 0 and draw.random() < 0.4
        inner = f"({product(draw, letter, depth - 1)})" if opens else letter
        said += (draw.choice("*/") if place else "") + inner
        if draw.random() < 0.3:
            amount = f"{draw.choice(['', '-'])}{draw.randint(0, 20)}"
            below = draw.choice(["", f"/{draw.randint(1, 99)}"])
            said += f"**{amount}" if amount.isdecimal() and not below else f"**({amount}{below})"
    return said


def texts(seed: int, count: int) -> Iterator[str]:
    """Questions, a third of them with one character off."""
    draw = random.Random(seed)
    while count:
        letter = draw.choice("abcxyz")
        text = f"Simplify {product(draw, letter, 2)} assuming {letter} is positive."
        if len(text) > 120:
            continue
        if draw.random() < 0.35:
            place, put = draw.randrange(len(text)), draw.choice(f" -.,0123456789?*/()a{letter}")
            text = text[:place] + draw.choice(["", put]) + text[place + draw.randrange(2) :]
        count -= 1
        yield text


@pytest.mark.parametrize("count", [60, pytest.param(600, marks=pytest.mark.long)])
def test_no_answer_is_another_than_that_of_sums_of_exponents(count: int) -> None:
    asked = [*texts(11, count)]
    told = compiled(PATH).try_answers(asked)
    given = ["?" if isinstance(each, InputError) else each.text for each in told]
    due = [meaning(text) for text in asked]
    pairs = [*zip(asked, given, due, strict=True)]
    assert [pair for pair in pairs if not is_refused(pair[1]) and pair[1] != pair[2]] == []
    assert sum(text == right != "?" for _, text, right in pairs) >= 0.9 * sum(
        right != "?" for right in due
    )
