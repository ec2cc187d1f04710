"""What docs/limits.md says of all.seme is what was counted, module by module."""

import json

from progtf.data import EXTRAPOLATION_MODULES, MODULES
from tests.programs import ROOT

ROWS = json.loads((ROOT / "docs" / "experiments" / "answered.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
FIRST = 20261130
"""The seed of the questions that the means on the page are of."""


def percents(split):
    """Module -> right answers in per cent."""
    mine = [row for row in ROWS if row["program"] == "all.seme" and row["seed"] == FIRST]
    rows = [row for row in mine if row["split"] == split]
    return {row["module"]: 100 * row["right"] / row["put"] for row in rows}


def _put(split):
    rows = [row for row in ROWS if row["program"] == "all.seme" and row["seed"] == FIRST]
    return sum(row["put"] for row in rows if row["split"] == split)


def test_no_module_has_a_wrong_answer_and_every_module_was_asked():
    assert [row for row in ROWS if row["wrong"]] == []
    assert all(row["put"] == row["right"] + row["refused"] for row in ROWS)
    assert set(percents("interpolate")) == set(MODULES)
    assert set(percents("extrapolate")) == set(EXTRAPOLATION_MODULES)


def test_the_means_on_the_page_are_those_of_the_rows():
    cells: list[str] = []
    for split in ("interpolate", "extrapolate"):
        right = percents(split).values()
        cells += [f"{sum(right) / len(right):.2f}", str(sum(percent > 95 for percent in right))]
    assert f"written | {' | '.join(cells)} |" in PAGE
    inner, outer = percents("interpolate"), percents("extrapolate")
    roots = "algebra__polynomial_roots"
    every = {**inner, f"{roots}_big": outer[f"{roots}_big"]}
    least = sorted((percent, module) for module, percent in every.items() if percent)[:4]
    assert {module for _, module in least[:3]} == {roots, f"{roots}_big", f"{roots}_composed"}
    names = [module.removeprefix("algebra__") for _, module in least]
    assert all(
        f"`{name}` {percent:.1f} %" in PAGE for name, (percent, _) in zip(names, least, strict=True)
    )
    behind = [p for name, p in inner.items() if name.endswith("composed") and roots not in name]
    assert f"right in {min(behind):.0f} to {max(behind):.0f} %" in PAGE
    assert f"{inner['polynomials__evaluate_composed']:.1f} % of `evaluate_composed`" in PAGE
    assert list(inner.values()).count(0) == 1
    assert list(outer.values()).count(0) == 0
    others = sum(row["put"] for row in ROWS if row["seed"] == 5500)
    assert f"{others:,} others" in PAGE
    assert f"{sum(map(_put, ('interpolate', 'extrapolate'))):,} questions" in PAGE
