"""``progtf pairs`` on a program of four words."""

import json

import pytest
from typer.testing import CliRunner

from progtf.cli.main import app

PROGRAM = """
semes: bad
lexicon:
  dogs run: 0
  runs: +bad
score:
  pool: sum
  value: -bad
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "agreement.seme").write_text(PROGRAM)
    rows = [("dogs run", "dogs runs"), ("dogs", "dogs run"), ("dogs run", "cats run")]
    lines = [json.dumps({"sentence_good": good, "sentence_bad": bad}) for good, bad in rows]
    (tmp_path / "plural.jsonl").write_text("\n".join(lines))
    return tmp_path


def put(*words):
    return CliRunner().invoke(app, ["pairs", *map(str, words)])


def test_a_pair_is_right_if_the_better_sentence_scores_higher_and_ties_are_wrong(folder):
    result = put(folder / "agreement.seme", folder, "--misses", "2")
    assert result.exit_code == 0, result.output
    assert "33.3" in result.output
    assert "50.0" in result.output  # of the two pairs that it takes: it does not know `cats`
    assert "plural: dogs | dogs run" in result.output


def test_a_program_without_a_score_is_refused(folder):
    other = folder / "other.seme"
    other.write_text("semes: noun\nlexicon:\n  dogs: +noun\n")
    result = put(other, folder)
    assert result.exit_code != 0
    assert "score:" in result.output


def test_a_line_that_is_no_pair_is_named(folder):
    (folder / "wrong.jsonl").write_text("{}\n")
    result = put(folder / "agreement.seme", folder / "wrong.jsonl")
    assert result.exit_code == 1
    assert "wrong.jsonl:1: this is no object" in result.output
