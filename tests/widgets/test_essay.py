"""The essay as a site: every section, every figure editable, every example holding."""

import re
from functools import partial
from http.server import ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.cli.messages import UserError
from progtf.views.site import brings_pyodide, pyodide_folder
from progtf.widgets.examples import essay
from tests.programs import beyond
from tests.widgets.test_access import BEYOND, CONTRAST
from tests.widgets.test_hostile import BAD_HTML, HARM
from tests.widgets.test_site import Quiet

pytestmark = pytest.mark.xdist_group("browser")

SECTIONS = ("2", "3.1", "3.2", "3.3", "3.4", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "5", "6")
CHAPTERS = [path.stem for path in essay()]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of the essay."""
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(f"{error}, so no essay was made: {brings_pyodide()}")
    folder = tmp_path_factory.mktemp("essay")
    result = CliRunner().invoke(app, ["export", "--site", str(folder)])
    assert result.exit_code == 0, result.output
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(browser, site):
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    shown, elsewhere, wrong = context.new_page(), [], []
    shown.on("request", lambda one: one.url.startswith(site) or elsewhere.append(one.url))
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield shown
    context.close()
    assert elsewhere == []
    assert wrong == []


@pytest.mark.parametrize("name", beyond(CHAPTERS, 2))
def test_every_figure_of_a_chapter_can_be_edited_and_its_examples_hold(page, site, name):
    page.goto(f"{site}{name}.html")
    figures = page.get_by_test_id("progtf-playground")
    assert figures.count() > 0
    for figure in figures.all():
        expect(figure.locator(".cm-content")).to_have_attribute("contenteditable", "true")
        pictures = figure.locator("[data-testid=residual], [data-testid=clocks]")
        expect(pictures.first).to_be_visible()
        if figure.get_by_text("examples:", exact=False).count():
            expect(figure.get_by_test_id("examples")).to_contain_text(
                re.compile(r"^✓ (\d+) of \1 ")
            )
        expect(figure.locator(".ptf-problem")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", beyond(["index", *CHAPTERS], 2))
def test_a_chapter_is_readable_in_both_themes_and_narrow(page, site, name, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(f"{site}{name}.html")
    assert page.evaluate(CONTRAST)["low"] == []
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(BEYOND) == []


def test_the_essay_has_all_sections_and_leads_from_chapter_to_chapter(page, site):
    page.goto(site)
    page.get_by_role("listitem").first.get_by_role("link").click()
    found, titles = [], []
    for name in CHAPTERS:
        expect(page).to_have_url(f"{site}{name}.html")
        titles.append(page.locator("h1").inner_text())
        headings = " ".join(page.locator("h1, h2").all_inner_texts())
        found += re.findall(r"\(([\d.]+)\)", headings)
        if name != CHAPTERS[-1]:
            page.locator("p", has_text="Next:").get_by_role("link").last.click()
    assert found == list(SECTIONS)
    assert len(set(titles)) == len(CHAPTERS)


def test_a_figure_in_the_middle_of_a_chapter_is_edited_and_linked_to(page, site):
    page.goto(f"{site}1_notation.html")
    figure = page.get_by_test_id("progtf-playground").nth(5)
    expect(figure.get_by_test_id("examples")).to_have_text("✓ 3 of 3 examples hold")
    figure.locator(".cm-line", has_text="value:").click()
    for _ in range(2):  # of the line on the screen, and of the line
        page.keyboard.press("End")
    page.keyboard.type(", 3the>the")
    expect(figure.get_by_test_id("examples")).to_have_text("✗ 2 of 3 examples hold")
    expect(figure.get_by_test_id("answer")).to_contain_text("the the the the")
    expect(page).to_have_url(re.compile(r"#5=[\w-]+$"))
    page.reload()
    expect(figure.locator(".cm-content")).to_contain_text("3the>the")


def test_a_clicked_word_shows_its_positional_encoding(page, site):
    page.goto(f"{site}2_ingredients.html")
    figure = page.get_by_test_id("dimensions").first
    expect(figure.locator("figcaption")).to_have_text("word, position 3: 14 dimensions")
    whole = page.locator(".progtf", has=page.get_by_test_id("dimensions")).first
    whole.get_by_role("button", name="of", exact=True).first.click()
    expect(figure.locator("figcaption")).to_have_text("of, position 4: 14 dimensions")
    rows = [row.inner_text().split("\n") for row in figure.locator(".ptf-dimension").all()]
    assert [rows[0], rows[1]] == [["cos /4", "1"], ["sin /4", "0"]]
    assert [rows[2], rows[3]] == [["cos /8", "-1"], ["sin /8", "0"]]
    assert rows[4] == ["cos /16", "0"]
    assert rows[5] == ["sin /16", "1"]


def made(tmp_path, text, *more):
    (tmp_path / "text.md").write_text(text, encoding="utf-8")
    command = ["export", "--edit", str(tmp_path / "text.md"), "-o", str(tmp_path / "site"), *more]
    return CliRunner().invoke(app, command)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ("prog: a.seme", "text.md:3: a figure has no `prog`"),
        ("input: a", "text.md:3: a figure names its `program:`"),
        ("program: none.seme", "none.seme"),
        ("program: a.seme\npanels: pane", "text.md:3: panel `pane` is none of editor"),
        ("program: a.seme\ntoken: two", "text.md:3: `token: two` is no position"),
        ("program: a.seme\ninput: wug", "text.md:3: `input: wug`"),
        ("recorded: a.seme", "is no recorded figure"),
        ("recorded: none.json", "none.json"),
    ],
)
def test_a_mistake_in_a_figure_is_told_with_its_line(tmp_path, figure, said):
    (tmp_path / "a.seme").write_text("semes: a\nlexicon:\n  x: +a\n")
    result = made(tmp_path, f"# A\n\n```figure\n{figure}\n```\n")
    assert isinstance(result.exception, UserError)
    assert said in str(result.exception)
    assert not (tmp_path / "site").exists()


@pytest.mark.usefixtures("site")  # which says so where there is no Python for browsers
def test_html_in_a_text_stays_text(browser, tmp_path):
    result = made(tmp_path, f"# {BAD_HTML}\n\n{BAD_HTML}\n\n[a](javascript:globalThis.harmed=1)\n")
    assert result.exit_code == 0, result.output
    shown = browser.new_page()
    shown.goto((tmp_path / "site" / "index.html").as_uri())
    expect(shown.locator("h1")).to_have_text(BAD_HTML)
    assert shown.evaluate(HARM) == []
    shown.close()


def test_what_is_to_be_exported_must_be_said(tmp_path):
    for words in ([], ["--edit"], ["--site", str(tmp_path), "a.seme"]):
        result = CliRunner().invoke(app, ["export", *words])
        assert isinstance(result.exception, UserError)
        assert "--site" in str(result.exception)
