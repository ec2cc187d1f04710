"""The tasks of a class in a browser: each is solved by its solution, and ticked off in the page."""

import json
import re
from difflib import ndiff
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from progtf import parse_program
from progtf.cli.main import app
from progtf.cli.task import read_task, task_body
from progtf.views.editor import examine
from progtf.views.page import page
from progtf.views.program import describe
from tests.programs import ROOT
from tests.widgets.test_front_end import EDIT

pytestmark = pytest.mark.xdist_group("browser")

TASKS = sorted((ROOT / "examples" / "class").glob("*.toml"))
JUDGE = "([program, examples]) => examples.map(one => progtf.verdict(program, one).holds)"
DATA = re.compile(r'<script type="application/vnd.progtf\+json"[^>]*>(.*?)</script>', re.DOTALL)
ROW = re.compile(
    r'^\| <a href="figures/(\d\d_\w+)\.html">.*\| (\d+) lines?[ :][^|]*\|$', re.MULTILINE
)
TRIED = re.compile(r": (?:(\d+) of (\d+) right)$", re.MULTILINE)


@pytest.fixture(scope="module")
def engine(browser, tmp_path_factory):
    """A page with the front-end in it."""
    file = tmp_path_factory.mktemp("engine") / "page.html"
    file.write_text(page("engine", ""), encoding="utf-8")
    shown = browser.new_page()
    shown.goto(file.as_uri())
    yield shown
    shown.close()


def test_there_are_ten():
    assert len(TASKS) == 10


def test_the_page_for_a_class_says_how_many_lines_a_solution_changes():
    told = ROW.findall((ROOT / "docs" / "class.md").read_text(encoding="utf-8"))
    counted = []
    for file in TASKS:
        task = read_task(file)
        start, solution = (
            text.partition("examples:\n")[0].rstrip().split("\n")
            for text in (task.start, task.solution)
        )
        come = [line for line in ndiff(start, solution) if line.startswith("+ ")]
        counted.append((file.stem, str(len(come))))
    assert told == counted


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.stem)
def test_the_solution_meets_all_hidden_examples_and_the_start_does_not(engine, file, tmp_path):
    task = read_task(file)
    hidden = parse_program(task.solution).examples
    told = [{"input": each.input, "output": each.output, "line": 0} for each in hidden]
    _, opens, examples = task.solution.partition("examples:\n")
    met = {}
    for name, text in (("solution", task.solution), ("start", task.start)):
        described = json.loads(json.dumps(describe(parse_program(text))))
        met[name] = engine.evaluate(JUDGE, [described, told])
        program = tmp_path / f"{name}.seme"
        program.write_text(text.partition("examples:\n")[0] + opens + examples, encoding="utf-8")
        said = CliRunner().invoke(app, ["test", str(program), "--engine", "interpreter"])
        (count,) = TRIED.findall(said.output)
        assert count == (str(sum(map(bool, met[name]))), str(len(hidden))), name
    assert all(met["solution"])
    assert not all(met["start"])
    assert len(hidden) >= 4


def typed(shown, text):
    """Writes a text into the editor, and answers as Python does."""
    shown.evaluate(EDIT, text)
    shown.wait_for_function("text => sent.at(-1)?.text === text", arg=text)
    asked = shown.evaluate("sent.at(-1).id")
    shown.evaluate("answer", {**examine(text, "behind.seme", None), "asked": asked})


def test_hidden_examples_are_ticked_off_as_they_are_met(mount):
    (data,) = DATA.findall(task_body(TASKS[0], "python/")[1])
    shown = mount(SimpleNamespace(**json.loads(data)))
    said, rows = shown.get_by_test_id("task"), shown.get_by_test_id("hidden-examples")
    expect(said).to_have_text("0 of 4 hidden examples are met")
    expect(shown.get_by_role("region", name="what is wanted")).to_contain_text("the word behind it")
    expect(rows.get_by_role("listitem")).to_have_text(["✗ hidden until it is met"] * 4)
    assert "white dog" not in shown.locator("body").inner_text()
    start = read_task(TASKS[0]).start
    typed(shown, start.replace("at: -1", "at: +1").replace("black>black, ", ""))
    expect(said).to_have_text("3 of 4 hidden examples are met")
    expect(rows.get_by_role("listitem").first).to_have_text("✓ dog white → dog: +noun +white")
    expect(rows.get_by_role("listitem").nth(2)).to_have_text("✗ hidden until it is met")
    typed(shown, start.replace("at: -1", "at: +"))
    expect(said).to_have_text("hidden examples not tried: the program has an error")
    expect(rows.get_by_role("listitem").first).to_have_text("· dog white → dog: +noun +white")
    typed(shown, start.replace("at: -1", "at: +1"))
    expect(said).to_have_text("✓ Done: all 4 hidden examples are met")


def test_who_is_stuck_is_shown_an_example_and_what_the_program_says_of_it(mount):
    (data,) = DATA.findall(task_body(TASKS[0], "python/")[1])
    shown = mount(SimpleNamespace(**json.loads(data)))
    rows = shown.get_by_test_id("hidden-examples").get_by_role("listitem")
    more = shown.get_by_role("button", name="show one that is not met")
    more.click()
    expect(rows).to_have_text(
        ["✗ dog white → dog: +noun +white, yours: dog: +noun | white: +white"]
        + ["✗ hidden until it is met"] * 3
    )
    start = read_task(TASKS[0]).start
    typed(shown, start.replace("at: -1", "at: +1"))
    expect(rows.first).to_have_text("✓ dog white → dog: +noun +white")
    expect(more).to_be_disabled()


def test_a_figure_that_only_asks_to_try_something_tells_how_far_one_is(mount):
    (data,) = DATA.findall(task_body(TASKS[0], "python/")[1])
    told = json.loads(data)
    told["data"]["task"]["wanted"] = ""
    shown = mount(SimpleNamespace(**told))
    said = shown.get_by_test_id("task")
    expect(said).to_have_text("0 of 4 hidden examples are met")
    expect(shown.get_by_test_id("hidden-examples")).to_have_count(0)
    typed(shown, read_task(TASKS[0]).start.replace("at: -1", "at: +1"))
    expect(said).to_have_text("✓ Done: all 4 hidden examples are met")
