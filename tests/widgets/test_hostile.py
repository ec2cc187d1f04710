"""Fuzzed: whatever programs, inputs, tokens, file names and addresses hold stays text."""

import random

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

import progtf
from progtf.cli.main import app
from progtf.widgets import Playground
from tests.programs import beyond
from tests.widgets.test_access import everything

pytestmark = pytest.mark.xdist_group("browser")

PIECES = (
    "<img src=x onerror=globalThis.harmed=1>", "<script>globalThis.harmed=1</script>", "</script>",
    "<svg/onload=globalThis.harmed=1>", "<!--", "-->", "]]>", "<iframe src=javascript:harmed=1>",
    "javascript:globalThis.harmed=1", "' onfocus='globalThis.harmed=1' autofocus x='", "&lt;b&gt;",
    "${globalThis.harmed=1}", "{{harmed}}", "\u2028", "\u202e", "\u0000", "\ud7ff", "\\",
    "%3Cimg%3E", "<style>*{display:none}</style>", "<base href=//evil.example>", "</title>",
    "</style>", "`", "<a href=javascript:harmed=1>x</a>", "<meta http-equiv=refresh content=0>",
    "|", "->", "#", "+", "\U0001f986", "__proto__", "constructor", "toString",
)  # fmt: skip
BAD_HTML = "<img src=x onerror=globalThis.harmed=1>"
HARM = """() => [
  globalThis.harmed === undefined ? null : "ran",
  ...[...document.body.querySelectorAll("*")].flatMap(one => [
    ["IMG", "IFRAME", "OBJECT", "BASE", "META", "FORM"].includes(one.tagName) && one.tagName,
    one.tagName === "STYLE" && one.textContent.includes("display:none}") && "style",
    [...one.attributes].some(({ name }) => name.startsWith("on")) && one.outerHTML,
    /^\\s*javascript:/.test(one.getAttribute("href") ?? "") && one.outerHTML,
  ]),
].filter(Boolean)"""


def junk(some, *, without=""):
    text = "".join(some.choice(PIECES) for _ in range(some.randrange(1, 5)))
    return "".join(letter for letter in text if letter not in without)


def program(some):
    """A program with hostile names, tokens and comments; some can be read and some cannot."""
    seme, token, comment = (junk(some, without='"\n\u2028\\') for _ in range(3))
    wrong = junk(some) if some.random() < 0.4 else ""
    return (
        f'# {comment}\nsemes: noun is["{seme}"]\nlexicon:\n  "{token}": +noun\n  unknown: +noun '
        f'+is["{seme}"]\nlayer:\n  head one:\n    look: self\n    value: noun>is["{seme}"]\n'
        f'  feedforward:\n    is["{seme}"]: noun\nexamples:\n  "{token}" -> x: +noun\n{wrong}\n'
    )


@pytest.mark.parametrize("seed", beyond(range(30), 5))
def test_whatever_a_figure_is_given_stays_text(mount, seed):
    some = random.Random(seed)
    shown = mount(Playground(program(some), junk(some)))
    everything(shown)
    for field in ("input", "other"):
        if shown.get_by_test_id(field).count():
            shown.get_by_test_id(field).fill(junk(some, without="\u0000\n\u2028"))
    for name in ("look for semes by parts of their names", "Find"):
        if shown.get_by_role("textbox", name=name).count():
            shown.get_by_role("textbox", name=name).fill(junk(some, without="\u0000\n\u2028"))
    for ways in ("ArrowRight",) * 4:
        shown.keyboard.press(ways)
    assert shown.evaluate(HARM) == []
    assert shown.evaluate("({}).harmed === undefined && !Object.hasOwn(Object.prototype, 'is')")


def test_half_of_the_hostile_programs_can_be_read():
    kinds = [Playground(program(random.Random(seed))).data["program"] for seed in range(30)]
    assert 10 <= sum(one is not None for one in kinds) <= 28


@pytest.mark.parametrize("seed", beyond(range(8), 3))
def test_whatever_a_file_is_called_and_says_its_page_shows_text(browser, tmp_path, seed):
    some, made = random.Random(seed), None
    while made is None:  # until one can be read
        text, name = program(some), junk(some, without="/\u0000\n") + ".seme"
        try:
            made = progtf.parse_program(text)
        except progtf.SemeError:
            continue
    file, out = tmp_path / name, tmp_path / "out.html"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["export", str(file), "-o", str(out), "--input", "dog"])
    assert result.exit_code == 0, result.output
    page, wrong = browser.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(out.as_uri())
    expect(page.get_by_test_id("residual")).to_contain_text("dog")
    assert page.evaluate(HARM) == []
    assert " ".join(page.title().split()) == " ".join(file.stem.replace("_", " ").split())
    assert wrong == []
    page.close()


def test_what_would_do_harm_is_found(empty):
    shown, _ = empty
    shown.evaluate("() => { document.body.innerHTML = '<img src=x><p onclick=a>'; }")
    assert len(shown.evaluate(HARM)) == 2
