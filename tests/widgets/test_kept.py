"""What a notebook showed is there when it is opened later, without kernel, network or script."""

import os

import nbformat
import pytest

from tests.widgets.lab import ROOT, write

client = pytest.importorskip("nbclient", reason="nbclient is not installed")
exporters = pytest.importorskip("nbconvert.exporters", reason="nbconvert is not installed")

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.filterwarnings("default"),  # of the tools that run notebooks
]

FIGURES = """
from progtf.widgets import MatrixView, Playground, TrainingView, example
Playground(example("article/attention_with_positions.seme"), "black dog white cat")
"""
MATRIX = "MatrixView('noun>wanted', 'noun wanted')"


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """A notebook as `jupyter nbconvert --execute` leaves it: executed as a whole, by nobody."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    path = tmp_path / "kept.ipynb"
    write(path, FIGURES, MATRIX)
    notebook = nbformat.read(path, as_version=4)
    client.NotebookClient(notebook, timeout=300).execute()
    return notebook


def test_an_executed_notebook_has_still_pictures_and_little_else(executed):
    assert "widgets" not in executed.metadata
    data = [output.data for cell in executed.cells for output in cell.outputs]
    assert [sorted(each) for each in data] == [["text/html", "text/plain"]] * 2
    assert all("<svg" in each["text/html"] for each in data)
    assert len(nbformat.writes(executed)) < 40_000


def test_a_page_made_of_it_shows_the_pictures_and_asks_nobody_for_widgets(
    executed, browser, tmp_path
):
    html, _ = exporters.HTMLExporter().from_notebook_node(executed)
    path = tmp_path / "kept.html"
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.locator(".progtf-still svg").first.is_visible()
    assert page.locator("svg").count() >= 2
    assert not any("widget" in url for url in asked)
    context.close()
