"""Kinds of word problems, by which errors are counted."""

import json

import pytest

from progtf.tasks.word_problems import KINDS, kinds_of, read_word_problems
from tests.tasks.word_problems.problems import COINS, PERCENT, SHELF, line, saved

LATER = line("Ann is 30 years old now . 3 years later ?", ["X_0 N_0 N_1 + ="], [33])
LONGER = line("Of 2 ropes one is 9 cm longer than 5 cm .", ["X_0 N_1 N_2 + ="], [14])


@pytest.mark.parametrize(
    ("problem", "kinds"),
    [
        (SHELF, set()),
        (COINS, {"several unknowns"}),
        (PERCENT, {"a number not said"}),
        (LATER, {"temporal order"}),
        (LONGER, {"comparison", "a number not used"}),
    ],
)
def test_words_and_equations_tell_the_kinds_of_a_problem(tmp_path, problem, kinds):
    (read,) = read_word_problems(saved(tmp_path, problem))
    assert kinds_of(read) == kinds
    assert kinds <= {*KINDS}


def test_words_count_in_capitals_too(tmp_path):
    said = json.loads(SHELF)
    said["text"] = said["text"].replace("How", "BEFORE")
    (read,) = read_word_problems(saved(tmp_path, json.dumps(said)))
    assert kinds_of(read) == {"temporal order"}
