"""One Chromium and one JupyterLab for all tests of what people see."""

from importlib.util import find_spec

import pytest

from progtf.views.page import page
from tests.widgets.lab import FLAGS, chromium, jupyterlab

PATIENCE = 120_000  # ms: machines may be busy
MOUNT = """([kind, data]) => {
  document.body.replaceChildren();
  globalThis.sent = [];
  const receive = listener => { globalThis.answer = listener; };
  const keep = edited => sent.push(edited);
  const host = { keep, send: message => sent.push(message), receive };
  progtf.mount(document.body, kind, data, host);
}"""


@pytest.fixture(scope="session")
def browser():
    found = chromium()
    if found is None:
        pytest.skip("Chromium is not installed, so nothing was looked at: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=FLAGS)
        opened.new_page, opened.new_context = map(patient, (opened.new_page, opened.new_context))
        yield opened
        opened.close()


def patient(new):
    """Pages and contexts whose waits do not give up early."""

    def made(**options):
        one = new(**options)
        one.set_default_timeout(PATIENCE)
        return one

    return made


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    if find_spec("jupyterlab") is None:  # it runs in a process of its own
        pytest.skip("jupyterlab is not installed")
    with jupyterlab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="module")
def empty(browser, tmp_path_factory):
    """An empty page with the front-end in it, and what went wrong there."""
    path = tmp_path_factory.mktemp("front") / "page.html"
    path.write_text(page("front-end", ""), encoding="utf-8")
    shown, wrong = browser.new_page(viewport={"width": 1200, "height": 1000}), []
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.goto(path.as_uri())
    yield shown, wrong
    shown.close()


@pytest.fixture
def mount(empty):
    """Shows widgets without a kernel: what they send is kept, and answered by the test."""
    shown, wrong = empty

    def mounted(widget):
        shown.evaluate(MOUNT, [widget.kind, widget.data])
        return shown

    yield mounted
    assert wrong == []
