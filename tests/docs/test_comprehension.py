"""The tables of the page on reading comprehension are those of the files of experiments."""

import json

import pytest

from benchmarks.comprehension import page, plan
from benchmarks.rows import read_rows

FOUND = read_rows(page.DOCS / "experiments" / "comprehension.json")


def test_the_tables_of_the_page_are_made_of_the_files():
    assert page.BEGIN + page.tables(FOUND) + page.END in page.PAGE.read_text(encoding="utf-8")


def test_every_row_is_planned_and_its_paragraphs_have_its_f1():
    rows = [plan.Arm(*(row[key] for key in plan.Arm._fields)) for row in FOUND]
    assert {*rows} <= {*plan.arms()}
    for row in FOUND:
        count, total = (sum(some) for some in zip(*row["each"], strict=True))
        assert count == 1449
        assert row["f1"] == pytest.approx(total / count, abs=0.02)
        assert row["em"] <= row["f1"]


def test_arms_of_equal_size_are_of_equal_size():
    cost = {row["arm"]: row for row in json.loads(page.COST.read_text(encoding="utf-8"))}
    sizes = [
        cost[arm]["parameters"]
        for arm in ("narrow LSTM", "TPR", "TPR, no regulariser", "TPR, written roles")
    ]
    assert max(sizes) <= 1.02 * min(sizes)


def test_a_difference_is_over_questions_and_its_interval_over_paragraphs():
    one = {"each": [[2, 100.0], [1, 100.0], [1, 0.0]]}
    other = {"each": [[2, 60.0], [1, 60.0], [1, 0.0]]}
    more, low, high = page.difference([(one, other)])
    assert more == pytest.approx(20)
    assert low < more < high
    assert page.difference([(one, one)]) == (0, 0, 0)
