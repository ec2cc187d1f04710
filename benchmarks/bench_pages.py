"""Pages that read changed programs: when they are seen, when Python is there, how long a key takes.

A folder of ``progtf export --edit`` in a real Chromium, from a server that hands out files. A page
is visited in a new window, where nothing is kept, and again in the same one. Beside what the clock
says stands what the browser's processors were busy with: browsers give themselves their priority.
"""

import tempfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread

from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, sync_playwright

from benchmarks.bench_playground import typed
from benchmarks.figures import ROOT, Figure, Found, Missing
from benchmarks.timing import Times, processor_below
from progtf.cli.site import write_site
from progtf.views.site import pyodide_folder
from tests.widgets.lab import FLAGS, chromium

NAMES = (
    "article/sentiment", "article/clocks", "article/word_embeddings", "article/fruit_weights",
    "article/attention_with_positions", "math/place_value", "language/grammaticality",
    "language/translation",
)  # fmt: skip
AIMS = {"article": 300, "translation": 1500}  # ms for a key
SEEN, FIRST, AGAIN = "first figure", "Python, first visit", "Python, second visit"
START = {SEEN: 1500, FIRST: 6000, AGAIN: 2000}  # ms
VISITS, KEYS = 3, 7
PATIENCE = 120_000
BUSY = ", processor"
KEPT = "async () => (await (await caches.open('progtf')).keys()).length > 0"
SIZE = {"width": 1200, "height": 1000}
WATCH = """addEventListener("DOMContentLoaded", () => {
  const look = () => document.querySelector("[data-testid=residual] table")
    ? requestAnimationFrame(() => { globalThis.seen = performance.now(); })
    : requestAnimationFrame(look);
  look();
});"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:  # type: ignore[override]
        """Says nothing."""


def figures() -> Iterator[Found]:
    """Milliseconds of starting, and of a key in each program."""
    if chromium() is None:
        yield Missing("Chromium is not installed: apt-get install chromium")
        return
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        yield Missing(f"{error}: (cd js && npm install)")
        return
    for name, found in measured().items():
        aim = (
            None
            if name.endswith(BUSY)
            else START.get(name) or next((AIMS[part] for part in AIMS if part in name), None)
        )
        yield Figure(f"pages: {name}", median(found), "ms", f"aim: under {aim}" if aim else "")


def measured() -> Times[str]:
    """Milliseconds of all of it."""
    times: Times[str] = {}
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        write_site([ROOT / "examples" / f"{name}.seme" for name in NAMES], Path(home))
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=home)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}"
            browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
            for _ in range(VISITS):
                for name, took in visits(driver.chromium, address):
                    times.setdefault(name, []).append(took)
            for name in NAMES:
                found = keys(browser, f"{address}/{Path(name).name}.html")
                for what, took in zip(("", BUSY), zip(*found, strict=True), strict=True):
                    times[f"a key, {name}{what}"] = list(took)
            browser.close()
            server.shutdown()
    return times


def visits(chrome: BrowserType, address: str) -> Iterator[tuple[str, float]]:
    """A browser that is new, and the same one again: windows that keep nothing compile anew."""
    with tempfile.TemporaryDirectory() as profile:
        context = chrome.launch_persistent_context(
            profile, executable_path=chromium(), args=FLAGS, viewport=SIZE, bypass_csp=True
        )
        for name in (FIRST, AGAIN):
            page = opened(context, f"{address}/attention_with_positions.html")
            if name == FIRST:
                yield SEEN, page.evaluate("seen")
            took, busy = key(page)
            yield from ((name, took), (f"{name}{BUSY}", busy))
            page.wait_for_function(KEPT)
            page.wait_for_timeout(2000)  # until the browser has kept what it compiled
            page.close()
        context.close()


def opened(context: BrowserContext, address: str) -> Page:
    """A page whose first figure is seen."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function("globalThis.seen")
    return page


def key(page: Page) -> tuple[float, float]:
    """Milliseconds from a key to the new picture, by the clock and of processors."""
    before, figure = processor_below(), page.get_by_test_id("progtf-playground")
    took = typed(page, page.locator(".cm-content"), figure, "#")
    return took, processor_below() - before


def keys(browser: Browser, address: str) -> list[tuple[float, float]]:
    """Milliseconds of several keys once Python is there, as `key` has them."""
    context = browser.new_context(viewport=SIZE, bypass_csp=True)  # for the driver
    page = opened(context, address)
    key(page)
    key(page)
    found = [key(page) for _ in range(KEYS)]
    context.close()
    return found
