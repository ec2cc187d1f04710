"""Lemma 5: what a head finds whose scores lie off, and what it retrieves."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from progtf.exact.kernel.facts import NOTHING, ZERO, Fact, Term, total
from progtf.exact.kernel.numbers import Format, NotProven, above, common, plus, times

EXP = 8.0
"""How many roundoffs the exponential function may lie off; it gives 1 within a quarter of one."""
SEEN = 1e-9
"""How far a score of clocks that is computed here in float64 may lie off: 200 products of numbers
up to 2, each sine and cosine within four units in the last place."""
MOST = 4096
"""More scores than this are not looked at one by one."""


class Scores(NamedTuple):
    """How the scores of a head stand apart in exact arithmetic.

    Attributes:
        gap: by how much the best score outscores all that differ from it, at least.
        single: whether one token at most, or the null key, has the best one.
    """

    gap: float
    single: bool


def by_steps(score: Fact, null: Fraction | None) -> Scores:
    """Scores that are multiples of a step, and so differ by one, where they do."""
    step = score.step if null is None else common((score.step, abs(null)))
    if step is None:
        return Scores(0.0, single=False)
    return Scores(_below(step) if step else math.inf, single=False)


def _below(number: Fraction) -> float:
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, 0.0)


Clocks = tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
"""Of each feature its query and its key: the factors of all hands, and behind them the constant."""


@lru_cache(maxsize=4096)
def by_places(
    clocks: Clocks, periods: tuple[float, ...], others: tuple[float, ...], null: float | None,
    look: str, readers: tuple[int, int], sources: tuple[int, int],
) -> Scores:  # fmt: skip
    """Scores that are told by where tokens stand, each with one of some others added to it.

    Every reader in turn is held against every source that it may look at.

    Args:
        clocks: the features that read the hands of clocks and constants alone.
        others: what all other features may come to together, each at every token.
        null: the score of the null key.
        look: where a head may look.
        readers, sources: the first place, and the one behind the last.
    """
    if (sources[1] - sources[0]) * len(others) > MOST:
        return Scores(0.0, single=False)
    queries, keys = ([each[side] for each in clocks] for side in (0, 1))
    asked = [_given(queries, periods, place) for place in range(*readers)]
    offered = [_given(keys, periods, place) for place in range(*sources)]
    gap, single = math.inf, True
    for place, query in enumerate(asked, start=readers[0]):
        seen = [
            sum(map(float.__mul__, query, key))
            for source, key in enumerate(offered, start=sources[0])
            if ALLOWED[look](source - place)
        ]
        found = _apart(seen, others, null)
        gap, single = min(gap, found.gap), single and found.single
    return Scores(max(0.0, gap), single)


ALLOWED = {
    "all": lambda _: True,
    "before": lambda distance: distance < 0,
    "upto": lambda distance: distance <= 0,
    "after": lambda distance: distance > 0,
    "self": lambda distance: distance == 0,
    "notself": lambda distance: distance != 0,
}


def _given(
    forms: Sequence[tuple[float, ...]], periods: Sequence[float], place: int
) -> list[float]:
    """What forms come to at a place: hands are cosine and sine of each clock, then 1."""
    hands: list[float] = []
    for period in periods:
        angle = 2 * math.pi * place / period
        hands += [math.cos(angle), math.sin(angle)]
    hands.append(1.0)
    return [math.fsum(map(float.__mul__, form, hands)) for form in forms]


def _apart(seen: Sequence[float], others: Sequence[float], null: float | None) -> Scores:
    """How far apart the best scores of one reader stand, whatever each source has beside."""
    each = sorted((place + other, n) for n, place in enumerate(seen) for other in others)
    least = -math.inf if null is None else null
    if null is not None:
        each = sorted([*each, (null, -1)])
    tops = [(score, n) for score, n in each if score > least - SEEN]
    below = max((score for score, _ in each if score <= least - SEEN), default=-math.inf)
    gap = tops[0][0] - below if tops else math.inf
    single = True
    for (one, mine), (two, other) in zip(tops, tops[1:], strict=False):
        if mine == other:
            continue  # one source has one of its scores
        gap = min(gap, two - one)
        if two - one <= 2 * SEEN:
            single = False
    return Scores(gap - 2 * SEEN, single)


class Shares(NamedTuple):
    """What a softmax makes of a best score that one key has, or several.

    Attributes:
        leak: what all other keys get at most.
        off: how far the share of a best key lies off, relatively; 0: it is exact.
    """

    leak: float
    off: float


def shares(nats: float, keys: int, number: Format, *, single: bool, equal: bool) -> Shares:
    """The shares where the best score is so many nats ahead (lemma 5).

    Args:
        nats: of what is computed.
        keys: how many there are, the null key among them.
        single: whether one has the best score; equal: whether, if several have, theirs are one
            number in the network.
    """
    u = number.roundoff
    if not nats > 0:
        raise NotProven("scores may not stand apart")
    if not (single or equal):
        raise NotProven("keys that match equally may have scores that are not equal")
    leak = 0.0 if math.isinf(nats) else min(1.0, times(keys, _exp(-nats), plus(1.0, times(EXP, u))))
    if not leak < 0.25:
        raise NotProven("scores hardly stand apart")
    if single and leak < u / 4:
        return Shares(leak, 0.0)
    return Shares(leak, plus(times(plus(keys, EXP, 2.0), u), leak))


def _exp(number: float) -> float:
    """Not below the exponential: a library is taken to be right within a part in a million."""
    return math.exp(number) * (1 + 1e-6)


def retrieved(
    value: Fact, null: Fact | None, found: Shares, keys: int, number: Format, *,
    single: bool, nobody: bool,
) -> Fact:  # fmt: skip
    """What a head finds: the value of a key, or the mean of several.

    Args:
        value: of any token; null: of the null key.
        nobody: whether it may be that there is no key at all: 0 is found.
    """
    read = value if null is None else value.either(null)
    if nobody:
        read = read.either(NOTHING)
    constant = read.low == read.high
    leaked = times(2.0, found.leak, plus(read.size, read.error))
    if found.off == 0.0:
        error = plus(read.error, leaked)
        one = Term(read, plus(above(max(read.high, ZERO)), error), plus(above(min(read.low, ZERO)), error), 0.0)
        rest = Fact(ZERO, ZERO, ZERO, leaked, leaked)
        sized = plus(read.size, read.error)
        traces = Term(rest, leaked, leaked, times(found.leak, sized))
        return total(_split(one, traces, keys), number)
    relative = plus(found.off, times(keys + 2.0, number.roundoff))
    error = plus(read.error, leaked, times(relative, 2.0, plus(read.size, read.error)))
    one_sided = read.low >= 0 or read.high <= 0
    stray = plus(times(2.0, read.stray), leaked) if one_sided and not constant else error
    return Fact(read.low, read.high, read.step if single or constant else None, error, min(error, stray))


def _split(one: Term, traces: Term, keys: int) -> Iterable[Term]:
    """The term of the best key, and what all others add, as so many terms of their own."""
    if not traces.up:
        return [one]
    share = 1.0 / max(1, keys - 1)
    each = Term(
        traces.fact._replace(off=times(traces.fact.off, share), stray=times(traces.fact.stray, share)),
        times(traces.up, share), times(traces.down, share), times(traces.rounded, share),
    )  # fmt: skip
    return [one, *([each] * max(1, keys - 1))]
