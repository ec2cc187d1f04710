"""What the editor does while somebody writes: further in, declared, coloured."""

import re

import pytest
from playwright.sync_api import expect

from progtf.views.editor import examine
from progtf.widgets import Playground, SemeEditor
from tests.widgets.test_front_end import EDIT

pytestmark = pytest.mark.xdist_group("browser")

TEXT = "document.querySelector('.cm-content').cmTile.view.state.doc.toString()"
BOLD = """() => [...document.querySelectorAll(".cm-line")].map(line =>
  [...line.querySelectorAll("span")].filter(one => getComputedStyle(one).fontWeight === "600")
    .map(one => one.textContent.trim()).join(" "))"""


def test_enter_behind_a_colon_goes_further_in(mount):
    shown = mount(SemeEditor("semes: noun"))
    shown.locator(".cm-content").click()
    shown.keyboard.press("Control+End")
    shown.keyboard.press("Enter")
    for line in ("layer:  # first", "head x:", "at: -1"):
        shown.keyboard.type(line)
        shown.keyboard.press("Escape")  # what might be completed
        shown.keyboard.press("Enter")
    shown.keyboard.type('"a:": ')
    expected = 'semes: noun\nlayer:  # first\n  head x:\n    at: -1\n    "a:": '
    assert shown.evaluate(TEXT) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("semes: noun  # all\n", "semes: noun verb  # all\n"),
        ("semes: noun count: 0..9\n", "semes: verb noun count: 0..9\n"),
        ("semes:\n  noun\n  count: 0..9\n\n", "semes:\n  noun\n  count: 0..9\n  verb\n\n"),
        ("# of nothing\n", "# of nothing\nsemes: verb\n\n"),
    ],
)
def test_a_name_that_is_not_declared_can_be_declared_by_a_click(mount, before, after):
    rest = "lexicon:\n  runs: +verb\n"
    widget = SemeEditor(before + rest)
    shown = mount(widget)
    shown.get_by_test_id("declare").first.click()
    assert shown.evaluate(TEXT) == after + rest
    found = examine(after + rest, widget.name, None)
    assert found["program"] is not None
    assert found["problems"] == []


def test_the_error_in_the_editor_offers_to_declare_as_well(mount):
    shown = mount(SemeEditor("semes: noun\nlexicon:\n  runs: +verb\n"))
    shown.locator(".cm-lintRange-error").hover()
    shown.get_by_role("button", name="Declare verb").click()
    expect(shown.locator(".cm-line").first).to_have_text("semes: noun verb")


def test_only_what_begins_a_block_or_a_field_is_coloured_as_such(mount):
    text = """semes: noun
lexicon:
  value: +noun
  layer: +noun
  set theory: +noun
  unknown: 0
layer layer:
  head value:
    value: noun>noun
  feedforward:
    set noun: noun
examples:
  layer: value -> value: +noun
"""
    shown = mount(SemeEditor(text))
    shown.evaluate(EDIT, text)
    assert shown.evaluate(BOLD)[:13] == [
        "semes", "lexicon", "", "", "", "unknown", "layer", "head", "value", "feedforward", "set",
        "examples", "",
    ]  # fmt: skip


EXPLAINED = """semes: noun  # what it names
lexicon:
  dog: +noun
  unknown: 0
layer:
  head before:
    at: -1
    look: before
    sharpness: 40
    value: 2noun>noun
    else: 0 below 1.5
  feedforward:
    noun: 1 when noun & !noun
examples:
  dog -> dog: +noun
"""
SILENT = """() => {
  const { view } = document.querySelector(".cm-content").cmTile;
  const named = document.querySelector("[data-testid=named]");
  const silent = [];
  for (let at = 0; at < view.state.doc.length; at++) {
    if (/[\\s:,]/.test(view.state.sliceDoc(at, at + 1))) continue;
    view.dispatch({ selection: { anchor: at } });
    if (!named.textContent) silent.push(view.state.sliceDoc(at, at + 12));
  }
  return silent;
}"""


def test_the_cursor_is_told_of_every_word_mark_and_number(mount):
    shown = mount(SemeEditor(EXPLAINED))
    silent = shown.evaluate(SILENT)
    words = ("dog:", "dog ", "before:")
    tokens = tuple(word[at:] for word in words for at in range(len(word) - 1))
    assert [one for one in silent if not one.startswith(tokens)] == []  # lexicon, names of heads


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("sharpness", "sharpness: factor of the scores"),
        ("when", "when: where the rule applies"),
        ("look", "look: which tokens a head may read"),
    ],
)
def test_pointing_at_a_word_says_what_it_does(mount, word, means):
    shown = mount(SemeEditor(EXPLAINED))
    shown.locator(".cm-line span", has_text=word).first.hover()
    expect(shown.locator(".ptf-hover")).to_contain_text(means)


def test_completions_say_what_each_is_for(mount):
    shown = mount(SemeEditor("semes: noun  # names\nlayer:\n  head x:\n"))
    shown.locator(".cm-content").click()
    shown.keyboard.press("Control+End")
    shown.keyboard.type("    sha")
    option = shown.locator(".cm-tooltip-autocomplete li", has_text="sharpness")
    expect(option.locator(".cm-completionDetail")).to_contain_text("factor of the scores")
    shown.keyboard.press("Escape")


def test_words_of_a_figure_say_what_they_mean(mount):
    shown = mount(Playground(EXPLAINED.replace("look: before", "look: all"), "dog dog"))
    terms = shown.locator("abbr.ptf-term")
    expect(terms.filter(has_text="clocks")).to_have_attribute("title", re.compile("hand"))
    board = shown.get_by_test_id("board")
    board.focus()
    for key in ("ArrowDown", "ArrowLeft"):
        shown.keyboard.press(key)
    arithmetic = shown.get_by_test_id("arithmetic")
    score = arithmetic.locator("abbr", has_text="score")
    expect(score).to_have_attribute("title", re.compile("how well a key fits"))
    rest = arithmetic.locator("abbr", has_text="null key")
    expect(rest).to_have_attribute("title", re.compile("nothing to read"))
