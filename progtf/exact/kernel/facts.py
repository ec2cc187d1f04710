"""What is known of one number of the network, and lemmas 1 to 4: sums and products."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from progtf.exact.kernel.numbers import (
    HUGE,
    UNDERFLOW,
    Format,
    NotProven,
    above,
    common,
    grid_of,
    is_power_of_two,
    plus,
    times,
)

LONGEST = 40
"""Terms: the error of a longer sum, doubled at each of them, says nothing."""
ZERO = Fraction(0)


class Fact(NamedTuple):
    """What one number is in exact arithmetic, and how far the network's lies off.

    Attributes:
        low, high: the ends of the exact number.
        step: the exact number is a multiple of it; 0: it is 0; None: nothing is known.
        off: how far the network's lies off at most where the exact one is not 0.
        stray: how far it does where the exact one is 0.
        hand: it is a hand of a clock at one place, or 0: whose place, and which hand. All numbers
            of a token with the same place are 0 or none is.
    """

    low: Fraction
    high: Fraction
    step: Fraction | None
    off: float = 0.0
    stray: float = 0.0
    hand: tuple[str, int] | None = None

    @property
    def error(self) -> float:
        """How far the network's number lies off at most."""
        return max(self.off, self.stray)

    @property
    def size(self) -> float:
        """The largest amount of the exact number."""
        return max(above(self.low), above(self.high))

    @property
    def nothing(self) -> bool:
        """Whether it is 0, the network's too."""
        return not (self.low or self.high or self.off or self.stray)

    def either(self, other: "Fact") -> "Fact":
        """What is known of a number that is the one or the other."""
        if self == other:
            return self
        hand = self.hand if other == NOTHING or self.hand == other.hand else None
        hand = other.hand if self == NOTHING else hand
        return Fact(
            min(self.low, other.low), max(self.high, other.high), common((self.step, other.step)),
            max(self.off, other.off), max(self.stray, other.stray), hand,
        )  # fmt: skip


NOTHING = Fact(ZERO, ZERO, ZERO)


def constant(meant: Fraction, stored: Fraction | None = None) -> Fact:
    """A number that is stored as another one, or as it is."""
    off = 0.0 if stored is None else above(meant - stored)
    return Fact(meant, meant, abs(meant), off, off)


class Term(NamedTuple):
    """One product of a sum.

    Attributes:
        fact: of the product, before it is rounded.
        up, down: how far above and below 0 the network's product is at most.
        rounded: the amount that is rounded, 0 for a product by a power of two.
    """

    fact: Fact
    up: float
    down: float
    rounded: float


def term(fact: Fact, meant: Fraction, stored: Fraction) -> Term | None:
    """A number times a weight, which is stored as another one; None: it is 0, the network's too."""
    if fact.nothing or not (meant or stored):
        return None
    if meant == stored == 1:
        error = fact.error
        up, down = (plus(above(end), error) for end in (max(fact.high, ZERO), min(fact.low, ZERO)))
        return Term(fact, up, down, 0.0)
    weight, slack = above(stored), above(meant - stored)
    low, high = meant * fact.low, meant * fact.high
    low, high = (high, low) if low > high else (low, high)
    off = plus(times(weight, fact.off), times(slack, fact.size))
    stray = times(weight, fact.stray) if meant else times(weight, plus(fact.size, fact.error))
    step = None if fact.step is None else abs(meant) * fact.step
    made = Fact(low, high, step, off, stray)
    up, down = plus(above(max(high, ZERO)), made.error), plus(above(min(low, ZERO)), made.error)
    rounded = 0.0 if is_power_of_two(stored) else max(up, down)
    return Term(made, up, down, rounded)


class _Sum(NamedTuple):
    """What terms come to before their sum is rounded.

    Attributes:
        low, high: the ends of the exact sum.
        most: no sum of some of the network's terms is larger.
        error: how far all together lie off; rounded: the amount of products that are rounded.
    """

    low: Fraction
    high: Fraction
    most: float
    error: float
    rounded: float


def _all(terms: Sequence[Term]) -> _Sum:
    facts = [each.fact for each in terms]
    return _Sum(
        sum((f.low for f in facts), ZERO), sum((f.high for f in facts), ZERO),
        max(plus(*(t.up for t in terms)), plus(*(t.down for t in terms))),
        plus(*(f.error for f in facts)), plus(*(t.rounded for t in terms)),
    )  # fmt: skip


def _one_of(terms: Sequence[Term]) -> _Sum:
    """Terms of which one at most is not 0 in exact arithmetic: all others are strays."""
    if len(terms) == 1:
        return _all(terms)
    strays = plus(*(t.fact.stray for t in terms))
    return _Sum(
        min(ZERO, *(t.fact.low for t in terms)), max(ZERO, *(t.fact.high for t in terms)),
        plus(max(max(t.up, t.down) for t in terms), strays),
        plus(max(t.fact.off for t in terms), strays),
        plus(max(t.rounded for t in terms), strays),
    )  # fmt: skip


def total(
    terms: Iterable[Term | None], number: Format, *, groups: Sequence[object] = (),
    most: float = math.inf,
) -> Fact:  # fmt: skip
    """Lemmas 1, 2 and 3: what products add up to, in whatever order.

    Args:
        terms: the products.
        number: the format.
        groups: of each term something; of those with the same, not None, one at most is not 0.
        most: what no sum of some of the exact terms exceeds, as somebody claims.
    """
    every = [*terms]
    given = [each for each in every if each is not None]
    if not given:
        return NOTHING
    facts = [each.fact for each in given]
    step, count = common(f.step for f in facts), len(given)
    if count == 1 and not given[0].rounded:
        return facts[0]
    one_sided = all(f.low >= 0 for f in facts) or all(f.high <= 0 for f in facts)
    traces = plus(*(f.stray for f in facts)) if one_sided else math.inf
    return _added(_parts(every, groups), count, step, traces, number, most)


def _added(
    parts: Sequence[_Sum], count: int, step: Fraction | None, traces: float, number: Format,
    most: float = math.inf,
) -> Fact:  # fmt: skip
    """So many terms added up; ``traces``: what they come to where each is exactly 0, if all are."""
    u = number.roundoff
    low, high = sum((p.low for p in parts), ZERO), sum((p.high for p in parts), ZERO)
    error = plus(*(p.error for p in parts))
    most = min(plus(*(p.most for p in parts)), plus(most, error))
    rounded = plus(*(p.rounded for p in parts))
    if not max(most, error) < HUGE:
        raise NotProven("a sum may grow too large")
    if not 2 * count * u < 0.5:
        raise NotProven("a sum of too many terms")
    second = plus(1.0, times(2.0 * count, u))
    traces = traces if math.isinf(traces) else times(traces, second)
    grid = grid_of(step)
    fits = grid > 0 and most <= grid * 2.0**number.precision
    under = times(count, UNDERFLOW) if error or not fits else 0.0
    traces = plus(traces, under) if traces else traces
    if fits and error <= grid * u / 4:  # lemma 2
        return Fact(low, high, step, 0.0, min(traces, plus(times(error, second), under)))
    lost = times(plus(times(u, count - 1.0, most), times(u, rounded)), plus(1.0, 4.0 * count * u))
    if fits and count < LONGEST:  # lemma 3
        lost = min(lost, times(2.0**count - 1, error))
    off = plus(error, lost, under)
    return Fact(low, high, step, off, min(traces, off))


class Feature(NamedTuple):
    """One product of a score.

    Attributes:
        query, key: the two numbers; both: what their product is.
        asks, says: queries, and keys, of which one at most is not 0, have the same; None: alone.
    """

    query: Fact
    key: Fact
    both: Fact
    asks: object
    says: object


def score(features: Sequence[Feature], number: Format) -> Fact:
    """What the products of queries and keys add up to (lemma 5)."""
    given = [each for each in features if not each.both.nothing]
    if not given:
        return NOTHING
    groups: dict[object, list[Feature]] = {}
    for place, each in enumerate(given):
        alone = each.asks is None and each.says is None
        groups.setdefault((each.asks, each.says, place if alone else None), []).append(each)
    parts = [_one_asked(group) for group in groups.values()]
    step = common(each.both.step for each in given)
    return _added(parts, len(given), step, math.inf, number)


def _one_asked(group: Sequence[Feature]) -> _Sum:
    """Features of which one query at most is not 0, or one key, or both."""
    whole = [term(each.both, Fraction(1), Fraction(1)) for each in group]
    terms = [each for each in whole if each is not None]
    if len(group) == 1:
        return _all(terms)
    asked = [times(e.query.stray, plus(e.key.size, e.key.error)) for e in group]
    said = [times(e.key.stray, plus(e.query.size, e.query.error)) for e in group]
    if group[0].asks is None:
        strays = plus(*said)
    elif group[0].says is None:
        strays = plus(*asked)
    else:
        neither = plus(*(times(e.query.stray, e.key.stray) for e in group))
        strays = plus(max(asked), max(said), neither)
    strays = times(strays, 1.0 + 1e-6)  # each product is rounded
    off = plus(max(t.fact.error for t in terms), strays)
    return _Sum(
        min(ZERO, *(t.fact.low for t in terms)), max(ZERO, *(t.fact.high for t in terms)),
        plus(max(max(t.up, t.down) for t in terms), strays), off,
        plus(max(t.rounded for t in terms), strays),
    )  # fmt: skip


def _parts(terms: Sequence[Term | None], groups: Sequence[object]) -> list[_Sum]:
    """The terms in parts whose amounts add up: those of a group together, all others."""
    if not any(each is not None for each in groups):
        return [_all([each for each in terms if each is not None])]
    alone: list[Term] = []
    together: dict[object, list[Term]] = {}
    for each, group in zip(terms, groups, strict=True):
        if each is not None:
            (alone if group is None else together.setdefault(group, [])).append(each)
    return [*([_all(alone)] if alone else []), *map(_one_of, together.values())]


def product(one: Fact, other: Fact, number: Format) -> Fact:
    """Lemma 4: what the product of two numbers is."""
    if one.nothing or other.nothing:
        return NOTHING
    ends = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    step = None if one.step is None or other.step is None else one.step * other.step
    for plain, rest in ((one, other), (other, one)):
        if plain.low == plain.high and is_power_of_two(plain.low) and not plain.error:
            amount, hand = above(plain.low), rest.hand if plain.low == 1 else None
            off, stray = times(amount, rest.off), times(amount, rest.stray)
            return Fact(min(ends), max(ends), step, off, stray, hand)
    a, b = one.size, other.size
    error = plus(times(a, other.error), times(b, one.error), times(one.error, other.error))
    stray = max(times(one.stray, plus(b, other.error)), times(2.0, other.stray, plus(a, one.error)))
    size, u, grid = plus(times(a, b), error), number.roundoff, grid_of(step)
    if not size < HUGE:
        raise NotProven("a product may grow too large")
    second = plus(1.0, u)
    stray = plus(stray, UNDERFLOW) if stray else stray
    if grid > 0 and size <= grid * 2.0**number.precision and error <= grid * u / 4:
        return Fact(min(ends), max(ends), step, 0.0, times(stray, second))
    off = plus(error, times(u, size), UNDERFLOW)
    return Fact(min(ends), max(ends), step, off, min(off, times(stray, second)))
