"""The networks of the package answer at once, and say what they cannot do."""

import json
import shutil

import pytest
from safetensors import safe_open

from progtf.cli.trained import NETWORKS
from progtf.sealed import check

NAMES = ("solve", "answer")
COINS = "A jar has 21 coins, all dimes and nickels. They are worth 150 cents. How many are dimes?"
PASSAGE = "In 1867 the potter Maria Lind moved to Bergen, where she opened a small workshop."


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Tom had 48 marbles. He gave 19 of them to Ben. How many does he have left?", [29]),
        ("The sum of two numbers is 30. Their difference is 4. What are they?", [17, 13]),
        ("A jacket that costs $80 is on sale for 25% off. What is the sale price?", [60]),
        (COINS, [9]),
    ],
)
def test_word_problems_are_solved_without_a_checkpoint(progtf, text, values):
    status, said, errors = progtf("solve", text, "--json")
    found = json.loads(said)
    assert (status, errors, found["unsure"]) == (0, "", False)
    assert [*found["solutions"][0].values()] == pytest.approx(values)


def test_a_problem_that_the_network_does_not_know_is_said_to_be_unsure(progtf):
    text = "Of 7 blorps 12 gliff, and each of 9 wexes snarks 3 times at 5. How many plimmed?"
    status, said, errors = progtf("solve", text, "--json")
    assert status in {0, 1}
    assert json.loads(said)["unsure"]
    assert "unsure, do not rely on it" in errors


def test_a_passage_is_asked_without_a_checkpoint(progtf):
    asked = ("--text", PASSAGE, "--question", "When did Maria Lind move to Bergen?")
    status, said, errors = progtf("answer", *asked)
    assert (status, said.splitlines()[0], errors) == (0, "1867", "")


def test_where_no_answer_is_found_it_is_said(progtf):
    asked = ("--text", PASSAGE, "--question", "How many goats eat grass?")
    status, said, errors = progtf("answer", *asked)
    assert (status, said) == (1, "")
    assert "no answer was found: the likeliest words, `" in errors
    status, said, _ = progtf("answer", *asked, "--json")
    assert (status, json.loads(said)["answer"]) == (1, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_the_package_is_whole_small_and_has_a_card(name):
    folder = NETWORKS / name
    check(folder)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert all(word in card for word in ("Licence", "cannot", "right", "silent", "2026-"))
    with safe_open(folder / "weights.safetensors", "numpy") as file:
        kinds = {str(file.get_tensor(each).dtype) for each in file.keys()}  # noqa: SIM118
    assert kinds <= {"float16", "int32"}
    assert 0 < json.loads((folder / "sure.json").read_text())["least"] < 1


def test_both_networks_have_less_than_twelve_megabytes():
    assert sum(each.stat().st_size for each in NETWORKS.rglob("*") if each.is_file()) < 12e6


@pytest.mark.parametrize("said", ['{"least": 2}', "[]", "{"])
def test_a_network_that_does_not_say_how_sure_it_has_to_be_is_refused(progtf, tmp_path, said):
    folder = tmp_path / "solve"
    shutil.copytree(NETWORKS / "solve", folder)
    (folder / "sure.json").write_text(said)
    status, _, errors = progtf("solve", "What is 2 + 2?", "--checkpoint", folder)
    assert status == 1
    assert "sure.json" in errors
    assert "Traceback" not in errors


def test_without_sympy_it_is_said_which_extra_solves(progtf, monkeypatch):
    monkeypatch.setattr("progtf.cli.solve.find_spec", lambda _: None)
    status, said, errors = progtf("solve", "What is 2 + 2?")
    assert (status, said) == (1, "")
    assert "sympy is not installed: pip install" in errors
    assert "[data]" in errors
