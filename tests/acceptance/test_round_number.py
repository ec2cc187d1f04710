"""Modules numbers__round_number and round_number_big: halves, chains of nines, every phrasing."""

import random
from decimal import ROUND_HALF_UP, Decimal, getcontext

import pytest

import progtf
from tests.acceptance.questions import all_right, every_question_right, said

getcontext().prec = 60
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven")
POWERS = {
    0: ("the nearest integer",),
    1: ("the nearest ten", "the nearest 10"),
    2: ("the nearest one hundred", "the nearest 100"),
    3: ("the nearest one thousand", "the nearest 1000"),
    4: ("the nearest ten thousand", "the nearest 10000"),
    5: ("the nearest one hundred thousand", "the nearest 100000"),
    6: ("the nearest one million", "the nearest 1000000"),
}


def phrasings(power: int) -> list[str]:
    said_so = list(POWERS.get(power, ()))
    if power <= 0:
        plural = "" if power == -1 else "s"
        kinds = (f"decimal place{plural}", f"dp{plural}")
        said_so += [f"{n} {kind}" for n in (WORDS[-power], -power) for kind in kinds]
    return said_so


def questions() -> list[tuple[str, str]]:
    rng = random.Random(7)
    asked: list[tuple[str, str]] = []
    for power in range(-7, 7):
        for phrase in phrasings(power):
            digits = "".join(rng.choice("0459999") for _ in range(rng.randint(1, 22)))
            for ending in ("5", "49"):
                shift = power - rng.randint(1, 3)
                number = Decimal(f"{rng.choice('-+')}1{digits}{ending}").scaleb(shift)
                unit = Decimal(1).scaleb(power)
                answer = (number / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit
                form = rng.choice(("Round {} to {}.", "What is {} rounded to {}?"))
                asked.append((form.format(said(number), phrase), said(answer)))
    return asked


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/round_number.seme"))


def test_all_questions_of_the_data_set_are_answered(model):
    every_question_right(model, "numbers__round_number")


def test_hard_numbers_in_every_phrasing(model):
    asked = questions()
    assert len(asked) >= 80
    all_right(model, asked)
