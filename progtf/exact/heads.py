"""What heads write at worst: how far attention leaks, and how far their updates lie off."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from progtf.exact.entries import Entries, Sums
from progtf.exact.formats import FORMATS, Format, grid_of
from progtf.exact.lemmas import Share, lost_in_product, lost_in_sum, shares
from progtf.exact.search import Search, lattice, search
from progtf.exact.stream import Bound, Stream, Terms, on_steps, ungrouped
from progtf.program.forms import Form, Space, Values, power_of_two_above
from progtf.program.model import Binding, Channel, Feature, Head
from progtf.weights.maps import Map, Path

_MARGIN = 1.01  # for what is of higher order
Maps = Mapping[str, tuple[Map, Map]]


@dataclass(frozen=True, eq=False)
class Written:
    """A written head with its entries.

    Attributes:
        path: where it stands.
        head: as the program has it.
        query, key, value, role: its maps; role: None where nothing is bound.
        out: what its products write.
    """

    path: Path
    head: Head
    query: Entries
    key: Entries
    value: Entries
    role: Entries | None
    out: Entries
    n_products: int

    @classmethod
    def of(cls, path: Path, head: Head, maps: Maps, width: int) -> "Written":
        """With the maps of its path."""
        query, key, value = (Entries.of([maps[name]], width) for name in ("query", "key", "value"))
        role = Entries.of([maps["role"]], width) if "role" in maps else None
        n_products = len(maps["out"][0].sources)
        out = Entries.of([maps["out"]], n_products)
        return cls(path, head, query, key, value, role, out, n_products)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a head sees.

    Attributes:
        here, there: the residuals that it reads.
        length: how many tokens there are at most.
        agreeing: semes of which tokens that match equally are taken to have the same value.
        few: whether tokens that match equally are taken to be 1, 2, 4 ... in number.
        limits: the ranges of semes that one channel alone writes.
        alone: whether one token at most can match.
    """

    here: Stream
    there: Stream
    space: Space
    length: int
    number: Format
    agreeing: frozenset[str]
    few: bool
    limits: Mapping[str, Values]
    binding: Binding
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Attention:
    """How surely a head finds what it looks for.

    Attributes:
        search: the smallest difference of scores.
        error: how far a score lies off at most.
        gap: what is left of the difference, times sharpness, in nats.
        share: what the softmax makes of it.
        few: whether it is taken that matches are 1, 2, 4 ... in number, and that matters.
    """

    search: Search
    error: float
    gap: float
    share: Share
    few: bool

    @property
    def leak(self) -> float:
        """The share of the attention that goes to what does not match, at most."""
        return self.share.leak


@dataclass(frozen=True, slots=True)
class Update:
    """What one channel of a head adds to one seme.

    Attributes:
        bound: the number that is added, what adding it up loses left out.
        leaked: the part of its error that is due to leaking attention.
        tied: whether tokens that match equally could have different values.
        limit: sums of some tokens are taken to stay below it, on the way to that of all.
        single: whether it is taken that the head finds one token.
    """

    target: str
    bound: Bound
    leaked: float
    tied: bool
    limit: float = math.inf
    single: bool = False


def attend(written: Written, sight: Sight) -> Attention:
    """The attention of a head at its worst (lemma 5)."""
    head = written.head
    found = search(head, sight.space, sight.length)
    found = replace(found, unique=found.unique or sight.alone)
    error, snapped = _score_error(written, sight)
    match = [part.match for part in head.parts]
    equal = found.unique or not match or snapped and min(match) >= 0 < sum(match)
    off = 2 * error + _null_error(head, sight.number)
    gap = math.inf if found.gap == math.inf else head.sharpness * (found.gap - off)
    rivals = sight.length + 1 if head.look != "self" else 1
    apart = 0.0 if equal else 2 * head.sharpness * error
    share = shares(gap, apart, rivals, sight.number, alone=found.unique)
    if found.unique or not sight.few:
        return Attention(found, error, gap, share, few=False)
    again = shares(gap, apart, rivals, sight.number, alone=True)
    return Attention(found, error, gap, again, few=again.exact)


def _score_error(written: Written, sight: Sight) -> tuple[float, bool]:
    """How far a score can lie off, before sharpness, and whether all but 0 are exact (lemma 2)."""
    number, head = sight.number, written.head
    if not head.features:
        return 0.0, True
    query = written.query.sums(sight.here.terms, number)
    key = written.key.sums(sight.there.terms, number)
    scored = [
        _scored(query, key, place, paired=all(group >= 0 for group in _groups(feature, sight)))
        for place, feature in enumerate(head.features)
    ]
    apart = [_worst([scored[p] for p in group]) for group in _one_hot(head.features, sight)]
    size = sum(part.size for part in apart)
    error = sum(part.error for part in apart)
    grid = min((part.grid for part in scored if part.size), default=math.inf)
    terms = sum(1 for part in apart if part.size)
    lost = lost_in_sum(*map(np.array, (terms, size, size, grid, error)), number)
    if grid_of(head.sharpness) != head.sharpness:
        error += 2 * number.roundoff * size
    snapped = (
        not lost
        and error <= grid * number.roundoff / 4
        and not (query.lost.any() or key.lost.any())
    )
    return error + float(lost), snapped


def _null_error(head: Head, number: Format) -> float:
    """How far the score of the null key lies off, before sharpness; it is not stored narrowly."""
    if head.null is None:
        return 0.0
    rest = head.sharpness * head.null.score
    kept = FORMATS["float64" if number.bits > FORMATS["float32"].bits else "float32"]
    off = abs(rest - kept.stored(rest)) + abs(head.null.score - kept.stored(head.null.score))
    return 2 * off / min(1.0, head.sharpness)


class Scored(NamedTuple):
    """What one feature adds to a score: at most, on which grid, and how far it lies off.

    ``stray``: what it adds where its query, or its key, is exactly 0; ``both``: where both are;
    ``paired``: whether queries exclude each other, and keys too.
    """

    size: float
    error: float
    grid: float
    stray: float
    both: float
    paired: bool


def _scored(query: Sums, key: Sums, place: int, *, paired: bool) -> Scored:
    off_here = float(query.error[place] + query.lost[place])
    off_there = float(key.error[place] + key.lost[place])
    a = max(-float(query.low[place]), float(query.high[place]))
    b = max(-float(key.low[place]), float(key.high[place]))
    error = a * off_there + b * off_here + off_here * off_there
    stray = max(
        float(query.stray[place]) * (b + off_there), float(key.stray[place]) * (a + off_here)
    )
    grid = float(query.grid[place] * key.grid[place]) if a and b else math.inf
    both = float(query.stray[place]) * float(key.stray[place])
    return Scored((a + off_here) * (b + off_there), error, grid, min(stray, error), both, paired)


def _worst(group: Sequence[Scored]) -> Scored:
    """Features of which one query at most is up, or one key, or both (lemma 5)."""
    if len(group) == 1:
        return group[0]
    beside = sum(part.both for part in group) + max(part.stray - part.both for part in group)
    if not all(part.paired for part in group):
        beside = sum(part.stray for part in group)
    size = max(part.size for part in group) + beside
    return group[0]._replace(
        size=size, error=max(part.error for part in group) + beside,
        grid=min(part.grid for part in group),
    )  # fmt: skip


def _one_hot(features: Sequence[Feature], sight: Sight) -> Iterator[list[int]]:
    """The features of a head in groups, of each of which one query or one key at most is up."""
    groups: dict[object, list[int]] = {}
    for place, feature in enumerate(features):
        here, there = _groups(feature, sight)
        both = here >= 0 and there >= 0
        one = ("query", here) if here >= 0 else ("key", there) if there >= 0 else ("alone", place)
        found = ("both", here, there) if both else one
        groups.setdefault(found, []).append(place)
    yield from groups.values()


def _groups(feature: Feature, sight: Sight) -> tuple[float, float]:
    """The groups of its query and of its key, -1 for none."""
    here = _group(feature.query, sight.here, sight)
    return here, _group(feature.key, sight.there, sight)


def _group(form: Form, stream: Stream, sight: Sight) -> float:
    """The group of flags that a form is a multiple of one of, or -1."""
    flag = _flag(form)
    return -1.0 if flag is None else float(stream.group[sight.space.index[flag]])


def _flag(form: Form) -> str | None:
    """The one seme that a form is a multiple of."""
    names = [name for name, factor in form.coefficients.items() if factor]
    return names[0] if len(names) == 1 and not form.constant else None


# ------------------------------------------------------------------ what is written


@dataclass(frozen=True, eq=False)
class Retrieved:
    """What the channels of one head come to, product by product.

    Attributes:
        products: what the map out of the head multiplies.
        updates: what every channel adds to every seme.
    """

    products: Terms
    updates: list[Update]


@dataclass(frozen=True, eq=False)
class Channels:
    """The channels of one head at their worst."""

    written: Written
    attention: Attention
    sight: Sight

    def retrieved(self) -> Retrieved:
        """What the head adds, channel by channel."""
        rows = [[0.0] * 5 for _ in range(self.written.n_products)]
        for row in rows:
            row[2] = math.inf
        updates: list[Update] = []
        for number, (channel, row) in enumerate(
            zip(self.written.head.channels, self._rows(), strict=True)
        ):
            filler = self._filler(number, channel)
            bound = self._bound(number, channel, filler)
            stray = bound.error if bound.stray is None else bound.stray
            rows[row] = [bound.low, bound.high, bound.grid, bound.error, stray]
            updates += self._updates(channel, bound, filler)
        updates += [
            Update(seme, _constant(value, self.sight), 0.0, tied=False)
            for seme, value in self.written.head.bias.items()
        ]
        return Retrieved(ungrouped(*np.array(rows).reshape(-1, 5).T), updates)

    @cached_property
    def _values(self) -> Sums:
        return self.written.value.sums(self.sight.there.terms, self.sight.number)

    @cached_property
    def _roles(self) -> Sums | None:
        role = self.written.role
        return None if role is None else role.sums(self.sight.here.terms, self.sight.number)

    def _places(self) -> tuple[list[int], list[int]]:
        """Of every channel its filler and its role among the columns of their maps."""
        channels = self.written.head.channels
        if self.sight.binding != "outer":
            return list(range(len(channels))), list(range(len(channels)))
        nulls = self._nulls
        fillers: list[object] = []
        roles: list[object] = []
        for channel, null in zip(channels, nulls, strict=True):
            pair = (channel.filler, null)
            fillers += [] if pair in fillers else [pair]
            roles += [] if channel.role in roles else [channel.role]
        pairs = zip(channels, nulls, strict=True)
        return (
            [fillers.index((c.filler, null)) for c, null in pairs],
            [roles.index(c.role) for c in channels],
        )

    def _rows(self) -> list[int]:
        """Of every channel its product among the rows of the map out of the head."""
        fillers, roles = self._places()
        if self.sight.binding != "outer":
            return fillers
        count = max(roles, default=0) + 1
        return [filler * count + role for filler, role in zip(fillers, roles, strict=True)]

    @property
    def _nulls(self) -> tuple[float, ...]:
        head = self.written.head
        return (0.0,) * len(head.channels) if head.null is None else head.null.filler

    def _filler(self, number: int, channel: Channel) -> "_Filler":
        """What is retrieved (lemmas 1, 5)."""
        sight, head, values = self.sight, self.written.head, self._values
        place = self._places()[0][number]
        low, high = float(values.low[place]), float(values.high[place])
        grid = float(values.grid[place])
        off = float(values.error[place]) + self._lost(channel, place)
        constant = low == high
        null = self._nulls[number]
        if head.null is not None:
            low, high, grid = min(low, null), max(high, null), min(grid, grid_of(null))
            off = max(off, abs(null - sight.number.stored(null)))
        elif head.look not in ("all", "upto", "self") or head.normalize == "queries":
            low, high = min(low, 0.0), max(high, 0.0)
        times = float(sight.length) if head.normalize == "queries" else 1.0
        agree = constant or _follows(head, channel)
        taken = agree or bool(head.features) and channel.writes.keys() <= sight.agreeing
        share, spread = self.attention.share, high - low
        size = max(-low, high) + off
        if head.look == "self" and head.null is None:
            kept = constant or self._lattice(channel)
            stray = min(off, float(values.stray[place]))
            return _Filler(low, high, grid, off, 0.0, False, math.inf, kept, 0.0, stray)
        alike, single = self.attention.search.unique or taken, False
        if not alike:
            grid = 0.0
        if not (share.exact and alike):
            limit = math.inf
            mixed = 0.0 if taken else min(1.0, share.noise) * spread
            leaked = times * (share.leak * spread + mixed)
            relative = share.lost + (sight.length + 2) * sight.number.roundoff
            lost = times * relative * size
            relative *= low >= 0 or high <= 0 or agree
        else:
            leaked, fine, relative = times * share.leak * 2 * size, grid, 0.0
            if not self.attention.search.unique:
                fine = grid / power_of_two_above(sight.length)
            limit = self._limit(channel, times * size, fine)
            if limit is None and fine < grid:  # one token, if not 1, 2, 4 ...
                limit, fine, single = self._limit(channel, times * size, grid), grid, True
            fits = limit is not None
            lost = 0.0 if fits else (sight.length + 1) * sight.number.roundoff * times * size
            if fits and off + leaked > fine * sight.number.roundoff / 4:  # not rounded away
                more = (
                    (2.0 ** min(sight.length, 60)) * (times * off + leaked)
                    if sight.length < 40
                    else math.inf
                )
                one = (
                    2 * leaked if (self.attention.search.unique or single) and times == 1 else more
                )
                lost = min(one, (sight.length + 1) * sight.number.roundoff * times * size)
        tied = not (self.attention.search.unique or agree) or times > 1
        kept = (constant or self._lattice(channel)) and alike
        low, high = min(low, times * low), max(high, times * high)
        error = times * off + leaked + lost
        one_sided = low >= 0 or high <= 0 or alike
        stray = (
            times * float(values.stray[place]) * _MARGIN + 2 * leaked
            if one_sided and not null
            else error
        )
        return _Filler(
            low, high, grid, error, leaked, tied, limit or math.inf, kept, relative,
            min(stray, error), single,
        )  # fmt: skip

    def _lost(self, channel: Channel, place: int) -> float:
        """What is lost where a value is read that is known to keep to a range.

        Then no term is larger than that and all others together.
        """
        values, constant = self._values, not channel.role.coefficients and channel.role.constant
        lost = float(values.lost[place])
        if not lost or not constant or self.written.head.normalize != "keys":
            return lost
        outcome = self._outcome(channel) / abs(constant)
        sizes = [abs(channel.filler.constant)] + [
            abs(factor) * self.sight.there.at(self.sight.space.index[name]).size
            for name, factor in channel.filler.coefficients.items()
        ]
        most = min(float(values.most[place]), outcome + 2 * (sum(sizes) - max(sizes)))
        given = (
            values.terms[place],
            most,
            values.products[place],
            values.grid[place],
            values.error[place],
        )
        return float(lost_in_sum(*map(np.array, given), self.sight.number))

    def _lattice(self, channel: Channel) -> bool:
        """Whether what is read keeps to its declared steps."""
        index = self.sight.space.index
        names = [n for n, factor in channel.filler.coefficients.items() if factor]
        return all(bool(self.sight.there.kept[index[name]]) for name in names)

    def _limit(self, channel: Channel, size: float, grid: float) -> float | None:
        """What sums of some tokens must stay below to be exact; None: the sum of all may not."""
        if grid > 0 and size <= grid * self.sight.number.counts:
            return math.inf
        limit = grid * self.sight.number.counts
        return limit if 0 < self._outcome(channel) <= limit else None

    def _outcome(self, channel: Channel) -> float:
        """The largest amount that a channel comes to, if what it writes keeps to its range."""
        amounts = [
            max(-self.sight.limits[seme].low, self.sight.limits[seme].high) / abs(factor)
            for seme, factor in channel.writes.items()
            if factor and seme in self.sight.limits
        ]
        return min(amounts, default=math.inf)

    def _bound(self, number: int, channel: Channel, filler: "_Filler") -> Bound:
        """Filler times role (lemma 4)."""
        found = Bound(
            filler.low, filler.high, filler.grid, filler.error, filler.kept, filler.relative,
            filler.stray,
        )  # fmt: skip
        if self._roles is None:
            return found
        place, roles = self._places()[1][number], self._roles
        low, high = float(roles.low[place]), float(roles.high[place])
        off = float(roles.error[place]) + float(roles.lost[place])
        ends = [a * b for a in (found.low, found.high) for b in (low, high)]
        a, b = max(-found.low, found.high), max(-low, high)
        error = a * off + b * found.error + off * found.error
        grid = found.grid * float(roles.grid[place]) if a and b else math.inf
        size = min(a * b, self._outcome(channel)) + error
        plain = low == high and abs(low) == grid_of(low) and not off
        lost = (
            0.0
            if plain
            else float(lost_in_product(*map(np.array, (size, grid, error)), self.sight.number))
        )
        index = self.sight.space.index
        kept = found.kept and all(
            bool(self.sight.here.kept[index[n]]) for n in channel.role.coefficients
        )
        stray = (
            max(filler.stray * (b + off), (a + found.error) * float(roles.stray[place])) * _MARGIN
        )
        return Bound(
            min(ends), max(ends), grid, error + lost, kept, found.relative if plain else 0.0,
            min(stray, error + lost),
        )  # fmt: skip

    def _updates(self, channel: Channel, bound: Bound, filler: "_Filler") -> Iterator[Update]:
        sight = self.sight
        role = 1.0 if self._roles is None else _size(channel.role, sight.here, sight.space)
        steps = lattice(channel.filler, sight.space) * lattice(channel.role, sight.space)
        for seme, factor in channel.writes.items():
            off = abs(factor - sight.number.stored(factor)) * bound.size
            ends = factor * bound.low, factor * bound.high
            allowed = sight.space.ranges[seme]
            whole = math.isinf(steps) or (steps > 0 and on_steps(factor * steps, allowed))
            nulls = all(on_steps(factor * null, allowed) for null in self._nulls)
            moved = Bound(
                min(ends), max(ends), grid_of(factor) * bound.grid if factor else math.inf,
                abs(factor) * bound.error + off, bound.kept and whole and nulls, bound.relative,
                abs(factor) * (bound.error if bound.stray is None else bound.stray),
            )  # fmt: skip
            yield Update(
                seme,
                moved,
                filler.leaked * role * abs(factor),
                filler.tied,
                filler.limit,
                filler.single,
            )


class _Filler(NamedTuple):
    """What a channel retrieves: its ends, grid, error and the part of that which leaks."""

    low: float
    high: float
    grid: float
    error: float
    leaked: float
    tied: bool
    limit: float
    kept: bool
    relative: float
    stray: float
    single: bool = False


def _size(form: Form, stream: Stream, space: Space) -> float:
    """The largest amount of a form."""
    return abs(form.constant) + sum(
        abs(factor) * stream.at(space.index[name]).size
        for name, factor in form.coefficients.items()
    )


def _constant(value: float, sight: Sight) -> Bound:
    return Bound(value, value, grid_of(value), abs(value - sight.number.stored(value)))


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


def added_by_heads(
    made: Sequence[tuple[Written, Retrieved]], number: Format
) -> tuple[Sums, list[int]]:
    """What the heads of a layer add to each column together (lemmas 1 to 3), and which columns."""
    columns = sorted({c for written, _ in made for c in written.out.columns.tolist()})
    place = {column: number for number, column in enumerate(columns)}
    rows, targets, meant, runs = [], [], [], []
    fields: list[list[float]] = [[], [], [], [], []]
    begin = 0
    total = sum(written.n_products for written, _ in made)
    for written, retrieved in made:
        out = written.out
        constant = out.rows == written.n_products
        rows.append(np.where(constant, total, out.rows + begin))
        targets.append(np.array([place[c] for c in out.columns.tolist()], dtype=np.int64))
        meant.append(out.meant)
        runs.append(out.runs)
        for field, values in zip(fields, retrieved.products[:5], strict=True):
            field.extend(values[:-1].tolist())
        begin += written.n_products
    together = Entries(
        np.concatenate(rows), np.concatenate(targets), np.concatenate(meant), np.concatenate(runs),
        len(columns),
    )  # fmt: skip
    products = ungrouped(*(np.array(field) for field in fields))
    return together.sums(products, number), columns
