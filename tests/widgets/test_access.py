"""Figures for everybody: contrast, keys alone, small and enlarged windows, in both themes."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from progtf.widgets import MatrixView, Playground, StepsView, TrainingView, example
from tests.programs import beyond

pytestmark = pytest.mark.xdist_group("browser")

CHAIN = "Let h = 63 - 66. What is h + 5?"
NOUNS = "article/attention_with_positions.seme"
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
FIGURES = {
    "nouns": lambda: Playground(example(NOUNS), "black dog white cat", token=1),
    "wrong": lambda: Playground(example(NOUNS).read_text() + "  black -> dog: +cat\n", "wug"),
    "mistake": lambda: Playground("semes: noun\nlexicon:\n  x: +nuon +3.5\n"),
    "loop": lambda: Playground(example("remainders.seme")),
    "large": lambda: Playground(example("math/gcd.seme")),
    "classes": lambda: Playground(example("article/sentiment.seme"), "not bad"),
    "many": lambda: Playground(example("language/grammaticality.seme"), "I is young"),
    "matrix": lambda: MatrixView("2a>a, -2a>b, 0.3b>a", "a b"),
    "chain": lambda: StepsView(example("math/definitions.seme"), CHAIN, [CHAIN]),
    "training": lambda: TrainingView([{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}]),
}


# Rounds over hundreds of semes take seconds.
EACH = [pytest.param(name, marks=[pytest.mark.long] * (name == "large")) for name in FIGURES]
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def everything(shown):
    """Opens all that is folded, and what is shown only when asked for."""
    unfold(shown)
    tab(shown, "more")
    unfold(shown)
    tab(shown, "steps")
    steps = shown.get_by_test_id("steps")
    parts = steps.locator(".ptf-path button", has_text="/")  # there are none without layers
    if parts.count():
        parts.first.click()
        if steps.get_by_role("button", name="written").count():
            steps.get_by_role("button", name="written").click()
    tab(shown, "program")
    find = shown.get_by_role("button", name="find")
    if find.count():
        find.click()
        shown.keyboard.type("noun")
        shown.keyboard.press("Enter")


def unfold(shown):
    closed = shown.locator("details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()
    shown.evaluate(DRAWN)  # what is in them is made when they are open


def tab(shown, name):
    """Chooses a part of a figure that shows one at a time; wide ones show all."""
    found = shown.get_by_role("tab", name=name, exact=True)
    if found.count():
        found.first.click()


@pytest.mark.parametrize("theme", beyond(["light", "dark"], 1))
@pytest.mark.parametrize("name", EACH)
def test_all_text_has_the_contrast_of_aa(mount, name, theme):
    shown = mount(FIGURES[name]())
    shown.emulate_media(color_scheme=theme)
    expect(shown.locator(f".progtf[data-theme={theme}]")).to_have_count(1)
    everything(shown)
    found = shown.evaluate(CONTRAST)
    assert found["texts"] > 5
    assert found["low"] == []
    shown.emulate_media(color_scheme="light")


def test_the_focus_stays_where_it_was_when_pictures_are_drawn_anew(mount):
    shown = mount(Playground(example("language/grammaticality.seme"), "I is young"))
    focused = "[document.activeElement.className, document.activeElement.textContent].join()"
    for one in (
        shown.get_by_test_id("residual").locator(".ptf-token").nth(1),
        shown.get_by_test_id("heads").locator("button").nth(2),
        shown.get_by_test_id("head-on"),
        shown.locator(".ptf-example[aria-pressed=false]").first,
    ):
        one.focus()
        before = shown.evaluate(focused)
        shown.keyboard.press("Space")
        assert shown.evaluate(focused) == before


def test_what_scrolls_is_reached_by_keys(mount):
    shown = mount(Playground(example("math/place_value.seme")))
    everything(shown)
    beyond = """() => [...document.querySelectorAll(".progtf *")].filter(one => {
      const { overflowX, overflowY } = getComputedStyle(one);
      const over = (size, room, style) => size > room + 1 && ["auto", "scroll"].includes(style);
      return over(one.scrollWidth, one.clientWidth, overflowX)
        || over(one.scrollHeight, one.clientHeight, overflowY);
    }).filter(one => one.tabIndex < 0
      && !one.querySelector("button, input, select, [tabindex='0']")).map(one => one.className)"""
    assert shown.evaluate(beyond) == []
    table = shown.get_by_test_id("residual")
    table.focus()
    shown.keyboard.press("PageDown")
    shown.wait_for_function("document.activeElement.scrollTop > 0")


def test_what_a_name_is_can_be_known_without_a_pointer(mount):
    shown = mount(Playground(example(NOUNS)))
    shown.locator(".cm-line", has_text="query: noun").click()
    shown.keyboard.press("Home")
    for _ in range(len("query: no")):
        shown.keyboard.press("ArrowRight")
    expect(shown.get_by_test_id("named")).to_have_text("noun: seme: a flag, declared in line 3")


# A closed select shows one of its options, and browsers of late call the others cut.
CUT = """() => [...document.querySelectorAll(".progtf *, body > p, h1")].filter(one => {
  if (!["hidden", "clip"].includes(getComputedStyle(one).overflowX)) return false;
  if (!one.textContent.trim() || !one.checkVisibility()) return false;
  if (one.closest(".ptf-editor, [aria-hidden], select")) return false;
  const text = document.createRange();
  text.selectNodeContents(one);
  const [inner, outer] = [text, one].map(each => each.getBoundingClientRect());
  return inner.left < outer.left - 1 || inner.right > outer.right + 1;
}).map(one => `${one.className}: ${one.textContent.slice(0, 40)}`)"""
BEYOND = """() => [...document.querySelectorAll("body *")].filter(one => {
  const box = one.getBoundingClientRect();
  return one.checkVisibility() && box.width && box.right > innerWidth + 1
    && !one.closest(".ptf-scroll, .ptf-map-scroll, .cm-scroller, .cm-tooltip, pre");
}).map(one => one.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("width", beyond([320, 360, 800], 1))  # 320: 1280 at 400 %
@pytest.mark.parametrize("name", EACH)
def test_in_a_narrow_window_nothing_is_cut_and_only_tables_scroll_sideways(mount, name, width):
    shown = mount(FIGURES[name]())
    size = shown.viewport_size
    shown.set_viewport_size({"width": width, "height": 256 if width == 320 else 700})
    everything(shown)
    for part in shown.get_by_role("tab").all() or [None]:
        if part is not None:
            part.click()
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(BEYOND) == []
        assert shown.evaluate(CUT) == []
    shown.set_viewport_size(size)
