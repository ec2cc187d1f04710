"""Pages for everybody: what axe looks for, targets for fingers, paper, colours of the system."""

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.views.site import brings_pyodide, pyodide_folder
from tests.programs import ROOT, beyond
from tests.widgets.axe import TARGETS, violations
from tests.widgets.test_access import everything

pytestmark = pytest.mark.xdist_group("browser")

EXAMPLES = ROOT / "examples"
PROGRAMS = ("article/attention_with_positions", "remainders", "math/place_value")
CHAPTER = "\n\n".join(
    ["# Two figures", "One, and again.", "## Nouns"]
    + ["```figure\nprogram: article/attention_with_positions.seme\n```"] * 2
)


def exported(*names, out, options=()):
    files = [str(name) for name in names]
    result = CliRunner().invoke(app, ["export", *options, *files, "-o", str(out)])
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page for each program, in one file."""
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name.rpartition('/')[2]}.html" for name in PROGRAMS}
    for name, out in made.items():
        exported(EXAMPLES / f"{name}.seme", out=out)
    return made


@pytest.fixture
def window(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", beyond(PROGRAMS, 1))
def test_axe_finds_nothing_on_a_page_of_a_program(window, pages, name, theme):
    window.emulate_media(color_scheme=theme)
    window.goto(pages[name].as_uri())
    expect(window.get_by_test_id("examples")).to_be_visible()
    everything(window)
    assert violations(window) == []


@pytest.mark.parametrize("name", beyond(PROGRAMS, 1))
def test_all_that_can_be_pressed_has_24_pixels_both_ways(window, pages, name):
    window.goto(pages[name].as_uri())
    expect(window.get_by_test_id("examples")).to_be_visible()
    everything(window)
    found = window.evaluate(TARGETS)
    assert found["targets"] > 30
    assert found["small"] == []


OUTLINE = """() => [...document.querySelectorAll("h1, h2, h3, h4")]
  .map(one => [Number(one.ariaLevel ?? one.tagName[1]), one.textContent])"""
REGIONS = "one => one.map(region => region.ariaLabel ?? region.querySelector('h3').textContent)"


def test_headings_are_in_order_and_regions_have_names(window, pages):
    window.goto(pages[PROGRAMS[0]].as_uri())
    expect(window.get_by_test_id("examples")).to_be_visible()
    parts = ["program", "input", "residual stream", "attention", "clocks"]
    title = [1, "attention with positions"]
    assert window.evaluate(OUTLINE) == [title, *([2, part] for part in parts)]
    assert window.locator("main section[aria-labelledby]").evaluate_all(REGIONS) == parts
    for part in parts:
        expect(window.get_by_role("region", name=part, exact=True)).to_have_count(1)
    expect(window.get_by_role("main")).to_have_count(1)


def test_two_figures_of_a_page_are_told_apart(window, tmp_path):
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(f"{error}, so no page was edited: {brings_pyodide()}")
    (tmp_path / "article").symlink_to(EXAMPLES / "article")
    (tmp_path / "two.md").write_text(CHAPTER)
    exported(tmp_path / "two.md", out=tmp_path / "site", options=["--edit"])
    window.goto((tmp_path / "site" / "index.html").as_uri())
    expect(window.get_by_test_id("examples")).to_have_count(2)
    assert [level for level, _ in window.evaluate(OUTLINE)] == [1, 2, *[3] * 10]
    expect(window.get_by_role("region", name="attention", exact=True)).to_have_count(1)
    expect(window.get_by_role("region", name="attention, figure 2")).to_have_count(1)
    assert violations(window) == []


ON_PAPER = """() => {
  dispatchEvent(new Event("beforeprint"));
  const { theme } = document.querySelector(".progtf").dataset;
  const editor = document.querySelector(".ptf-editor").getBoundingClientRect();
  const lines = [...document.querySelectorAll(".cm-line")];
  const last = lines.at(-1).getBoundingClientRect();
  const chip = getComputedStyle(document.querySelector(".ptf-chip:not(.ptf-same)"));
  const found = { theme, lines: lines.length, within: last.bottom <= editor.bottom,
    fills: chip.printColorAdjust, fill: chip.backgroundColor };
  dispatchEvent(new Event("afterprint"));
  return found;
}"""


def test_on_paper_a_program_is_whole_and_light_and_fills_are_printed(window, tmp_path):
    file = EXAMPLES / "language" / "grammaticality.seme"
    exported(file, out=tmp_path / "page.html")
    window.emulate_media(color_scheme="dark")
    window.goto((tmp_path / "page.html").as_uri())
    expect(window.get_by_test_id("examples")).to_be_visible()
    lines = file.read_text().count("\n") + 1
    assert window.locator(".cm-line").count() < lines
    # The editor shows all lines for half a second: they are looked at when it has just heard of it.
    look = f"() => {{ window.found = ({ON_PAPER})(); }}"
    window.evaluate(f"matchMedia('print').addEventListener('change', {look})")
    window.emulate_media(media="print")
    found = window.wait_for_function("window.found").json_value()
    assert (found["theme"], found["lines"], found["fills"]) == ("light", lines, "exact")
    assert found["within"]
    assert found["fill"] != "rgba(0, 0, 0, 0)"
    window.emulate_media(media="screen")
    expect(window.locator(".progtf[data-theme=dark]")).to_have_count(1)


CHOSEN = {
    "example": (".ptf-example[aria-pressed=true]", ".ptf-example[aria-pressed=false]"),
    "head": (".ptf-thumb[aria-selected=true]", ".ptf-thumb[aria-selected=false]"),
    "mode": (".ptf-segments label:has(:checked)", ".ptf-segments label:has(:not(:checked))"),
    "token": (".ptf-token[aria-pressed=true]", ".ptf-token[aria-pressed=false]"),
}


def test_where_the_system_chooses_colours_what_is_chosen_is_seen(window, pages):
    window.emulate_media(forced_colors="active")
    window.goto(pages["math/place_value"].as_uri())
    expect(window.get_by_test_id("examples")).to_be_visible()
    window.get_by_test_id("residual").locator(".ptf-token").nth(1).click()
    ground = "one => getComputedStyle(one).backgroundColor"
    for name, (chosen, other) in CHOSEN.items():
        seen = [window.locator(each).first.evaluate(ground) for each in (chosen, other)]
        assert seen[0] != seen[1], name
    row = window.locator("tr.ptf-locked").first
    assert row.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    rim = "one => getComputedStyle(one).borderTopWidth"
    assert window.locator(".ptf-chip").first.evaluate(rim) == "1px"
