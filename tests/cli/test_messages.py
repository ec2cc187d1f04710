"""What is said reaches the terminal as text, and says what to do."""

import json

import pytest
from typer.testing import CliRunner

import progtf
from progtf.cli.examples import ways_to_run
from progtf.cli.main import app
from progtf.cli.messages import plain

PROGRAM = """
semes: noun
lexicon:
  dog: +noun
  unknown: 0
examples:
  dog -> dog: +noun
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "dog.seme"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("more", [[], ["--json"], ["--engine", "interpreter"], ["--margins"]])
def test_control_characters_of_inputs_are_written_out(file, more):
    for character in ("\x1b[2J", "\x9b2J", "\x07", "\r"):
        told = CliRunner().invoke(app, ["run", str(file), f"zz{character}", *more])
        shown = told.stdout + told.stderr
        assert "zz" in shown
        assert plain(shown) == shown


def test_what_is_written_out_is_json_still(file):
    told = CliRunner().invoke(app, ["run", str(file), "--json", "zz\x9b2J"])
    assert json.loads(told.stdout)["input"] == "zz\x9b2J"


def test_a_refused_input_is_shown_as_text(file, capsys):
    file.write_text(PROGRAM.replace("  unknown: 0\n", ""))
    told = CliRunner().invoke(app, ["run", str(file), "zz\x1b[2J"])
    assert "`zz\\u001b[2J`, is not in the lexicon" in told.stderr
    assert "\x1b" not in told.stderr


@pytest.mark.parametrize("command", [["export", "-o", "page.html"], ["test"], ["check"]])
def test_a_compiled_model_where_a_program_is_due_says_how_to_get_one(command, file, tmp_path):
    progtf.save_model(progtf.load(file), tmp_path / "model")
    name, *more = command
    told = CliRunner().invoke(app, [name, str(tmp_path / "model"), *more])
    assert told.exit_code == 1
    said = f"{told.exception} {told.stderr}"
    assert "is a compiled model; `progtf decompile" in said


@pytest.mark.parametrize("name", ["math/round_number", "math/place_value", "algorithms/rpn"])
def test_a_decompiled_program_leaves_out_the_formats_of_its_original(name):
    program = progtf.load(f"examples/{name}.seme")
    again = progtf.parse_program(progtf.decompile(program))
    assert ways_to_run(again) == ways_to_run(program)
