"""The lemmas of `docs/exactness.md`, with random numbers and with the worst, in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.exact.formats import FORMATS, grid_of, grids_of, last_places
from progtf.exact.lemmas import lost_in_one, lost_in_product, shares

FLOAT32 = FORMATS["float32"]
whole = st.integers(-(2**18), 2**18)


def added(terms, order):
    """The sum of some numbers in an order, each addition rounded to float32."""
    total = np.float32(0)
    for place in order:
        total = np.float32(total + np.float32(terms[place]))
    return float(total)


def most_of(terms):
    return max(sum(t for t in terms if t > 0), -sum(t for t in terms if t < 0))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=30), st.randoms())
def test_what_a_sum_loses_in_any_order(terms, random):
    bound = lost_in_one(len(terms), most_of(terms), 0.0, 0.0, 0.0, FLOAT32)
    for _ in range(3):
        order = random.sample(range(len(terms)), len(terms))
        assert abs(added(terms, order) - sum(map(float, terms))) <= bound * 1.001


@given(st.lists(whole, min_size=2, max_size=30), st.randoms(), st.floats(-1e-9, 1e-9))
def test_sums_of_whole_numbers_are_exact_but_for_traces_at_0(terms, random, trace):
    error = len(terms) * abs(trace)
    assert lost_in_one(len(terms), most_of(terms), 0.0, 1.0, error, FLOAT32) == 0
    order = random.sample(range(len(terms)), len(terms))
    off = abs(added([t + trace for t in terms], order) - sum(terms))
    assert off <= (error * 1.001 if sum(terms) == 0 else 0)


def test_partial_sums_count_not_the_sum():
    terms = [15_999_999.0] * 3 + [-15_999_998.0] * 3
    off = max(abs(added(terms, order) - 3) for order in ([0, 1, 2, 3, 4, 5], [0, 3, 1, 4, 2, 5]))
    assert off > 0
    assert lost_in_one(6, most_of(terms), 0.0, 1.0, 0.0, FLOAT32) >= off
    assert lost_in_one(6, 2.0**24, 0.0, 1.0, 0.0, FLOAT32) == 0


@given(st.lists(whole, min_size=2, max_size=12), st.randoms(), st.floats(-0.01, 0.01))
def test_errors_double_at_most(terms, random, off):
    given_terms = [float(np.float32(t + off)) for t in terms]
    error = sum(abs(given - t) for given, t in zip(given_terms, terms, strict=True))
    bound = lost_in_one(len(terms), most_of(given_terms), 0.0, 1.0, error, FLOAT32)
    order = random.sample(range(len(terms)), len(terms))
    assert abs(added(given_terms, order) - sum(terms)) <= error + bound + 1e-12


@given(st.integers(-4000, 4000), st.integers(-4000, 4000))
def test_products_of_whole_numbers_are_exact(one, other):
    size, grid, error = (np.array(float(each)) for each in (abs(one * other), 1, 0))
    assert lost_in_product(size, grid, error, FLOAT32) == 0
    assert float(np.float32(one) * np.float32(other)) == one * other


@given(st.floats(0, 4000, width=32), st.integers(1, 4000), st.integers(1, 4000))
def test_units_that_share_a_sum_differ_by_their_biases(shared, one, other):
    """Lemma 6: also where the sum lies off, and is no multiple of anything."""
    biases = -np.float32(one) / 4, -np.float32(other) / 4
    assert min(map(grid_of, map(float, biases))) >= float(last_places(np.array(4000.0), FLOAT32))
    first, second = (np.float32(np.float32(shared) + bias) for bias in biases)
    if first > 0 and second > 0:
        assert float(first) - float(second) == float(biases[0]) - float(biases[1])


@pytest.mark.parametrize("matches", [1, 2, 3, 7, 8, 17, 64])
def test_shares_of_equal_matches(matches):
    tokens = 64
    scores = np.full(tokens, -60.0, dtype=np.float32)
    scores[:matches] = 0
    given_shares = np.exp(scores) / np.exp(scores).sum(dtype=np.float32)
    told = shares(60.0, 0.0, tokens, FLOAT32, alone=matches in (1, 2, 8, 64))
    assert abs(float(given_shares[0]) * matches - 1) <= told.lost
    assert float(given_shares[matches:].sum()) <= told.leak
    assert told.exact == (matches in (1, 2, 8, 64))


def test_shares_of_scores_that_lie_apart_are_not_equal():
    told = shares(60.0, 0.01, 64, FLOAT32, alone=True)
    assert not told.exact
    assert told.noise >= np.exp(0.01) - 1


@given(st.floats(-1e6, 1e6))
def test_grids_and_places(number):
    assert float(grids_of(np.array([number]))[0]) == grid_of(number)
    near = np.float32(number)
    place = float(last_places(np.array(abs(float(near))), FLOAT32))
    assert number == 0 or place == pytest.approx(float(np.spacing(abs(near))), rel=1)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_arithmetic_is_float32_at_least(dtype):
    assert FORMATS[dtype].counts == FLOAT32.counts
    assert FORMATS[dtype].stored(0.1) != FLOAT32.stored(0.1)
