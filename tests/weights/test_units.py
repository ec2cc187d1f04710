"""Hidden units: what their numbers lie off what the rules say."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import progtf
from progtf.program.model import Layer
from progtf.weights.units import hidden_units

TEXT = """\
semes:
  f
  g
  n: {low}..{high} step 0
  m: -9e+15..9e+15 step 0
lexicon:
  a: +f +g +n
layer:
  feedforward:
    m: {a}f + n when f & !g
    m: {b}n + {c}
"""
numbers = st.floats(0.001, 1e3).map(lambda value: round(value, 3))


def block_of(text):
    stage = progtf.parse_program(text).encoder[0]
    assert isinstance(stage, Layer)
    assert stage.feedforward is not None
    return stage.feedforward


@given(numbers, numbers, numbers, st.floats(1, 4e9).map(round))
def test_what_a_unit_reads_lies_off_as_far_as_it_says(a, b, c, high):
    block = block_of(TEXT.format(a=a, b=b, c=c, low=-high, high=high))
    hidden = hidden_units(block)
    rule = block.rules[0]
    assert rule.curve is not None
    place = hidden.of_rules[0][-1]
    reads = hidden.units[place].reads
    meant = Fraction(rule.curve.form.coefficients.get("f", 0.0)) + Fraction(rule.curve.reach)
    off = abs(meant - Fraction(reads.coefficients["f"]))
    assert off == Fraction(hidden.lost.reads.get((place, "f"), 0.0))


@given(numbers, numbers)
def test_what_is_added_everywhere_lies_off_as_far_as_it_says(b, c):
    block = block_of(TEXT.format(a=1, b=b, c=c, low=-4000000000, high=4000000000))
    hidden = hidden_units(block)
    meant = sum(
        Fraction(rule.curve.start) * Fraction(rule.writes["m"])
        for rule in block.rules
        if rule.curve is not None and not rule.gate.positive
    )
    off = abs(meant - Fraction(hidden.bias.get("m", 0.0)))
    assert off <= Fraction(hidden.lost.bias.get("m", 0.0))


def test_whole_numbers_lose_nothing():
    hidden = hidden_units(block_of(TEXT.format(a=3, b=-2, c=5, low=0, high=1000)))
    lost = hidden.lost
    assert not lost.reads
    assert not lost.constants
    assert not lost.writes
    assert not lost.bias
