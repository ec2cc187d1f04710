"""Numbers of a program know the fraction that they stand for."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import progtf
from progtf.rational import Rational, fraction_of, rational

FRACTIONS = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)


@given(FRACTIONS)
def test_a_number_is_the_nearest_float_and_knows_its_fraction(value):
    number = rational(value)
    assert number == float(value)
    assert fraction_of(number) == value
    assert fraction_of(pickle.loads(pickle.dumps(number))) == value
    assert (type(number) is Rational) == (Fraction(float(value)) != value)


@given(FRACTIONS, FRACTIONS)
def test_sums_differences_and_products_are_those_of_fractions(one, other):
    a, b = rational(one), rational(other)
    assert fraction_of(a + b) == one + other
    assert fraction_of(a - b) == one - other
    assert fraction_of(a * b) == one * other
    assert fraction_of(-a) == -one
    assert fraction_of(abs(a)) == abs(one)
    if other:
        assert fraction_of(rational(Fraction(1, 3)) / b) == Fraction(1, 3) / other


@given(FRACTIONS, st.integers(-1000, 1000))
def test_whole_numbers_join_in_from_both_sides(one, whole):
    a = rational(one)
    if type(a) is Rational:
        assert fraction_of(whole + a) == fraction_of(a + whole) == one + whole
        assert fraction_of(whole * a) == fraction_of(float(whole) * a) == one * whole


def test_what_has_no_end_stays_so():
    third = rational(Fraction(1, 3))
    assert third * float("inf") == float("inf")
    assert third + float("-inf") == float("-inf")
    with pytest.raises(ZeroDivisionError):
        third / 0


def test_a_number_of_a_program_is_the_decimal_that_stands_there():
    program = progtf.parse_program(
        "semes:\n  a b c: 0..9 step 0.1\nlexicon:\n  x: +0.1a +{1/3}b +0.5c\n"
    )
    vector = program.lexicon["x"]
    assert fraction_of(vector["a"]) == Fraction(1, 10)
    assert fraction_of(vector["b"]) == Fraction(1, 3)
    assert type(vector["c"]) is float


def test_numbers_side_by_side_are_added_as_fractions():
    program = progtf.parse_program(
        "semes:\n  a\n  t: 0..9 step 0.1\nlexicon:\n  x: +a\n"
        "layer:\n  feedforward:\n    t: a + 0.1 + 0.2\n"
    )
    (layer,) = program.encoder
    (rule,) = layer.feedforward.rules
    assert fraction_of(rule.curve.form.constant) == Fraction(3, 10)
