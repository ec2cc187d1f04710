"""Lemma 5: what a head finds whose scores lie off, and what it retrieves."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from progtf.exact.kernel.facts import NOTHING, ZERO, Fact, Term, total
from progtf.exact.kernel.numbers import Format, NotProven, above, below, common, plus, times

EXP = 8.0
"""How many roundoffs the exponential function may lie off; it gives 1 within a quarter of one."""
SEEN = 2.0**-44
"""By such a share of all that is added up a score of clocks that is computed here in float64 may
lie off: each sine and cosine within eight units in the last place, sums rounded once."""
MOST_OTHERS, MOST_PAIRS = 16, 2**21
"""More numbers than these beside the scores of clocks are not looked at one by one, and more
readers and sources not at all."""


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
    return Scores(below(step) if step else math.inf, single=False)


Clocks = tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
"""Of each feature its query and its key: the factors of all hands, and behind them the constant."""


@lru_cache(maxsize=4096)
def by_places(
    clocks: Clocks, periods: tuple[float, ...], others: tuple[float, float, float],
    null: float | None, look: str | None, readers: tuple[int, int], sources: tuple[int, int],
) -> Scores:  # fmt: skip
    """Scores that are told by where tokens stand, each with one of some others added to it.

    Every reader in turn is held against every source that it may look at.

    Args:
        clocks: the features that read hands of clocks and constants alone.
        periods: of the clocks.
        others: of what all other features come to together, at any token, its step and its ends.
        null: the score of the null key.
        look: where a head may look; None: the hands are not those of reader and source, but of any
            places, or 0.
        readers: the first and the last of their places.
        sources: of theirs.
    """
    if (1 + readers[1] - readers[0]) * (1 + sources[1] - sources[0]) > MOST_PAIRS:
        return Scores(0.0, single=False)
    step, least, most = others
    count = 1 + round((most - least) / step) if step else 1
    few = [least + number * step for number in range(count)] if count <= MOST_OTHERS else None
    queries, keys = ([each[side] for each in clocks] for side in (0, 1))
    asked, offered = places(queries, periods, readers), places(keys, periods, sources)
    if look is not None:
        asked, offered = asked[:-1], offered[:-1]
    size = 1 + sum(
        map(float.__mul__, *(map(_size, zip(*each, strict=True)) for each in (asked, offered)))
    )
    within = SEEN * (size + max(map(abs, others)) + abs(null or 0.0))
    gap, single = math.inf, True
    for place, query in enumerate(asked):
        seen = [
            math.fsum(map(float.__mul__, query, key))
            for source, key in enumerate(offered)
            if look is None or (source > place) - (source < place) in ALLOWED[look]
        ]
        found = (
            _modulo(seen, step, null, within) if few is None else _apart(seen, few, null, within)
        )
        gap, single = min(gap, found.gap), single and found.single
    return Scores(_coarse(max(0.0, gap)), single)


def _coarse(gap: float) -> float:
    """A number below with few digits: libraries differ in the last ones of a cosine."""
    if not gap or math.isinf(gap):
        return gap
    mantissa, exponent = math.frexp(gap)
    return math.ldexp(math.floor(mantissa * 4096 - 0.01), exponent - 12)


def _size(numbers: Sequence[float]) -> float:
    return max(map(abs, numbers))


ALLOWED = {
    "all": (-1, 0, 1), "before": (-1,), "upto": (-1, 0), "after": (1,), "self": (0,),
    "notself": (-1, 1),
}  # fmt: skip
"""On which sides of a reader it may look: before it, at it, behind it."""


def places(
    forms: Sequence[tuple[float, ...]], periods: tuple[float, ...], span: tuple[int, int]
) -> list[list[float]]:
    """What forms of hands come to at each place of a span, and where all hands are 0, last."""
    read = [[(n, factor) for n, factor in enumerate(form) if factor] for form in forms]
    return [
        [math.fsum([hands[n] * factor for n, factor in form]) for form in read]
        for hands in _hands(periods, span)
    ]


@lru_cache(maxsize=64)
def _hands(periods: tuple[float, ...], span: tuple[int, int]) -> list[list[float]]:
    """Of each place the cosine and the sine of each clock, then 1; last all are 0 but the 1."""
    every = [_hands_at(periods, place) for place in range(span[0], span[1] + 1)]
    return [*every, [0.0] * (2 * len(periods)) + [1.0]]


def _hands_at(periods: Sequence[float], place: int) -> list[float]:
    hands: list[float] = []
    for period in periods:
        angle = math.fmod(place, period) / period * 2 * math.pi
        hands += [math.cos(angle), math.sin(angle)]
    return [*hands, 1.0]


def _apart(
    seen: Sequence[float], others: Sequence[float], null: float | None, within: float
) -> Scores:
    """How far apart the best scores of one reader stand, whatever each source has beside.

    Scores may lie off ``within``; some sources may not be there.
    """
    least = -math.inf if null is None else null
    each = [(place + other, n) for n, place in enumerate(seen) for other in others]
    each = sorted(each if null is None else [*each, (null, -1)])
    tops = [(score, n) for score, n in each if score > least - within]
    lower = max((score for score, _ in each if score <= least - within), default=-math.inf)
    gap = tops[0][0] - lower if tops else math.inf
    single = True
    for (one, mine), (two, other) in pairwise(tops):
        if mine == other:
            continue  # one source has one of its scores
        gap = min(gap, two - one)
        if two - one <= 2 * within:
            single = False
    return Scores(gap - 2 * within, single)


def _modulo(seen: Sequence[float], step: float, null: float | None, within: float) -> Scores:
    """The same where each source may have any multiple of a step beside."""
    rests = sorted(math.fmod(math.fmod(each, step) + step, step) for each in seen)
    if null is not None:
        rests = sorted([*rests, math.fmod(math.fmod(null, step) + step, step)])
    round_again = rests[:1] and [rests[0] + step]
    gap = min((b - a for a, b in pairwise([*rests, *round_again])), default=math.inf)
    return Scores(min(gap, step) - 2 * within, single=gap > 2 * within)


class Shares(NamedTuple):
    """What a softmax makes of a best score that one key has, or several.

    Attributes:
        leak: what all other keys get at most.
        off: how far the share of a best key lies off, relatively; 0: it is exact.
        one: whether all keys that are found have one value.
    """

    leak: float
    off: float
    one: bool


def shares(
    nats: float, keys: int, number: Format, *, single: bool, equal: bool, alike: bool
) -> Shares:
    """The shares where the best score is so many nats ahead (lemma 5).

    Args:
        nats: of what is computed.
        keys: how many there are, the null key among them.
        number: the format.
        single: whether one has the best score.
        equal: whether, if several have it, theirs are one number in the network.
        alike: whether, if several have it, they have one value: however they share, it is found.
    """
    u = number.roundoff
    if not nats > 0:
        raise NotProven("scores may not stand apart")
    if not (single or equal or alike):
        raise NotProven("keys that match equally may have scores that are not equal")
    leak = 0.0 if math.isinf(nats) else min(1.0, times(keys, _exp(-nats), plus(1.0, times(EXP, u))))
    if not leak < 0.25:
        raise NotProven("scores hardly stand apart")
    if single and leak < u / 4:
        return Shares(leak, 0.0, one=True)
    off = plus(times(plus(keys, EXP, 2.0), u), leak)
    return Shares(leak, off, one=single or alike)


def _exp(number: float) -> float:
    """A power of two that is not below the exponential, be its library a part in a million off."""
    found = math.exp(number) * (1 + 1e-6)
    return math.ldexp(1.0, math.frexp(found)[1]) if found else 5e-324


def retrieved(
    value: Fact, null: Fact | None, found: Shares, keys: int, number: Format, *,
    single: bool, nobody: bool, who: str,
) -> Fact:  # fmt: skip
    """What a head finds: the value of a key, or the mean of several.

    Args:
        value: of any token.
        null: of the null key.
        found: how attention is divided.
        keys: how many there are.
        number: the format.
        single: whether one key is found.
        nobody: whether it may be that there is no key at all: 0 is found.
        who: the head.
    """
    hand = None
    if value.hand is not None and single and (null is None or null == NOTHING):
        hand = f"{who} {value.hand[0]}", value.hand[1]
    read = value if null is None else value.either(null)
    if nobody:
        read = read.either(NOTHING)
    constant = read.low == read.high
    leaked = times(2.0, found.leak, plus(read.size, read.error))
    if found.off == 0.0:
        error, size = plus(read.error, leaked), plus(read.size, read.error)
        up, down = (plus(above(end), error) for end in (max(read.high, ZERO), min(read.low, ZERO)))
        rest = times(1.0 / max(1, keys - 1), leaked)  # of each other key
        other = Term(Fact(ZERO, ZERO, ZERO, rest, rest), rest, rest, times(found.leak, size))
        terms = [Term(read, up, down, 0.0), *([other] * max(1, keys - 1) if leaked else [])]
        return total(terms, number)._replace(hand=hand)
    relative = plus(found.off, times(keys + 2.0, number.roundoff))
    error = plus(read.error, leaked, times(relative, 2.0, plus(read.size, read.error)))
    one_sided = read.low >= 0 or read.high <= 0
    stray = plus(times(2.0, read.stray), leaked) if one_sided and not constant else error
    return Fact(
        read.low,
        read.high,
        read.step if found.one or constant else None,
        error,
        min(error, stray),
        hand,
    )


def shared_out(
    value: Fact, found: Shares, tokens: int, number: Format, *, single: bool, most: float
) -> Fact:
    """What a reader is given where each source divides itself among its readers.

    Each source gives what it has to one reader, if ``single``; then the reader has the sum of some.
    ``most``: what no sum of some of them exceeds, as is claimed.
    """
    read, n = value.either(NOTHING), Fraction(tokens)
    leaked = times(2.0, found.leak, plus(read.size, read.error))
    if not single or found.off:
        raise NotProven("a source may divide itself among several readers")
    error = plus(read.error, leaked)
    up, down = above(max(read.high, ZERO)), above(min(read.low, ZERO))
    fact = read._replace(off=error, stray=plus(read.stray, leaked), hand=None)
    made = Term(
        fact, plus(up, error), plus(down, error), times(found.leak, plus(read.size, read.error))
    )
    return total([made] * tokens, number, most=most) if n else NOTHING
