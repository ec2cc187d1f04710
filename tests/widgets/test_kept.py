"""What a notebook showed is there when it is opened later, without kernel, network or script."""

import os

import nbformat
import pytest
from playwright.sync_api import expect

from tests.widgets.lab import READY, ROOT, open_and_run, write

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


DRAWN = """() => [...document.querySelectorAll("img[src^='data:image/svg']")]
  .filter(one => one.checkVisibility() && one.naturalWidth && one.alt).length"""


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
    assert all("data:image/svg+xml" in each["text/html"] for each in data)
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
    assert page.evaluate(DRAWN) == 4
    assert not any("widget" in url for url in asked)
    context.close()


def opened(page, lab, name):
    """Opens a notebook in JupyterLab as somebody who comes later, and runs nothing."""
    address, token, _ = lab
    page.goto(f"{address}/lab/workspaces/later-{name[:-6]}/tree/{name}?reset&token={token}")
    page.wait_for_selector(".jp-LabShell")
    page.wait_for_selector("#jupyterlab-splash", state="detached")
    page.wait_for_selector(".jp-OutputArea img")
    page.wait_for_function(READY)


def test_a_notebook_that_is_saved_and_opened_again_without_its_kernel_shows_its_pictures(
    browser, lab
):
    _, _, folder = lab
    write(folder / "saved.ipynb", FIGURES, MATRIX)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    open_and_run(page, lab, "saved.ipynb")
    page.get_by_test_id("residual").wait_for()
    page.get_by_test_id("matrix-text").wait_for()
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.reload(wait_until="domcontentloaded")
    page.get_by_test_id("residual").wait_for()  # with its kernel the figure is live again
    page.wait_for_function(READY)
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()
    saved = (folder / "saved.ipynb").read_text(encoding="utf-8")
    assert len(saved) < 40_000
    (folder / "foreign.ipynb").write_text(saved.replace("black dog white", "black dog  white"))
    for name in ("saved.ipynb", "foreign.ipynb"):  # one that was run here, one that was not
        page = browser.new_page(viewport={"width": 1400, "height": 1500})
        opened(page, lab, name)
        assert page.evaluate(DRAWN) == 4
        assert page.locator(".progtf").count() == 0
        expect(page.locator(".jp-Notebook")).not_to_contain_text("not found")
        page.close()
