"""The front-end by itself, in a page from a file: keys, colours, late answers, hostile text."""

import itertools
import random
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import progtf
from progtf.views.editor import examine
from progtf.views.page import asset
from progtf.widgets import MatrixView, Playground, StepsView, TrainingView, example

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = "article/attention_with_positions.seme"
BAD = "<img src=x onerror=globalThis.harmed=1>"
REACHABLE = """() => [...document.querySelectorAll(
  "button, input, select, textarea, summary, [tabindex='0'], [contenteditable='true']")]
  .filter(one => one.checkVisibility() && !one.disabled && !one.closest("[inert]")
    && (one.type !== "radio" || one.checked))
  .map((one, place) => { one.dataset.stop = place; return place; })"""
NAMED = """() => [...document.querySelectorAll("[data-stop]")].filter(one =>
  !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length || one.title))
  .map(one => one.outerHTML.slice(0, 80))"""
BLIND = {  # what is left of colours, linear RGB (Machado, Oliveira and Fernandes 2009)
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
EDIT = """text => {
  const content = document.querySelector(".cm-content");
  const { view } = content.cmTile ?? content.cmView.rootView ?? content.cmView;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}"""
LOOP = """
model:
  length: 2
semes:
  a: 0..60
  b: 0..60
  number pair
lexicon:
  for n in 1..60:
    "{n}": +{n}a +number
layer next:
  head next:
    at: +1
    value: a>b, number>pair
loop subtract up to 60 until no unequal:
  semes: unequal
  layer take:
    feedforward:
      set a: a - b when pair & a > b
      set b: b - a when pair & b > a
  layer compare:
    feedforward:
      unequal: pair & a != b
score:
  pool: first
  value: a
"""


def test_every_control_is_reached_by_tab_and_has_a_name(mount):
    shown = mount(Playground(example(NOUNS), "black dog white cat"))
    for summary in shown.locator(".ptf-fold > summary").all():
        summary.focus()
        shown.keyboard.press("Enter")
    expect(shown.get_by_test_id("glossary")).to_be_visible()
    expect(shown.locator(".progtf[aria-busy=true]")).to_have_count(0)
    expect(shown.get_by_test_id("examples")).to_contain_text(
        "✓"
    )  # what is drawn later has no number
    shown.evaluate("document.activeElement.blur()")
    shown.locator(".progtf").evaluate("one => { one.tabIndex = -1; one.focus(); }")
    stops = shown.evaluate(REACHABLE)
    assert shown.evaluate(NAMED) == []
    seen = set()
    for _ in range(len(stops) + 2):
        shown.keyboard.press("Tab")
        shown.keyboard.press("Escape")  # the editor keeps Tab for itself, but for one after Escape
        stop = shown.evaluate("document.activeElement?.dataset.stop ?? null")
        seen |= {int(stop)} if stop is not None else set()
    assert seen == set(stops)


def test_nothing_moves_for_those_who_do_not_want_it(mount):
    shown = mount(Playground(example(NOUNS)))
    shown.emulate_media(reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll(".progtf *")].filter(one => {
      const style = getComputedStyle(one);
      return style.animationName !== "none" || !/^(0s(, )?)+$/.test(style.transitionDuration);
    }).length"""
    assert shown.evaluate(moving) == 0
    shown.emulate_media(reduced_motion="no-preference")


def test_a_late_answer_is_said_while_the_last_picture_stays(mount):
    widget = Playground(example(NOUNS), "black dog white cat")
    shown = mount(widget)
    shown.locator(".cm-content").click()
    shown.keyboard.type(" ")
    expect(shown.get_by_test_id("status")).to_have_text("computing …")
    expect(shown.locator(".progtf")).to_have_class(re.compile("ptf-stale"))
    expect(shown.get_by_test_id("residual")).to_contain_text("+black")
    asked = shown.evaluate("sent.at(-1).id")
    for older in (1, 0):  # an answer to an older text changes nothing
        shown.evaluate("found => answer(found)", {**widget.data, "asked": asked - older})
        expect(shown.locator(".progtf.ptf-stale")).to_have_count(older)
    expect(shown.get_by_test_id("status")).to_have_text("")


def test_examples_are_tried_after_an_edit_and_what_is_found_is_told(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    marks = shown.locator(".cm-gutterElement:visible")
    expect(marks.filter(has_text="✓").first).to_be_visible()
    expect(shown.get_by_test_id("examples")).to_have_text("✓ 4 of 4 examples hold")
    text = widget.text.replace("keypos: +1", "keypos: +2")
    found = examine(text, widget.name, None)
    shown.evaluate(EDIT, text)
    shown.wait_for_function("sent.at(-1)?.text?.includes('keypos: +2')")
    shown.evaluate("found => answer({...found, asked: sent.at(-1).id})", found)
    expect(shown.get_by_test_id("examples")).to_have_text("✗ 1 of 4 examples hold")
    line = next(one["line"] for one in found["program"]["examples"])
    marks.filter(has_text="✗").first.click()
    wrong = shown.locator(f".ptf-verdict-list [data-line='{line}']")
    expect(wrong).to_be_focused()
    expected = found["program"]["examples"][0]["output"]
    expect(wrong.locator("dd").first).to_have_text(expected)
    expect(wrong.locator("dd").last).not_to_have_text(expected)


def test_an_edit_is_offered_again_where_the_figure_is_made_anew(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    shown.evaluate(EDIT, f"{widget.text}# mine\n")
    shown.wait_for_function("sent.at(-1)?.text?.includes('# mine')")
    shown = mount(widget)
    expect(shown.locator(".cm-content")).not_to_contain_text("# mine")
    shown.get_by_test_id("my-edit").click()
    expect(shown.locator(".cm-content")).to_contain_text("# mine")
    expect(shown.get_by_test_id("my-edit")).to_have_count(0)
    shown.evaluate("localStorage.clear()")


def test_a_program_is_saved_as_a_file(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    with shown.expect_download() as saved:
        shown.get_by_role("button", name="save").click()
    assert saved.value.suggested_filename == example(NOUNS).name
    assert saved.value.path().read_text(encoding="utf-8") == widget.text


def test_rounds_of_a_loop_are_looked_at_one_by_one(mount):
    shown = mount(Playground(LOOP, "12 18"))
    rounds = shown.get_by_test_id("rounds")
    slider = rounds.get_by_role("slider")
    assert [slider.get_attribute(end) for end in ("min", "max")] == ["1", "2"]
    rows = [row.split() for row in rounds.locator("tbody tr").all_inner_texts()]
    assert rows == [["12", "a", "12", "12", "6"], ["12", "b", "18", "6", "6"]]
    table = shown.get_by_test_id("residual")
    expect(table).to_contain_text("-12b")
    slider.press("ArrowRight")
    expect(table).not_to_contain_text("-12b")
    expect(table).to_contain_text("-6a")
    expect(rounds.get_by_role("slider")).to_be_focused()


def test_a_figure_begins_where_its_author_says(mount):
    widget = Playground(example("math/place_value.seme"), focus="decoder", token=2)
    shown = mount(widget)
    table = shown.get_by_test_id("residual")
    table.scroll_into_view_if_needed()
    expect(table.locator("table").nth(1)).to_be_in_viewport()
    assert table.evaluate("one => one.scrollTop") > 0
    expect(table.locator("tr.ptf-locked")).to_have_attribute("data-pos", "2")
    chosen = shown.locator(".ptf-thumb[aria-selected=true]")
    answers = shown.evaluate("progtf => progtf.program.decoder.map(one => one.name)", widget.data)
    assert any(chosen.inner_text().startswith(name) for name in answers)


def test_an_input_that_the_program_cannot_read_has_no_picture(mount):
    shown = mount(Playground(example(NOUNS), "wug"))
    expect(shown.get_by_test_id("answer")).to_contain_text("wug")
    for panel in ("residual", "attention", "clocks"):
        told = "There is no picture: the program cannot read this input."
        expect(shown.get_by_test_id(panel)).to_have_text(told)
    shown.get_by_test_id("input").fill("black dog")
    expect(shown.get_by_test_id("residual")).to_contain_text("+black")
    expect(shown.locator(".progtf")).not_to_contain_text("no picture")


def test_maps_are_coloured_where_a_figure_is_made_before_it_is_shown(mount):
    widget = Playground(example(NOUNS), "black dog white cat")
    shown = mount(widget)
    shown.evaluate("""([kind, data]) => {
      const place = document.createElement("div");
      progtf.mount(place, kind, data);
      requestAnimationFrame(() => document.body.replaceChildren(place));
    }""", [widget.kind, widget.data])  # fmt: skip
    coloured = shown.wait_for_function("""() => {
      const map = document.querySelector(".ptf-board canvas");
      const side = map.height / 4; // the dog looks at black
      const [red, , blue] = map.getContext("2d").getImageData(side / 2, 1.5 * side, 1, 1).data;
      return blue > red + 50;
    }""")
    assert coloured.json_value() is True


def test_only_the_semes_that_are_asked_for_are_shown(mount):
    program = example("language/grammaticality.seme")
    shown = mount(Playground(program, "the doctor do not sleep", only="weird"))
    table = shown.get_by_test_id("residual")
    expect(table).to_contain_text("+weird.agreement")
    expect(table).not_to_contain_text("+unit")
    expect(shown.get_by_test_id("because")).to_contain_text("do weird.agreement")
    shown.get_by_test_id("only").fill("")
    expect(table).to_contain_text("+unit")


def test_a_column_off_screen_does_not_stretch_the_rows(mount):
    program = example("language/grammaticality.seme")
    shown = mount(Playground(program, "the doctor do not sleep", panels=("residual",)))
    table = shown.get_by_test_id("residual")
    assert table.evaluate("one => one.scrollWidth > one.clientWidth")
    assert table.locator("td.ptf-sum").first.bounding_box()["width"] > 240  # chips side by side


def test_zero_is_uncoloured_and_opposites_are_equally_strong(mount):
    shown = mount(MatrixView("2a>a, -2a>b", "a b"))
    cells = shown.locator("td[data-entry]")
    strengths = [cells.nth(i).get_attribute("style") for i in range(4)]
    shares = [re.search(r"(\w+)\) (\d+)%", style) for style in strengths[:2]]
    assert [found[1] for found in shares] == ["positive", "negative"]
    assert shares[0][2] == shares[1][2]
    assert strengths[2:] == ["", ""]


@pytest.mark.parametrize("blindness", BLIND)
def test_the_two_sides_of_the_scale_differ_for_everybody(blindness):
    css = asset("progtf.css")
    for side, other in itertools.pairwise(
        re.findall(r"--ptf-(?:positive|negative): ?#(\w{6})", css)
    ):
        one, two = (np.array(BLIND[blindness]) @ linear(colour) for colour in (side, other))
        assert np.abs(one - two).max() > 0.15


def linear(colour):
    """Six hexadecimal digits of sRGB as linear RGB."""
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    return ((values + 0.055) / 1.055) ** 2.4


def hostile(tmp_path):
    """Widgets that hold hostile text wherever a text can stand."""
    text = (
        f'# {BAD}\nsemes: noun is["{BAD}"]\nlexicon:\n  unknown: +noun +is["{BAD}"]\n'
        f'layer:\n  head one:\n    look: self\n    value: noun>is["{BAD}"]\n'
        f'examples:\n  "{BAD}" -> x: +noun\n'
    )
    file = tmp_path / f"{BAD}.seme"
    file.write_text(text, encoding="utf-8")
    program = progtf.load(file)
    written, learned = progtf.compile(program), progtf.compile(program)
    for weight in learned.network.encoder.parameters():
        if weight.is_floating_point():
            weight.data *= 2
    return [
        Playground(file, BAD),
        Playground(text + f"  {BAD}\n", BAD),  # with errors that quote it
        MatrixView(np.eye(2), [f'is["{BAD}"]', "b"]),
        TrainingView([{"step": 1, BAD: 2.0}], written, learned),
    ]


def test_hostile_text_is_shown_as_text_by_every_widget(mount, tmp_path):
    for widget in hostile(tmp_path):
        shown = mount(widget)
        expect(shown.locator(".progtf")).to_contain_text("onerror")
        assert shown.locator("img").count() == 0
        shown.evaluate("html => { document.body.innerHTML = html; }", widget.still())
        assert shown.locator("img").count() == 0
    assert shown.evaluate("globalThis.harmed") is None


def test_rows_that_do_not_change_are_not_laid_out_again(mount):
    program = example("article/attention_with_positions.seme")
    shown = mount(Playground(program, "black dog white dog"))
    rows = shown.get_by_test_id("residual").locator("tbody tr")
    shown.evaluate("globalThis.before = [...document.querySelectorAll('.ptf-residual tbody td')]")
    shown.get_by_test_id("input").fill("black dog black dog")
    expect(rows.nth(3)).to_contain_text("+black")
    stay = shown.evaluate("before.map(one => one.isConnected)")
    each = len(stay) // 4
    assert stay == [True] * 2 * each + [False] * 2 * each


def test_what_changed_of_a_program_is_what_makes_the_one_of_the_other(empty):
    some = random.Random(65)
    texts = ["\n".join(some.choices("abc", k=some.randrange(9))) for _ in range(200)]
    pairs = [*itertools.pairwise(texts), ("a\nb\nc", "a\nx\nc"), ("a\n" * 500, "b\n" * 500)]
    found = empty[0].evaluate("pairs => pairs.map(pair => progtf.changes(...pair))", pairs)
    for (before, after), changes in zip(pairs, found, strict=True):
        gone = {place: line for sign, place, line in changes if sign == "-"}
        come = {place: line for sign, place, line in changes if sign == "+"}
        left = [line for place, line in enumerate(before.split("\n"), 1) if place not in gone]
        lines = enumerate(after.split("\n"), 1)
        assert [line for place, line in lines if place not in come] == left
        assert all(before.split("\n")[place - 1] == line for place, line in gone.items())
        assert all(after.split("\n")[place - 1] == line for place, line in come.items())
    assert found[-2] == [["-", 2, "b"], ["+", 2, "x"]]


def test_a_question_is_asked_of_the_kernel_and_its_steps_are_shown(mount):
    asked = "Let h = 63 - 66. What is h + 5?"
    view = StepsView(example("math/definitions.seme"), asked, [asked])
    shown = mount(view)
    expect(shown.get_by_test_id("chain").locator("li")).to_have_count(4)
    expect(shown.get_by_test_id("chain-answer")).to_have_text("2")
    assert shown.get_by_test_id("chain").locator("mark").count() > 2
    shown.get_by_test_id("chain-text").fill("What is 63 - 66?")
    shown.keyboard.press("Enter")
    assert shown.evaluate("sent") == [{"type": "ask", "text": "What is 63 - 66?"}]
    view.hear({"type": "ask", "text": "What is 63 - 66?"})
    shown.evaluate("data => answer(data)", view.data)
    expect(shown.get_by_test_id("chain-answer")).to_have_text("-3")
    expect(shown.get_by_test_id("chain").locator("li")).to_have_count(1)
