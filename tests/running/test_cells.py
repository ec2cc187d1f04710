"""No number of a run lies farther off than its bound says, and what has none is exact."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.program.tokens import InputError
from progtf.rational import fraction_of, rational
from progtf.running.attend import _best, _scores, summed
from progtf.running.cells import (
    Cells,
    DoubtError,
    check_size,
    exactly,
    grid_of,
    mean,
    settled,
)
from progtf.running.pointwise import _clipped, _positive
from progtf.running.sums import Sums
from progtf.running.walk import pooled

ROWS, COLUMNS = 3, 4
NUMBERS = st.one_of(
    st.integers(-20, 20).map(Fraction),
    st.fractions(-4, 4, max_denominator=12),
    st.sampled_from([Fraction(2**52), Fraction(1, 2**40), Fraction(10**15), Fraction(1, 10**15)]),
    st.sampled_from(
        [Fraction(2**60 + 1), Fraction(1, 10**200), Fraction(7, 2**300), Fraction(1, 49)]
    ),
)
TABLES = st.lists(NUMBERS, min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS)
FORMS = st.lists(
    st.tuples(st.lists(st.tuples(st.integers(0, COLUMNS - 1), NUMBERS), max_size=4), NUMBERS),
    min_size=1,
    max_size=3,
)


def pair(numbers):
    """The same numbers as float64 with bounds, and as fractions."""
    numbers = [*numbers]
    exact = exactly([rational(each) for each in numbers]).reshape(ROWS, COLUMNS)
    near = np.array([float(each) for each in numbers]).reshape(ROWS, COLUMNS)
    error = np.array([float(abs(Fraction(float(x)) - x)) * 2 for x in numbers])
    return Cells.of(near, error.reshape(ROWS, COLUMNS)), Cells(exact)


def assert_bounded(near, exact):
    """Each number lies within its bound of the exact one, and on it where it has none."""
    for place in np.ndindex(near.values.shape):
        off = abs(Fraction(float(near.values[place])) - Fraction(exact.values[place]))
        assert off <= Fraction(float(near.errors[place])), place
        try:
            assert near.fraction(*place) == exact.values[place]
        except DoubtError:
            assert near.errors[place] > 0


def sums(forms):
    read = [
        [(column, rational(factor)) for column, factor in dict(own).items()] for own, _ in forms
    ]
    return Sums.over(read, [rational(constant) for _, constant in forms])


@given(TABLES, FORMS)
def test_sums(numbers, forms):
    near, exact = pair(numbers)
    made = sums(forms)
    assert_bounded(made(near), made(exact))


@given(TABLES, FORMS, FORMS)
def test_sums_of_sums(numbers, first, second):
    near, exact = pair(numbers)
    one = sums((first * 4)[:COLUMNS])
    assert_bounded(sums(second)(one(near)), sums(second)(one(exact)))


@given(TABLES, TABLES)
def test_products_and_what_is_added(numbers, others):
    (near, exact), (more, whole) = pair(numbers), pair(others)
    columns = np.arange(COLUMNS)
    assert_bounded(near.times(more), exact.times(whole))
    assert_bounded(near.added(columns, more), exact.added(columns, whole))
    product, sure = near.times(more), exact.times(whole)
    assert_bounded(product.added(columns, near), sure.added(columns, exact))
    rows = np.array([True, False, True])
    assert_bounded(near.where(rows, more), exact.where(rows, whole))
    assert_bounded(
        near.put(columns[:2], more.columns(columns[2:])),
        exact.put(columns[:2], whole.columns(columns[2:])),
    )


@given(TABLES, st.lists(st.integers(1, 60), min_size=ROWS, max_size=ROWS))
def test_means(numbers, counts):
    near, exact = pair(numbers)
    assert_bounded(mean(near, np.array(counts)), mean(exact, np.array(counts)))


@given(
    st.lists(st.integers(0, 9), min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS),
    st.integers(1, 60),
)
def test_a_mean_of_whole_numbers_is_known_although_float64_has_it_not(numbers, count):
    near, exact = pair([Fraction(each) for each in numbers])
    counts = np.full(ROWS, count)
    one, other = mean(near, counts), mean(exact, counts)
    for place in np.ndindex(one.values.shape):
        assert one.fraction(*place) == other.values[place]
    times = Sums.over([[(column, float(count))] for column in range(COLUMNS)], [0.0] * COLUMNS)
    back = times(one)
    assert back.error is None
    assert (back.values == near.values).all()


@given(
    st.lists(st.integers(0, 9), min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS),
    st.integers(1, 60),
    st.lists(st.integers(-(2**50), 2**50), min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS),
)
def test_a_mean_may_be_rounded_again_by_what_is_added(numbers, count, others):
    (near, exact), (more, whole) = pair(map(Fraction, numbers)), pair(map(Fraction, others))
    columns, counts = np.arange(COLUMNS), np.full(ROWS, count)
    one, other = (mean(each, counts) for each in (near, exact))
    one, other = one.added(columns, more), other.added(columns, whole)
    assert_bounded(one, other)
    back, due = pair([-Fraction(each) for each in others])
    assert_bounded(one.added(columns, back), other.added(columns, due))


@given(TABLES, st.lists(st.lists(st.booleans(), min_size=ROWS, max_size=ROWS), min_size=1))
def test_sums_of_what_is_chosen(numbers, chosen):
    near, exact = pair(numbers)
    assert_bounded(summed(np.array(chosen), near), summed(np.array(chosen), exact))


def test_large_whole_numbers_are_exact_beside_fractions():
    numbers = [Fraction(1, 4), Fraction(1, 3), Fraction(2**50 + 1), Fraction(0)] * ROWS
    near, _ = pair(numbers)
    columns = np.arange(COLUMNS)
    double = Sums.over([[(2, 1.0), (2, 1.0)], [(0, 1.0), (3, 5.0)]], [0.0, 1.0])
    for made, clean in (
        (double(near), [0, 1]),
        (near.added(columns, near), [0, 2, 3]),
        (near.times(near.put(columns[2:3], near.columns(columns[:1]))), [0, 3]),
        (summed(np.ones((1, ROWS), dtype=bool), near.rows(0, 1).under(near.rows(1))), [0, 3]),
        (mean(near.added(columns, near), np.full(ROWS, 2)), [0, 2, 3]),
    ):
        assert not made.errors[:, clean].any()


@given(TABLES, TABLES, st.lists(st.booleans(), min_size=9, max_size=9))
def test_what_is_chosen_is_what_fractions_choose_or_it_is_told(numbers, others, flags):
    (query, asked), (key, offered) = pair(numbers), pair(others)
    allowed = np.array(flags).reshape(ROWS, ROWS)
    due = _best(*_scores(asked, offered), allowed, None)
    try:
        found = _best(*_scores(query, key), allowed, None if key.error is not None else key.values)
    except DoubtError:
        return
    assert (found == due).all()


@given(TABLES)
def test_what_is_cut_off_is_exact(numbers):
    near, exact = pair(numbers)
    for cut in (_positive, _clipped):
        assert_bounded(cut(near), cut(exact))
    low, _ = pair([Fraction(-4, 3)] * ROWS * COLUMNS)
    assert _positive(low).error is None
    assert _clipped(low).error is None


def test_parts_of_many_sums_and_differences_are_known():
    """The product of what they are divided by is far beyond 2**63, one multiple of all is not."""
    tenths = Sums.over([[(0, rational(Fraction(1, 10**n)))] for n in range(1, 7)] * 2, [0.0] * 12)
    near, _ = pair([Fraction(5)] * ROWS * COLUMNS)
    read = [(n, 1.0) for n in range(6)] + [(n, -1.0) for n in range(6, 12)]
    assert Sums.over([read], [0.0])(tenths(near)).error is None
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151]
    beyond = Sums.over([[(0, rational(Fraction(1, prime)))] for prime in primes], [0.0] * 11)
    assert not Sums.over([[(n, 1.0) for n in range(11)]], [0.0])(beyond(near)).divisors.any()
    rows = beyond(near).columns(np.array([10] * COLUMNS)).rows(0, 1)
    assert (summed(np.ones((1, 1), dtype=bool), rows).divisors == 151).all()


@given(TABLES)
def test_the_greatest_of_a_column(numbers):
    near, exact = pair(numbers)
    for how in ("max", "mean", "sum"):
        assert_bounded(pooled(near, how), pooled(exact, how))


def test_the_grid_of_numbers():
    assert grid_of(np.array([[1.0, 2.0]])) == 1
    assert grid_of(np.array([[0.75, 2.0]])) == 0.25
    assert grid_of(np.array([[3 * 2.0**-30]])) == 2.0**-30
    for wild in (np.inf, np.nan):
        with pytest.raises(DoubtError):
            grid_of(np.array([1.0, wild]))


def test_a_fraction_that_is_too_long_is_refused_by_name():
    check_size(exactly([rational(Fraction(1, 3))]))
    with pytest.raises(InputError, match="more than 4,096 bits"):
        check_size(np.array([Fraction(1, 3**3000)], dtype=object))


def test_what_is_whole_is_an_int():
    assert settled(Fraction(4, 2)) == 2
    assert isinstance(settled(Fraction(4, 2)), int)
    assert fraction_of(0.5) == Fraction(1, 2)
