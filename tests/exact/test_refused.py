"""Programs that would answer wrongly are refused, and really would."""

import numpy as np
import pytest

from progtf import check, compile, parse_program  # noqa: A004
from progtf.running.interpret import answer
from tests.exact import wrong


def codes(text, **given):
    return {d.code for d in check(parse_program(text), **given).found}


def differs(text, given, dtype="float32"):
    """By how much the network's residual differs from what is meant."""
    program = parse_program(text)
    got, meant = (
        compile(program, dtype).answers([given])[0].residual,
        answer(program, given).residual,
    )
    assert got is not None
    assert meant is not None
    return np.abs(got - meant).max()


def test_a_sharpness_that_is_too_low():
    assert codes(wrong.SHARPNESS_TOO_LOW) == {"attention-leak"}
    model = compile(parse_program(wrong.SHARPNESS_TOO_LOW))
    assert model.run("red dog") == "RED"
    assert model.run(" ".join(["dog"] * 63 + ["red"])) == "NO"
    assert codes(wrong.SHARPNESS_TOO_LOW.replace("    sharpness: 4\n", "")) == set()


def test_a_ladder_of_clocks_that_is_too_short():
    assert codes(wrong.LADDER_TOO_SHORT) == {"clock-gap"}
    assert codes(wrong.LADDER_TOO_SHORT.replace("/6 /60.02", "/8 /512")) == set()


def test_a_ladder_that_is_too_short_at_a_greater_length():
    text = wrong.LADDER_TOO_SHORT.replace("/6 /60.02", "/8 /64").replace("60", "30")
    assert codes(text) == set()
    assert codes(text, length=65) == {"clock-gap"}


def test_a_range_past_a_format():
    assert codes(wrong.PAST_BFLOAT16) == set()
    assert "threshold-margin" in codes(wrong.PAST_BFLOAT16, dtype="float16")
    assert codes(wrong.PAST_BFLOAT16, dtype="bfloat16") == {"past-format", "threshold-margin"}
    assert differs(wrong.PAST_BFLOAT16, "+777total", "bfloat16") == 1
    assert differs(wrong.PAST_BFLOAT16, "+777total", "float16") == 1
    assert differs(wrong.PAST_BFLOAT16, "+776total") == 0


def test_two_keys_that_tie():
    assert codes(wrong.KEYS_THAT_TIE) == {"tie"}
    (found,) = check(parse_program(wrong.KEYS_THAT_TIE)).found
    program = parse_program(wrong.KEYS_THAT_TIE)
    witness = found.label.partition("`")[2].rstrip("`")
    residual = answer(program, witness).residual
    assert residual is not None
    assert 5.5 in residual


def test_keys_that_tie_and_agree():
    assert codes(wrong.KEYS_THAT_TIE.replace("+2size", "+9size")) == set()


@pytest.mark.parametrize(("length", "found"), [(8, set()), (16, set()), (64, {"attention-leak"})])
def test_a_leak_that_grows_with_the_length(length, found):
    assert codes(wrong.LEAK_GROWS, length=length) == found


@pytest.mark.parametrize("rule", ["total: 12 when noun", "total: 2val", "total: val + 8"])
def test_a_value_that_leaves_its_range(rule):
    text = f"""\
semes: noun big
  val: 0..9
  total: 0..9
lexicon:
  dog: +noun +7val
  unknown: 0
layer:
  feedforward:
    {rule}
layer:
  feedforward:
    big: total > 3
"""
    assert codes(text) == {"leaves-range"}


def test_two_answers_with_one_score():
    text = "semes: a\nlexicon:\n  x: +a\n  y: 0\nclassify:\n  ONE: a\n  TWO: a\n  otherwise: NO\n"
    assert codes(text) == {"same-score"}


def test_scores_that_a_format_does_not_have():
    text = """\
semes:
  n: 0..250
lexicon:
  for k in [0, 100, 250]:
    "{k}": +{k}n
output:
  classify n in 0..250
"""
    assert codes(text) == set()
    assert codes(text, dtype="bfloat16") == {"logit-gap"}
    assert compile(parse_program(text), "bfloat16").run("250") != "250"


def test_a_token_with_a_value_that_a_format_does_not_have():
    text = """\
semes: a big
lexicon:
  x: +25.7a
  y: +25.8a
layer:
  feedforward:
    big: a >= 25.8
"""
    assert codes(text) == set()
    assert "inexact-weight" in codes(text, dtype="bfloat16")
    assert differs(text, "x y", "bfloat16") > 0.01


def test_an_unknown_format_and_a_length_of_nothing():
    program = parse_program(wrong.LEAK_GROWS)
    with pytest.raises(ValueError, match="float8"):
        check(program, "float8")
    with pytest.raises(ValueError, match="got 0"):
        check(program, length=0)
