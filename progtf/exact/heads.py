"""What a head writes at worst: how far its attention leaks, and how far its updates lie off."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from progtf.exact.bounds import (
    ZERO,
    Bound,
    State,
    constant,
    hull,
    keeps,
    product,
    read,
    rounding,
    scaled,
)
from progtf.exact.exclusive import ANY, MOST_LINES, Known, exclusive
from progtf.exact.formats import Format, grid_of
from progtf.exact.search import Search, search
from progtf.program.forms import Form, Space, Values
from progtf.program.model import Channel, Feature, Head

_SEEN = 2.0**-26  # a leak below this vanishes beside the share of the one token that is read


@dataclass(frozen=True, slots=True)
class Sight:
    """What a head sees: the residuals it reads, and how many tokens there are at most.

    ``agreeing`` are the semes of which tokens that match equally are taken to have the same value;
    with ``few`` they are taken to be 1, 2, 4 ... in number, whose shares are exact. ``mine`` and
    ``theirs`` is what is known of flags here and there, ``kept`` the ranges of semes that one
    channel alone writes.
    """

    here: State
    there: State
    space: Space
    length: int
    number: Format
    agreeing: frozenset[str]
    few: bool
    mine: Known
    theirs: Known
    kept: Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class Update:
    """What a head adds to one seme.

    Attributes:
        bound: the number that is added.
        leaked: the part of its error that is due to leaking attention.
        tied: whether tokens that match equally could have different values.
        limit: sums of some tokens are taken to stay below it, on the way to that of all.
    """

    target: str
    bound: Bound
    leaked: float
    tied: bool
    limit: float = math.inf

    def tight(self) -> "Update":
        """This update without its leak, once that has been refused."""
        rest = self.bound._replace(error=max(0.0, self.bound.error - self.leaked))
        return Update(self.target, rest, 0.0, self.tied, self.limit)


@dataclass(frozen=True, slots=True)
class Attention:
    """How surely a head finds what it looks for.

    Attributes:
        search: the smallest difference of scores.
        error: how far a score lies off at most.
        gap: what is left of the difference, times sharpness, in nats.
        leak: the share of the attention that goes to what does not match, at most.
        noise: by how much the shares of equal matches differ, at most.
    """

    search: Search
    error: float
    gap: float
    leak: float
    noise: float


def attend(head: Head, sight: Sight) -> Attention:
    """The attention of a head at its worst."""
    found = search(head, sight.space, sight.length)
    error = _score_error(head, sight)
    gap = math.inf if found.gap == math.inf else head.sharpness * (found.gap - 2 * error)
    rivals = sight.length if head.look != "self" else 1
    leak = 0.0 if gap == math.inf else min(1.0, rivals * math.exp(-max(gap, 0.0)))
    exponent = 2 * head.sharpness * error
    noise = 0.0 if found.unique else min(1.0, math.expm1(min(exponent, 1.0)))
    return Attention(found, error, gap, leak, noise)


def _score_error(head: Head, sight: Sight) -> float:
    """How far the difference between a score and its exact version can be, before sharpness."""
    number = sight.number
    scored = [_scored(feature, sight) for feature in head.features]
    apart = [_worst([scored[p] for p in group]) for group in _one_hot(head.features, sight)]
    size = sum(part.size for part in apart)
    error = sum(part.error for part in apart)
    grid = min((part.grid for part in scored if part.size), default=math.inf)
    terms = sum(1 for part in apart if part.size)
    rest = 0.0 if head.null is None else abs(head.null.score)
    error += rounding(terms, size + rest, min(grid, grid_of(rest)), error, number)
    if grid_of(head.sharpness) != head.sharpness:
        error += number.roundoff * (size + rest)
    return error


class Scored(NamedTuple):
    """What one feature adds to a score: at most, on which grid, and how far it lies off.

    ``crossed``: the part of the error that is left where neither query nor key is up.
    """

    size: float
    error: float
    crossed: float
    grid: float


def _scored(feature: Feature, sight: Sight) -> Scored:
    number = sight.number
    query, key = read(feature.query, sight.here, number), read(feature.key, sight.there, number)
    a, b = max(-query.low, query.high), max(-key.low, key.high)
    crossed = query.error * key.error
    error = a * key.error + b * query.error + crossed
    return Scored(a * b, error, crossed, query.grid * key.grid if a and b else math.inf)


def _worst(group: Sequence[Scored]) -> Scored:
    """Features of which one query and one key at most is up at a time."""
    crossed = sum(part.crossed for part in group)
    error = 2 * max(part.error for part in group) + crossed if len(group) > 1 else group[0].error
    return Scored(max(p.size for p in group), error, crossed, min(p.grid for p in group))


def _one_hot(features: Sequence[Feature], sight: Sight) -> Iterator[list[int]]:
    """The features of a head in groups: of each group one query and one key at most is not 0."""
    flags = [(_flag(f.query), _flag(f.key)) for f in features]
    plain = [place for place, (query, key) in enumerate(flags) if query and key]
    if 1 < len(plain) <= MOST_LINES:
        queries = [sight.mine.cases.get(flags[p][0] or "", ANY) for p in plain]
        for group in exclusive(queries):
            keys = [sight.theirs.cases.get(flags[plain[p]][1] or "", ANY) for p in group]
            yield from ([plain[group[k]] for k in inner] for inner in exclusive(keys))
    else:
        yield from ([place] for place in plain)
    yield from ([place] for place in range(len(flags)) if place not in set(plain))


def _flag(form: Form) -> str | None:
    """The one seme that a form is a multiple of."""
    names = [name for name, factor in form.coefficients.items() if factor]
    return names[0] if len(names) == 1 and not form.constant else None


def updates(head: Head, attention: Attention, sight: Sight) -> Iterator[Update]:
    """What a head adds to the semes of those who read."""
    nulls = (0.0,) * len(head.channels) if head.null is None else head.null.filler
    for channel, null in zip(head.channels, nulls, strict=True):
        yield from _channel(head, channel, null, attention, sight)
    for seme, value in head.bias.items():
        yield Update(seme, constant(value, sight.number), 0.0, tied=False)


def _channel(
    head: Head, channel: Channel, null: float, attention: Attention, sight: Sight
) -> Iterator[Update]:
    filler, leaked, tied, limit = _filler(head, channel, null, attention, sight)
    role = read(channel.role, sight.here, sight.number)
    bound = product(filler, role, sight.number, _outcome(channel, sight))
    for seme, factor in channel.writes.items():
        written = scaled(bound, factor)
        off = abs(factor - sight.number.stored(factor)) * bound.size
        written = written._replace(error=written.error + off)
        yield Update(seme, written, leaked * role.size * abs(factor), tied, limit)


def _outcome(channel: Channel, sight: Sight) -> float:
    """The largest amount that a channel comes to, as far as what it writes keeps to its range."""
    amounts = [
        max(-sight.kept[seme].low, sight.kept[seme].high) / abs(factor)
        for seme, factor in channel.writes.items()
        if factor and seme in sight.kept
    ]
    return min(amounts, default=math.inf)


def _filler(
    head: Head, channel: Channel, null: float, attention: Attention, sight: Sight
) -> tuple[Bound, float, bool, float]:
    """What is retrieved, the part of its error that leaks, whether ties could be mixed, a limit."""
    most = math.inf
    if not channel.role.coefficients and channel.role.constant and head.normalize == "keys":
        most = _outcome(channel, sight) / abs(channel.role.constant)
    value = read(channel.filler, sight.there, sight.number, most)
    parts = [value]
    if head.null is not None:
        parts.append(Bound(null, null, grid_of(null), 0.0))
    elif head.look not in ("all", "upto", "self") or head.normalize == "queries":
        parts.append(ZERO)
    filler = hull(parts)
    times = float(sight.length) if head.normalize == "queries" else 1.0
    agree = value.low == value.high or _follows(head, channel)
    taken = agree or channel.writes.keys() <= sight.agreeing
    loose = attention.leak + (0.0 if taken else attention.noise)
    leaked = times * loose * filler.spread
    even = attention.search.unique or (taken and sight.few)
    limit = _limit(channel, filler, times, sight)
    lost = 0.0
    if limit is None or not (even and attention.leak < _SEEN):
        lost = times * sight.length * sight.number.roundoff * filler.size
    low, high = min(filler.low, times * filler.low), max(filler.high, times * filler.high)
    tied = filler.grid > 0 and not (attention.search.unique or agree) or times > 1
    bound = Bound(low, high, filler.grid, times * filler.error + leaked + lost)
    return bound, leaked, tied, limit or math.inf


def _limit(channel: Channel, filler: Bound, times: float, sight: Sight) -> float | None:
    """What sums of some tokens must stay below to be exact; None: the sum of all may not."""
    if times == 1 or keeps(times * filler.size, filler.grid, 0.0, sight.number):
        return math.inf
    limit = filler.grid * 2.0**sight.number.working_bits
    return limit if _outcome(channel, sight) <= limit else None


def _follows(head: Head, channel: Channel) -> bool:
    """Whether what is read is a multiple of what was compared, so that equal keys agree."""
    features = [feature for feature in head.features if feature.key.coefficients]
    reads = channel.filler.coefficients
    if len(features) != 1 or features[0].query.coefficients or not features[0].query.constant:
        return False
    key = features[0].key.coefficients
    if not reads or key.keys() != reads.keys():
        return False
    ratios = {round(reads[n] / c, 9) for n, c in key.items() if c}
    return len(ratios) == 1
