"""The programs of ``examples/algorithms/`` answer as plain Python does, at every length."""

import random
from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.program.tokens import InputError
from tests.acceptance.algorithms import TASKS, subleq
from tests.acceptance.mutations import mutated
from tests.programs import beyond

FOLDER = Path("examples/algorithms")
LENGTHS = [10, 100, 20, 50]
RANDOM = 12  # inputs a length


@cache
def model_of(name: str):
    return progtf.compile(progtf.load(FOLDER / f"{name}.seme"))


def test_every_program_of_the_folder_is_here():
    assert sorted(path.stem for path in FOLDER.glob("*.seme")) == sorted(TASKS)


@pytest.mark.parametrize("length", beyond(LENGTHS, 2))
@pytest.mark.parametrize("name", TASKS)
def test_a_program_answers_as_python_does(name, length):
    task, rng = TASKS[name], random.Random(length)
    asked = [task.ask(length, rng) for _ in range(RANDOM)]
    asked += task.alike(length)
    answers = model_of(name).answers(asked)
    for text, said in zip(asked, answers, strict=True):
        assert said.text == task.answer(text), text
    assert all(said.gap is not None and said.gap > 0.4 for said in answers)


QUESTIONS = [
    "addition",
    "passive",
    "decimal_multiplication",
    "binary_multiplication",
    "sort_numbers",
]


@pytest.mark.parametrize("name", QUESTIONS)
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


def test_brackets_find_their_partners_at_depth_100():
    task, rng = TASKS["bracket_pairs"], random.Random(1)
    asked = [*task.alike(200), *(task.ask(200, rng) for _ in range(RANDOM))]
    for text, said in zip(asked, model_of("bracket_pairs").answers(asked), strict=True):
        assert said.text == task.answer(text), text


def test_a_computer_that_does_not_halt_says_so_and_others_beside_it_are_not_held_up():
    # The first one jumps to itself, the second one because it has rewritten its jump.
    endless, halts = ["3 3 0 0", "6 5 3 6 6 1 1"], "3 4 -1 7 3"
    for text in endless:
        assert subleq(text) is None
    first, second, third = model_of("subleq").try_answers([*endless, halts])
    for told in (first, second):
        assert "loop run: not done after 1,000 rounds" in str(told)
    assert not isinstance(third, InputError)
    assert third.text == subleq(halts)
