"""Exported pages, from a file with the network blocked: they compute what Python computes."""

import json
import re
from dataclasses import replace

import nbformat
import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf import parse_program
from progtf.cli.main import app
from progtf.numbers import EXACT
from progtf.program.expected import agrees
from progtf.running.interpret import Interpreter
from progtf.views.program import describe
from progtf.views.run import watch
from progtf.widgets.base import LIVE
from progtf.widgets.export import executed_page
from tests.exact.endless import ENDS, NEVER
from tests.program.test_ends import ROUND
from tests.programs import EACH, LARGE, ROOT, loaded
from tests.widgets.lab import write

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = ROOT / "examples" / "article" / "attention_with_positions.seme"
TOLERANCE = 1e-6


def export(file, out, *more):
    result = CliRunner().invoke(app, ["export", str(file), "-o", str(out), *more])
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def opened(browser):
    """Opens files in a browser without a network; nothing may be asked for or go wrong."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    asked, wrong = [], []
    context.route("**/*", lambda route: deny(route, asked))
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)

    def open_file(path):
        page.goto(path.as_uri())
        return page

    yield open_file
    context.close()
    assert asked == []
    assert wrong == []


def deny(route, asked):
    if route.request.url.startswith("file:"):
        route.continue_()
    else:
        asked.append(route.request.url)
        route.abort()


def test_a_page_lets_one_play_without_python(opened, tmp_path):
    page = opened(export(NOUNS, tmp_path / "page.html", "--input", "black dog"))
    assert page.title() == "attention with positions"
    row = page.locator('.ptf-residual tbody tr[data-pos="1"]')
    expect(row).to_contain_text("+black")
    page.get_by_test_id("input").fill("white dog black cat")
    expect(row).to_contain_text("+white")
    page.get_by_test_id("head-on").uncheck()
    expect(row).not_to_contain_text("+white")
    assert page.locator(".cm-content").get_attribute("contenteditable") == "false"


def test_a_page_is_one_file_that_names_no_other(tmp_path):
    text = export(NOUNS, tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'src="' not in text.split("<script")[0]
    links = re.findall(r"<link[^>]*>", text)
    assert [one for one in links if 'href="data:' not in one] == []
    assert text.count("</script>") == 2  # the data and the front-end; nothing ends them early


def test_hostile_text_stays_text(opened, tmp_path):
    program = tmp_path / "bad.seme"
    program.write_text(
        "# </script><script>globalThis.harmed=1</script><img src=x onerror=globalThis.harmed=1>\n"
        "semes: noun\nlexicon:\n  unknown: +noun\n"
    )
    word = "<img/src=x/onerror=globalThis.harmed=1>"
    page = opened(export(program, tmp_path / "page.html", "--input", word))
    expect(page.get_by_test_id("residual")).to_contain_text(word)
    assert page.evaluate("globalThis.harmed") is None
    assert page.locator("img").count() == 0


BAD = "<img src=x onerror=globalThis.harmed=1>"
HOSTILE = """semes: noun
lexicon:
  unknown: +noun
examples:
  "<img/src=x>" -> x: +noun
"""
CELLS = (
    "from progtf.widgets import MatrixView, Playground, TrainingView, example",
    'Playground(example("article/attention_with_positions.seme"), "black dog")',
    'MatrixView("pig>pig, -2pig>wombat", "pig wombat")',
    'TrainingView([{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}])',
    f"import progtf\nprogtf.parse_program({HOSTILE!r}, {BAD!r})",
)


def run(folder, *cells, live):
    """A notebook that was executed as a whole, with still pictures or with live figures."""
    client = pytest.importorskip("nbclient", reason="nbclient is not installed")
    write(folder / "figures.ipynb", *cells)
    notebook = nbformat.read(folder / "figures.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        if live:
            patch.setenv(LIVE, "live")
        client.NotebookClient(notebook, timeout=600).execute()
    return notebook


def test_a_notebook_as_html_shows_pictures_without_a_network(browser, tmp_path):
    converted = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    html, _ = converted.HTMLExporter().from_notebook_node(run(tmp_path, *CELLS, live=False))
    path = tmp_path / "static.html"
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    sizes = page.locator(".jp-OutputArea-output :is(img, svg)").evaluate_all(
        "pictures => pictures.map(one => one.getBoundingClientRect().width)"
    )
    assert len(sizes) >= 6  # residual, attention, clocks; matrix; curve; residual
    assert min(sizes) > 50
    expect(page.locator("body")).to_contain_text("head colour:")  # the text of the program
    expect(page.locator("body")).to_contain_text("<img src=x onerror")
    assert page.locator("img:not([src^='data:'])").count() == 0
    assert page.evaluate("globalThis.harmed") is None
    context.close()


def test_a_page_of_a_notebook_shows_what_later_cells_have_changed(tmp_path):
    shown = "from progtf.widgets import TrainingView\nview = TrainingView()\nview"
    notebook = run(tmp_path, shown, 'view.add({"step": 4, "loss": 1.5})', live=True)
    assert '"records": [{"step": 4.0, "loss": 1.5}]' in executed_page(notebook, "later")


def test_a_notebook_becomes_a_page_with_live_figures(opened, tmp_path):
    path = tmp_path / "live.html"
    page = executed_page(run(tmp_path, *CELLS, live=True), "figures")
    path.write_text(page, encoding="utf-8")
    page = opened(path)
    expect(page.get_by_test_id("progtf-playground")).to_have_count(1)
    expect(page.get_by_test_id("progtf-matrix")).to_have_count(1)
    expect(page.get_by_test_id("chart-loss")).to_contain_text("1 at step 2")
    page.get_by_test_id("input").fill("white cat")
    expect(page.locator('.ptf-residual tbody tr[data-pos="1"]')).to_contain_text("+white")
    assert page.locator("img").count() == 0


@pytest.fixture(scope="module")
def front_end(browser, tmp_path_factory):
    """A page that holds the front-end, and with it ``progtf.run``."""
    page = browser.new_page()
    page.goto(export(NOUNS, tmp_path_factory.mktemp("page") / "page.html").as_uri())
    yield page
    page.close()


@pytest.mark.parametrize("path", EACH)
def test_the_page_runs_programs_as_the_interpreter_does(front_end, path):
    program = loaded(path)
    described = json.loads(json.dumps(describe(program)))
    for example in program.examples[: 2 if path in LARGE else 5]:
        run = "([program, input]) => JSON.stringify(progtf.run(program, input))"
        got = json.loads(front_end.evaluate(run, [described, example.input]))
        expected = json.loads(json.dumps(watch(program, example.input)))
        assert difference(expected, got) is None


def test_the_page_shows_what_does_not_end_and_says_so(front_end):
    run = "([program, input]) => JSON.stringify(progtf.run(program, input))"
    judge = "([program, example]) => progtf.verdict(program, example)"
    for text in (*NEVER.values(), *ENDS.values(), ROUND):
        program = parse_program(text)
        described = json.loads(json.dumps(describe(program)))
        for given in "xy":
            expected = json.loads(json.dumps(watch(program, given)))
            got = json.loads(front_end.evaluate(run, [described, given]))
            assert difference(expected, got) is None
            assert got["answer"].get("error") == expected["answer"].get("error")
            said = expected["answer"]["text"]
            example = {"input": given, "output": said, "line": 1}
            found = front_end.evaluate(judge, [described, example])
            assert found["holds"] == ("error" not in expected["answer"])


@pytest.mark.parametrize("path", EACH)
def test_the_page_judges_examples_as_progtf_test_does(front_end, path):
    program = loaded(path)
    few = program.examples[: 2 if path in LARGE else 5]
    swapped = [replace(a, output=b.output) for a, b in zip(few, few[1:] + few[:1], strict=True)]
    asked = [*few, *swapped, *(replace(one, output=f"{one.output}1") for one in few)]
    told = [{"input": one.input, "output": one.output, "line": 1} for one in asked]
    judge = "([program, examples]) => examples.map(one => progtf.verdict(program, one).holds)"
    described = json.loads(json.dumps(describe(program)))
    got = front_end.evaluate(judge, [described, told])
    meant = Interpreter(program)
    answers = meant.try_answers([one.input for one in asked])
    pairs = zip(answers, asked, strict=True)
    assert got == [
        agrees(answer, one.output, meant.speaker.interface, EXACT) for answer, one in pairs
    ]
    assert all(got[: len(few)])


def difference(expected, got, path=""):
    """Where a run of the page differs from one of the interpreter; what only pages have is free."""
    if isinstance(expected, dict):
        pairs = ((f"{path}/{k}", v, got.get(k, 0)) for k, v in expected.items())
    elif isinstance(expected, list):
        if len(expected) != len(got):
            return f"{path}: {len(expected)} and {len(got)} entries"
        pairs = ((f"{path}/{i}", v, got[i]) for i, v in enumerate(expected))
    elif isinstance(expected, float | int) and not isinstance(expected, bool):
        near = abs(expected - got) <= TOLERANCE * max(1, abs(expected))
        return None if near else f"{path}: {expected} and {got}"
    else:
        return None if expected == got else f"{path}: {expected!r} and {got!r}"
    return next(filter(None, (difference(v, w, p) for p, v, w in pairs)), None)
