"""The table of the page on SCAN and COGS is the one of the file of experiments."""

import json
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_the_page_is_made_of_the_file():
    found = json.loads((ROOT / "docs/experiments/compositional.json").read_text(encoding="utf-8"))
    script = runpy.run_path(str(ROOT / "scripts" / "compositional.py"))
    due = {"benchmark", "split", "arm", "seed", "rows", "steps", "accuracy"}
    assert all(row.keys() == due for row in found)
    table = script["BEGIN"] + script["table"](found) + script["END"]
    assert table in (ROOT / "docs" / "compositional.md").read_text(encoding="utf-8")
