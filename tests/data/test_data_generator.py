import importlib
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from progtf.data import CHARACTERS, SPLITS, generate, generator, modules_of
from progtf.data.repairs import mathematics_dataset

FAST = ("numbers__gcd", "measurement__time", "numbers__place_value", "arithmetic__mul")


@pytest.mark.parametrize("split", SPLITS)
def test_every_module_gives_questions_that_the_dataset_may_have(split, monkeypatch):
    monkeypatch.setattr(generator, "CHUNK", 1)
    for module in modules_of(split):
        (problem,) = generate(split, module, 5, 0)
        assert 1 <= len(problem.question) <= 160, module
        assert 1 <= len(problem.answer) <= 30, module
        assert set(problem.question + problem.answer) <= set(CHARACTERS), module


@pytest.mark.parametrize("module", FAST)
def test_thousands_of_questions_are_of_the_69_characters(module):
    text = "".join(
        "".join(p) for chunk in range(16) for p in generate("train-hard", module, 1, chunk)
    )
    assert set(text) <= set(CHARACTERS)


def test_the_questions_of_a_seed_never_change():
    # Recorded 2026-11-21; the same with Python 3.11 and 3.12, numpy 2.4 and 2.5.
    assert generate("interpolate", "numbers__place_value", 0, 0)[:2] == PLACE_VALUE
    assert generate("train-easy", "comparison__sort_composed", 0, 3)[:1] == SORT
    assert generate("train-hard", "numbers__round_number", 7, 1)[:1] == ROUND


PLACE_VALUE = [
    ("What is the units digit of 55918359?", "9"),
    ("What is the units digit of 65425858?", "8"),
]
SORT = [
    (
        (
            "Let c(k) = -2 - k + 4 + 5 + 2*k. Let y be c(-3). Suppose 0 = -6*j + 4*j + 6."
            " Sort -2, j, y in descending order."
        ),
        "y, j, -2",
    )
]
ROUND = [("What is -6661834280 rounded to the nearest one million?", "-6662000000")]


@pytest.mark.parametrize("counts", [{"a": 2, "b": 1}, {"a": 3}, {"a": 0, "b": 2, "c": 1}])
@pytest.mark.parametrize("weights", [[1] * 6, [1, 2, 1, 1, 1, 1]], ids=["alike", "unlike"])
def test_probabilities_are_those_of_all_draws_together(counts, weights):
    mathematics_dataset()
    probability = importlib.import_module("mathematics_dataset.util.probability")
    letters = dict(enumerate("aabbca"))
    variable = probability.DiscreteRandomVariable(letters)
    draw = probability.FiniteProductRandomVariable([variable] * 3)
    space = probability.SampleWithoutReplacementSpace(dict(enumerate(weights)), 3)
    wanted, expected = Counter(counts), Fraction(0)
    for drawn in permutations(letters, 3):
        if Counter(letters[i] for i in drawn) == wanted:
            expected += likelihood(drawn, weights)
    event = draw.inverse(probability.CountLevelSetEvent(counts))
    assert Fraction(str(space.probability(event))) == expected
    assert len(event.all_sequences()) == len(list(event.all_sequences()))


def likelihood(drawn, weights):
    chance, left = Fraction(1), sum(weights)
    for number in drawn:
        chance *= Fraction(weights[number], left)
        left -= weights[number]
    return chance


def test_seeds_chunks_splits_and_modules_differ():
    drawn = [
        tuple(generate(split, module, seed, chunk))
        for split in ("train-easy", "train-hard")
        for module in ("numbers__gcd", "numbers__lcm")
        for seed in (0, 1)
        for chunk in (0, 1)
    ]
    assert len(set(drawn)) == len(drawn) == 16


def test_what_was_drawn_before_changes_nothing():
    first = generate("interpolate", "algebra__linear_1d_composed", 3, 0)
    generate("train-hard", "polynomials__expand", 9, 9)
    assert generate("interpolate", "algebra__linear_1d_composed", 3, 0) == first


def test_the_global_random_states_are_left_alone():
    shared = np.random.mtrand._rand
    before = random.getstate(), shared.get_state()[1].tolist()
    generate("interpolate", "numbers__gcd", 0, 0)
    assert (random.getstate(), shared.get_state()[1].tolist()) == before


COMPOSED = """
from progtf.data import generate, generator
generator.CHUNK = 4
for module in ("comparison__sort_composed", "numbers__is_factor_composed", "algebra__linear_2d",
               "polynomials__evaluate_composed", "calculus__differentiate_composed"):
    print(generate("interpolate", module, 1, 0))
"""


def test_hash_seeds_change_nothing():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", COMPOSED],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"Problem") == 20
