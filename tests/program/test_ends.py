"""Ends of answers: what does not end says so, with the text so far; ties of scores are told."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import progtf
from progtf.cli.main import app
from progtf.lsp.judge import judge
from progtf.views.run import watch
from progtf.views.still import program_html
from tests.exact.endless import ENDS, NEVER

ECHO = """
model:
  kind: seq2seq
  tokens: chars
  length: 8 -> {room}
semes: is["a".."c"] said["a".."c"]
lexicon:
  <bos>: 0
  <eos>: 0
  for c in "a".."c":
    "{c}": +is[c]
decoder:
  layer echo:
    head echo:
      from: encoder
      at: {away}
      value: is>said
output:
  for c in "a".."c":
    "{c}": said[c]
  <eos>: {end}
"""
ROUND = """
model:
  kind: decoder
  length: 3 -> 5
semes: a b
lexicon:
  x: +a
  y: +b
decoder:
  layer next:
    head instead:
      look: self
      value: -a>a, a>b, -b>b, b>a
output:
  x: a
  y: b
"""
"""A decoder that goes round, and knows no end."""
ROOMS = range(1, 7)


def echo(room, away=1, end="0.5"):
    text = ECHO.replace("{room}", str(room)).replace("{away}", str(away)).replace("{end}", end)
    program = progtf.parse_program(text)
    return program, (progtf.interpret(program), progtf.compile(program, "float32"))


MADE = {room: echo(room) for room in ROOMS}


@pytest.fixture
def echoed(tmp_path):
    path = tmp_path / "echo.seme"
    path.write_text(ECHO.replace("{room}", "3").replace("{away}", "1").replace("{end}", "0.5"))
    return path


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@given(
    room=st.sampled_from(ROOMS),
    texts=st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=8),
)
def test_what_does_not_end_has_the_text_so_far_and_says_so(room, texts):
    for runner in MADE[room][1]:
        for text, tried in zip(texts, runner.try_answers(texts), strict=True):
            if isinstance(tried, progtf.InputError):
                assert len(text) > room
                assert isinstance(tried, progtf.EndlessError)
                assert tried.answer.text == text[:room]
                assert f"length is {room} token" in str(tried)
                assert tried.answer.tokens == ("<bos>", *text, "<eos>")
            else:
                assert tried.text == text
                assert len(text) <= room


def test_an_answer_that_does_not_end_is_an_error_of_its_input():
    program, runners = echo(3)
    for runner in runners:
        assert runner.run(["abc", "c"]) == ["abc", "c"]
        with pytest.raises(progtf.EndlessError, match="input 2: the answer does not end") as found:
            runner.run(["ab", "abca"])
        assert found.value.answer.text == "abc"
        copied = pickle.loads(pickle.dumps(found.value))
        assert (str(copied), copied.answer.text) == (str(found.value), "abc")
        with pytest.raises(progtf.InputError, match="does not end"):
            runner.run("abca")
    seen = watch(program, "abca")
    assert seen["answer"]["text"] == "abc"
    assert "does not end" in seen["answer"]["error"]
    assert seen["steps"][-1]["tokens"] == ["<bos>", "a", "b", "c"]
    assert "error" not in watch(program, "ab")["answer"]
    still = program_html(program, "abca")
    assert "<b>abc</b>" in still
    assert "does not end" in still


def test_run_shows_the_text_so_far_and_ends_with_another_status(echoed):
    for more in ((), ("--engine", "interpreter")):
        result = run("run", *more, echoed, "ab", "abca", "q", "c")
        assert result.exit_code == 1
        assert result.stdout.splitlines() == ["ab", "abc", "", "c"]
        assert "text 2: the answer does not end" in result.stderr
        assert "text 3: token 1" in result.stderr
        result = run("run", "--json", *more, echoed, "ab", "abca", "q", "c")
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert result.exit_code == 1
        assert [row["input"] for row in rows] == ["ab", "abca", "q", "c"]
        assert [row["output"] for row in rows] == ["ab", "abc", None, "c"]
        assert ["error" in row for row in rows] == [False, True, True, False]
        assert rows[1]["outcome"]["verdict"] == rows[0]["outcome"]["verdict"]
        assert run("run", *more, echoed, "ab").exit_code == 0


def test_traces_and_margins_are_of_what_was_written_so_far(echoed):
    for more in (
        ("--margins",),
        ("--trace", "said"),
        ("--trace", "said", "--engine", "interpreter"),
    ):
        result = run("run", *more, echoed, "abca")
        assert result.exit_code == 1
        assert "text 1: the answer does not end" in result.stderr
        assert ("abc" in result.stdout) if more == ("--margins",) else ("'c'" in result.stdout)
        assert run("run", *more, echoed, "ab").exit_code == 0


def test_examples_that_do_not_end_fail_wherever_they_are_judged(echoed):
    echoed.write_text(echoed.read_text() + 'examples:\n  "ab" -> "ab"\n  "abca" -> "abc"\n')
    result = run("test", echoed)
    assert result.exit_code == 1
    assert "got      abc\n    but the answer does not end" in result.stdout
    found = judge(echoed.read_text(), str(echoed), echoed.parent)
    ((_, line),) = [each.values() for each in found["wrong"]]
    assert "found abc, but the answer does not end" in line


def test_a_program_without_an_end_fills_its_length_by_intention(tmp_path):
    path = tmp_path / "round.seme"
    path.write_text(ROUND)
    program = progtf.parse_program(ROUND)
    for runner in (progtf.interpret(program), progtf.compile(program, "float32")):
        assert runner.run("x") == "y x y x y"
    result = run("run", path, "x")
    assert (result.exit_code, result.stdout) == (0, "y x y x y\n")
    assert result.stderr == ""


@pytest.mark.parametrize("text", [*NEVER.values()], ids=[*NEVER])
def test_who_never_ends_shows_what_was_written(text):
    program = progtf.parse_program(text)
    for runner in (progtf.interpret(program), progtf.compile(program, "float32")):
        (tried,) = runner.try_answers(["x"])
        assert isinstance(tried, progtf.EndlessError)
        assert len(tried.answer.text.split()) == 3


@pytest.mark.parametrize("text", [*ENDS.values()], ids=[*ENDS])
def test_who_ends_at_times_answers_then(text):
    program = progtf.parse_program(text)
    for runner in (progtf.interpret(program), progtf.compile(program, "float32")):
        tried = runner.try_answers(["x", "y", "z", "y z"])
        assert any(not isinstance(each, progtf.InputError) for each in tried)


def test_tokens_that_share_the_best_score_are_told():
    _, runners = echo(4, end="1")
    for runner in runners:
        ended, tied = echo(4)[1][0].answers(["ab"])[0], runner.answers(["ab"])[0]
        assert (ended.tie, tied.tie) == (False, True)
        assert tied.gap == pytest.approx(0, abs=1e-6)
