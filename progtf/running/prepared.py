"""What the parts of a program read and write, as arrays: found once, used at every step."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from progtf.once import once
from progtf.program.arrays import Array, Ints
from progtf.program.clocks import cos_name, sin_name
from progtf.program.curves import ramps
from progtf.program.forms import FLAG, Form, Space, Values, one
from progtf.program.model import Channel, Curve, FeedForward, Gate, Head, Program
from progtf.rational import fraction_of, rational
from progtf.running.cells import Cells, Flags, Sums, places, step_of
from progtf.running.ranges import Numbers, Ranges

Made = TypeVar("Made")
FAR = 2.0**200
"""Beyond all that a program computes with."""


@dataclass(frozen=True, eq=False)
class Writing:
    """Where amounts go: columns of the residual, and what each of them is made of.

    ``plain``: which amount each column gets, as it is, if it gets no more.
    """

    columns: Ints
    sums: Sums
    plain: Ints | None

    @staticmethod
    def of(writes: Sequence[Any], bias: Any, space: Space) -> "Writing":
        """The arrays of mappings from semes to factors, one an amount, and of a constant one."""
        named = dict.fromkeys(seme for each in (*writes, bias) for seme in each)
        made_of: dict[str, list[tuple[int, float]]] = {seme: [] for seme in named}
        for number, each in enumerate(writes):
            for seme, factor in each.items():
                if factor:
                    made_of[seme].append((number, factor))
        columns = np.array([space.index[seme] for seme in named], dtype=np.intp)
        constants = [bias.get(seme, 0.0) for seme in named]
        alone = all(len(each) == 1 and each[0][1] == 1 for each in made_of.values())
        plain = [each[0][0] for each in made_of.values()] if alone and not any(constants) else None
        sums = Sums.over([*made_of.values()], constants)
        return Writing(columns, sums, None if plain is None else np.array(plain, dtype=np.intp))

    def __call__(self, amounts: Cells) -> Cells:
        """What is added to each column: shape (positions, columns)."""
        return self.sums(amounts) if self.plain is None else amounts.columns(self.plain)


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of some rules, side by side.

    A curve is ``height + slope * (x - knot)`` between one knot and the next; before the first one
    it is flat.

    Attributes:
        form: what they read; rules: the number of each one's rule.
        low, high: the ends between which a curve is what its rule means.
        knots: where it bends, in order, the low end among them.
        height, slope, place: of each stretch, that before the first knot among them.
        begins: where the stretches of each curve begin.
        under, over: of each step the two values between which none may lie.
        rise, reach: the steepest slope of each and its farthest place; slopes, places: powers of
            two of which all of them, and the heights, are multiples.
        sure: whether all numbers of a curve's stretches are float64 as they stand.
    """

    form: Sums
    rules: Ints
    low: Numbers
    high: Numbers
    knots: Numbers
    height: Numbers
    slope: Numbers
    place: Numbers
    begins: Ints
    under: Numbers
    over: Numbers
    rise: Array
    reach: Array
    slopes: Array
    places: Array
    sure: Flags

    @staticmethod
    def of(curves: Sequence[Curve], rules: Sequence[int], space: Space) -> "Curves":
        """The arrays of the curves of these rules."""
        stretches = [[*_stretches(curve)] for curve in curves]
        knots = [[place for place, *_ in some] for some in stretches]
        flat = [[(some[0][0], some[0][1], 0.0), *some] for some in stretches]
        sizes = np.array([len(some) for some in flat], dtype=np.intp)
        between = [[*_between(curve, space)] for curve in curves]
        ends = [_means(curve, space) for curve in curves]
        rises = [[slope for *_, slope in some] for some in flat]
        places = [[place for place, *_ in some] for some in flat]
        numbers = [[each for three in some for each in three] for some in flat]
        return Curves(
            Sums.of([curve.form for curve in curves], space.index),
            np.array(rules, dtype=np.intp),
            Numbers.of([(low,) for low, _ in ends]),
            Numbers.of([(high,) for _, high in ends]),
            Numbers.of(knots),
            Numbers.of([[height for _, height, _ in some] for some in flat]),
            Numbers.of(rises),
            Numbers.of(places),
            np.cumsum(sizes) - sizes,
            Numbers.of([[low for low, _ in some] for some in between]),
            Numbers.of([[high for _, high in some] for some in between]),
            np.array([max(map(abs, some)) for some in rises]),
            np.array([max(map(abs, some)) for some in places]),
            np.array([step_of(some) for some in rises]),
            np.array(
                [
                    step_of([*some, *(h for _, h, _ in more)])
                    for some, more in zip(places, flat, strict=True)
                ]
            ),
            np.array([all(fraction_of(each) == each for each in some) for some in numbers], bool),
        )


def _stretches(curve: Curve) -> Iterator[tuple[float, float, float]]:
    """Where each stretch of a curve begins, its height there and its slope."""
    bends: dict[Fraction, Fraction] = {fraction_of(curve.low): fraction_of(curve.slope)}
    for place, change in curve.knots:
        at = fraction_of(place)
        bends[at] = bends.get(at, Fraction(0)) + fraction_of(change)
    places = sorted(bends)
    slopes = [*accumulate(bends[place] for place in places)]
    height = fraction_of(curve.start)
    for number, (place, slope) in enumerate(zip(places, slopes, strict=True)):
        if number:
            height += slopes[number - 1] * (place - places[number - 1])
        yield rational(place), rational(height), rational(slope)


def _measured(curve: Curve, space: Space) -> bool:
    """Whether a curve compares a distance, whose hands are nearly what they should be."""
    read = (space.ranges[name] for name in curve.form.coefficients)
    return bool(curve.knots) and not curve.slope and any(not values.grain for values in read)


def _ends(values: Values) -> Values:
    """The same ends, and all between."""
    return Values(values.low, values.high, 0.0)


def _means(curve: Curve, space: Space) -> tuple[float, float]:
    """The ends between which a curve is what its rule means."""
    return (-FAR, FAR) if _measured(curve, space) else (curve.low, curve.high)


def _between(curve: Curve, space: Space) -> Iterator[tuple[float, float]]:
    """The two values on both sides of each step: what lies between them is on neither side."""
    low, grain = fraction_of(curve.low), fraction_of(curve.grain)
    measured = _measured(curve, space)
    for place in ramps(curve):
        if measured:
            yield curve.knots[place][0], curve.knots[place + 1][0]
            continue
        first, last = (fraction_of(knot) for knot, _ in curve.knots[place : place + 2])
        number = -((low - (first + last) / 2) // grain)
        yield rational(low + (number - 1) * grain), rational(low + number * grain)


@dataclass(frozen=True, eq=False)
class Gates:
    """Conjunctions of flags.

    Attributes:
        violations: how many flags are not as they must be.
        columns: the columns that are read, each once; entries: which of them each entry reads.
        owner: the gate of each entry.
    """

    violations: Sums
    columns: Ints
    entries: Ints
    owner: Ints

    @staticmethod
    def of(gates: Sequence[Gate], space: Space) -> "Gates":
        """The arrays of some gates."""
        sums = Sums.of([gate.violations() for gate in gates], space.index)
        columns, entries = np.unique(sums.columns, return_inverse=True)
        sizes = np.diff([*sums.starts, len(sums.columns)])
        owner = np.repeat(sums.filled, sizes) if len(sums.columns) else sums.columns
        return Gates(sums, columns, entries.astype(np.intp), owner.astype(np.intp))

    def is_open(self, residual: Cells, violations: Cells) -> tuple[Flags, list[tuple[int, int]]]:
        """Which gates are open, and the entries that read no flag where nothing else closes them.

        Raises:
            DoubtError: if float64 cannot tell.
        """
        is_open = np.asarray(violations.values < CLOSED, dtype=bool)
        odd = not_flags(residual, self.columns)
        if not odd.any():
            return is_open, []
        strange, values = odd[:, self.entries], residual.values[:, self.violations.columns]
        due = np.where(self.violations.factors < 0, 1, 0)
        wrong = np.asarray((values != due) & ~strange, dtype=np.float64)
        closed = self.violations.per_form(wrong) > 0
        touched = self.violations.per_form(strange.astype(np.float64)) > 0
        counts = ~closed | is_open  # a network is deceived by a flag of 2 beside one of 0
        return is_open & ~(touched & closed), places(strange & counts[:, self.owner])


def not_flags(cells: Cells, columns: Ints) -> Flags:
    """Which cells of some columns are neither 0 nor 1."""
    values = cells.values[:, columns]
    odd = np.asarray((values != 0) & (values != 1), dtype=bool)
    if cells.error is not None:
        error = cells.error[:, columns]
        near = np.minimum(np.abs(values), np.abs(values - 1))
        for row, place in places((error > 0) & (near <= error)):
            odd[row, place] = cells.fraction(row, int(columns[place])) not in (0, 1)
    return odd


CLOSED = 0.75
"""From so many violations on a gate is closed; with whole flags it has none, or one at least."""


@dataclass(frozen=True, eq=False)
class Rules:
    """A feed-forward block: its gates, its curves, its raw units, and what they write.

    ``guards``, ``compared`` and ``ranges``: sums of which no curve shows what they promise to be.
    """

    gates: "Gates"
    guards: "Gates"
    compared: Sums
    ranges: Ranges
    curves: Curves
    units: Sums
    writing: Writing

    @staticmethod
    def of(block: FeedForward, space: Space) -> "Rules":
        """The arrays of a block."""
        curved = [(c, place) for place, rule in enumerate(block.rules) if (c := rule.curve)]
        writes = [part.writes for part in (*block.rules, *block.units)]
        return Rules(
            Gates.of([rule.gate for rule in block.rules], space),
            Gates.of([each.gate for each in block.compared], space),
            Sums.of([each.form for each in block.compared], space.index),
            Ranges.of(
                [each.values if each.steps else _ends(each.values) for each in block.compared]
            ),
            Curves.of([curve for curve, _ in curved], [place for _, place in curved], space),
            Sums.of([unit.reads for unit in block.units], space.index),
            Writing.of(writes, block.bias or {}, space),
        )


@dataclass(frozen=True, eq=False)
class Found:
    """What a head finds: keys of shape (src, features), fillers of shape (src, channels).

    ``source``: the residuals that it finds them in.
    """

    key: Cells
    filler: Cells
    source: Cells

    def extended(self, other: "Found") -> "Found":
        """With what stands behind it."""
        return Found(
            self.key.under(other.key),
            self.filler.under(other.filler),
            self.source.under(other.source),
        )


@dataclass(frozen=True, eq=False)
class Sight:
    """A head: what it asks, what it finds, what it retrieves, its role, and what it writes.

    Attributes:
        query, role: of readers the queries and the roles; bound: whether any role is not 1.
        required: the columns of flags without one of which a reader reads nothing.
        offered: of what is read the keys, and behind them the fillers; features: how many keys.
        flags: of readers and of what is read the columns that must be flags.
        members: the features of which a reader has one at most.
        ranged: of readers and of what is read the forms that keep to their ranges, and these.
        addresses: where it looks: the clocks, and how many tokens behind the reader.
        null: what the null key fills into the channels; empty: nothing.
        distances: channels that are hands of how far away it reads: the channel, the period,
            whether it is the sine, and the sign.
    """

    query: Sums
    role: Sums
    required: Ints
    offered: Sums
    features: int
    bound: bool
    writing: Writing
    addresses: tuple[tuple[tuple[float, ...], int], ...]
    distances: tuple[tuple[int, float, int, float], ...]
    flags: tuple[Ints, Ints]
    members: Ints
    ranged: tuple[tuple[Sums, Ranges], tuple[Sums, Ranges]]
    null: tuple[float, ...]
    rough_null: bool

    @staticmethod
    def of(head: Head, space: Space, clocks: Sequence[float] = ()) -> "Sight":
        """The arrays of a head."""
        compared = [part for part in head.parts if part.offset is None]
        features = [feature for part in compared for feature in part.features]
        channels, distances = _channels(head, clocks)
        roles = [channel.role for channel in channels]
        quiet = head.null is not None and not any(head.null.filler)
        required = [space.index[name] for name in head.required] if quiet else []
        bound = any(role.coefficients or role.constant != 1 for role in roles)
        return Sight(
            Sums.of([feature.query for feature in features], space.index),
            Sums.of(roles, space.index),
            np.array(required, dtype=np.intp),
            Sums.of([*(f.key for f in features), *(c.filler for c in channels)], space.index),
            len(features),
            bound,
            Writing.of([channel.writes for channel in channels], head.bias, space),
            tuple((part.periods, part.offset) for part in head.parts if part.offset is not None),
            tuple(distances),
            _flags(head, space),
            np.array(
                [
                    place
                    for place, (part, _) in enumerate(
                        (part, feature) for part in compared for feature in part.features
                    )
                    if part.kind == "match"
                ],
                dtype=np.intp,
            ),
            _ranged(head, space),
            _null(head, channels),
            head.null is not None and fraction_of(head.null.score) != head.null.score,
        )

    @property
    def channels(self) -> int:
        """How many channels it has."""
        return len(self.offered.bias) - self.features

    def found(self, source: Cells) -> Found:
        """What it finds in some residuals."""
        offered = self.offered(source)
        key, filler = slice(self.features), slice(self.features, None)
        return Found(offered.columns(key), offered.columns(filler), source)


def _flags(head: Head, space: Space) -> tuple[Ints, Ints]:
    """The columns that a head reads as flags: of ``where``, ``when``, ``nearest`` and ``match``."""
    tested = [part for part in head.parts if part.kind in ("condition", "nearest", "match")]
    tested = [*(feature for part in tested for feature in part.features)]
    tested += [f for part in head.parts if part.kind == "extreme" for f in part.features[1:]]
    sides = [f.query for f in tested], [f.key for f in tested]
    found = ({space.index[name] for form in side for name in form.coefficients
              if space.ranges[name] == FLAG} for side in sides)  # fmt: skip
    mine, theirs = (np.array(sorted(columns), dtype=np.intp) for columns in found)
    return mine, theirs


def _ranged(head: Head, space: Space) -> tuple[tuple[Sums, Ranges], tuple[Sums, Ranges]]:
    """The forms of a head that must keep to their ranges: those that its null key, or another line
    that weighs more, was computed from.
    """
    searching = [part for part in head.parts if part.kind != "condition"]
    together = len(searching) > 1 or head.null is not None
    sides: tuple[list[tuple[Form, Values]], list[tuple[Form, Values]]] = ([], [])
    for part in head.parts:
        weighed = part.kind == "raw" and (head.null is not None or len(head.parts) > 1)
        ranked = part.kind == "extreme" and (len(part.features) > 1 or together)
        for feature in part.features[: 1 if ranked else None] if weighed or ranked else ():
            for side, form in zip(sides, (feature.query, feature.key), strict=True):
                values = space.values(form)
                side.append((form, _ends(values) if ranked else values))
    found = ([each for each in side if each[0].coefficients] for side in sides)
    mine, theirs = (
        (Sums.of([form for form, _ in side], space.index), Ranges.of([each[1] for each in side]))
        for side in found
    )
    return mine, theirs


def _null(head: Head, channels: Sequence[Channel]) -> tuple[float, ...]:
    """What the null key fills into the channels that are left; into distances nothing."""
    if head.null is None or not any(head.null.filler):
        return ()
    given = {id(c): filler for c, filler in zip(head.channels, head.null.filler, strict=True)}
    return tuple(given.get(id(channel), 0.0) for channel in channels)


_NOTHING, _ONE = Form(), Form({}, 1.0)


def _channels(
    head: Head, clocks: Sequence[float]
) -> tuple[list[Channel], list[tuple[int, float, int, float]]]:
    """The channels of a head; those of ``distance:`` read a table in the place of a product.

    The four products of a clock, cosine and sine of there times those of here, are two channels,
    the cosine and the sine of the difference.
    """
    hands = {cos_name(period): (period, 0) for period in clocks}
    hands |= {sin_name(period): (period, 1) for period in clocks}
    found, distances = list[Channel](), list[tuple[int, float, int, float]]()
    channels, place = head.channels, 0
    while place < len(channels):
        four = channels[place : place + 4]
        turn = _turn(four, hands)
        if turn is None:
            found.append(channels[place])
            place += 1
            continue
        period = hands[next(iter(four[0].filler.coefficients))][0]
        for which, channel, sign in ((0, four[0], 1.0), (1, four[2], turn)):
            distances.append((len(found), period, which, sign))
            writes = dict.fromkeys(channel.writes, 1.0)
            found.append(Channel(channel.name, _NOTHING, _ONE, writes))
        place += 4
    return found, distances


def _turn(four: Sequence[Channel], hands: Mapping[str, tuple[float, int]]) -> float | None:
    """The sign of a distance's sine, if four channels are the hands of one; else None."""
    if len(four) < 4:
        return None
    kinds = list[tuple[int, int]]()
    for channel in four:
        filler, role = ([*form.coefficients] for form in (channel.filler, channel.role))
        if len(filler) != 1 or len(role) != 1 or filler[0] not in hands or role[0] not in hands:
            return None
        if channel.filler != one(filler[0]) or channel.role != one(role[0]):
            return None
        kinds.append((hands[filler[0]][1], hands[role[0]][1]))
    (cos, first), (other, second) = (next(iter(four[n].writes.items()), ("", 0.0)) for n in (0, 1))
    (sin, turn), (last, back) = (next(iter(four[n].writes.items()), ("", 0.0)) for n in (2, 3))
    right = kinds == [(0, 0), (1, 1), (1, 0), (0, 1)]
    told = (cos, first, second, sin, -turn) == (other, 1.0, 1.0, last, back) and abs(turn) == 1
    return turn if right and told else None


class Prepared:
    """The arrays of a program's parts, each found when it is first asked for.

    Attributes:
        program: whose parts they are.
    """

    def __init__(self, program: Program) -> None:
        self.space, self.clocks = program.space, program.clocks
        self.scores = [*program.outputs.values()]
        if program.classify is not None:
            self.scores = [*program.classify.classes.values()]
        self._made: dict[int, tuple[object, Any]] = {}

    def sight(self, head: Head) -> Sight:
        """The arrays of a head."""
        return self._of(head, lambda part, space: Sight.of(part, space, self.clocks))

    def rules(self, block: FeedForward) -> Rules:
        """The arrays of a feed-forward block."""
        return self._of(block, Rules.of)

    @cached_property
    def outputs(self) -> Sums:
        """The arrays of the scores of what may be written."""
        return Sums.of(self.scores, self.space.index)

    @cached_property
    def answering(self) -> tuple[Ints, Ranges]:
        """The columns of the numbers that scores read, and the ends of their ranges."""
        ranges = self.space.ranges
        names = dict.fromkeys(name for form in self.scores for name in form.coefficients)
        numbers = [name for name in names if ranges[name] != FLAG]
        columns = np.array([self.space.index[name] for name in numbers], dtype=np.intp)
        return columns, Ranges.of([_ends(ranges[name]) for name in numbers])

    def _of(self, part: Any, make: Callable[[Any, Space], Made]) -> Made:
        if id(part) not in self._made:  # which is its own as long as the part is kept beside it
            self._made[id(part)] = part, make(part, self.space)
        return self._made[id(part)][1]


@once
def prepared(program: Program) -> Prepared:
    """Those of a program, as long as it lives."""
    return Prepared(program)
