"""Ends of answers: what is not ended is an error, what shares the best score is told."""

import pytest

import progtf
from progtf.views.run import watch

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


def echo(room, away=1, end="0.5"):
    text = ECHO.replace("{room}", str(room)).replace("{away}", str(away)).replace("{end}", end)
    program = progtf.parse_program(text)
    return program, (progtf.interpret(program), progtf.compile(program))


def test_an_answer_that_does_not_end_is_an_error_of_its_line():
    program, runners = echo(3)
    for runner in runners:
        assert runner.run(["abc", "c"]) == ["abc", "c"]
        tried = runner.try_answers(["ab", "abca", "c"])
        assert [getattr(one, "text", None) for one in tried] == ["ab", None, "c"]
        assert "does not end" in str(tried[1])
        assert "3 tokens" in str(tried[1])
        with pytest.raises(progtf.InputError, match="input 2: the answer does not end"):
            runner.run(["ab", "abca"])
    with pytest.raises(progtf.InputError, match="does not end"):
        watch(program, "abca")


def test_tokens_that_share_the_best_score_are_told():
    _, runners = echo(4, end="1")
    for runner in runners:
        ended, tied = echo(4)[1][0].answers(["ab"])[0], runner.answers(["ab"])[0]
        assert (ended.tie, tied.tie) == (False, True)
        assert tied.gap == pytest.approx(0, abs=1e-6)
