"""Modules arithmetic__add_sub_multiple and its longer variant: deep brackets, carries, all ends."""

import random

import pytest

import progtf
from tests.acceptance.questions import all_right, every_question_right

OPENINGS = ("{}", "What is {}?", "Evaluate {}.", "Calculate {}.", "What is the value of {}?")


def expression(rng: random.Random, numbers: int, depth: int) -> tuple[str, int]:
    """A random sum with brackets at most so deep, and its value."""
    if numbers == 1:
        value = rng.choice((0, 9, 10, 99, 100, rng.randint(0, 60))) * rng.choice((1, -1))
        return str(value), value
    left = rng.randint(1, numbers - 1)
    a, x = expression(rng, left, depth)
    bracketed = depth > 0 and numbers - left > 1
    b, y = expression(rng, numbers - left if bracketed else 1, depth - 1)
    minus = rng.random() < 0.5
    text = f"{a} {'-' if minus else '+'} {f'({b})' if bracketed else b}"
    return text, x - y if minus else x + y


def questions() -> list[tuple[str, str]]:
    rng = random.Random(2)
    asked: list[tuple[str, str]] = []
    for number in range(150):
        text, value = expression(rng, rng.randint(2, 12), 6)
        asked.append((OPENINGS[number % 5].format(text), str(value)))
    nested = "1" + "".join(f" - ({n}" for n in range(2, 9)) + ")" * 7
    asked += [(nested, str(1 - 2 + 3 - 4 + 5 - 6 + 7 - 8))]
    asked += [("999999 - 990000 + -1", "9998"), ("(-999999 + 3) - -990001", "-9995")]
    return asked


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/add_sub_multiple.seme"))


def test_all_questions_of_the_data_set_are_answered(model):
    every_question_right(model, "arithmetic__add_sub_multiple")


def test_hard_sums(model):
    asked = questions()
    assert max(len(question) for question, _ in asked) > 80
    all_right(model, asked)
