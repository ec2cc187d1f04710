"""The documentation in a browser: programs that run in it, ways back, and what axe looks for."""

import json
import re
import subprocess
import sys
from functools import partial
from http.server import ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from progtf.views.site import brings_pyodide, pyodide_folder
from tests.programs import ROOT
from tests.widgets.axe import violations
from tests.widgets.test_site import Quiet

pytest.importorskip("mkdocs", reason="mkdocs is not installed")
pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long]

PROGRAM = re.compile(r"^```seme\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPEN = re.compile(r'class="progtf-open"><a href="([^"]+)"')
DATA = re.compile(r'<script type="application/vnd.progtf\+json"[^>]*>(.*?)</script>', re.DOTALL)
SOURCES = {"index": "README.md", "language": "docs/language.md", "tutorial": "docs/tutorial.md"}
AGAIN = re.compile(r"^  (again|ask):", re.MULTILINE)  # a page shows one step, and refuses them


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    """The address of the documentation, below a path, and its folder."""
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(f"{error}, so no site was made: {brings_pyodide()}")
    root = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(root / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/site/", root / "site"
    server.shutdown()
    server.server_close()


@pytest.fixture
def window(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    shown, wrong = context.new_page(), []
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    yield shown
    context.close()
    assert wrong == []


def test_home_opens_with_a_program_that_runs_as_it_is_changed(window, docs):
    lines = (ROOT / "docs" / "first.seme").read_text().splitlines()
    assert 6 <= len(lines) <= 10
    window.goto(docs[0] + "index.html")
    row = window.locator('.ptf-residual tbody tr[data-pos="1"] .ptf-sum')
    expect(row).to_contain_text("+black")
    for part in ("program", "input", "residual stream", "attention"):
        top = window.get_by_role("region", name=part, exact=True).bounding_box()["y"]
        assert top < 700, part
    window.locator(".cm-line", has_text="at: -1").click()
    window.keyboard.press("End")
    for key in ("Backspace", "Backspace", "+", "1"):
        window.keyboard.press(key)
    expect(row).to_contain_text("+white")
    expect(row).not_to_contain_text("+black")
    expect(window.locator('.ptf-residual tbody tr[data-pos="3"] .ptf-sum')).to_have_text("+noun")


def test_home_that_was_opened_as_a_file_says_why_its_program_is_read_only(browser, docs):
    shown = browser.new_page(viewport={"width": 1280, "height": 800})
    shown.goto((docs[1] / "index.html").as_uri())  # where the theme's search does without its index
    why = shown.get_by_test_id("read-only")
    expect(why).to_contain_text("python -m http.server")
    assert why.bounding_box()["y"] < 700
    expect(shown.get_by_text("change the program so that")).to_be_hidden()
    shown.close()


@pytest.mark.parametrize("page", SOURCES)
def test_every_complete_program_has_a_page_to_change_it(docs, page):
    programs = PROGRAM.findall((ROOT / SOURCES[page]).read_text(encoding="utf-8"))
    linked = OPEN.findall((docs[1] / f"{page}.html").read_text(encoding="utf-8"))
    takes = [text for text in programs if not AGAIN.search(text)]
    found = []
    for link in linked:
        text = (docs[1] / link).read_text(encoding="utf-8")
        assert 'href="../language.html"' in text
        assert f'href="../{page}.html#' in text
        (data,) = DATA.findall(text)
        found.append(json.loads(data)["data"]["text"])
    assert found == takes
    assert len(programs) - len(takes) == (2 if page == "language" else 0)


def test_a_program_of_a_page_is_changed_on_its_own(window, docs):
    window.goto(docs[0] + "language.html")
    window.get_by_role("link", name="open and change").first.click()
    expect(window).to_have_url(re.compile("figures/language_a_first_program.html"))
    expect(window.get_by_test_id("examples")).to_have_text("✓ 1 of 1 examples hold")
    window.locator(".cm-line", has_text="at: -1").click()
    window.keyboard.press("End")
    window.keyboard.press("Backspace")
    window.keyboard.type("2")
    expect(window.get_by_test_id("examples")).to_have_text("✗ 0 of 1 examples hold")


def test_every_program_of_the_tutorial_is_a_figure_that_reads_inputs(window, docs):
    window.goto(docs[0] + "tutorial.html")
    figures = window.locator(".progtf")
    programs = PROGRAM.findall((ROOT / SOURCES["tutorial"]).read_text(encoding="utf-8"))
    expect(figures).to_have_count(len(programs))
    bill = figures.nth(2)
    bill.get_by_test_id("input").fill("9 tea")
    expect(bill.get_by_test_id("answer")).to_contain_text("answers 18")


def test_figures_lead_back_in_the_theme_that_was_chosen(window, docs):
    window.goto(docs[0] + "index.html")
    expect(window.locator(".progtf[data-theme=light]")).to_have_count(1)
    window.locator("label[title=Dark]").click()
    expect(window.locator("body[data-md-color-scheme=slate]")).to_have_count(1)
    expect(window.locator(".progtf[data-theme=dark]")).to_have_count(1)
    window.get_by_role("link", name="Programs that you change").click()
    expect(window.get_by_role("heading", name="Contents")).to_be_visible()
    expect(window.locator("body")).to_have_css("background-color", "rgb(16, 19, 26)")
    window.get_by_role("link", name="attention with positions").click()
    expect(window.locator(".progtf[data-theme=dark]")).to_have_count(1)
    window.get_by_role("navigation").get_by_role("link", name="the notation").click()
    expect(window).to_have_url(docs[0] + "language.html")
    expect(window.locator("body[data-md-color-scheme=slate]")).to_have_count(1)
    window.go_back()
    window.get_by_role("navigation").get_by_role("link", name="documentation").click()
    expect(window).to_have_url(docs[0] + "index.html")


def test_pages_of_programs_are_listed_in_the_order_in_which_one_learns(window, docs):
    window.goto(docs[0] + "figures/index.html")
    names = window.get_by_role("listitem").get_by_role("link").all_text_contents()
    early = ["vectors", "first matrix", "sentiment", "dense layer", "fruit rules"]
    late = ["clocks", "attention with positions", "times", "reverse", "place value"]
    assert [name for name in names if name in (*early, *late)] == [*early, *late]
    assert names[-12:-10] == ["grammaticality", "blank"]
    assert (names[-10], names[-1]) == ("The colour behind", "Backwards")


def test_a_class_is_led_to_its_tasks_and_their_hidden_examples_are_ticked_off(window, docs):
    window.goto(docs[0] + "class.html")
    said = window.get_by_test_id("task")
    window.get_by_role("link", name="The colour behind").click()
    expect(said).to_have_text("0 of 4 hidden examples are met")
    window.locator(".cm-line", has_text="at: -1").click()
    window.keyboard.press("End")
    for key in ("Backspace", "Backspace", "+", "1"):
        window.keyboard.press(key)
    expect(said).to_have_text("✓ Done: all 4 hidden examples are met")
    expect(window).to_have_url(re.compile("#0="))
    window.reload()
    expect(said).to_have_text("✓ Done: all 4 hidden examples are met")


def test_what_was_changed_of_a_blank_program_is_shown(window, docs):
    window.goto(docs[0] + "class.html")
    window.get_by_role("link", name="a blank program").click()
    expect(window.get_by_test_id("examples")).to_have_text("✓ 1 of 1 examples hold")
    shown = window.get_by_text("changed from the original: show")
    expect(shown).to_be_hidden()
    window.locator(".cm-line", has_text="dog: +noun").first.click()
    window.keyboard.press("End")
    window.keyboard.press("Enter")
    window.keyboard.type("cat: +noun")
    shown.click()
    expect(window.get_by_test_id("changes")).to_have_text(re.compile(r"^\+ 7 +cat: \+noun$"))
    deed = window.locator(".ptf-changed > summary")
    expect(deed).to_have_text("changed from the original: hide")
    mark = 'one => getComputedStyle(one, "::after").content'  # the theme's, beside ours
    assert deed.evaluate(mark) == "none"
    deed.click()
    expect(deed).to_have_text("changed from the original: show")
    expect(window).to_have_url(re.compile("#0="))
    window.reload()
    expect(shown).to_be_visible()
    window.get_by_role("button", name="reset").click()
    expect(shown).to_be_hidden()


def test_a_program_stands_in_another_page_by_one_line(window, docs, tmp_path):
    page = (ROOT / "docs" / "class.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^<iframe.*</iframe>$", page, re.MULTILINE)
    (tmp_path / "own.html").write_text(line.replace("https://YOUR.SERVER/", docs[0]))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        window.goto(f"http://127.0.0.1:{server.server_port}/own.html")
        within = window.frame_locator("iframe")
        expect(within.get_by_test_id("examples")).to_contain_text("examples hold")
        within.locator(".cm-line", has_text="->").last.click()
        window.keyboard.press("End")
        window.keyboard.type(" nonsense")
        expect(within.get_by_test_id("problems")).to_contain_text("nonsense")
        server.shutdown()


@pytest.mark.parametrize("page", ["index", "class", "language", "figures/clocks", "figures/index"])
def test_a_page_has_an_icon_and_says_what_it_is(docs, page):
    text = (docs[1] / f"{page}.html").read_text(encoding="utf-8")
    assert 'rel="icon"' in text
    (said,) = re.findall(r'<meta name="?description"? content="([^"]*)"', text)
    assert len(said) > 20


PALE = """() => [...document.querySelectorAll("pre code, pre code span")].filter(one => {
  const [red, green, blue] = getComputedStyle(one).color.match(/[\\d.]+/g).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 130;
}).map(one => one.textContent)"""


@pytest.mark.parametrize("name", ["class", "language"])
def test_on_paper_code_is_dark_whatever_the_theme_is(window, docs, name):
    window.emulate_media(color_scheme="dark")
    window.goto(f"{docs[0]}{name}.html")
    expect(window.locator("body[data-md-color-scheme=slate]")).to_have_count(1)
    assert window.evaluate(PALE) != []
    window.emulate_media(media="print", color_scheme="dark")
    window.wait_for_function(f"({PALE})().length === 0")  # colours take a moment to change


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    [
        "index",
        "class",
        "tutorial",
        "language",
        "api",
        "experiments/index",
        "figures/index",
        "figures/roles",
    ],
)
def test_axe_finds_nothing_on_the_site(window, docs, name, theme):
    window.emulate_media(color_scheme=theme)
    window.goto(f"{docs[0]}{name}.html")
    window.wait_for_load_state("networkidle")
    assert violations(window) == []
