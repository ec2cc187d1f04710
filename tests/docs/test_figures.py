"""Figures of speed and size in pages are those of stored rows, or pages say that there is none."""

import re
import tomllib
from pathlib import Path

import pytest

from benchmarks.figures import HISTORY, rows
from benchmarks.written import FIGURE, PAGES, ROWS, last_rows, written

ROOT = Path(__file__).parents[2]
LEDGER = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))
KINDS = {"bound", "stored", "unstored"}

_UNIT = "ms|µs|s|seconds?|minutes?|hours?|kB|MB|GB|MiB|GiB"
_FIGURE = re.compile(
    rf"\d[\d.,]*\s?(?:{_UNIT})\b|\d(?: [a-z]+)? ?a second\b|\d times as (?:long|much|fast)"
)
_LEFT_OUT = re.compile(
    r"```.*?```|<!--[^>]*made by.*?<!-- end -->|<!-- rows.*?<!-- end -->", re.DOTALL
)
NO_ROW = "no stored row"


def lines_with_figures(text):
    """The lines that hold a figure which no stored row puts there."""
    text = FIGURE.sub("", _LEFT_OUT.sub("", text))
    return [line for line in text.splitlines() if _FIGURE.search(line)]


def name(page):
    return page.relative_to(ROOT).as_posix()


def fragments(page):
    """What the ledger has of a page: fragment -> kind."""
    return {each: kind for kind in KINDS for each in LEDGER.get(name(page), {}).get(kind, ())}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_has_the_figures_of_its_rows(page):
    text = page.read_text(encoding="utf-8")
    assert written(text, last_rows()) == text
    assert not FIGURE.search(text) or ROWS.search(text), "a place for where they were measured"


def test_a_figure_of_another_row_is_noticed():
    row = {"name": "a: b", "value": 2.0, "date": "2026-01-01", "commit": "c", "cores": 2}
    page = "x <!-- = a: b -->3<!-- / --> y\n<!-- rows -->\nold\n<!-- end -->\n"
    new = written(page, {"a: b": row})
    assert "<!-- = a: b -->2<!-- / -->" in new
    assert "2026-01-01, commit c, 2 cores; machine and versions were not noted then" in new
    more = row | {"machine": "M", "versions": {"torch": "2"}, "seed": 7}
    assert "M, 2 cores, torch 2, seed 7\n" in written(page, {"a: b": more})
    with pytest.raises(KeyError, match="a: b"):
        written(page, {})


@pytest.mark.parametrize("page", [page for page in PAGES if "errors" not in page.stem], ids=name)
def test_a_figure_without_a_row_is_a_bound_or_said_to_have_none(page):
    text = page.read_text(encoding="utf-8")
    told = fragments(page)
    if page.parent.name == "decisions":
        assert not lines_with_figures(text) or NO_ROW in text or HISTORY.name in text
        return
    left = [line for line in lines_with_figures(text) if not any(each in line for each in told)]
    assert left == [], "neither a row (benchmarks/written.py) nor a line in tests/docs/figures.toml"
    assert "unstored" not in told.values() or NO_ROW in text


@pytest.mark.parametrize("page", LEDGER)
def test_the_ledger_has_nothing_that_is_gone(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert LEDGER[page].keys() <= KINDS
    assert [each for each in fragments(ROOT / page) if each not in text] == []


def test_what_is_measured_from_now_on_is_kept_with_machine_versions_and_seed():
    new = [row for row in rows() if row["date"] >= "2026-11-27T15"]
    assert all({"machine", "versions", "seed"} <= row.keys() for row in new)
