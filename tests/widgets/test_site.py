"""Pages whose programs are changed in the browser, from a server that only hands out files."""

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.views.site import GET, pyodide_folder
from tests.programs import ROOT

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = ROOT / "examples" / "article" / "attention_with_positions.seme"
BAD = "<img src=x onerror=globalThis.harmed=1>"
ADDRESS = """async text => {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a page below a path, and the folder."""
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(f"{error}, so no page was edited: {GET}, or (cd js && npm install)")
    root = tmp_path_factory.mktemp("served")
    folder = root / "below" / "this"
    result = CliRunner().invoke(app, ["export", "--edit", str(NOUNS), "-o", str(folder)])
    assert result.exit_code == 0, result.output
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/below/this/", folder
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser, site):
    """A new window; nothing may be asked for from elsewhere, and nothing go wrong."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    shown, elsewhere, wrong = context.new_page(), [], []
    shown.on("request", lambda one: one.url.startswith((site[0], "file:")) or elsewhere.append(one))
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield shown
    context.close()
    assert elsewhere == []
    assert wrong == []


def edited(page):
    """The line of the program that the tests change."""
    return page.locator(".cm-line", has_text="keypos:").first


def test_a_changed_program_is_read_in_the_browser_and_its_address_is_a_link_to_it(page, site):
    page.goto(site[0])
    expect(page.get_by_test_id("examples")).to_have_text("✓ 4 of 4 examples hold")
    edited(page).click()
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type("2")
    expect(page.get_by_test_id("status")).to_have_text("starting Python …")
    expect(page.get_by_test_id("examples")).to_have_text("✗ 1 of 4 examples hold")
    expect(page.locator(".progtf.ptf-stale")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"#0=[\w-]+$"))
    page.keyboard.type(" nonsense")
    expect(page.get_by_test_id("problems")).to_contain_text("nonsense")
    for _ in " nonsense":
        page.keyboard.press("Backspace")
    expect(page.locator(".progtf.ptf-stale")).to_have_count(0)
    before = page.url
    page.get_by_test_id("input").fill("white dog")
    expect(page).not_to_have_url(before)
    page.reload()
    expect(edited(page)).to_contain_text("keypos: +2")
    expect(page.get_by_test_id("input")).to_have_value("white dog")
    expect(page.get_by_test_id("examples")).to_have_text("✗ 1 of 4 examples hold")


@pytest.mark.parametrize("end", ["#0=", "#0=AAAA", "#0=%F0%9F%A6%86", "#0", "#1=a&0=b&0=c"])
def test_an_address_that_holds_nothing_shows_the_page_as_it_is(page, site, end):
    page.goto(site[0] + end)
    expect(page.get_by_test_id("examples")).to_have_text("✓ 4 of 4 examples hold")


def test_what_an_address_holds_is_shown_as_text(page, site):
    page.goto(site[0])
    code = page.evaluate(ADDRESS, f'{{"text": "{BAD}", "input": "{BAD}"}}')
    page.goto("about:blank")
    page.goto(f"{site[0]}#0={code}")
    expect(page.get_by_test_id("input")).to_have_value(BAD)
    expect(page.get_by_test_id("problems")).to_contain_text("<img")
    assert page.locator("img").count() == 0
    assert page.evaluate("globalThis.harmed") is None


def test_a_page_opened_as_a_file_says_what_it_cannot(page, site):
    text = (site[1] / "index.html").read_text(encoding="utf-8")
    assert "python -m http.server" in text
    assert "'unsafe-eval'" not in text


def test_several_programs_share_one_python_and_are_listed(site, tmp_path):
    programs = [str(NOUNS), str(NOUNS.with_name("clocks.seme"))]
    result = CliRunner().invoke(app, ["export", "--edit", *programs, "-o", str(tmp_path / "site")])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == [
        f"{NOUNS.stem}.html", "clocks.html", "index.html", "python"
    ]  # fmt: skip
    listed = (tmp_path / "site" / "index.html").read_text()
    assert f'<a href="{NOUNS.stem}.html">' in listed
    assert "Every noun takes the colour of the adjective before it" in listed
    for name in (NOUNS.stem, "clocks"):
        assert 'href="index.html"' in (tmp_path / "site" / f"{name}.html").read_text()
