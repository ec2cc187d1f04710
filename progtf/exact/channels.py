"""What heads write at worst: what their channels retrieve, bind and add."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from progtf.exact.entries import Entries, Ints, Sums
from progtf.exact.formats import Format, grid_of
from progtf.exact.heads import Attention, Sight, Update, Written
from progtf.exact.lemmas import LONGEST, MARGIN, lost_in_one, lost_in_product
from progtf.exact.search import lattice
from progtf.exact.stream import Bound, Stream, Terms, on_steps, ungrouped
from progtf.program.forms import Array, Form, Space, power_of_two_above
from progtf.program.model import Channel, Feature


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
            updates += self._updates(channel, self._nulls[number], bound, filler)
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

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        """Of every channel its filler and its role among the columns of their maps."""
        channels = self.written.head.channels
        if self.sight.binding != "outer":
            return list(range(len(channels))), list(range(len(channels)))
        fillers: dict[tuple[Form, float], int] = {}
        roles: dict[Form, int] = {}
        pairs = zip(channels, self._nulls, strict=True)
        return (
            [fillers.setdefault((c.filler, null), len(fillers)) for c, null in pairs],
            [roles.setdefault(c.role, len(roles)) for c in channels],
        )

    def _rows(self) -> list[int]:
        """Of every channel its product among the rows of the map out of the head."""
        fillers, roles = self._places
        if self.sight.binding != "outer":
            return fillers
        count = max(roles, default=0) + 1
        return [filler * count + role for filler, role in zip(fillers, roles, strict=True)]

    @cached_property
    def _nulls(self) -> tuple[float, ...]:
        head = self.written.head
        return (0.0,) * len(head.channels) if head.null is None else head.null.filler

    @cached_property
    def _matched(self) -> bool:
        return bool(self.written.head.features)

    @cached_property
    def _keyed(self) -> list[Feature]:
        """What of its query/key space reads keys."""
        return [feature for feature in self.written.head.features if feature.key.coefficients]

    def _filler(self, number: int, channel: Channel) -> "Filler":
        """What is retrieved (lemmas 1, 5)."""
        read, head = self._read(number, channel), self.written.head
        if head.look == "self" and head.null is None:
            return Filler(
                read.low, read.high, read.grid, read.error, read.kept, 0.0, 0.0,
                min(read.stray, read.error), tied=False,
            )  # fmt: skip
        agree = read.low == read.high or _follows(self._keyed, channel)
        unique = self.attention.search.unique
        whole = self._matched and channel.writes.keys() <= self.sight.agreeing
        alike = unique or agree or whole
        found = read._replace(grid=read.grid if alike else 0.0, kept=read.kept and alike)
        if self.attention.share.exact and alike:
            filler = self._exactly(channel, found)
        else:
            filler = self._mixed(found, mixed=not (agree or whole), agree=agree)
        return filler._replace(tied=not (unique or agree))

    def _read(self, number: int, channel: Channel) -> "_Read":
        """What one token, or the null key, has to give."""
        sight, head, values = self.sight, self.written.head, self._values
        place, null = self._places[0][number], self._nulls[number]
        low, high = float(values.low[place]), float(values.high[place])
        error = float(values.error[place]) + self._lost(channel, place)
        grid, stray = float(values.grid[place]), float(values.stray[place])
        kept = low == high or self._lattice(channel)
        if head.null is not None:
            low, high, grid = min(low, null), max(high, null), min(grid, grid_of(null))
            error = max(error, abs(null - sight.number.stored(null)))
            stray = error if null else stray
        elif head.look not in ("all", "upto", "self") or head.normalize == "queries":
            low, high = min(low, 0.0), max(high, 0.0)
        return _Read(low, high, grid, error, stray, kept)

    @property
    def _times(self) -> float:
        """How often what a token has may be given: once, or by each token of a text."""
        sight = self.sight
        return float(sight.length) if self.written.head.normalize == "queries" else 1.0

    def _mixed(self, read: "_Read", *, mixed: bool, agree: bool) -> "Filler":
        """Shares that are not exact."""
        sight, share, times = self.sight, self.attention.share, self._times
        spread = read.high - read.low
        leaked = times * spread * (share.leak + (min(1.0, share.noise) if mixed else 0.0))
        relative = share.lost + (sight.length + 2) * sight.number.roundoff
        error = times * (read.error + relative * read.size) + leaked
        one_sided = read.low >= 0 or read.high <= 0
        stray = times * read.stray * MARGIN + 2 * leaked if one_sided else error
        relative = relative if one_sided or agree else 0.0
        return self._made(read, error, leaked, stray)._replace(relative=relative)

    def _exactly(self, channel: Channel, read: "_Read") -> "Filler":
        """Shares that are exact: one match, or 1, 2, 4, 8 ... (lemmas 2, 3, 5)."""
        sight, times, size = self.sight, self._times, self._times * read.size
        u, unique = sight.number.roundoff, self.attention.search.unique
        leaked = 2 * self.attention.share.leak * size
        grid = read.grid if unique else read.grid / power_of_two_above(sight.length)
        limit, single = self._limit(channel, size, grid), False
        if limit is None and not unique:
            limit, grid, single = self._limit(channel, size, read.grid), read.grid, True
        error = times * read.error + leaked
        rounded = (sight.length + 1) * u * size
        if limit is None:
            lost = rounded
        elif error <= grid * u / 4:
            lost = 0.0
        elif times == 1 and (unique or single):
            lost = min(2 * leaked, rounded)
        else:
            doubled = 2.0**sight.length * error if sight.length < LONGEST else math.inf
            lost = min(doubled, rounded)
        stray = times * read.stray * MARGIN + 2 * leaked
        made = self._made(read, error + lost, leaked, stray)
        return made._replace(limit=limit or math.inf, single=single)

    def _made(self, read: "_Read", error: float, leaked: float, stray: float) -> "Filler":
        low, high = min(read.low, self._times * read.low), max(read.high, self._times * read.high)
        stray = min(stray, error)
        return Filler(low, high, read.grid, error, read.kept, 0.0, leaked, stray, tied=True)

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
        products, grid = float(values.products[place]), float(values.grid[place])
        terms, error = float(values.terms[place]), float(values.error[place])
        return lost_in_one(terms, most, products, grid, error, self.sight.number)

    def _lattice(self, channel: Channel) -> bool:
        """Whether what is read keeps to its declared steps."""
        index = self.sight.space.index
        names = [n for n, factor in channel.filler.coefficients.items() if factor]
        return all(bool(self.sight.there.kept[index[name]]) for name in names)

    def _keeps_role(self, channel: Channel) -> bool:
        index = self.sight.space.index
        return all(bool(self.sight.here.kept[index[n]]) for n in channel.role.coefficients)

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

    def _bound(self, number: int, channel: Channel, filler: "Filler") -> Bound:
        """Filler times role (lemma 4)."""
        found = Bound(
            filler.low, filler.high, filler.grid, filler.error, filler.kept, filler.relative,
            filler.stray,
        )  # fmt: skip
        if self._roles is None:
            return found
        place, roles = self._places[1][number], self._roles
        low, high = float(roles.low[place]), float(roles.high[place])
        off = float(roles.error[place]) + float(roles.lost[place])
        ends = [a * b for a in (found.low, found.high) for b in (low, high)]
        a, b = max(-found.low, found.high), max(-low, high)
        error = a * off + b * found.error + off * found.error
        grid = found.grid * float(roles.grid[place]) if a and b else math.inf
        size = min(a * b, self._outcome(channel)) + error
        plain = low == high and abs(low) == grid_of(low) and not off
        lost = 0.0 if plain else lost_in_product(size, grid, error, self.sight.number)
        kept = found.kept and self._keeps_role(channel)
        stray = max(filler.stray * (b + off), (a + found.error) * float(roles.stray[place]))
        return Bound(
            min(ends), max(ends), grid, error + lost, kept, found.relative if plain else 0.0,
            min(stray * MARGIN, error + lost),
        )  # fmt: skip

    def _updates(
        self, channel: Channel, null: float, bound: Bound, filler: "Filler"
    ) -> Iterator[Update]:
        sight = self.sight
        role = 1.0 if self._roles is None else _size(channel.role, sight.here, sight.space)
        steps = lattice(channel.filler, sight.space) * lattice(channel.role, sight.space)
        for seme, factor in channel.writes.items():
            off = abs(factor - sight.number.stored(factor)) * bound.size
            ends = factor * bound.low, factor * bound.high
            allowed = sight.space.ranges[seme]
            whole = math.isinf(steps) or (steps > 0 and on_steps(factor * steps, allowed))
            nulls = on_steps(factor * null, allowed)
            # Of matches that are equal `settled` says so.
            tied = filler.tied and self._matched and bool(allowed.grain)
            kept = bound.kept or (tied and self._lattice(channel) and self._keeps_role(channel))
            moved = Bound(
                min(ends), max(ends), grid_of(factor) * bound.grid if factor else math.inf,
                abs(factor) * bound.error + off, kept and whole and nulls, bound.relative,
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


class _Read(NamedTuple):
    """What a token gives; fields as those of `Bound`."""

    low: float
    high: float
    grid: float
    error: float
    stray: float
    kept: bool

    @property
    def size(self) -> float:
        """The largest amount, the network's too."""
        return max(-self.low, self.high) + self.error


class Filler(NamedTuple):
    """What a channel retrieves; fields as those of `Bound` and of `Update`."""

    low: float
    high: float
    grid: float
    error: float
    kept: bool
    relative: float
    leaked: float
    stray: float
    tied: bool
    limit: float = math.inf
    single: bool = False


def _size(form: Form, stream: Stream, space: Space) -> float:
    """The largest amount of a form."""
    return abs(form.constant) + sum(
        abs(factor) * stream.at(space.index[name]).size
        for name, factor in form.coefficients.items()
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
    ratios = {round(reads[n] / c, 9) for n, c in key.items() if c}
    return len(ratios) == 1


def added_by_heads(
    made: Sequence[tuple[Written, Retrieved]], number: Format
) -> tuple[Sums, list[int]]:
    """What the heads of a layer add to each column together (lemmas 1 to 3), and which columns."""
    columns = sorted({c for written, _ in made for c in written.out.columns.tolist()})
    place = {column: number for number, column in enumerate(columns)}
    rows: list[Ints] = []
    targets: list[Ints] = []
    meant: list[Array] = []
    runs: list[Array] = []
    off: list[Array] = []
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
        off.append(out.off)
        for field, values in zip(fields, retrieved.products[:5], strict=True):
            field.extend(values[:-1].tolist())
        begin += written.n_products
    together = Entries(
        np.concatenate(rows), np.concatenate(targets), np.concatenate(meant), np.concatenate(runs),
        len(columns), np.concatenate(off),
    )  # fmt: skip
    products = ungrouped(*(np.array(field) for field in fields))
    return together.sums(products, number), columns
