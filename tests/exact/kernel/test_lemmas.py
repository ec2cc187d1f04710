"""The kernel's lemmas against measured sums, products, curves and shares."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from progtf.exact.kernel import attention, curves
from progtf.exact.kernel.context import Claims, Context
from progtf.exact.kernel.facts import Fact, Feature, constant, product, score, term, total
from progtf.exact.kernel.folder import BIAS
from progtf.exact.kernel.heads import Heads, Seen
from progtf.exact.kernel.numbers import (
    FORMATS,
    NotProven,
    above,
    below,
    common,
    grid_of,
    plus,
    times,
)

F32 = FORMATS["float32"]
STEPS = st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(1, 1024), Fraction(3), None])
BOUNDS = st.floats(0, 1e20)


@st.composite
def numbers(draw, most=1000):
    """A fact, an exact number that keeps to it, and the network's, as far off as it may."""
    step = draw(STEPS)
    unit = step or Fraction(1, 4096)
    low, high = sorted(draw(st.tuples(*[st.integers(-most, most)] * 2)))
    exact = draw(st.integers(low, high)) * unit
    off = draw(st.sampled_from([0.0, 0.0, 1e-20, 1e-9, 1e-4]))
    near = np.float32(float(exact) + draw(st.floats(-1, 1)) * off * 0.9)
    within = max(float(abs(Fraction(float(near)) - exact)) * (1 + 2**-50), off)
    stray = draw(st.sampled_from([0.0, within]))
    if not exact and not stray:
        near = np.float32(0)
    return Fact(low * unit, high * unit, step, within, stray), exact, near


@st.composite
def weights(draw):
    """A weight as it is meant and as float32 stores it."""
    meant = draw(st.sampled_from([Fraction(n) for n in (1, -1, 2, -3, 7, 1000)] + [Fraction(1, 3)]))
    return meant, np.float32(float(meant))


def lies_within(found, exact, near):
    off = float(abs(Fraction(float(near)) - exact))
    assert found.low <= exact <= found.high
    assert found.step is None or not (exact % found.step if found.step else exact)
    assert off <= (found.off if exact else found.stray)


@given(st.lists(BOUNDS, max_size=6))
def test_bounds_of_sums_and_products_are_never_below_the_exact_ones(each):
    assert Fraction(plus(*each)) >= sum(map(Fraction, each))
    exact = Fraction(1)
    for one in each[:3]:
        exact *= Fraction(one)
    assert Fraction(times(*each[:3])) >= exact


@given(st.fractions())
def test_a_fraction_lies_between_its_floats(number):
    assert Fraction(below(number)) <= number
    assert Fraction(above(number)) >= abs(number)


@given(st.lists(st.fractions(min_value=0, max_denominator=1000), min_size=1, max_size=5))
def test_what_is_common_divides_every_step_and_its_grid_divides_it(steps):
    found = common(steps)
    assert all(not (each % found if found else each) for each in steps)
    grid = grid_of(found)
    assert grid in (0.0, float("inf")) or not found % Fraction(grid)


@given(st.lists(st.tuples(numbers(), weights()), min_size=1, max_size=8), st.randoms())
def test_a_sum_in_any_order_lies_within_what_is_derived(parts, chance):
    found = total([term(f, m, Fraction(float(s))) for (f, _, _), (m, s) in parts], F32)
    exact = sum((e * m for (_, e, _), (m, _) in parts), Fraction(0))
    products = [near * stored for (_, _, near), (_, stored) in parts]
    chance.shuffle(products)
    while len(products) > 1:  # a random tree of additions
        one, other = products.pop(), products.pop()
        products.insert(chance.randrange(len(products) + 1), np.float32(one + other))
    lies_within(found, exact, products[0])


@given(st.lists(numbers(), min_size=2, max_size=6), st.data())
def test_a_sum_of_which_one_term_is_there_lies_within_what_is_derived(parts, data):
    there = data.draw(st.integers(0, len(parts) - 1))
    facts = [f.either(Fact(Fraction(0), Fraction(0), Fraction(0))) for f, _, _ in parts]
    terms = [term(f, Fraction(1), Fraction(1)) for f in facts]
    found = total(terms, F32, groups=["g"] * len(parts))
    total_near, exact = np.float32(0), Fraction(0)
    for place, (fact, number, near) in enumerate(parts):
        if place == there:
            exact, total_near = number, np.float32(total_near + near)
        else:
            total_near = np.float32(total_near + np.float32(fact.stray * 0.99))
    lies_within(found, exact, total_near)


@given(numbers(), numbers())
def test_a_product_lies_within_what_is_derived(one, other):
    found = product(one[0], other[0], F32)
    lies_within(found, one[1] * other[1], np.float32(one[2] * other[2]))


@given(st.lists(st.tuples(numbers(30), numbers(30)), min_size=1, max_size=5), st.data())
def test_a_score_of_which_one_query_is_up_lies_within_what_is_derived(pairs, data):
    there = data.draw(st.integers(0, len(pairs) - 1))
    zero = Fact(Fraction(0), Fraction(0), Fraction(0))
    features, exact, near = [], Fraction(0), np.float32(0)
    for place, ((q, q_is, q_near), (k, k_is, k_near)) in enumerate(pairs):
        query = q.either(zero)
        features.append(Feature(query, k, product(query, k, F32), "q", None))
        if place == there:
            exact, each = exact + q_is * k_is, np.float32(q_near * k_near)
        else:
            each = np.float32(np.float32(q.stray * 0.99) * k_near)
        near = np.float32(near + each)
    lies_within(score(features, F32), exact, near)


@st.composite
def groups(draw):
    """Units that read one sum: the fact of it, biases, and weights."""
    fact, exact, near = draw(numbers(60))
    quarter = Fraction(1, 4)
    knots = draw(st.lists(st.integers(-200, 200), min_size=1, max_size=5))
    biases = [-knot * quarter for knot in knots]
    sizes = [Fraction(draw(st.sampled_from([1, -1, 4, -4, 3]))) for _ in biases]
    if draw(st.booleans()):  # it ends flat
        sizes[-1] = -sum(sizes[:-1], Fraction(0))
    return fact, exact, near, biases, sizes


@given(groups())
def test_a_curve_lies_within_what_is_derived(made):
    fact, exact, near, biases, sizes = made
    group = curves.group(fact, [(b, b) for b in biases], F32)
    written = curves.written(group, [(n, w, w) for n, w in enumerate(sizes)], flat=False)
    units = [max(np.float32(0), np.float32(near + np.float32(float(b)))) for b in biases]
    products = [np.float32(u * np.float32(float(w))) for u, w in zip(units, sizes, strict=True)]
    computed = np.float32(0)
    for each in products:
        computed = np.float32(computed + each)
    due = sum((w * max(exact + b, 0) for b, w in zip(biases, sizes, strict=True)), Fraction(0))
    added = total(written.terms, F32)
    assert written.exact.low <= due <= written.exact.high
    assert written.exact.step is None or not (
        due % written.exact.step if written.exact.step else due
    )
    off = float(abs(Fraction(float(computed)) - due))
    assert off <= plus(added.error, written.passed)


@given(st.integers(1, 40), st.integers(0, 60), st.booleans())
def test_shares_lie_within_what_is_derived(keys, nats, alone):
    scores = np.full(keys, np.float32(-nats))
    scores[0] = 0
    if not alone:
        scores[-1] = 0
    parts = np.exp(scores, dtype=np.float32)
    whole = np.float32(0)
    for each in parts:
        whole = np.float32(whole + each)
    got = parts / whole
    try:
        found = attention.shares(
            float(nats), keys, F32, single=alone or keys == 1, equal=True, alike=False
        )
    except NotProven:
        return
    best = 1 if alone or keys == 1 else 2
    assert abs(float(got[0]) * best - 1) <= found.off
    others = got[1:] if best == 1 else got[1:-1]
    assert float(others.sum(dtype=np.float64)) <= found.leak


@given(
    st.integers(2, 40), st.integers(1, 39), st.integers(0, 60), st.integers(-9, 9),
    st.floats(0, 0.25, width=32), st.randoms(use_true_random=False),
)  # fmt: skip
def test_what_says_the_same_is_retrieved_however_it_is_shared(keys, best, nats, said, off, chance):
    best = min(best, keys)
    scores = np.array([chance.uniform(-1, 0) for _ in range(keys)], dtype=np.float32)
    scores[best:] -= np.float32(nats + 1)
    values = np.array([chance.uniform(-9, 9) for _ in range(keys)], dtype=np.float32)
    values[:best] = [said + np.float32(chance.choice((-off, off))) for _ in range(best)]
    parts = np.exp(scores - scores.max(), dtype=np.float32)
    whole = computed = np.float32(0)
    for each in parts:
        whole = np.float32(whole + each)
    for part, value in zip(parts / whole, values, strict=True):
        computed = np.float32(computed + np.float32(part * value))
    try:
        found = attention.shares(float(nats), keys, F32, single=False, equal=False, alike=True)
    except NotProven:
        return
    value = Fact(Fraction(-9), Fraction(9), Fraction(1), float(off) + 1e-6, float(off) + 1e-6)
    got = attention.retrieved(value, None, found, keys, F32, single=False, nobody=False, who="h")
    assert got.step == 1
    assert abs(float(computed) - said) <= got.error


@given(st.integers(2, 30), st.sampled_from(["all", "before", "upto", "after", "notself"]))
def test_places_are_told_apart_by_as_much_as_is_said(count, look):
    periods = (8.0, 64.0)
    clocks = tuple(  # the token behind: the hands of a place moved on by one
        (tuple(np.eye(5)[n] * 1.0), tuple(np.eye(5)[n] * 1.0)) for n in range(4)
    )
    found = attention.by_places(
        clocks, periods, (0.0, 0.0, 0.0), 1.5, look, (0, count - 1), (0, count - 1)
    )
    hands = np.array(
        [[f(2 * np.pi * p / t) for t in periods for f in (np.cos, np.sin)] for p in range(count)]
    )
    scores = hands @ hands.T
    for reader in range(count):
        sides = attention.ALLOWED[look]
        seen = [scores[reader, s] for s in range(count) if np.sign(s - reader) in sides]
        each = np.sort([*seen, 1.5])
        assert len(each) == 1 or each[-1] - each[-2] >= found.gap


def test_a_constant_is_as_far_off_as_it_is_stored():
    third = constant(Fraction(1, 3), Fraction(float(np.float32(1 / 3))))
    assert 0 < third.off < 1e-8
    assert third.step == Fraction(1, 3)


def test_a_weight_that_should_be_0_and_is_not_strays():
    found = term(Fact(Fraction(-3), Fraction(5), Fraction(1)), Fraction(0), Fraction(1, 1000))
    assert found.fact.step == 0
    assert found.fact.stray >= 5 / 1000


def test_what_stands_beside_the_score_of_a_place_is_a_multiple_of_its_step():
    """Between -1 and 5 the multiples of 2 are 0, 2 and 4; a null key at 1 is 1 from each."""
    context = SimpleNamespace(clocks=(8.0,), spans={})
    heads = Heads(context, ("encoder", "1 a"), ((), ()), (8, 8), causal=False)
    beside = Fact(Fraction(-1), Fraction(5), Fraction(2))
    hands = ("", (1.0, 0.0, 0.0)), ("", (0.0, 0.0, 0.0))
    score = Fact(Fraction(-2), Fraction(6), None)
    null = Fraction(1), Fraction(1)
    seen = Seen(score, [hands], beside, 0.0, False)
    assert heads._apart(seen, null, "self", turned=False).gap > 0.99


def test_a_constant_beside_flags_of_a_family_excludes_none_of_them():
    """The last column is a flag of it, and the constant is no column."""
    names = "x", "is[a]", "is[b]"
    folder = SimpleNamespace(layout={"clocks": [], "semes": 3}, dtype="float32", names=names)
    nothing = Claims({}, frozenset(), frozenset(), {}, frozenset({"is"}), {}, {}, ahead=False)
    context = Context(cast("Any", folder), nothing)
    flag = Fact(Fraction(0), Fraction(1), Fraction(1))
    five, three = Fraction(5), Fraction(3)
    entries = (1, five, five), (2, five, five), (BIAS, three, three)
    found = context.sum(entries, (flag, flag, flag))
    assert (found.low, found.high) == (3, 8)
    assert context.under == {("hot", "is"): None}


@given(st.integers(2049, 4096), st.integers(-40, 40), st.integers(-3, 3))
def test_a_gap_is_told_as_no_more_than_it_is(mantissa, exponent, beside):
    gap = math.ldexp(mantissa, exponent)
    for _ in range(abs(beside)):
        gap = math.nextafter(gap, math.copysign(math.inf, beside))
    coarse = attention._coarse(gap)
    assert gap * (1 - 2**-10) < coarse <= gap


def test_hands_of_two_places_in_one_score_tell_nothing_apart():
    """A reader's own place, and one that it was told: a score reads both."""
    context = SimpleNamespace(clocks=(8.0,), spans={"told": (0, 1)})
    heads = Heads(context, ("encoder", "1 a"), ((), ()), (2, 2), causal=False)
    nothing = Fact(Fraction(0), Fraction(0), Fraction(0))
    cos, one, more = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 2.0)
    score, null = Fact(Fraction(-2), Fraction(2), None), (Fraction(1), Fraction(1))
    own = Seen(score, [(("", cos), ("", one)), (("", cos), ("", more))], nothing, 0.0, False)
    assert heads._apart(own, null, "upto", turned=False).gap > 0
    both = [(("", cos), ("", one)), (("told", cos), ("", more))]
    mixed = Seen(score, both, nothing, 0.0, False)
    assert heads._apart(mixed, null, "upto", turned=False) == (0.0, False)
