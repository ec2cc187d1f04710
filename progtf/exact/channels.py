"""What heads write at worst: what their channels retrieve, bind and add."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from progtf.equality import compared
from progtf.exact.entries import Entries, Ints, Sums
from progtf.exact.formats import Format, grid_of, grids_of
from progtf.exact.heads import Attention, Sight, Update, Written
from progtf.exact.lemmas import LONGEST, MARGIN, lost_in_one, lost_in_product
from progtf.exact.search import lattice, product
from progtf.exact.stream import Bound, Flags, Terms, on_steps, ungrouped
from progtf.once import once
from progtf.program.arrays import Array
from progtf.program.forms import Form, Values, power_of_two_above
from progtf.program.model import Channel, Feature
from progtf.rational import fraction_of
from progtf.weights.formats import check_format, nearest


@dataclass(frozen=True, eq=False)
class Retrieved:
    """What the channels of one head come to, product by product.

    Attributes:
        products: what the map out of the head multiplies.
        updates: what every channel adds to every seme.
        largest: no number on the way is larger.
    """

    products: Terms
    updates: list[Update]
    largest: float


@dataclass(frozen=True, eq=False)
class Channels:
    """The channels of one head at their worst, all of them at once."""

    written: Written
    attention: Attention
    sight: Sight

    def retrieved(self) -> Retrieved:
        """What the head adds, channel by channel."""
        with np.errstate(invalid="ignore", over="ignore"):
            bound = self._bound(self._filler())
            updates = self._updates(bound)
        rows = np.repeat([[0.0], [0.0], [math.inf], [0.0], [0.0]], self.written.n_products, axis=1)
        rows[:, self._wired.products] = (
            bound.low, bound.high, bound.grid, bound.error, bound.stray,
        )  # fmt: skip
        updates += [
            Update(seme, _constant(value, self.sight), 0.0, tied=False)
            for seme, value in self.written.head.bias.items()
        ]
        tokens = self._times if self._times > 1 else 1.0
        largest = tokens * float(self._values.most.max(initial=0.0))
        return Retrieved(ungrouped(*rows), updates, largest)

    @cached_property
    def _wired(self) -> "_Wired":
        return _wired(self.written)

    @cached_property
    def _values(self) -> Sums:
        return self.written.value.sums(self.sight.there.terms, self.sight.number)

    @cached_property
    def _matched(self) -> bool:
        return bool(self.written.head.features)

    def _filler(self) -> "Filler":
        """What is retrieved (lemmas 1, 5)."""
        read, head = self._read(), self.written.head
        if head.look == "self" and head.null is None:
            return read._replace(stray=np.minimum(read.stray, read.error))
        agreeing = [channel.writes.keys() <= self.sight.agreeing for channel in head.channels]
        follows = self._wired.follows & (not self.attention.search.ties)
        agree = (read.low == read.high) | follows
        same = agree | (np.array(agreeing, dtype=bool) & self._matched)
        unique = self.attention.search.unique
        alike = same | unique
        found = read._replace(grid=np.where(alike, read.grid, 0.0), kept=read.kept & alike)
        filler = self._mixed(found, mixed=~same, agree=agree)
        if self.attention.share.exact:
            pairs = zip(self._exactly(found), filler, strict=True)
            filler = Filler(*(np.where(alike, exact, mixed) for exact, mixed in pairs))
        return filler._replace(tied=~(agree | unique))

    def _read(self) -> "Filler":
        """What one token, or the null key, has to give."""
        head, values, nulls = self.written.head, self._values, self._wired.nulls
        low, high, grid, error, stray = (
            each[self._wired.fillers]
            for each in (values.low, values.high, values.grid, values.error, values.stray)
        )
        error = error + self._lost()
        kept = (low == high) | self._keeps_filler
        if head.null is not None:
            low, high = np.minimum(low, nulls), np.maximum(high, nulls)
            grid = np.minimum(grid, grids_of(nulls))
            error = np.maximum(error, np.abs(nulls - self._stored(nulls)))
            stray = np.where(nulls != 0, error, stray)
        elif head.look not in ("all", "upto", "self") or head.normalize == "queries":
            low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        none, never = np.zeros_like(low), np.zeros_like(kept)
        limit = np.full(len(low), math.inf)
        return Filler(low, high, grid, error, kept, none, stray, none, never, limit, never)

    def _stored(self, numbers: Array) -> Array:
        return nearest(numbers, check_format(self.sight.number.name))

    @property
    def _times(self) -> float:
        """How often what a token has may be given: once, or by each token of a text."""
        sight = self.sight
        return float(sight.length) if self.written.head.normalize == "queries" else 1.0

    def _mixed(self, read: "Filler", *, mixed: Flags, agree: Flags) -> "Filler":
        """Shares that are not exact."""
        sight, share, times = self.sight, self.attention.share, self._times
        spread = read.high - read.low
        leaked = times * spread * (share.leak + np.where(mixed, min(1.0, share.noise), 0.0))
        relative = share.lost + (sight.length + 2) * sight.number.roundoff
        error = times * (read.error + relative * read.size) + leaked
        one_sided = (read.low >= 0) | (read.high <= 0)
        stray = np.where(one_sided, times * read.stray * MARGIN + 2 * leaked, error)
        made = self._made(read, error, leaked, stray)
        return made._replace(relative=np.where(one_sided | agree, relative, 0.0))

    def _exactly(self, read: "Filler") -> "Filler":
        """Shares that are exact: one match, or 1, 2, 4, 8 ... (lemmas 2, 3, 5)."""
        sight, times, size = self.sight, self._times, self._times * read.size
        u, unique = sight.number.roundoff, self.attention.search.unique
        leaked = 2 * self.attention.share.leak * size
        grid = read.grid if unique else read.grid / power_of_two_above(sight.length)
        limit = self._limit(size, grid)
        single = (limit == 0) & (not unique)
        limit = np.where(single, self._limit(size, read.grid), limit)
        grid = np.where(single, read.grid, grid)
        error = times * read.error + leaked
        rounded = (sight.length + 1) * u * size
        doubled = 2.0**sight.length * error if sight.length < LONGEST else math.inf
        alone = (single | unique) & (times == 1)
        lost = np.minimum(np.where(alone, 2 * leaked, doubled), rounded)
        lost = np.where(limit == 0, rounded, np.where(error <= grid * u / 4, 0.0, lost))
        stray = times * read.stray * MARGIN + 2 * leaked
        made = self._made(read, error + lost, leaked, stray)
        return made._replace(limit=np.where(limit == 0, math.inf, limit), single=single)

    def _made(self, read: "Filler", error: Array, leaked: Array, stray: Array) -> "Filler":
        low, high = self._times * read.low, self._times * read.high
        low, high = np.minimum(read.low, low), np.maximum(read.high, high)
        stray = np.minimum(stray, error)
        return read._replace(low=low, high=high, error=error, leaked=leaked, stray=stray)

    def _lost(self) -> Array:
        """What is lost where a value is read that is known to keep to a range.

        Then no term is larger than that and all others together.
        """
        values, place, head = self._values, self._wired.fillers, self.written.head
        lost, sizes, index = values.lost[place], self.sight.there.sizes, self.sight.space.index
        for number in np.flatnonzero(lost) if head.normalize == "keys" else ():
            role, filler = head.channels[number].role, head.channels[number].filler
            if role.coefficients or not role.constant:
                continue
            outcome = float(self._outcome[number]) / abs(role.constant)
            parts = [abs(filler.constant)] + [
                abs(factor) * float(sizes[index[name]])
                for name, factor in filler.coefficients.items()
            ]
            terms, most, products, grid, error = (
                float(each[place[number]])
                for each in (values.terms, values.most, values.products, values.grid, values.error)
            )
            most = min(most, outcome + 2 * (sum(parts) - max(parts)))
            lost[number] = lost_in_one(terms, most, products, grid, error, self.sight.number)
        return lost

    @cached_property
    def _keeps_filler(self) -> Flags:
        """Whether what is read keeps to its declared steps."""
        return self.written.value.all_of(self.sight.there.kept)[self._wired.fillers]

    @cached_property
    def _keeps_role(self) -> Flags:
        role = self.written.role
        if role is None:
            return np.ones_like(self._keeps_filler)
        return role.all_of(self.sight.here.kept)[self._wired.roles]

    def _limit(self, size: Array, grid: Array) -> Array:
        """What sums of some tokens must stay below to be exact; 0: the sum of all may not."""
        limit = grid * self.sight.number.counts
        kept = np.where((self._outcome > 0) & (self._outcome <= limit), limit, 0.0)
        return np.where((grid > 0) & (size <= limit), math.inf, kept)

    @cached_property
    def _outcome(self) -> Array:
        """The largest amount that a channel comes to, if what it writes keeps to its range."""
        wired, amounts = self._wired, np.abs(self._wired.factors)
        found, none = (np.full(len(each), math.inf) for each in (wired.fillers, amounts))
        limits = self.sight.limits[wired.columns]
        each = np.divide(limits, amounts, out=none, where=amounts > 0)
        np.minimum.at(found, wired.of, each)
        return found

    def _bound(self, filler: "Filler") -> "Filler":
        """Filler times role (lemma 4)."""
        number, place = self.sight.number, self._wired.roles
        if self.written.role is None:
            return filler
        roles = self.written.role.sums(self.sight.here.terms, number)
        low, high, grids = roles.low[place], roles.high[place], roles.grid[place]
        off = (roles.error + roles.lost)[place]
        ends = [one * other for one in (filler.low, filler.high) for other in (low, high)]
        a, b = np.maximum(-filler.low, filler.high), np.maximum(-low, high)
        error = a * off + b * filler.error + off * filler.error
        grid = np.where((a != 0) & (b != 0), filler.grid * grids, math.inf)
        size = np.minimum(a * b, self._outcome) + error
        plain = (low == high) & (np.abs(low) == grids_of(low)) & (off == 0)
        lost = np.where(plain, 0.0, lost_in_product(size, grid, error, number))
        stray = np.maximum(filler.stray * (b + off), (a + filler.error) * roles.stray[place])
        return filler._replace(
            low=np.min(ends, axis=0), high=np.max(ends, axis=0), grid=grid, error=error + lost,
            kept=filler.kept & self._keeps_role, relative=np.where(plain, filler.relative, 0.0),
            stray=np.minimum(stray * MARGIN, error + lost),
        )  # fmt: skip

    def _updates(self, bound: "Filler") -> list[Update]:
        wired, factor = self._wired, self._wired.factors
        made, amount = Filler._make(each[wired.of] for each in bound), np.abs(factor)
        ends = factor * made.low, factor * made.high
        off = np.abs(factor - self._stored(factor)) * np.maximum(made.size, made.error)
        grid = np.where(amount > 0, grids_of(factor) * made.grid, math.inf)
        # Of matches that are equal `settled` says so.
        tied = made.tied & wired.grained & self._matched
        kept = made.kept | tied & (self._keeps_filler & self._keeps_role)[wired.of]
        bounds = (
            np.minimum(*ends), np.maximum(*ends), grid, amount * made.error + off,
            kept & wired.whole, made.relative, amount * made.stray,
        )  # fmt: skip
        role = self.written.role
        size = 1.0 if role is None else role.sizes(self.sight.here.sizes)[wired.roles[wired.of]]
        beside = made.leaked * size * amount, made.tied, made.limit, made.single
        each = zip(*(column.tolist() for column in bounds), strict=True)
        rest = zip(*(column.tolist() for column in beside), strict=True)
        semes = (seme for channel in self.written.head.channels for seme in channel.writes)
        found = zip(semes, each, rest, strict=True)
        return [Update(seme, Bound(*numbers), *told) for seme, numbers, told in found]


@compared
class Filler(NamedTuple):
    """What channels retrieve; fields as those of `Bound` and of `Update`."""

    low: Array
    high: Array
    grid: Array
    error: Array
    kept: Flags
    relative: Array
    stray: Array
    leaked: Array
    tied: Flags
    limit: Array
    single: Flags

    @property
    def size(self) -> Array:
        """The largest amount, the network's too."""
        return np.maximum(-self.low, self.high) + self.error


@compared
class _Wired(NamedTuple):
    """What channels are, whatever they read.

    Attributes:
        fillers, roles: of every channel its columns of the maps; products: its row of the map out.
        nulls: what the null key gives.
        follows: whether what is read is a multiple of what was compared.
        of: of everything that is written the channel; columns: the seme; factors: times what.
        whole: whether that comes to whole steps; grained: whether there are any.
    """

    fillers: Ints
    roles: Ints
    products: Ints
    nulls: Array
    follows: Flags
    of: Ints
    columns: Ints
    factors: Array
    whole: Flags
    grained: Flags


@once
def _wired(written: Written) -> _Wired:
    head, space = written.head, written.program.space
    nulls = (0.0,) * len(head.channels) if head.null is None else head.null.filler
    keyed = [feature for feature in head.features if feature.key.coefficients]
    fillers, roles = _places(written, nulls)
    products = fillers if fillers is roles else fillers * (roles.max(initial=0) + 1) + roles
    writes = [(place, *each) for place, c in enumerate(head.channels) for each in c.writes.items()]
    steps = [product(lattice(c.filler, space), lattice(c.role, space)) for c in head.channels]
    allowed = [space.ranges[seme] for _, seme, _ in writes]
    whole = [
        _whole(steps[place], factor, values) and on_steps(_times(factor, nulls[place]), values)
        for (place, _, factor), values in zip(writes, allowed, strict=True)
    ]
    return _Wired(
        fillers, roles, products, np.array(nulls, dtype=np.float64),
        np.array([_follows(keyed, channel) for channel in head.channels], dtype=bool),
        np.array([place for place, _, _ in writes], dtype=np.int64),
        np.array([space.index[seme] for _, seme, _ in writes], dtype=np.int64),
        np.array([factor for _, _, factor in writes], dtype=np.float64),
        np.array(whole, dtype=bool), np.array([values.grain > 0 for values in allowed], dtype=bool),
    )  # fmt: skip


def _whole(steps: Fraction | None, factor: float, values: Values) -> bool:
    """Whether a factor times multiples of some steps, None: of nothing, keeps to others."""
    return steps is None or steps > 0 and on_steps(steps * fraction_of(factor), values)


def _times(one: float, other: float) -> Fraction:
    return fraction_of(one) * fraction_of(other)


def _places(written: Written, nulls: Sequence[float]) -> tuple[Ints, Ints]:
    """Of every channel its filler and its role among the columns of their maps."""
    channels = written.head.channels
    if written.program.binding != "outer":
        same = np.arange(len(channels))
        return same, same
    fillers: dict[tuple[Form, float], int] = {}
    roles: dict[Form, int] = {}
    pairs = zip(channels, nulls, strict=True)
    return (
        np.array([fillers.setdefault((c.filler, null), len(fillers)) for c, null in pairs]),
        np.array([roles.setdefault(c.role, len(roles)) for c in channels]),
    )


def _constant(value: float, sight: Sight) -> Bound:
    return Bound(value, value, grid_of(value), abs(value - sight.number.stored(value)))


def _follows(features: Sequence[Feature], channel: Channel) -> bool:
    """Whether what is read is a multiple of what was compared, so that equal keys agree."""
    reads = channel.filler.coefficients
    if len(features) != 1 or features[0].query.coefficients or not features[0].query.constant:
        return False
    key = features[0].key.coefficients
    if not reads or key.keys() != reads.keys():
        return False
    ratios = {fraction_of(reads[n]) / fraction_of(c) for n, c in key.items() if c}
    return len(ratios) == 1


def added_by_heads(
    made: Sequence[tuple[Written, Retrieved]], number: Format
) -> tuple[Sums, list[int]]:
    """What the heads of a layer add to each column together (lemmas 1 to 3), and which columns."""
    outs = [written.out for written, _ in made]
    counts = [written.n_products for written, _ in made]
    total, begins = sum(counts), accumulate(counts, initial=0)
    rows = [
        np.where(out.rows == count, total, out.rows + begin)
        for out, count, begin in zip(outs, counts, begins, strict=False)
    ]
    columns, targets = np.unique(np.concatenate([o.columns for o in outs]), return_inverse=True)
    meant, runs, off = (
        np.concatenate([getattr(out, name) for out in outs]) for name in ("meant", "runs", "off")
    )
    together = Entries(np.concatenate(rows), targets, meant, runs, len(columns), off)
    fields = zip(*(retrieved.products[:5] for _, retrieved in made), strict=True)
    products = ungrouped(*(np.concatenate([each[:-1] for each in field]) for field in fields))
    return together.sums(products, number), columns.tolist()
