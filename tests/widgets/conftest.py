"""One Chromium and one JupyterLab for all tests of what people see."""

import pytest

from tests.widgets.lab import FLAGS, chromium, jupyterlab

PATIENCE = 120_000  # ms: machines may be busy


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
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
    with jupyterlab(tmp_path_factory.mktemp("lab")) as running:
        yield running
