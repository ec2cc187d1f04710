"""The tables of the page on SCAN and COGS are those of the file of experiments."""

import json

from benchmarks.compositional import page, plan

FOUND = page.DOCS / "experiments" / "compositional.json"


def test_the_tables_of_the_page_are_made_of_the_file():
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    due = {"benchmark", "split", "arm", "seed", "rows", "steps", "accuracy"}
    assert all(row.keys() - {"cover", "curve"} == due for row in found)
    assert page.BEGIN + page.tables(found) + page.END in page.PAGE.read_text(encoding="utf-8")


def test_every_row_is_one_that_is_planned():
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    assert {plan.told(row) for row in found} <= {*plan.arms()}
