"""From the last key to the new picture: the playground beside a bare text field of ipywidgets.

Both stand in one notebook of a real JupyterLab in a real Chromium and take turns. The field's
text goes to the kernel and comes back as HTML, which is the least a live figure can cost; the
playground also waits 30 ms for more keys, reads the program, runs it and draws.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.figures import Figure, Found, Missing
from benchmarks.timing import Times, ratio
from tests.widgets.lab import FLAGS, chromium, jupyterlab, open_and_run, write

NAMES = [
    "article/sentiment", "article/clocks", "article/word_embeddings", "article/fruit_weights",
    "article/attention_with_positions", "math/place_value", "language/grammaticality",
    "language/translation",
]  # fmt: skip
FIELD, ECHOED = "a text field", ".widget-html-content"
AIM = 300  # ms
AIMS = {"language/translation": 800}
ROUNDS = 15
ECHO = """
import ipywidgets as widgets
field, echo = widgets.Text(), widgets.HTML("-")
field.observe(lambda change: setattr(echo, "value", change.new + "."), "value")
widgets.VBox([field, echo])
"""
PLAYGROUNDS = [
    "from progtf.widgets import Playground, example",
    *(f"Playground(example('{name}.seme'))" for name in NAMES),
]
LISTEN = """(watched) => {
  globalThis.took = null;
  addEventListener("keydown", () => { globalThis.pressed = performance.now(); },
    {once: true, capture: true});
  const seen = new MutationObserver(() => {
    globalThis.took = performance.now() - pressed;
    seen.disconnect();
  });
  seen.observe(watched, {attributeFilter: ["data-redrawn"], childList: true});
}"""


def keys() -> Times[str]:
    """Milliseconds of several keys in the field and in each program."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        with jupyterlab(Path(home) / "lab") as lab:
            write(lab[2] / "redraw.ipynb", ECHO, *PLAYGROUNDS)
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            open_and_run(page, lab, "redraw.ipynb")
            times = measured(page)
        browser.close()
    return times


def measured(page: Page) -> Times[str]:
    """Milliseconds of each key, the contenders turn by turn; the first round does not count."""
    figures = page.get_by_test_id("progtf-playground")
    expect(figures).to_have_count(len(NAMES), timeout=60_000)
    output = page.locator(".jp-OutputArea")
    contenders = {FIELD: (output.locator("input[type=text]").first, output.locator(ECHOED).first)}
    for place, name in enumerate(NAMES):
        figure = figures.nth(place)
        contenders[name] = figure.locator(".cm-content"), figure
        typed(page, *contenders[name], "\n")
        typed(page, *contenders[name], "#")
    times: Times[str] = {name: [] for name in contenders}
    for number in range(ROUNDS + 1):
        for name, (field, watched) in contenders.items():
            took = typed(page, field, watched, "x")
            if number:
                times[name].append(took)
    return times


def typed(page: Page, field: Locator, watched: Locator, key: str) -> float:
    """Types a key at the end of a text; milliseconds from it until what is watched has changed."""
    field.click()
    page.keyboard.press("Control+End")
    watched.evaluate(LISTEN)
    page.keyboard.type(key)
    page.wait_for_function("globalThis.took !== null")
    return page.evaluate("globalThis.took")


def figures() -> Iterator[Found]:
    """Of each program how long a key takes, and how often the time of the field that is."""
    if chromium() is None:
        yield Missing("Chromium is not installed: apt-get install chromium")
        return
    times = keys()
    for name, found in times.items():
        yield Figure(f"a key, {name}", median(found), "ms", f"aim: under {AIMS.get(name, AIM)}")
        if name != FIELD:
            yield Figure(f"a key, {name}, ratio", ratio(found, times[FIELD]), "x", FIELD)
