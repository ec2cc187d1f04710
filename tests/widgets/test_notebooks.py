"""Every notebook runs from top to bottom, from clean, without a word on stderr."""

import os
import re

import nbformat
import pytest

from tests.widgets.lab import ROOT

pytest.importorskip("anywidget", reason="anywidget is not installed")
client = pytest.importorskip("nbclient", reason="nbclient is not installed")

pytestmark = pytest.mark.xdist_group("notebooks")  # together, so that they do not come last
LARGEST = 300_000  # characters of a notebook with all that it shows
LARGER = {"10_place_value": 800_000}  # an attention of many heads is a picture of 760,000
FIGURE = re.compile(r"(?:Playground|SemeEditor|\w+View)\(\)")
LONG = [f"{number:02}" for number in range(8, 17)]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.long] * (p.stem[:2] in LONG))
        for p in NOTEBOOKS
    ],
)
@pytest.mark.filterwarnings("default")  # of the tools that run notebooks
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    client.NotebookClient(
        notebook, timeout=900, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []
    data = [output.data for output in outputs if "data" in output]
    shown = [each for each in data if FIGURE.fullmatch(each.get("text/plain", ""))]
    assert shown, "nothing to play with"
    assert len(nbformat.writes(notebook)) < LARGER.get(path.stem, LARGEST)
    assert not any("application/vnd.jupyter.widget-view+json" in each for each in data)
    still = [each.get("text/html", "") for each in shown]
    drawn = ("data:image/svg+xml", "<table", "<pre")  # a picture, a table, a program
    empty = [each["text/plain"] for each in shown if "nothing to show yet" in each["text/html"]]
    assert {*empty} <= {"TrainingView()"}  # what is trained further on
    assert all(any(tag in html for tag in drawn) or "to show yet" in html for html in still)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_ends_with_something_to_try(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert notebook.cells[0].source.startswith(f"# {int(path.stem[:2])} · ")
    assert "## Try it" in notebook.cells[-1].source
