"""Module numbers__place_value of the Mathematics Dataset: every question right."""

from pathlib import Path

import pytest

import progtf

FILES = sorted(Path("tests/data/math").glob("numbers__place_value*.txt"))


def questions(path: Path) -> tuple[list[str], list[str]]:
    lines = path.read_text().splitlines()
    return lines[0::2], lines[1::2]


@pytest.fixture(scope="module")
def program():
    return progtf.load("examples/math/place_value.seme")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_question_is_answered(program, path, dtype):
    asked, expected = questions(path)
    answers = progtf.compile(program, dtype).answers(asked)
    assert len(asked) == 200
    assert [answer.text for answer in answers] == expected
    assert min(answer.gap for answer in answers) > 0.9


def test_every_digit_of_a_long_number_in_one_batch(program):
    number = "918273645546372"
    scales = ["thousands", "millions", "billions", "trillions"]
    names = ["units", "tens", "hundreds"] + [
        f"{p}{s}" for s in scales for p in ("", "ten ", "hundred ")
    ]
    asked = [f"What is the {name} digit of {number}?" for name in names]
    assert progtf.compile(program).run(asked) == list(reversed(number))
