"""The tables of the page on word problems are those of the file of experiments."""

import json

import pytest

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
        assert row["strict"] <= row["lenient"]


@pytest.mark.parametrize(("some", "others", "chance"), [(0, 0, 1), (5, 5, 1), (0, 5, 0.0625)])
def test_the_sign_test_is_of_both_sides(some, others, chance):
    assert page.sign_test(some, others) == page.sign_test(others, some) == chance
