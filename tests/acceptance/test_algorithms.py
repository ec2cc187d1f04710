"""The programs of ``examples/algorithms/`` answer as plain Python does, at every length."""

import random
from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.program.tokens import InputError
from tests.acceptance.algorithms import TASKS
from tests.acceptance.mutations import mutated

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


@pytest.mark.parametrize("name", ["addition", "passive"])
def test_what_is_no_question_is_answered_with_a_question_mark(name):
    task, rng = TASKS[name], random.Random(5)
    asked = [text for _ in range(6) for text in mutated(task.ask(20, rng), rng) if text.strip()]
    asked += [text for question in task.alike(20) for text in mutated(question, rng)]
    answers = zip(asked, model_of(name).try_answers(asked), strict=True)
    given = [(text, said.text) for text, said in answers if not isinstance(said, InputError)]
    assert [(text, said) for text, said in given if said != task.answer(text)] == []
    assert sum(said == "?" for _, said in given) > 10


@pytest.mark.parametrize("name", ["reverse", "hist", "sort", "most_freq", "parity", "frac_prevs"])
def test_a_text_that_is_too_long_is_refused(name):
    text = TASKS[name].alike(101)[0]
    with pytest.raises(InputError, match="the program takes"):
        model_of(name).run(text)
