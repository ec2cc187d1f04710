"""One Chromium and one JupyterLab for all tests of what people see."""

import pytest

from tests.widgets.lab import FLAGS, chromium, jupyterlab


@pytest.fixture(scope="session")
def browser():
    found = chromium()
    if found is None:
        pytest.skip("Chromium is not installed, so nothing was looked at: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=30_000)  # machines may be busy
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
    with jupyterlab(tmp_path_factory.mktemp("lab")) as running:
        yield running
