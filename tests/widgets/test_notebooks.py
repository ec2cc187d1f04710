"""Every notebook runs from top to bottom, from clean, and shows what it is kept with."""

import re

import nbformat
import pytest

from tests.widgets.lab import ROOT

pytest.importorskip("anywidget", reason="anywidget is not installed")
pytest.importorskip("nbclient", reason="nbclient is not installed")
from scripts.notebooks import executed

pytestmark = pytest.mark.xdist_group("notebooks")  # together, so that they do not come last
LARGEST = 300_000  # characters of a notebook with all that it shows
FIGURE = re.compile(r"(?:Playground|SemeEditor|\w+View)\(\)")
LONG = [f"{number:02}" for number in range(8, 17)]
TRAINED = ("11", "14", "15", "16")
"""They train, and tell times and figures that another processor rounds otherwise."""
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.long] * (p.stem[:2] in LONG))
        for p in NOTEBOOKS
    ],
)
@pytest.mark.filterwarnings("default")  # of the tools that run notebooks
def test_a_notebook_runs_and_shows_what_it_is_kept_with(path):
    notebook, kept = executed(path), nbformat.read(path, as_version=4)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in kept.cells]
    for now, before in zip(shown_by(notebook), shown_by(kept), strict=True):
        assert [kind for kind, _ in now] == [kind for kind, _ in before]
        assert path.stem[:2] in TRAINED or now == before


def shown_by(notebook):
    """Of every cell, the forms of what it shows, and the words of those that are words."""
    for cell in notebook.cells:
        outputs = cell.get("outputs", ())
        yield [
            (
                (each.output_type, *sorted(each.get("data", ()))),
                each.get("data", each).get("text/plain", each.get("text")),
            )
            for each in outputs
        ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_shows_and_ends_with_something_to_try(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    assert notebook.cells[0].source.startswith(f"# {int(path.stem[:2])} · ")
    assert "## Try it" in notebook.cells[-1].source
    text = nbformat.writes(notebook)
    assert len(text) < LARGEST
    assert "/tmp/" not in text
    assert str(ROOT) not in text
    outputs = [o for cell in code for o in cell.outputs]
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []
    data = [output.data for output in outputs if "data" in output]
    shown = [each for each in data if FIGURE.fullmatch(each.get("text/plain", ""))]
    assert shown, "nothing to play with"
    assert not any("application/vnd.jupyter.widget-view+json" in each for each in data)
    still = [each.get("text/html", "") for each in shown]
    drawn = ("data:image/svg+xml", "<table", "<pre")  # a picture, a table, a program or a chain
    empty = [each["text/plain"] for each in shown if "nothing to show yet" in each["text/html"]]
    assert {*empty} <= {"TrainingView()"}  # what is trained further on
    assert all(any(tag in html for tag in drawn) or "to show yet" in html for html in still)
