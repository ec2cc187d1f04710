"""The programs of ``examples/algorithms/`` answer as plain Python does, at every length."""

import random
from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.program.tokens import InputError
from tests.acceptance.algorithms import TASKS

FOLDER = Path("examples/algorithms")
LENGTHS = [10, 20, 50, 100]
RANDOM = 12  # inputs a length


@cache
def model_of(name: str):
    return progtf.compile(progtf.load(FOLDER / f"{name}.seme"))


def test_every_program_of_the_folder_is_here():
    assert sorted(path.stem for path in FOLDER.glob("*.seme")) == sorted(TASKS)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", TASKS)
def test_a_program_answers_as_python_does(name, length):
    task, rng = TASKS[name], random.Random(length)
    asked = [task.ask(length, rng) for _ in range(RANDOM)]
    asked += task.alike(length)
    answers = model_of(name).answers(asked)
    for text, said in zip(asked, answers, strict=True):
        assert said.text == task.answer(text), text
    assert all(said.gap is not None and said.gap > 0.4 for said in answers)


@pytest.mark.parametrize("name", ["reverse", "hist", "sort", "most_freq", "parity", "frac_prevs"])
def test_a_text_that_is_too_long_is_refused(name):
    text = TASKS[name].alike(101)[0]
    with pytest.raises(InputError, match="the program takes"):
        model_of(name).run(text)
