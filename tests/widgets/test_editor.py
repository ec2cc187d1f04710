"""What the editor does while somebody writes: lines that go further in, names to declare, colours."""

import pytest
from playwright.sync_api import expect

from progtf.views.editor import examine
from progtf.widgets import SemeEditor
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
