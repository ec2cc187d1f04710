"""What a head writes at worst: how far its attention leaks, and how far its updates lie off."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from progtf.exact.bounds import (
    ZERO,
    Bound,
    State,
    constant,
    hull,
    product,
    read,
    rounding,
    scaled,
)
from progtf.exact.formats import Format, grid_of
from progtf.exact.search import Search, search
from progtf.program.forms import Space
from progtf.program.model import Channel, Head

_SEEN = 2.0**-26  # a leak below this vanishes beside the share of the one token that is read


@dataclass(frozen=True, slots=True)
class Sight:
    """What a head sees: the residuals it reads, and how many tokens there are at most.

    ``agreeing`` are the semes of which tokens that match equally are taken to have the same value;
    with ``few`` they are taken to be 1, 2, 4 ... in number, whose shares are exact.
    """

    here: State
    there: State
    space: Space
    length: int
    number: Format
    agreeing: frozenset[str]
    few: bool


@dataclass(frozen=True, slots=True)
class Update:
    """What a head adds to one seme.

    Attributes:
        bound: the number that is added.
        leaked: the part of its error that is due to leaking attention.
        tied: whether tokens that match equally could have different values.
    """

    target: str
    bound: Bound
    leaked: float
    tied: bool

    def tight(self) -> "Update":
        """This update without its leak, once that has been refused."""
        rest = self.bound._replace(error=max(0.0, self.bound.error - self.leaked))
        return Update(self.target, rest, 0.0, self.tied)


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
    size = error = 0.0
    grid = math.inf
    number = sight.number
    for feature in head.features:
        query, key = read(feature.query, sight.here, number), read(feature.key, sight.there, number)
        a, b = max(-query.low, query.high), max(-key.low, key.high)
        error += a * key.error + b * query.error + query.error * key.error
        size += a * b
        if a and b:
            grid = min(grid, query.grid * key.grid)
    rest = 0.0 if head.null is None else abs(head.null.score)
    error += rounding(len(head.features), size + rest, min(grid, grid_of(rest)), error, number)
    if grid_of(head.sharpness) != head.sharpness:
        error += number.roundoff * (size + rest)
    return error


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
    filler, leaked, tied = _filler(head, channel, null, attention, sight)
    role = read(channel.role, sight.here, sight.number)
    bound = product(filler, role, sight.number)
    for seme, factor in channel.writes.items():
        written = scaled(bound, factor)
        off = abs(factor - sight.number.stored(factor)) * bound.size
        written = written._replace(error=written.error + off)
        yield Update(seme, written, leaked * role.size * abs(factor), tied)


def _filler(
    head: Head, channel: Channel, null: float, attention: Attention, sight: Sight
) -> tuple[Bound, float, bool]:
    """What is retrieved, the part of its error that leaks, and whether ties could be mixed."""
    value = read(channel.filler, sight.there, sight.number)
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
    lost = 0.0
    even = attention.search.unique or (taken and sight.few)
    if not (even and attention.leak < _SEEN):
        lost = times * sight.length * sight.number.roundoff * filler.size
    low, high = min(filler.low, times * filler.low), max(filler.high, times * filler.high)
    tied = filler.grid > 0 and not (attention.search.unique or agree) or times > 1
    return Bound(low, high, filler.grid, times * filler.error + leaked + lost), leaked, tied


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
