"""Clocks: addresses that no other position has, distances that are whole numbers of tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.building.load import parse_program
from progtf.building.rules.conditions import told_apart
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.program.arrays import hands
from progtf.program.clocks import (
    address_gap,
    cos_name,
    ladder,
    ramp_gap,
    ramp_period,
    rotated,
)
from progtf.running.walk import residuals
from tests.building.oracle import codes

HERE = Span(Source("t", ""), 1, 0, 0)
lengths = st.integers(2, 300)


@given(lengths)
def test_a_ladder_tells_all_positions_well_apart(length):
    assert address_gap(tuple(ladder(length)), length) > 0.25


@given(lengths)
def test_a_ramp_grows_over_the_whole_input(length):
    assert ramp_gap(ramp_period(length), length) > 0


@given(st.sampled_from([7.0, 8.0, 40.0, 64.5]), st.integers(-9, 9), st.integers(0, 30))
def test_a_hand_moved_on_is_the_hand_at_a_later_position(period, shift, position):
    cos, sin = hands(period, 50)
    now, later = ((cos[at % 50], sin[at % 50]) for at in (position, position + shift))
    if not 0 <= position + shift < 50:
        return
    for form, expected in zip(rotated(period, shift), later, strict=True):
        named = dict(zip((cos_name(period), f"sin[{period:g}]"), now, strict=True))
        value = sum(factor * named[name] for name, factor in form.coefficients.items())
        assert value == pytest.approx(expected, abs=1e-12)


def test_clocks_that_repeat_within_the_input_are_refused():
    assert told_apart((8.0,), 8, HERE) > 0
    with pytest.raises(Mistake) as raised:
        told_apart((8.0,), 9, HERE)
    assert raised.value.diagnostic.code == "alike-positions"


def test_two_long_periods_have_two_names():
    assert cos_name(1048577.0) != cos_name(1048576.0)


FAR = """
model:
  length: LENGTH
semes: noun other near[0..11]
semes:
  far: distance
lexicon:
  n: +noun
  o: +other
layer:
  head:
    look: LOOK
    NEAREST
    distance: far
  feedforward:
    for k in 0..11:
      near[k]: far = k & other
"""


@pytest.mark.parametrize("look", ["before", "after", "upto"])
@given(st.lists(st.sampled_from("no"), min_size=1, max_size=12))
def test_a_distance_is_how_many_tokens_away_the_nearest_is(look, tokens):
    text = FAR.replace("LENGTH", "12").replace("LOOK", look).replace("NEAREST", "nearest: noun")
    program = parse_program(text)
    final = residuals(program, tokens)
    first = program.space.index["near[0]"]
    expected = np.zeros((len(tokens), 12))
    for i, token in enumerate(tokens):
        behind = range(i - 1, -1, -1) if look in ("before", "upto") else range(i + 1, len(tokens))
        nearest = next((abs(i - j) for j in behind if tokens[j] == "n"), None)
        if token == "o" and nearest is not None:
            expected[i, nearest] = 1
    assert np.abs(final[:, first : first + 12] - expected).max() < 1e-6


def test_a_distance_to_both_sides_needs_clocks_for_both():
    text = FAR.replace("LENGTH", "40").replace("NEAREST", "where: noun")
    clocked = "clocks: /8 /48\n" + text
    assert codes(clocked.replace("LOOK", "before")) == []
    assert set(codes(clocked.replace("LOOK", "all"))) == {"alike-positions"}
    assert codes(text.replace("LOOK", "all")) == []
