"""The playground in a real JupyterLab: what is typed and dragged changes what is seen."""

import re

import pytest
from playwright.sync_api import expect

from tests.widgets.lab import READY, open_and_run, write

pytestmark = pytest.mark.xdist_group("browser")

PROGRAM = """
from progtf.widgets import Playground, example
Playground(example("article/attention_with_positions.seme"), "black dog white cat")
"""
RESTART = """async () => {
  await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
}"""
HOSTILE = '''
from progtf.widgets import Playground
BAD = "<img src=x onerror=globalThis.harmed=1>"
Playground(f"""# {BAD}
semes: noun
lexicon:
  "{BAD.replace(' ', '_')}": +noun
  unknown: 0
layer "<img>":
""".replace('layer "<img>":', "") + """
layer:
  head one:
    look: self
    value: noun>noun
""", f"{BAD} word")
'''


@pytest.fixture(scope="module")
def figure(browser, lab):
    """A page with the playground, and what went wrong in it."""
    _, _, folder = lab
    write(folder / "play.ipynb", PROGRAM)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    open_and_run(page, lab, "play.ipynb")
    page.get_by_test_id("residual").wait_for()
    yield page, wrong
    page.close()


@pytest.fixture
def page(figure):
    """The page as it was in the beginning; nothing may go wrong while a test uses it."""
    shown, wrong = figure
    yield shown
    shown.get_by_role("button", name="reset").click()
    expect(shown.locator(".progtf[aria-busy=true]")).to_have_count(0)
    expect(shown.locator(".progtf.ptf-stale")).to_have_count(0)
    assert wrong == []
    assert shown.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def row(page, position):
    return page.locator(f'.ptf-residual tbody tr[data-pos="{position}"]')


def append(page, line, text, *, erase=0):
    """Types at the end of a line of the program."""
    page.locator(".cm-line", has_text=line).first.click()
    page.keyboard.press("End")
    for _ in range(erase):
        page.keyboard.press("Backspace")
    page.keyboard.type(text)


def test_a_mistake_is_marked_while_the_last_good_picture_stays_and_can_be_mended(page):
    append(page, "query: noun>wanted", "d, nuon>wanted")
    expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    expect(page.get_by_test_id("problems")).to_contain_text("no seme is called nuon")
    expect(page.locator(".progtf")).to_have_class(re.compile("ptf-stale"))
    expect(row(page, 1)).to_contain_text("+black")
    page.get_by_test_id("mend").first.click()
    expect(page.get_by_test_id("problems")).not_to_contain_text("nuon")
    append(page, "wantedd", "", erase=len("d, noun>wanted"))
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    expect(page.locator(".progtf.ptf-stale")).to_have_count(0)


def test_an_edit_changes_residual_and_attention(page):
    expect(row(page, 3)).to_contain_text("+white")
    before = picture(page)
    append(page, "keypos: +1", "3", erase=1)
    expect(row(page, 3).locator("td").nth(1)).to_contain_text("+black")
    assert picture(page) != before


@pytest.mark.long
def test_every_program_of_the_article_is_drawn_anew_at_every_edit_and_stays_text(browser, lab):
    names = ["sentiment", "clocks", "word_embeddings", "fruit_weights", "attention_with_positions"]
    _, _, folder = lab
    cells = ["from progtf.widgets import Playground, example"]
    cells += [f"Playground(example('article/{name}.seme'))" for name in names]
    write(folder / "all.ipynb", *cells, HOSTILE)
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    open_and_run(page, lab, "all.ipynb")
    figures = page.get_by_test_id("progtf-playground")
    expect(figures).to_have_count(len(names) + 1)
    for figure in figures.all():
        before = figure.get_attribute("data-redrawn") or ""
        figure.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("\n# end")
        expect(figure).to_have_attribute("data-redrawn", re.compile(rf"^(?!{before}$)\d"))
        expect(figure).to_have_attribute("aria-busy", "false")
        expect(figure).not_to_have_class(re.compile("ptf-stale"))
        expect(figure.get_by_test_id("residual").locator("tbody tr")).not_to_have_count(0)
    expect(figures.last.get_by_test_id("residual")).to_contain_text("onerror")
    assert page.locator(".progtf img").count() == 0
    assert page.evaluate("globalThis.harmed") is None
    page.close()


def picture(page):
    return page.locator(".ptf-board canvas").first.evaluate("canvas => canvas.toDataURL()")


def test_the_input_can_be_changed(page):
    page.get_by_test_id("input").fill("black cat")
    expect(row(page, 1)).to_contain_text("+black")
    expect(page.locator(".ptf-clock")).to_have_count(2)
    page.get_by_test_id("input").fill("black cow")
    expect(page.locator(".ptf-answer")).to_contain_text("cow, is not in the lexicon")
    expect(row(page, 1)).to_contain_text("+cat")
    page.get_by_test_id("input").fill("black <bos> cat")
    expect(page.locator(".ptf-answer")).to_contain_text("<bos>, is no word of a text")
    page.get_by_test_id("input").fill("black dog white cat")


def test_a_hand_can_be_dragged_and_attention_follows(page):
    expect(row(page, 3)).to_contain_text("+white")
    before = picture(page)
    face = page.locator('.ptf-clock[data-pos="3"] svg')
    face.scroll_into_view_if_needed()
    target = page.locator('.ptf-clock[data-pos="1"] .ptf-hand-0 circle').first.bounding_box()
    other = page.locator('.ptf-clock[data-pos="1"] svg').bounding_box()
    tip = page.locator('.ptf-clock[data-pos="3"] .ptf-hand-0 circle').last.bounding_box()
    mine = face.bounding_box()
    page.mouse.move(tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    page.mouse.down()
    x = mine["x"] + target["x"] + target["width"] / 2 - other["x"]
    y = mine["y"] + target["y"] + target["height"] / 2 - other["y"]
    page.mouse.move(x, y, steps=8)
    page.mouse.up()
    expect(row(page, 3).locator("td").nth(1)).to_contain_text("+black")
    assert picture(page) != before
    page.get_by_test_id("hands-back").click()
    expect(row(page, 3).locator("td").nth(1)).to_contain_text("+white")


def test_a_hand_can_be_turned_by_keys(page):
    hand = page.locator('[data-key="3:7"]')
    hand.focus()
    for _ in range(2):
        page.keyboard.press("PageDown")
    expect(row(page, 3).locator("td").nth(1)).to_contain_text("+black")
    page.get_by_test_id("hands-back").click()


def test_arrow_keys_walk_through_the_scores(page):
    page.mouse.move(0, 0)
    page.get_by_test_id("board").focus()
    page.keyboard.press("Escape")  # whatever was pointed at before
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("arithmetic")).to_contain_text(
        "dog → black: score = 1·1 (wanted) + 2 (2 clocks) = 3"
    )


def test_a_head_can_be_switched_off(page):
    page.get_by_test_id("head-on").uncheck()
    expect(row(page, 1)).not_to_contain_text("+black")
    page.get_by_test_id("head-on").check()
    expect(row(page, 1)).to_contain_text("+black")


@pytest.mark.long
def test_no_edit_is_lost_by_saving_reloading_or_a_new_kernel(browser, lab):
    _, _, folder = lab
    write(folder / "kept.ipynb", PROGRAM)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    open_and_run(page, lab, "kept.ipynb")
    page.get_by_test_id("residual").wait_for()
    edits = ["# edit 0", "# edit 1"]
    for edit in edits:
        append(page, "keypos:", f" {edit}")
        expect(page.locator(".progtf[aria-busy=true]")).to_have_count(0)
        page.get_by_test_id("input").fill("white dog")
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        page.reload(wait_until="domcontentloaded")
        expect(page.locator(".cm-content", has_text=edit).first).to_be_visible()
        expect(page.get_by_test_id("input")).to_have_value("white dog")
        expect(row(page, 1)).to_contain_text("+white")
        expect(page.locator(".progtf.ptf-stale")).to_have_count(0)
    page.wait_for_function(READY)
    page.evaluate(RESTART)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    page.get_by_test_id("my-edit").click()
    expect(page.locator(".cm-content", has_text=" ".join(edits)).first).to_be_visible()
    assert wrong == []
    page.close()


BUSY = """code => {
  const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
  kernel.requestExecute({ code });
}"""


def test_what_is_edited_while_the_kernel_is_busy_is_there_when_the_page_is_loaded_again(
    browser, lab
):
    _, _, folder = lab
    write(folder / "busy.ipynb", PROGRAM)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    open_and_run(page, lab, "busy.ipynb")
    page.get_by_test_id("residual").wait_for()
    page.wait_for_function(READY)
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.evaluate(BUSY, "import time; time.sleep(5)")
    append(page, "keypos:", " # edit")
    for words in ("black cat", "white dog"):
        page.get_by_test_id("input").fill(words)
    page.wait_for_timeout(100)  # after which a text is handed on
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(".cm-content", has_text="# edit").first).to_be_visible()
    expect(page.get_by_test_id("input")).to_have_value("white dog")
    expect(row(page, 1)).to_contain_text("+white")
    expect(page.locator(".progtf.ptf-stale")).to_have_count(0)
    page.close()


@pytest.mark.long
def test_no_edit_is_lost_in_rounds_of_saving_reloading_and_new_kernels(browser, lab):
    _, _, folder = lab
    write(folder / "rounds.ipynb", PROGRAM)
    page = browser.new_page(viewport={"width": 1400, "height": 1500})
    open_and_run(page, lab, "rounds.ipynb")
    page.get_by_test_id("residual").wait_for()
    edits = "#"
    for number in range(3):
        page.locator(".cm-line", has_text="keypos:").first.click()
        for _ in range(2):  # of the line on the screen, and of the line
            page.keyboard.press("End")
        page.keyboard.type(f" # {number}" if number == 0 else f" {number}")
        edits += f" {number}"
        expect(page.locator(".progtf[aria-busy=true]")).to_have_count(0)
        words = "white dog" if number % 2 else "black cat"
        page.get_by_test_id("input").fill(words)
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        page.reload(wait_until="domcontentloaded")
        expect(page.locator(".cm-content", has_text=edits).first).to_be_visible()
        expect(page.get_by_test_id("input")).to_have_count(1)
        expect(page.get_by_test_id("input")).to_have_value(words)
        page.wait_for_function(READY)
        page.evaluate(RESTART)
        page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
        page.get_by_test_id("my-edit").click()
        expect(page.locator(".cm-content", has_text=edits).first).to_be_visible()
        expect(page.locator(".progtf[aria-busy=true]")).to_have_count(0)
    page.close()
