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
        (
            "semes:\n  noun\n  for k in 1..2:\n    is[k]\nlet x = 1\n",
            "semes:\n  noun\n  for k in 1..2:\n    is[k]\n  verb\nlet x = 1\n",
        ),
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
        ("1", "so many tokens away is what the head reads: -1 is the word before"),
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


WORDS = "semes: noun verb red read.past read.self\nlexicon:\n"


def popup(shown):
    """What is offered, once CodeMirror had the time to open its popup."""
    shown.wait_for_timeout(400)
    return shown.locator(".cm-tooltip-autocomplete li .cm-completionLabel").all_inner_texts()


def writing(mount, text=WORDS):
    shown = mount(SemeEditor(text))
    shown.locator(".cm-content").click()
    shown.keyboard.press("Control+End")
    return shown


@pytest.mark.parametrize("pause", [0, 120, 400])
def test_enter_begins_a_line_whatever_is_offered(mount, pause):
    shown = writing(mount, WORDS.removesuffix("\n"))
    lines = ("", "cat: +noun", "red: +red", "reads: +read.p", "x: -2ver")
    for line in lines:
        shown.keyboard.type(line, delay=pause and 20)
        shown.wait_for_timeout(pause)
        shown.keyboard.press("Enter")
    typed = "\n".join(f"  {line}" if line else "" for line in lines).removeprefix("\n")
    assert shown.evaluate(TEXT) == f"{WORDS}{typed}\n  "


def test_what_an_arrow_chose_is_taken_by_enter_and_the_first_by_tab(mount):
    shown = writing(mount)
    shown.keyboard.type("a: +read")
    assert popup(shown) == ["read.past", "read.self"]
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Enter")
    assert shown.evaluate(TEXT) == f"{WORDS}a: +read.self"
    shown.keyboard.press("Enter")
    shown.keyboard.type("b: +ver")
    assert popup(shown) == ["verb"]
    shown.keyboard.press("Tab")
    assert shown.evaluate(TEXT) == f"{WORDS}a: +read.self\nb: +verb"


@pytest.mark.parametrize("line", ["a: +noun", "a: -2verb", "a: +noun -red", "# read"])
def test_nothing_is_offered_where_a_word_is_complete_or_words_are_anybodys(mount, line):
    shown = writing(mount)
    shown.keyboard.type(line)
    assert popup(shown) == []


@pytest.mark.parametrize(
    ("before", "line", "offered"),
    [
        ("", "a: +re", {"red", "read.past", "read.self"}),
        ("layer:\n  head x:\n", "    value: 2noun>re", {"red", "read.past", "read.self"}),
        ("layer:\n  feedforward:\n", "    noun: 1 wher", {"where"}),
        ("layer:\n  head x:\n", "    look: not", {"notself"}),
        ("layer:\n  head x:\n", "    quer", {"query", "querypos"}),
        ("examples:\n", "  dog re", set()),
    ],
)
def test_what_is_offered_can_stand_there(mount, before, line, offered):
    shown = writing(mount, WORDS + before)
    shown.keyboard.type(line)
    assert set(popup(shown)) == offered


def test_code_in_a_message_is_shown_as_code(mount):
    widget = SemeEditor("semes: noun\nlexicon:\n  runs: +nuon\n")
    shown = mount(widget)
    problem = shown.get_by_test_id("problems")
    expect(problem).to_contain_text("no seme is called nuon")
    expect(problem.locator("code").first).to_have_text("nuon")
    shown.locator(".cm-lintRange-error").hover()
    expect(shown.locator(".cm-diagnostic code").first).to_have_text("nuon")
    shown = mount(Playground(EXPLAINED, "wug"))
    shown.get_by_test_id("input").fill("<bos> dog")
    expect(shown.get_by_test_id("answer").locator("code").first).to_have_text("<bos>")
