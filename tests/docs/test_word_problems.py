"""The tables of the page on word problems are those of the file of experiments."""

import json

import numpy as np
import pytest

from benchmarks import draws
from benchmarks.word_problems import page, plan

FOUND = json.loads((page.DOCS / "experiments" / "word_problems.json").read_text(encoding="utf-8"))


def test_the_tables_of_the_page_are_made_of_the_file():
    assert page.BEGIN + page.tables(FOUND) + page.END in page.PAGE.read_text(encoding="utf-8")


def test_every_row_is_one_that_is_planned_and_says_which_problems_were_right():
    rows = [plan.Arm(*(row[key] for key in plan.Arm._fields)) for row in FOUND]
    assert {*rows} <= {*plan.arms()}
    assert len(rows) == len({*rows})
    for row in FOUND:
        assert row["strict"] == round(100 * len(row["right"]) / row["problems"], 2)


def row(fold, seed, right, unused=0.0):
    return {"fold": fold, "seed": seed, "problems": 4, "right": right, "with_unused": 1,
            "unused": unused, "strict": 25.0 * len(right)}  # fmt: skip


def test_gains_are_of_problems_and_means_over_seeds():
    mine = [row(0, 1, ["a", "b"]), row(0, 2, ["a", "b"]), row(1, 1, ["e"])]
    theirs = [row(0, 1, ["b", "c"]), row(0, 2, ["b"]), row(1, 1, [])]
    gains = page.gains_of(list(zip(mine, theirs, strict=True)))
    assert sorted(gains) == [-0.5, 0, 0, 0, 0, 0, 1, 1]


def test_problems_of_one_name_are_two():
    pair = row(0, 1, ["a", "a", "b"]), row(0, 1, ["b"])
    assert sorted(page.gains_of([pair])) == [0, 0, 1, 1]


def test_problems_with_a_number_too_many_are_counted_apart():
    pair = row(0, 1, ["a", "b"], unused=100.0), row(0, 1, ["b"])
    assert page.gain([pair], unused=True) == 100
    assert page.gain([pair], unused=False) == 0


def test_chance_is_the_share_of_signs_that_do_as_much():
    assert draws.chance(np.zeros(5)) == 1
    assert draws.chance(np.array([1.0, 1.0, -1.0, -1.0])) == 1
    assert draws.chance(np.array([1.0] * 5)) == pytest.approx(2 / 2**5, abs=0.01)
    assert draws.chance(-np.array([1.0] * 40)) == pytest.approx(1 / (draws.DRAWS + 1))


def test_an_interval_is_around_the_mean_and_of_draws():
    low, high = draws.interval(np.array([1.0, 0.0] * 200), np.ones(400))
    # The standard error of 400 draws of a fair coin is 0.025.
    assert (low, high) == (pytest.approx(0.451, abs=0.01), pytest.approx(0.549, abs=0.01))
