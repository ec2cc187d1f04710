"""What commands show of programs that ask again what they wrote."""

import json

import pytest

from progtf.training.build import weights_of
from progtf.training.config import Run, RunError
from tests.program.test_calls import FIBONACCI, NOTS
from tests.program.test_chains import BRACKETS
from tests.programs import ROOT


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "chain.seme"
    path.write_text(BRACKETS, encoding="utf-8")
    return path


def test_run_prints_the_last_text_and_with_steps_all(progtf, file):
    for engine in ("interpreter", "network", "reference"):
        assert progtf("run", file, "(()()).", "--engine", engine)[:2] == (0, ".\n")
    _, out, _ = progtf("run", file, "((())).", "--steps")
    assert out == "((())).\n^    ^\n(()).\n^  ^\n().\n^^\n.\n.\n"
    status, out, err = progtf("run", file, "(((((.)))))", "(((((()))))).", "()", "--steps")
    assert status == 1
    assert "text 2: again: not done after 4 steps" in err
    assert "text 3: step 2: the input is empty" in err
    assert out.splitlines()[0] == "(((((.)))))"
    assert out.splitlines()[-3:] == ["^^", "", ""]  # what cannot be read, and no answer


@pytest.mark.parametrize("section", ["Texts that are asked again", "Questions that a program asks"])
def test_the_page_shows_what_steps_prints(progtf, tmp_path, section):
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    program, shown = page.split(f"### {section}")[1].split("```")[1:4:2]
    path = tmp_path / "shown.seme"
    path.write_text(program.removeprefix("seme"), encoding="utf-8")
    text = shown.splitlines()[1]
    assert progtf("run", path, text, "--steps")[1] == shown.lstrip("\n")


def test_json_has_every_step(progtf, file):
    shown = json.loads(progtf("run", file, "(()).", "--json")[1])
    assert shown["output"] == "."
    assert [(each["input"], each["output"], each["replaced"]) for each in shown["steps"]] == [
        ("(()).", "().", [[0, 1], [3, 4]]),
        ("().", ".", [[0, 2]]),
        (".", ".", []),
    ]
    shown = json.loads(progtf("run", file, "()", "--json")[1])
    assert (shown["output"], shown["error"]) == (None, "step 2: the input is empty")
    assert [each["input"] for each in shown["steps"]] == ["()"]
    status, _, err = progtf("run", file, "()", "--json", "--steps")
    assert status == 1
    assert "leave --steps out" in err


TREE = """3
  2
    1
  1 2
    0
  0 1 2
  ^^ ^^
1 3
  1
1 1 3
^^^^^
2
"""


@pytest.fixture
def calls(tmp_path):
    path = tmp_path / "calls.seme"
    path.write_text(FIBONACCI, encoding="utf-8")
    return path


def test_questions_stand_below_the_text_that_asked(progtf, calls):
    for engine in ("interpreter", "network", "reference"):
        assert progtf("run", calls, "3", "--steps", "--engine", engine)[:2] == (0, TREE)
    steps = json.loads(progtf("run", calls, "3", "--json")[1])["steps"]
    assert [each["depth"] for each in steps] == [0, 1, 2, 1, 2, 1, 0, 1, 0]
    assert [each["replaced"] for each in steps[5:8]] == [[[0, 2], [3, 5]], [], []]
    assert progtf("test", calls)[0] == 0
    assert 'after a question as "{answer} {text}"' in progtf("check", calls)[1]


def test_where_a_tree_of_questions_stops_is_seen(progtf, calls, tmp_path):
    calls.write_text(FIBONACCI.replace("up to 60", "up to 4"), encoding="utf-8")
    status, out, err = progtf("run", calls, "3", "--steps")
    assert (status, out) == (1, "3\n  2\n    1\n  1 2\n3\n")
    assert "again: not done after 4 steps" in err
    file = tmp_path / "nots.seme"
    file.write_text(NOTS, encoding="utf-8")
    status, out, err = progtf("run", file, "not", "<ask> yes", "--steps")
    assert (status, out) == (1, "not\n  \n\n<ask> yes\n\n")
    assert "text 1: step 2: the input is empty" in err
    assert "text 2: token 1, `<ask>`, is no word of a text" in err


def test_inside_every_step_is_shown(progtf, file):
    _, out, _ = progtf("run", file, "(()).", "--trace", "gone")
    steps = [line for line in out.splitlines() if line.startswith("step")]
    assert steps == ["step 1: (()).", "step 2: ().", "step 3: ."]
    assert "logit gap" in progtf("run", file, "(()).", "--margins")[1]


def test_check_says_that_each_step_is_proven(progtf, file):
    status, out, _ = progtf("check", file)
    assert status == 0
    assert "asked again, up to 4 steps" in out
    last = out.splitlines()[-1]
    assert last == "asked again, 4 steps at most: what is proven is proven of each step"
    assert json.loads(progtf("check", file, "--json")[1])["again"] == 4


def test_examples_give_the_last_text(progtf, file):
    assert "2 of 2 right" in progtf("test", file)[1]
    file.write_text(BRACKETS.replace('"(()." -> "(."', '"(()." -> "(()."'), encoding="utf-8")
    assert "1 of 2 right" in progtf("test", file)[1]


def test_pages_and_training_refuse_it_by_name(progtf, file, tmp_path):
    status, _, err = progtf("export", file, "--out", tmp_path / "page.html")
    assert status == 1
    assert "`again:`: a page shows one step" in err
    data = {"folder": tmp_path, "modules": ["arithmetic__mul"]}
    run = Run.model_validate({"program": file, "out": tmp_path / "out", "data": data})
    with pytest.raises(RunError, match="`again:` asks the network several times for one answer"):
        weights_of(run)
