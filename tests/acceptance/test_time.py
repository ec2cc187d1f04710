"""Module measurement__time: around noon and midnight, one minute to nearly twelve hours."""

import random

import pytest

import progtf
from tests.acceptance.questions import all_right, every_question_right

DAY = 1440


def shown(time: int) -> str:
    hour, minute = divmod(time % DAY, 60)
    return f"{(hour + 11) % 12 + 1}:{minute:02} {'AM' if hour < 12 else 'PM'}"


def questions() -> list[tuple[str, str]]:
    rng = random.Random(3)
    asked: list[tuple[str, str]] = []
    starts = [0, 1, 59, 60, 719, 720, 721, 779, 780, 1379, 1380, 1439, *rng.sample(range(DAY), 38)]
    for start in starts:
        for span in (1, rng.randint(2, 99), rng.randint(100, 718), 719):
            times = shown(start), shown(start + span)
            asked += [
                (f"How many minutes are there between {times[0]} and {times[1]}?", str(span)),
                (f"What is {span} minutes after {times[0]}?", times[1]),
                (f"What is {span} minutes before {times[1]}?", times[0]),
            ]
    return asked


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/time.seme"))


def test_all_questions_of_the_data_set_are_answered(model):
    every_question_right(model, "measurement__time")


def test_hard_times(model):
    asked = questions()
    assert len(asked) == 600
    all_right(model, asked)
