"""Cause and effect on one screen: panels at once, tabs on a phone, a walk that plays."""

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.notation.vocabulary import FIGURES
from progtf.views.editor import examine
from progtf.widgets import Playground, example
from tests.programs import ROOT

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = "article/attention_with_positions.seme"
LONG = "math/place_value.seme"
GRAMMAR = "language/grammaticality.seme"
SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
LAB = 150  # pixels of a window of JupyterLab that are not the notebook's


@pytest.fixture
def sized(mount):
    """Shows a figure in a window of a size, or in a column of it."""
    sizes = []

    def shown(widget, size, column=None):
        page = mount(widget)
        sizes.append((page, page.viewport_size))
        page.set_viewport_size(size)
        page.evaluate("width => { document.body.style.maxWidth = width; }", column or "")
        return page

    yield shown
    for page, size in sizes:
        page.set_viewport_size(size)
        page.evaluate("document.body.style.maxWidth = ''")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page for each program."""
    folder, made = tmp_path_factory.mktemp("pages"), {}
    for name in (NOUNS, LONG):
        made[name] = folder / f"{name.replace('/', '_')}.html"
        asked = ["export", str(ROOT / "examples" / name), "-o", str(made[name])]
        assert CliRunner().invoke(app, asked).exit_code == 0
    return made


COLOURED = """() => {  // columns of the large map that are read: whether each is in sight
  const within = document.querySelector(".ptf-map-scroll").getBoundingClientRect();
  return [...document.querySelectorAll(".ptf-board canvas")].flatMap(map => {
    const [box, context] = [map.getBoundingClientRect(), map.getContext("2d")];
    const [rows, side] = [document.querySelectorAll(".ptf-rows span").length, map.height];
    const cell = side / rows;
    const at = (x, y) => context.getImageData((x + .5) * cell, (y + .5) * cell, 1, 1).data.join();
    const empty = "238,241,245,255";
    return Array.from({ length: map.width / cell }, (_, x) => x).filter(x =>
      Array.from({ length: rows }, (_, y) => y).some(y => at(x, y) !== empty)).map(x =>
      box.left + (x + .5) * cell / 2).map(x => x > within.left && x < within.right);
  });
}"""


def test_attention_opens_on_what_is_read_and_keeps_nothing_in_sight(sized, mount):
    sized(Playground(example(LONG)), SCREEN)
    page = mount(Playground(example(LONG)))  # opened in a window of that size
    chosen = page.locator(".ptf-thumb[aria-selected=true]")
    expect(chosen).to_contain_text("digit")
    listed, heads = chosen.bounding_box(), page.get_by_test_id("heads").bounding_box()
    assert heads["y"] <= listed["y"]
    assert listed["y"] + listed["height"] <= heads["y"] + heads["height"]
    page.wait_for_timeout(300)
    assert page.evaluate(COLOURED) == [True, True]  # a digit, and nothing
    page.locator(".ptf-thumb", has_text="refuse").click()
    assert page.evaluate(COLOURED) == [True]
    nothing = page.locator(".ptf-board canvas.ptf-stays").bounding_box()
    page.mouse.move(nothing["x"] + 4, nothing["y"] + 4)
    told = page.get_by_test_id("arithmetic")
    expect(told).to_contain_text("gives 1 to the null key")
    fits = "one => one.scrollHeight <= one.clientHeight + 1"
    page.mouse.move(0, 0)
    assert told.evaluate(fits)


def test_how_many_examples_there_are_is_said_where_not_all_are_in_sight(sized):
    page = sized(Playground(example(LONG)), SCREEN)
    expect(page.get_by_text("5 examples", exact=True)).to_be_visible()
    last = page.locator(".ptf-area-input .ptf-example").last
    last.focus()
    expect(last).to_be_in_viewport()
    page = sized(Playground(example(GRAMMAR)), SCREEN)
    expect(page.get_by_text("8 of 102 examples", exact=True)).to_be_visible()


@pytest.mark.parametrize("size", [SCREEN, {"width": 1024, "height": 768}])
def test_nothing_moves_while_a_text_is_read(sized, size):
    widget = Playground(example(NOUNS))
    page = sized(widget, size)
    names = ("find", "undo", "reset", "copy", "save")
    parts = [page.get_by_role("button", name=name, exact=True) for name in names]
    parts += [page.get_by_test_id("editor")]
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    before = [part.bounding_box() for part in parts]
    page.keyboard.type("mistake")
    for said in ("computing …", "shown: the program before this mistake"):
        if said.startswith("shown"):
            text = page.evaluate("sent.at(-1).text")
            found = examine(text, widget.name, None)
            page.evaluate("found => answer({...found, asked: sent.at(-1).id})", found)
        expect(page.get_by_test_id("status")).to_have_text(said)
        tops = [(part.bounding_box()["x"], part.bounding_box()["y"]) for part in parts]
        assert tops == [(box["x"], box["y"]) for box in before]


def test_the_way_out_of_the_editor_is_said_while_it_is_written_in(sized):
    page = sized(Playground(example(NOUNS)), SCREEN)
    said = page.get_by_text("Escape, then Tab")
    expect(said).to_be_hidden()
    page.locator(".cm-content").click()
    expect(said).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).not_to_be_focused()
    expect(said).to_be_hidden()


def test_on_a_phone_no_seme_of_the_residual_is_cut_off(sized):
    page = sized(Playground(example(NOUNS), "black dog white cat"), PHONE)
    page.get_by_role("tab", name="residual").click()
    cut = """() => [...document.querySelectorAll("[data-testid=residual] .ptf-chip")].filter(one =>
      one.getBoundingClientRect().right > one.closest(".ptf-scroll").getBoundingClientRect().right)
      .map(one => one.textContent)"""
    assert page.locator("[data-testid=residual] .ptf-sum .ptf-chip").count() > 4
    assert page.evaluate(cut) == []


def test_what_cannot_be_drawn_is_said_in_a_line(sized):
    page = sized(Playground(example(NOUNS), "wug"), SCREEN)
    for panel in ("residual", "attention", "clocks"):
        said = page.get_by_test_id(panel).locator("p.ptf-muted").first
        expect(said).to_contain_text("no picture")
        assert said.bounding_box()["height"] < 30


@pytest.mark.parametrize("name", [LONG, GRAMMAR])
def test_the_residual_stream_opens_on_a_word_and_the_glossary_without_empty_columns(
    sized, mount, name
):
    sized(Playground(example(name)), SCREEN)
    page = mount(Playground(example(name)))
    page.wait_for_timeout(300)
    seen = """() => {
      const within = document.querySelector("[data-testid=residual]").getBoundingClientRect();
      const rows = [...document.querySelectorAll("[data-testid=residual] tr[data-pos]")];
      const seen = rows.filter(one => one.getBoundingClientRect().top < within.bottom - 30
        && one.getBoundingClientRect().bottom > within.top + 60);
      return seen.map(one => one.querySelector("th").textContent);
    }"""
    assert set(page.evaluate(seen)) - {"<bos>"} != set()
    page.get_by_text("glossary of semes").click()
    glossary = page.get_by_test_id("glossary")
    expect(glossary.locator("tbody tr").first).to_be_visible()
    said = glossary.locator("tbody td:nth-child(2)").all_inner_texts()
    expect(glossary.get_by_role("columnheader", name="means")).to_have_count(int(any(said)))


def test_on_paper_no_table_runs_off_the_page(sized):
    page = sized(Playground(example(LONG)), {"width": 720, "height": 900})
    page.emulate_media(media="print")
    off = """() => [...document.querySelectorAll(".ptf-residual, .ptf-residual .ptf-chip")]
      .filter(one => one.getBoundingClientRect().right > innerWidth).length"""
    assert page.evaluate(off) == 0
    page.emulate_media(media="screen")


def boxes(page):
    """Where the editor, the residual stream and the map of attention are."""
    return [
        page.locator(one).bounding_box()
        for one in (".ptf-editor", "[data-testid=residual]", ".ptf-map-scroll")
    ]


@pytest.mark.parametrize("name", [NOUNS, LONG])
def test_a_page_shows_program_vectors_and_attention_at_once(browser, pages, name):
    page = browser.new_page(viewport=SCREEN)
    page.goto(pages[name].as_uri())
    expect(page.get_by_test_id("examples")).to_contain_text("✓")
    for box in boxes(page):
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= SCREEN["height"]
        assert box["height"] >= 100
        assert box["width"] >= 180
    page.close()


@pytest.mark.parametrize("name", [NOUNS, LONG, GRAMMAR])
def test_a_notebook_beside_its_sidebar_shows_them_at_once(sized, name):
    page = sized(Playground(example(name)), SCREEN, "900px")
    found = boxes(page)
    top = min(box["y"] for box in found)
    bottom = max(box["y"] + box["height"] for box in found)
    assert bottom - top <= SCREEN["height"] - LAB
    assert min(box["height"] for box in found) >= 100
    right = max(box["x"] + box["width"] for box in found)
    assert right - min(box["x"] for box in found) <= 900
    assert page.get_by_role("tab").count() == 0


def test_on_a_phone_input_and_answer_stay_in_sight(sized):
    page = sized(Playground(example(LONG)), PHONE)
    for name in ("program", "residual", "attention", "clocks", "steps", "more"):
        page.get_by_role("tab", name=name, exact=True).click()
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        expect(page.get_by_role("tab", selected=True)).to_have_text(name)
        for one in ("input", "answer"):
            expect(page.get_by_test_id(one)).to_be_in_viewport(ratio=1)
        regions = page.get_by_role("region").all()
        assert len(regions) == (1 if name in ("steps", "more") else 2)  # the input, and one
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_tabs_are_chosen_by_arrow_keys(sized):
    page = sized(Playground(example(NOUNS)), PHONE)
    page.get_by_role("tab", name="program").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="residual")).to_be_focused()
    expect(page.get_by_test_id("residual")).to_be_visible()
    expect(page.get_by_test_id("editor")).to_be_hidden()
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="more")).to_be_focused()
    page.locator("summary", has_text="glossary").click()
    page.get_by_test_id("glossary").locator(".ptf-link").first.click()
    expect(page.get_by_test_id("editor")).to_be_visible()
    expect(page.locator(".cm-content")).to_be_focused()


BROKEN = """() => {
  const text = document.createRange();
  const chips = [...document.querySelectorAll(".ptf-chip, .ptf-notation code")];
  const seen = chips.filter(one => one.checkVisibility());
  const broken = seen.filter(one => {
    text.selectNodeContents(one);
    return new Set([...text.getClientRects()].map(box => Math.round(box.top))).size > 1;
  });
  return [seen.length, broken.map(one => one.textContent)];
}"""


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "phone"])
@pytest.mark.parametrize("name", [NOUNS, LONG])
def test_no_chip_breaks_within_a_name(sized, name, size):
    page = sized(Playground(example(name)), size, None if size is PHONE else "900px")
    tab = page.get_by_role("tab", name="residual")
    if tab.count():
        tab.click()
    count, broken = page.evaluate(BROKEN)
    assert count > 8
    assert broken == []


def test_reading_in_steps_is_open_on_small_programs(mount):
    page = mount(Playground(example(NOUNS), "black dog white cat"))
    expect(page.get_by_test_id("steps")).to_be_visible()
    page = mount(Playground(example(LONG)))
    expect(page.locator("summary", has_text="reading in steps")).to_be_visible()
    expect(page.get_by_test_id("steps")).to_have_count(0)


def test_a_walk_is_played_to_its_end_and_stopped_by_keys(browser, pages):
    page = browser.new_page(viewport=SCREEN, reduced_motion="reduce")
    page.clock.install()
    page.goto(pages[NOUNS].as_uri())
    page.clock.run_for(500)
    steps, play = page.get_by_test_id("steps"), page.get_by_test_id("play")
    said = steps.get_by_role("status")
    play.focus()
    page.keyboard.press("Enter")
    expect(play).to_have_text("■ stop")
    expect(play).to_be_focused()
    moved = "one => getComputedStyle(one).animationName"
    assert steps.locator(".ptf-stop").evaluate(moved) == "none"
    page.clock.run_for(3200)
    expect(said).to_have_text("3 of 9")
    page.keyboard.press("Enter")
    expect(play).to_have_text("▶ play")
    page.clock.run_for(5000)
    expect(said).to_have_text("3 of 9")
    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("Enter")
    assert steps.locator(".ptf-stop").evaluate(moved) == "ptf-arrives"
    page.clock.run_for(1600)
    page.keyboard.press("Escape")
    expect(said).to_have_text("4 of 9")
    page.keyboard.press("Enter")
    page.clock.run_for(20_000)
    expect(said).to_have_text("9 of 9")
    expect(play).to_have_text("▶ play")
    page.close()


def test_terms_of_a_walk_are_explained_to_a_pointer_and_to_keys(mount):
    page = mount(Playground(example(NOUNS), "black dog white cat"))
    steps = page.get_by_test_id("steps")
    steps.focus()
    met = set()
    for _ in range(9):
        for term in steps.locator("abbr").all():
            word, _, means = term.get_attribute("title").partition(": ")
            assert FIGURES[word].replace("`", "") == means
            met.add(word)
        page.keyboard.press("ArrowRight")
    assert met == {
        *("query", "key", "clock", "score", "feature", "share", "sharpness", "null key", "role")
    }
    steps.locator(".ptf-path button", has_text="/").first.click()
    steps.get_by_role("button", name="share", exact=True).click()
    term = steps.locator("abbr", has_text="sharpness")
    term.focus()
    shown = "one => getComputedStyle(one, '::after').content"
    assert FIGURES["sharpness"][:30] in term.evaluate(shown)


def test_a_long_program_opens_on_its_purpose_and_its_shortest_head(mount):
    page = mount(Playground(example(GRAMMAR)))
    expect(page.get_by_test_id("purpose")).to_have_text("Is this an English sentence?")
    first = """() => {
      const { top, bottom } = document.querySelector(".cm-scroller").getBoundingClientRect();
      const lines = [...document.querySelectorAll(".cm-line")];
      return lines.find(one => one.getBoundingClientRect().bottom > top + 8)?.textContent ?? "";
    }"""
    page.wait_for_function(f"({first})().trim().startsWith('head ')")
    name = page.evaluate(first).strip()
    lengths = heads(example(GRAMMAR).read_text().splitlines())
    assert lengths[name] == min(lengths.values())
    assert page.evaluate("scrollY") == 0
    page = mount(Playground(example(NOUNS)))
    expect(page.get_by_test_id("purpose")).to_have_count(0)
    assert page.evaluate(first).startswith("# attention_with_positions.seme")


def heads(lines):
    """How many lines each head of a text has."""
    found = {}
    for number, line in enumerate(lines):
        if line.strip().startswith("head ") and ":" in line:
            depth = len(line) - len(line.lstrip())
            rest = lines[number + 1 :]
            ends = (
                at
                for at, one in enumerate(rest)
                if one.strip() and len(one) - len(one.lstrip()) <= depth
            )
            found[line.strip()] = next(ends, len(rest))
    return found
