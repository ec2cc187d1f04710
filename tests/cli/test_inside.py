"""``progtf patch`` and ``progtf circuit``."""

import json

import pytest
from typer.testing import CliRunner

from progtf.cli.main import app

PLACE, QUESTION = "examples/math/place_value.seme", "What is the tens digit of 1234?"
NETWORK = "--engine", "network"


def run(*words):
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        (["--set", "hit@29=0", "--set", "hit@28=1"], "2"),
        (["--set", "encoder.hit.hit=0"], ""),
        (["--add", "asked=1"], "2"),
        (["--scale", "encoder.told.asked=0"], "4"),
        (["--swap", "asked=What is the hundreds digit of 7?"], "2"),
        (["--ablate", "encoder.told.told"], "4"),
    ],
)
@pytest.mark.parametrize("engine", [(), NETWORK])
def test_patch_answers_with_changes_and_without(changes, answer, engine):
    result = run("patch", PLACE, QUESTION, *changes, *engine)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{answer}\nwithout changes: 3\n"


@pytest.mark.parametrize("engine", [(), NETWORK])
def test_what_a_loop_says_at_its_end_is_changed_behind_it(engine):
    change = "--set", "subtract.unfinished=1"
    result = run("patch", "examples/euclid.seme", "+12a +18b", *change, *engine)
    assert result.exit_code == 1
    assert "loop subtract: not done after 961 rounds" in f"{result.output}{result.exception}"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], "nothing is changed"),
        (["--set", "hitt@29=0"], "no seme is called `hitt`; did you mean `hit`?"),
        (["--set", "encoder.hitt.hit=0"], "no layer is called `encoder.hitt`; did you mean"),
        (["--set", "encoder.hit=0"], "`encoder.hit`: a layer is named, and what of it is due"),
        (["--ablate", "encoder.told"], "`encoder.told`: a layer is named, and what of it is due"),
        (["--set", "hit=nan"], "a number with an end is due"),
        (["--set", "hit"], "such as `hit@5=0`"),
        ([*NETWORK, "--set", "hit=16777217"], "computes in float32, which has no number 16777217"),
        ([*NETWORK, "--scale", "asked=1e300"], "which has no number"),
        (["--set", "hit@29=high"], "`high` is no number"),
        (["--set", "hit@99=1"], "the text has 33 tokens"),
        (["--ablate", "encoder.told.tolt"], "did you mean `told`?"),
    ],
)
@pytest.mark.parametrize("engine", [(), NETWORK])
def test_mistakes_are_told_without_a_traceback(changes, said, engine):
    result = run("patch", PLACE, QUESTION, *engine, *changes)
    told = f"{result.output}{result.exception}"
    assert result.exit_code == 1
    assert said in " ".join(told.split())


def test_circuit_prints_json_graphviz_and_a_picture():
    data = json.loads(run("circuit", PLACE).stdout)
    assert {"encoder.hit.rules", "scores"} <= {node["name"] for node in data["nodes"]}
    assert any(edge["seme"] == "hit" for edge in data["edges"])
    assert run("circuit", PLACE, "--dot").stdout.startswith("digraph")
    assert run("circuit", PLACE, "--svg").stdout.startswith("<svg")
    assert run("circuit", PLACE, "--svg", "--dot").exit_code == 1


@pytest.mark.parametrize("checkpoint", ["docs", PLACE, "nothing"])
def test_roles_of_what_is_no_checkpoint_are_refused_in_words(checkpoint, tmp_path):
    (tmp_path / "asked.txt").write_text(f"{QUESTION}\n3\n" * 4)
    result = run("roles", checkpoint, "--data", str(tmp_path / "asked.txt"), "--program", PLACE)
    assert result.exit_code != 0
    assert str(result.exception) == (
        f"{checkpoint}: no checkpoint of a network; `progtf train` makes one"
    )


@pytest.mark.parametrize("spec", ["v@0=5", "v=5", "encoder.embedding.v=5"])
def test_of_a_program_without_layers_nothing_can_be_changed(tmp_path, spec):
    path = tmp_path / "plain.seme"
    path.write_text("semes:\n  v: 0..9\nlexicon:\n  a: +3v\n")
    result = run("patch", str(path), "a", "--set", spec)
    assert result.exit_code == 1
    assert "has no layers" in f"{result.output}{result.exception}"
