"""Modules arithmetic__add_or_sub and add_or_sub_big: every phrasing, and hard numbers."""

import random
from collections.abc import Sequence
from decimal import Decimal, getcontext

import pytest

import progtf
from tests.acceptance.questions import all_right, every_question_right, said

getcontext().prec = 60

ADDED = (
    "{p} + {q}",
    "{p}+{q}",
    "Work out {p} + {q}.",
    "Add {p} and {q}.",
    "Put together {p} and {q}.",
    "Sum {p} and {q}.",
    "Total of {p} and {q}.",
    "Add together {p} and {q}.",
    "What is {p} plus {q}?",
    "Calculate {p} + {q}.",
    "What is {p} + {q}?",
)
SUBTRACTED = (
    "{p} - {q}",
    "Work out {p} - {q}.",
    "What is {p} minus {q}?",
    "What is {p} take away {q}?",
    "What is {q} less than {p}?",
    "Subtract {q} from {p}.",
    "Calculate {p} - {q}.",
    "What is {p} - {q}?",
)
DISTANCES = (
    "What is the difference between {p} and {q}?",
    "What is the distance between {p} and {q}?",
)


def hard_pairs(rng: random.Random) -> list[tuple[Decimal, Decimal]]:
    """Long chains of nines and zeros, equal numbers, one unit apart, the longest numbers."""
    pairs: list[tuple[Decimal, Decimal]] = []
    for _ in range(12):
        places = rng.randint(0, 19)
        unit = Decimal(1).scaleb(-places)
        long = Decimal("".join(rng.choice("0999123") for _ in range(rng.randint(1, 38)))) * unit
        long %= Decimal(10) ** 20
        nines = (Decimal(10) ** rng.randint(1, 20) - 1) * unit % Decimal(10) ** 20
        for p, q in (
            (long, unit),
            (nines, unit),
            (nines, nines),
            (long, long + unit),
            (long, nines),
        ):
            pairs += [(p, q), (-p, q), (p, -q), (-q, -p)]
    return pairs


def longest_pairs(rng: random.Random, count: int) -> list[tuple[Decimal, Decimal]]:
    """As many digits as the program promises, 30 before the point and 20 behind, of either sign."""

    def longest() -> Decimal:
        digits = [
            rng.choice("123456789"),
            *rng.choices("0123456789", k=48),
            rng.choice("123456789"),
        ]
        return Decimal("".join([rng.choice(["", "-"]), *digits])).scaleb(-20)

    return [(longest(), longest()) for _ in range(count)]


def questions(pairs: Sequence[tuple[Decimal, Decimal]]) -> list[tuple[str, str]]:
    """The sums and differences of pairs in every phrasing, with their answers."""
    asked: list[tuple[str, str]] = []
    templates = (
        [(t, +1) for t in ADDED] + [(t, -1) for t in SUBTRACTED] + [(t, 0) for t in DISTANCES]
    )
    for number, (p, q) in enumerate(pairs):
        template, sign = templates[number % len(templates)]
        answer = abs(p - q) if sign == 0 else p + sign * q
        asked.append((template.format(p=said(p), q=said(q)), said(answer)))
    return asked


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/add_or_sub.seme"))


def test_all_questions_of_the_data_set_are_answered(model):
    every_question_right(model, "arithmetic__add_or_sub")


def test_hard_numbers_in_every_phrasing(model):
    asked = questions(hard_pairs(random.Random(5)))
    assert len(asked) >= 240
    all_right(model, asked)


def test_the_longest_numbers_in_every_phrasing(model):
    all_right(model, questions(longest_pairs(random.Random(6), 84)))
