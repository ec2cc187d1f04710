"""A head as arrays: what it asks, finds, retrieves, binds and writes, and what it promises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from progtf.program.arrays import Ints
from progtf.program.clocks import cos_name, period_of, sin_name
from progtf.program.forms import FLAG, Form, Space, Values, one
from progtf.program.model import Channel, Head
from progtf.rational import fraction_of
from progtf.running.cells import Cells
from progtf.running.ranges import Ranges, without_steps
from progtf.running.sums import Sums, Writing

SLOW = 1024
"""A clock that comes round in so many tokens makes so many keys; slower ones make too many."""


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
        hands: of each distance that is matched the columns of readers and of what is read, and what
            the hands of one distance come to at most, squared and added up.
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
    hands: tuple[tuple[Ints, Ints, float], ...]
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
            _hands(head, space),
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


def scans(head: Head) -> bool:
    """Whether a decoder's head looks through all that was written, for each token anew.

    Others keep what they read: of keys that are alike the last one or their sum, or what stands so
    many tokens behind. So a head scans where an address stands beside what tells keys apart, and
    where keys read clocks that hardly come round.
    """
    compared = [part for part in head.parts if part.offset is None]
    addresses = len(head.parts) - len(compared)
    keys = [
        feature.key
        for part in compared
        for feature in (part.features[:-1] if part.kind == "nearest" else part.features)
    ]
    if addresses and (addresses > 1 or head.null is None or any(k.coefficients for k in keys)):
        return True
    return any(period_of(name) > SLOW for key in keys for name in key.coefficients)


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


def _hands(head: Head, space: Space) -> tuple[tuple[Ints, Ints, float], ...]:
    """The distances that ``match`` compares: squares of hands add up to the number of clocks."""
    parts = (part for part in head.parts if part.kind == "address" and part.offset is None)
    found: list[tuple[Ints, Ints, float]] = []
    for part in parts:
        mine, theirs = (
            np.array([space.index[name] for form in side for name in form.coefficients], np.intp)
            for side in ([x.query for x in part.features], [x.key for x in part.features])
        )
        found.append((mine, theirs, part.match + part.gap / 4))
    return tuple(found)


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
                side.append((form, without_steps(values) if ranked else values))
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
