"""Pages whose programs are changed in the browser, from a server that only hands out files."""

import json
import random
import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.views.site import brings_pyodide, pyodide_folder
from tests.programs import ROOT, beyond
from tests.widgets.test_access import CONTRAST, everything
from tests.widgets.test_hostile import HARM, junk, program

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
        pytest.skip(f"{error}, so no page was edited: {brings_pyodide()}")
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


def test_a_page_says_in_a_sentence_what_can_be_done_there(page, site):
    page.goto(site[0])
    said = page.locator("p.about").inner_text()
    assert said.startswith("Change the program, change the input, point at cells, ")
    assert re.findall(r"(?<![.] )[A-Z]", said.removeprefix("C")) == []
    expect(page.get_by_test_id("read-only")).to_have_count(0)


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


FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
SQUARES = """() => {
  const path = document.querySelector("dialog svg path").getAttribute("d");
  const size = document.querySelector("dialog svg").viewBox.baseVal.width;
  const squares = Array.from({ length: size }, () => Array(size).fill(false));
  for (const [, x, y] of path.matchAll(/M(\\d+) (\\d+)/g)) squares[y][x] = true;
  return squares;
}"""


def test_only_a_changed_input_makes_a_short_address_that_is_copied_or_read_from_a_code(page, site):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site[0])
    copied = page.get_by_role("button", name="copy link")
    page.get_by_test_id("input").fill("black cat")
    expect(page).to_have_url(f"{site[0]}#0.input=black+cat")
    copied.click()
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{site[0]}#0.input=black+cat"
    page.get_by_role("button", name="QR code").click()
    shown = page.get_by_role("dialog", name="link to this figure")
    expect(shown.get_by_role("link")).to_have_attribute("href", f"{site[0]}#0.input=black+cat")
    squares = page.evaluate(SQUARES)
    corner = ["".join("#" if dark else "." for dark in row[2:9]) for row in squares[2:9]]
    assert corner == FINDER
    turned = [list(row) for row in zip(*squares, strict=True)]
    for each in ([row[::-1] for row in squares], turned[::-1]):  # the two other corners
        assert [row[2:9] for row in each[2:9]] == [row[2:9] for row in squares[2:9]]
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("input")).to_have_value("black cat")
    expect(page.locator('.ptf-residual tbody tr[data-pos="1"]')).to_contain_text("+black")
    page.get_by_test_id("input").fill("black dog white cat")
    expect(page).to_have_url(site[0])


def test_a_link_that_is_too_long_for_a_code_says_so(page, site):
    page.goto(site[0])
    page.get_by_test_id("input").fill("dog " * 900)
    page.get_by_role("button", name="QR code").click()
    expect(page.get_by_role("dialog")).to_contain_text("too long for a QR code")
    page.get_by_role("button", name="close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


NEVER = """globalThis.CompressionStream = function () {
  return new TransformStream({ transform: () => new Promise(() => {}) });
}"""


def test_what_is_on_its_way_to_the_address_is_there_when_the_page_is_loaded_again(page, site):
    page.goto(site[0])
    page.evaluate(NEVER)
    edited(page).click()
    page.keyboard.press("End")
    page.keyboard.type(" # changed")
    page.wait_for_function("JSON.stringify(sessionStorage).includes('# changed')")
    assert "#" not in page.url
    page.reload()
    expect(edited(page)).to_contain_text("# changed")
    expect(page).to_have_url(re.compile(r"#0=[\w-]+$"))
    page.goto("about:blank")
    page.goto(site[0])
    expect(edited(page)).not_to_contain_text("# changed")


BREAK = """async () => {
  const cache = await caches.open("progtf");
  const [kept] = await cache.keys();
  await cache.put(kept, new Response(new Uint8Array(1000)));
}"""
FLIP = """async () => {
  const cache = await caches.open("progtf");
  const [kept] = await cache.keys();
  const found = await cache.match(kept), memory = new Uint8Array(await found.arrayBuffer());
  memory[memory.length >> 1] ^= 4;
  await cache.put(kept, new Response(memory, { headers: found.headers }));
}"""


def test_python_goes_on_where_the_last_visit_left_it(page, site):
    steps = ("started", "resumed", "broken", "resumed", "flipped", "resumed")
    for number, how in enumerate(steps):
        page.goto("about:blank")
        page.goto(site[0])
        if how in ("broken", "flipped"):
            page.evaluate(BREAK if how == "broken" else FLIP)
        edited(page).click()
        page.keyboard.press("End")
        page.keyboard.type("0")  # keypos: +10
        expect(page.get_by_test_id("examples")).to_have_text("✗ 1 of 4 examples hold")
        page.keyboard.type("x")
        expect(page.get_by_test_id("problems")).to_contain_text("x")
        told = how if how == "resumed" else "started"
        assert page.locator("html").get_attribute("data-python") == told, number


@pytest.mark.parametrize("end", ["#0=", "#0=AAAA", "#0=%F0%9F%A6%86", "#0", "#1=a&0=b&0=c"])
def test_an_address_that_holds_nothing_shows_the_page_as_it_is(page, site, end):
    page.goto(site[0] + end)
    expect(page.get_by_test_id("examples")).to_have_text("✓ 4 of 4 examples hold")


@pytest.mark.parametrize("seed", beyond(range(6), 2))
def test_no_address_does_harm(page, site, seed):
    some = random.Random(seed)
    page.goto(site[0])
    held = {"text": program(some), "input": junk(some)}
    strange = some.choice(
        [held, [held], {"text": 1, "input": "a"}, {"text": "a", "input": 3}, None]
    )
    code = page.evaluate(ADDRESS, json.dumps(some.choice([held, held, strange])))
    for end in (f"#0={code}", f"#0={code[: len(code) // 2]}", f"#{quote(junk(some))}"):
        page.goto("about:blank")
        page.goto(site[0] + end)
        expect(page.locator(".progtf")).to_have_count(1)
        expect(page.get_by_test_id("status")).to_have_text("")
        assert page.evaluate(HARM) == []


@pytest.fixture
def elsewhere():
    """The address of another server, and what was asked of it."""
    asked = []

    class Asked(Quiet):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Asked) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/elsewhere", asked
        server.shutdown()


BREACHES = """async elsewhere => {
  const broken = [];
  document.addEventListener("securitypolicyviolation", one => broken.push(one.effectiveDirective));
  const tried = {
    script: () => add("script", { textContent: "globalThis.harmed = 1" }),
    foreign: () => add("script", { src: elsewhere }),
    frame: () => add("iframe", { src: elsewhere }),
    picture: () => add("img", { src: elsewhere }),
    style: () => add("link", { rel: "stylesheet", href: elsewhere }),
    handler: () => {
      const one = add("p", {});
      one.setAttribute("onclick", "globalThis.harmed = 1");
      one.click();
    },
    eval: () => { try { (0, eval)("globalThis.harmed = 1"); } catch { /* as it should */ } },
    fetch: () => fetch(elsewhere).catch(() => {}),
    socket: () => { try { new WebSocket("ws://127.0.0.1:1"); } catch { /* as it should */ } },
    worker: () => { try { new Worker(URL.createObjectURL(new Blob([""]))); } catch { /* too */ } },
    base: () => { document.head.append(add("base", { href: elsewhere })); },
  };
  const add = (tag, how) => {
    const one = Object.assign(document.createElement(tag), how);
    document.body.append(one);
    return one;
  };
  const found = {};
  for (const [name, way] of Object.entries(tried)) {
    const before = broken.length;
    await way();
    await new Promise(done => setTimeout(done, 150));
    found[name] = broken.length > before;
  }
  return [found, globalThis.harmed === undefined];
}"""


@pytest.mark.parametrize("alone", [False, True])
def test_the_policy_of_a_page_holds(browser, site, elsewhere, tmp_path, alone):
    shown = browser.new_page()
    if alone:
        export = ["export", str(NOUNS), "-o", str(tmp_path / "page.html")]
        assert CliRunner().invoke(app, export).exit_code == 0
    shown.goto((tmp_path / "page.html").as_uri() if alone else site[0])
    expect(shown.get_by_test_id("examples")).to_be_visible()
    found, unharmed = shown.evaluate(BREACHES, elsewhere[0])
    assert [name for name, stopped in found.items() if not stopped] == []
    assert unharmed
    assert elsewhere[1] == []
    policy = shown.locator("meta[http-equiv]").get_attribute("content")
    scripts = policy.split("style-src")[0]
    assert re.findall(r"'[\w-]*unsafe-[\w-]+'", scripts) == ["'wasm-unsafe-eval'"] * (not alone)
    shown.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_of_a_page_has_the_contrast_of_aa(browser, site, theme):
    shown = browser.new_page(color_scheme=theme)
    shown.goto(site[0])
    everything(shown)
    found = shown.evaluate(CONTRAST)
    assert found["texts"] > 100
    assert found["low"] == []
    shown.close()


@pytest.mark.usefixtures("site")  # which says so where there is no Python for browsers
def test_a_page_is_found_whatever_its_program_is_called(browser, tmp_path):
    names = ["a#b?c%20d", "<b>&amp;'"]
    for name in names:
        (tmp_path / f"{name}.seme").write_text("semes: a\nlexicon:\n  x: +a\n")
    files = [str(tmp_path / f"{name}.seme") for name in names]
    out = tmp_path / "site"
    result = CliRunner().invoke(app, ["export", "--edit", *files, "-o", str(out)])
    assert result.exit_code == 0, result.output
    shown = browser.new_page()
    for place in range(2):
        shown.goto((out / "index.html").as_uri())
        shown.get_by_role("listitem").nth(place).get_by_role("link").click()
        expect(shown.get_by_role("heading").first).to_have_text(names[place])
    shown.close()


def test_what_an_address_holds_is_shown_as_text(page, site):
    page.goto(site[0])
    code = page.evaluate(ADDRESS, f'{{"text": "{BAD}", "input": "{BAD}"}}')
    page.goto("about:blank")
    page.goto(f"{site[0]}#0={code}")
    expect(page.get_by_test_id("input")).to_have_value(BAD)
    expect(page.get_by_test_id("problems")).to_contain_text("<img")
    assert page.locator("img").count() == 0
    assert page.evaluate("globalThis.harmed") is None


def test_a_page_opened_as_a_file_takes_inputs_and_says_what_it_cannot(page, site):
    page.goto((site[1] / "index.html").as_uri())
    why = page.get_by_test_id("read-only")
    expect(why).to_contain_text("python -m http.server")
    assert why.bounding_box()["y"] < page.get_by_test_id("editor").bounding_box()["y"]
    said = page.locator("p.about").inner_text()
    assert said.startswith("Change the input, point at cells, ")
    assert re.search("rogram|address", said) is None
    page.get_by_test_id("input").fill("white dog")
    expect(page.locator('.ptf-residual tbody tr[data-pos="1"]')).to_contain_text("+white")
    assert page.locator(".cm-content").get_attribute("contenteditable") == "false"


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
