"""Module arithmetic__add_or_sub_in_base: all bases, long carries, the longest binary numbers."""

import random

import pytest

import progtf
from tests.acceptance.questions import all_right, every_question_right, numeral


def questions() -> list[tuple[str, str]]:
    rng = random.Random(9)
    asked: list[tuple[str, str]] = []
    for base in range(2, 17):
        longest = 30 if base == 2 else 12
        for _ in range(8):
            p = base ** rng.randint(1, longest) - rng.randint(0, 2)
            q = rng.choice((p, p - 1, rng.randint(0, p), base ** rng.randint(0, longest - 1)))
            p, q = rng.choice((p, -p)), rng.choice((q, -q))
            operator = rng.choice("+-")
            answer = numeral(p + q if operator == "+" else p - q, base)
            shown = f"{numeral(p, base)} {operator} {numeral(q, base)}"
            asked.append((f"In base {base}, what is {shown}?", answer))
    return asked


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/add_or_sub_in_base.seme"))


def test_all_questions_of_the_data_set_are_answered(model):
    every_question_right(model, "arithmetic__add_or_sub_in_base")


def test_hard_numbers_in_every_base(model):
    asked = questions()
    assert len(asked) == 120
    all_right(model, asked)
