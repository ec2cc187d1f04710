"""A line folded at 0 and at a number: how far it lies off is what it reads does, each once."""

from fractions import Fraction

import numpy as np
import pytest

import progtf
from progtf.exact import check
from progtf.program.model import Program

TEXT = """\
semes:
  x: 0..260 step 1/10
  c: 0..1 step 1/10
  go
lexicon:
{}
encoder:
  for k in [{}]:
    layer fold:
      feedforward:
        set x: abs(abs(x - {{2**(k + 1)}}c) - {{2**k}}c) {}
"""
FOLDS = [6, 4, 2, 0]


def chain(words: dict[str, tuple[str, str]], folds: list[int], when: str = "") -> Program:
    lexicon = "".join(f"  {word}: +{x}x +{c}c +go\n" for word, (x, c) in words.items())
    return progtf.parse_program(TEXT.format(lexicon, ", ".join(map(str, folds)), when))


def folded(x: Fraction, c: Fraction) -> Fraction:
    for k in FOLDS:
        x = abs(abs(x - 2 ** (k + 1) * c) - 2**k * c)
    return x


@pytest.mark.parametrize("when", ["", "when go"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_measured_errors_of_many_folds_keep_to_the_bound(dtype, when):
    rng = np.random.default_rng(5)
    digits = rng.integers(1, [2550, 11], (300, 2))
    words = {f"w{n}": (f"{x / 10}", f"{c / 10}") for n, (x, c) in enumerate(digits.tolist())}
    program = chain(words, FOLDS, when)
    report = check(program, dtype)
    assert report.output is not None
    bound = report.output.error
    model = progtf.compile(program, dtype)
    (answer,) = model.answers([" ".join(list(words)[:60])])
    assert answer.residual is not None
    column = program.space.index["x"]
    due = [folded(*map(Fraction, numbers)) for numbers in words.values()]
    off = [
        abs(float(Fraction(float(got)) - meant))
        for got, meant in zip(answer.residual[:, column], due, strict=False)
    ]
    assert 0 < max(off) <= bound
    assert not report.assumptions


@pytest.mark.parametrize("when", ["", "when go"])
def test_errors_pass_each_fold_once(when):
    words = {"w": ("255.1", "0.3"), "v": ("0.1", "0.7")}
    one, all_four = (check(chain(words, folds, when)).output for folds in (FOLDS[:1], FOLDS))
    assert one is not None
    assert all_four is not None
    assert all_four.error < 5 * one.error


ROUNDED = """\
semes:
  z[1..3]: 0..250 step 10
  p[1..3]: 0..25
  m: 1..6
  k: {0}..{1} step 1
  y: 0..54
  zero
lexicon:
  w: +250z[1] +250z[2] +250z[3] +25p[1] +25p[2] +25p[3] +1m
  v: +10z[1] +10p[1] +1m
  u: +6m
encoder:
  layer a:
    feedforward:
      k: p[1] + p[2] + p[3] - 0.1z[1] - 0.1z[2] - 0.1z[3] + {0}
  layer f:
    feedforward:
      y: abs(abs(k - {0}) - m + 1)
"""


@pytest.mark.parametrize("start", ["1", "1.0003", "1.0057", "0.7003"])
def test_ends_that_are_rounded_make_no_line_steeper(start):
    program = progtf.parse_program(ROUNDED.format(start, float(start) + 12))
    report = check(program, "bfloat16")
    column = program.space.index["y"]
    (answer,) = progtf.compile(program, "bfloat16").answers(["w v"])
    assert answer.residual is not None
    assert 0 < answer.residual[0, column] <= report.rules[-1].error


@pytest.mark.parametrize("value", ["0.1z", "abs(abs(0.1z) - 0)"])
def test_what_is_set_beside_what_was_rounded_lies_off_by_both(value):
    text = "model:\n  norm: round\nsemes:\n  z: 0..200 step 10\n  y: 0..20\nlexicon:\n  w: +160z\n"
    text += "  v: +200z\nlayer:\n  feedforward:\n    y: 0.1z\n"
    text += f"layer:\n  feedforward:\n    set y: {value}\n" * 32
    program = progtf.parse_program(text)
    report = check(program, "bfloat16")
    (answer,) = progtf.compile(program, "bfloat16").answers(["w v"])
    assert answer.residual is not None
    off = abs(answer.residual[0, program.space.index["y"]] - 16)
    assert report.output is not None
    assert 0.5 < off <= report.output.error
