"""What a figure shows is of the program and the input that stand there, or it says of which."""

import re

import pytest
from playwright.sync_api import expect

from progtf.views.editor import examine
from progtf.widgets import MatrixView, Playground, example
from tests.widgets.lab import READY, open_and_run, write
from tests.widgets.test_front_end import EDIT

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = "article/attention_with_positions.seme"
TICKS = ".cm-gutterElement :is(.ptf-holds, .ptf-fails):visible"


def answered(shown, widget, text):
    """The page after a text was typed and examined."""
    before = shown.evaluate("sent.length")
    shown.evaluate(EDIT, text)
    shown.wait_for_function(f"sent.slice({before}).some(one => one.text !== undefined)")
    found = examine(text, widget.name, None)
    shown.evaluate("found => answer({...found, asked: sent.at(-1).id})", found)
    return found


def test_no_tick_stands_beside_a_program_that_did_not_run(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    expect(shown.locator(TICKS)).not_to_have_count(0)
    answered(shown, widget, widget.text.replace("noun>wanted", "nuon>wanted"))
    expect(shown.locator(TICKS)).to_have_count(0)
    expect(shown.get_by_test_id("examples")).to_have_text(
        "examples not tried: the program has an error"
    )
    expect(shown.get_by_test_id("status")).to_have_text("shown: the program before this mistake")
    expect(shown.locator(".progtf")).to_have_class(re.compile("ptf-stale"))
    answered(shown, widget, widget.text)
    expect(shown.locator(TICKS)).not_to_have_count(0)
    expect(shown.get_by_test_id("examples")).to_have_text("✓ 4 of 4 examples hold")
    expect(shown.get_by_test_id("status")).to_have_text("")


def test_ticks_wait_for_an_answer_that_is_late(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    expect(shown.locator(TICKS)).not_to_have_count(0)
    shown.evaluate(EDIT, f"{widget.text}# more\n")
    assert "ptf-before" in shown.locator(".progtf").get_attribute("class")  # greyed at once
    expect(shown.get_by_test_id("status")).to_have_text("computing …")
    expect(shown.locator(TICKS)).to_have_count(0)
    expect(shown.get_by_test_id("examples")).to_have_text("examples not tried yet")


def test_a_typo_in_what_an_example_expects_is_marked_while_the_program_runs(mount):
    widget = Playground(example(NOUNS))
    shown = mount(widget)
    expect(shown.locator(TICKS)).not_to_have_count(0)
    text = re.sub(r"(-> .*?)\+noun", r"\1+nuon", widget.text, count=1)
    answered(shown, widget, text)
    expect(shown.get_by_test_id("problems")).to_contain_text("no seme is called nuon")
    expect(shown.locator(".cm-lintRange-error")).to_have_text("nuon")
    expect(shown.get_by_test_id("examples")).to_have_text("✗ 3 of 4 examples hold")
    expect(shown.locator(".progtf.ptf-stale")).to_have_count(0)
    shown.get_by_test_id("mend").click()
    expect(shown.locator(".cm-content")).not_to_contain_text("nuon")


def test_an_input_that_cannot_be_read_leaves_a_picture_that_is_said_to_be_old(mount):
    shown = mount(Playground(example(NOUNS), "black dog"))
    shown.get_by_test_id("input").fill("black wug")
    expect(shown.get_by_test_id("status")).to_have_text("shown: the input before this one")
    expect(shown.get_by_test_id("residual")).to_contain_text("+black")
    shown.get_by_test_id("input").fill("white dog")
    expect(shown.get_by_test_id("status")).to_have_text("")


def test_a_notation_that_cannot_be_read_is_marked_where_it_is_wrong(mount):
    widget = MatrixView("noun>wanted", "noun wanted")
    shown = mount(widget)
    for typed, headline, mend, mended in (
        ("noun -> wanted", "unexpected ->", ">", "noun > wanted"),
        ("noun>wnated", "no seme is called wnated", "wanted", "noun>wanted"),
    ):
        shown.get_by_test_id("matrix-text").fill(typed)
        expect(shown.get_by_test_id("problems")).to_have_text("computing …")
        expect(shown.locator(".ptf-old")).to_have_count(1)
        widget.hear({"type": "text", "text": typed})
        shown.evaluate("data => answer(data)", widget.data)
        problems = shown.get_by_test_id("problems")
        expect(problems).to_contain_text(headline)
        expect(problems).to_contain_text("shown: the matrix before this mistake")
        text, caret = problems.locator(".ptf-caret").inner_text().split("\n")
        marked = text[len(caret) - len(caret.lstrip()) : len(caret)]
        assert text.replace(marked, mend) == mended
        problems.get_by_test_id("mend").click()
        expect(shown.get_by_test_id("matrix-text")).to_have_value(mended)
        widget.hear({"type": "text", "text": mended})
        shown.evaluate("data => answer(data)", widget.data)
        expect(shown.locator(".ptf-old")).to_have_count(0)
        expect(problems).to_have_text("")


RESTARTED = """async () => {
  const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
  const restarting = kernel.restart();
  const [begin, said] = [performance.now(), () => [...document.querySelectorAll("[data-testid=gone]")]];
  while (said().some(one => !one.textContent) && performance.now() - begin < 5000) await new Promise(done => setTimeout(done, 5));
  const took = performance.now() - begin;
  await restarting;
  return took;
}"""  # noqa: E501  it is one thing
SHUT_DOWN = """async () => {
  await jupyterapp.shell.currentWidget.sessionContext.shutdown();
}"""
CELLS = (
    "from progtf.widgets import *\nPlayground(example('article/clocks.seme'))",
    "MatrixView('noun>wanted', 'noun wanted')",
)


def test_figures_say_that_their_kernel_is_gone_within_a_second(browser, lab):
    _, _, folder = lab
    write(folder / "restart.ipynb", *CELLS)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    open_and_run(page, lab, "restart.ipynb")
    page.get_by_test_id("residual").wait_for()
    page.get_by_test_id("matrix-text").wait_for()
    page.wait_for_function(READY)
    expect(page.get_by_test_id("gone")).to_have_text(["", ""])
    took = page.evaluate(RESTARTED)
    assert took < 1000
    expect(page.get_by_test_id("gone").first).to_contain_text("Run this cell again")
    page.get_by_test_id("matrix-text").fill("wanted>noun")
    expect(page.get_by_test_id("problems").last).to_contain_text("Run this cell again")
    page.locator(".progtf .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n# more")
    expect(page.get_by_test_id("status").first).to_contain_text("Run this cell again")
    page.wait_for_function(READY)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    expect(page.get_by_test_id("gone")).to_have_text(["", ""])
    page.locator(".progtf .cm-content").click()
    page.keyboard.type(" ")
    expect(page.get_by_test_id("status").first).to_have_text("")
    page.wait_for_function(READY)
    page.evaluate(SHUT_DOWN)
    told = [re.compile("^Run this cell again: the kernel behind this figure is gone")] * 2
    expect(page.get_by_test_id("gone")).to_have_text(told, timeout=2000)
    page.keyboard.type(" ")
    expect(page.get_by_test_id("status").first).to_contain_text("Run this cell again", timeout=2000)
    page.close()
