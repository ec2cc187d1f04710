"""Heads: which token each token reads, and what it writes of it.

Each line of a head by which it searches says of a key whether it matches, and how good it is. A
head with a null key reads the best of the keys that match in every line, or the null key where
there is none. A head without reads the best of all. Equal ones share.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from progtf.notation import flat as f
from progtf.notation.using import HELD
from progtf.reference.sums import (
    Log,
    Map,
    Names,
    Number,
    Sum,
    Test,
    Values,
    Vector,
    fields_of,
    hand,
    hands,
    nearly,
    nearness,
    number,
    only,
    product_of,
    total,
)

_LOOKS: dict[str, Callable[[int], bool]] = {
    "all": lambda _: True,
    "before": lambda apart: apart < 0,
    "upto": lambda apart: apart <= 0,
    "after": lambda apart: apart > 0,
    "self": lambda apart: apart == 0,
    "notself": lambda apart: apart != 0,
}
_RESTING = ("else", "at", "match", "nearest", "where", "when")
"""The lines that bring a null key with them; `highest` and `lowest` do with `where`."""
NULL = -1
"""The place of the null key."""
Shares = dict[int, Any]
"""Place of a key -> the share of it that is read."""


# ------------------------------------------------------------------ what it looks for


@dataclass(frozen=True)
class Line:
    """One way in which a head searches.

    Attributes:
        asks, offers: what the reader looks for, and what a key has of it.
        finds: of both, and of how far behind the reader the key stands: whether it matches, and
            its score.
        weighs: more than all other lines.
        alone: who finds something asks for one thing.
    """

    asks: Callable[[Vector, Log], Any]
    offers: Callable[[Vector, Log], Any]
    finds: Callable[[Any, Any, int], tuple[bool, Number]]
    weighs: bool = False
    alone: bool = False


def _nothing(_vector: Vector, _log: Log) -> None:
    """What is asked or offered where only places count."""


def by_features(query: Map, key: Map, names: Names, *, check: bool) -> Line:
    """``query: noun>wanted``, ``key: adjective>wanted``: the greatest product.

    It matches where each feature is above 0; those of one family count together.
    """

    def looked(side: Map) -> Callable[[Vector, Log], Vector]:
        ranges = [(form, names.values_of(form)) for form in side.sums.values() if check]

        def look(vector: Vector, log: Log) -> Vector:
            for form, values in ranges:
                values.check(form.of(vector), lambda _: None, form, log)
            return side.of(vector)

        return look

    def finds(asked: Vector, offered: Vector, _apart: int) -> tuple[bool, Number]:
        families: Vector = {}
        for name in asked.keys() & offered.keys():
            stem = name.partition("[")[0]
            families[stem] = families.get(stem, 0) + asked[name] * offered[name]
        return all(x > 0 for x in families.values()), sum(families.values())

    return Line(looked(query), looked(key), finds)


def by_offset(away: int, clocks: tuple[Number, ...]) -> Line:
    """``at: +3``: where the hands of all clocks agree with mine, moved on by three tokens."""
    return Line(_nothing, _nothing, lambda _, __, n: (n == away, nearness(clocks, n - away)))


def by_member(mine: Map, theirs: Map, names: Names) -> Line:
    """``place ~ place``: keys that have the member of a family that the reader has."""

    def looked(side: Map) -> Callable[[Vector, Log], Vector]:
        flags = names.flags(side)

        def look(vector: Vector, log: Log) -> Vector:
            for name in flags & vector.keys():
                if vector[name] not in (0, 1):
                    log.note("flag", name, vector[name])
            return {name: value for name, value in side.of(vector).items() if value}

        return look

    def finds(asked: Vector, offered: Vector, _apart: int) -> tuple[bool, Number]:
        score = sum(value * offered.get(name, 0) for name, value in asked.items())
        return score > 0, score

    return Line(looked(mine), looked(theirs), finds, weighs=True, alone=True)


def by_distance(mine: Sequence[str], theirs: Sequence[str], enough: Number) -> Line:
    """``to_end ~ from_start``: keys whose distance is the reader's, so that all hands agree."""

    def finds(asked: list[Number], offered: list[Number], _apart: int) -> tuple[bool, Number]:
        score = sum(one * other for one, other in zip(asked, offered, strict=True))
        return score > enough, score

    return Line(
        lambda reader, _log: [reader.get(name, 0) for name in mine],
        lambda key, _log: [key.get(name, 0) for name in theirs],
        finds,
    )


def by_nearness(wanted: Test, ramp: Number, *, ahead: bool) -> Line:
    """``nearest: noun``: 2 for the flag, and for nearness the sine of a slow clock."""
    slow, sign = hands(ramp)[1], -1 if ahead else 1

    def offers(key: Vector, log: Log) -> tuple[bool, Number]:
        is_wanted = wanted(key, log)
        return is_wanted, 2 * is_wanted + sign * key.get(slow, 0)

    return Line(_nothing, offers, lambda _, offered, __: offered)


def by_value(form: Sum, sign: int, values: Values | None, where: Test, bonus: Number) -> Line:
    """``highest: rank where noun``: the greatest value among those with the flag."""

    def offers(key: Vector, log: Log) -> tuple[bool, Number]:
        value, is_open = form.of(key), where(key, log)
        if values is not None:
            values.check(value, lambda _: None, form, log)
        return is_open, sign * value + bonus * is_open

    return Line(_nothing, offers, lambda _, offered, __: offered)


def _lines(fields: dict[str, Any], mine: Names, theirs: Names, *, rests: bool) -> Iterator[Line]:
    """The lines of a head by which it searches."""
    if fields.keys() & {"query", "key"}:
        query, key = mine.map(fields.get("query", ())), theirs.map(fields.get("key", ()))
        yield by_features(query, key, mine, check=rests)
    if fields.keys() & {"at", "querypos", "keypos"}:
        moved = fields.get("at", 0) + fields.get("querypos", 0) - fields.get("keypos", 0)
        yield by_offset(int(moved), mine.clocks)
    if "match" in fields:
        yield from _matches(fields["match"], mine, theirs)
    if "nearest" in fields:
        ahead = fields["look"] == "after"
        yield by_nearness(theirs.test(fields["nearest"]), mine.ramp, ahead=ahead)
    for key, sign in ("highest", 1), ("lowest", -1):
        if key in fields:
            said: f.Extreme[f.Term, f.Condition] = fields[key]
            form = theirs.sum(said.form)
            values, where = theirs.values_of(form), only(said.where, theirs)
            bonus = 2 * (values.high - values.low) + 1
            yield by_value(form, sign, values if rests else None, where, bonus)


def _matches(entries: f.Entries, mine: Names, theirs: Names) -> Iterator[Line]:
    """``a ~ b``, of members of families and of distances; ``a ~ relation ~ b``."""
    asked: dict[str, list[tuple[Number, Sum]]] = {}
    offered: dict[str, list[tuple[Number, Sum]]] = {}
    for name, wanted, weight in _pairs(entries, mine):
        if name in mine.distances:
            enough, _ = nearly(mine.clocks, mine.reach(name, wanted))
            yield by_distance(mine.hands_of(name), theirs.hands_of(wanted), enough)
        else:
            asked[name] = [(1, mine.meant(name))]
            offered.setdefault(name, []).append((weight, theirs.meant(wanted)))
    if asked:
        own, other = (Map({n: total(s) for n, s in each.items()}) for each in (asked, offered))
        yield by_member(own, other, mine)


def _pairs(entries: f.Entries, names: Names) -> Iterator[tuple[str, str, Number]]:
    """What the reader has, what a key must have, and how much that counts."""
    for _, (own, *relation, other), factor in names.entries(entries):
        weight = factor * product_of(own, *relation, other)
        if not relation:
            yield str(own.name), str(other.name), weight
        for each in relation:
            for _, (left, right), more in names.entries(names.values[str(each.name)]):
                if left.name == own.name:
                    both = weight * more * product_of(left, right)
                    yield str(own.name), str(right.name), both


# ------------------------------------------------------------------ what is read


@dataclass(frozen=True)
class Channel:
    """What is read there, times what the reader binds it to, goes where ``writes`` says."""

    name: str
    filler: Sum
    role: Sum
    writes: Sequence[tuple[str, Number]]


def _channels(fields: dict[str, Any], mine: Names, theirs: Names) -> Iterator[Channel]:
    """``value`` and ``role``, by way of ``out`` or not, then ``bind``."""
    value, role = theirs.map(fields.get("value", ())).sums, mine.map(fields.get("role", ())).sums
    out, one = fields.get("out", ()), Sum((), 1)
    onward = mine.map(out, hidden=True)
    products = [each for each in mine.entries(out) if each[0] == "product"]
    for _, (filler, bound, target), factor in products:
        writes = ((str(target.name), factor * product_of(filler, bound, target)),)
        yield Channel(str(filler.name), value[str(filler.name)], role[str(bound.name)], writes)
    for name, filler in () if products else value.items():
        writes = onward.row(name) if out else ((name, 1),)
        yield Channel(name, filler, role.get(name, one), writes)
    for _, (filler, bound, target), factor in mine.entries(fields.get("bind", ())):
        writes = ((str(target.name), factor * product_of(target)),)
        yield Channel(str(target.name), theirs.sum((filler,)), mine.sum((bound,)), writes)


# ------------------------------------------------------------------ a head


@dataclass(frozen=True)
class Head:
    """A head.

    Attributes:
        lines: by which it searches.
        look: whether a key may stand so far behind the reader.
        where, when, held: what must hold of a key, of a reader, and for anything to be written.
        crossing: it reads the encoder.
        divided: each key divides itself among readers, by ``normalize: queries``.
        rest: what the null key fills into channels; None: there is none.
        below: the score of the null key, where it is given.
        channels: what it reads; bias: what it writes whatever it reads.
        distance: clocks and hands of the distance that it writes; turn: the sign of the sines.
        reads, writes: semes of its own stack.
    """

    lines: tuple[Line, ...]
    look: Callable[[int], bool]
    where: Test
    when: Test
    held: Test
    crossing: bool
    divided: bool
    rest: Vector | None
    below: Number | None
    channels: tuple[Channel, ...]
    bias: Vector
    distance: tuple[tuple[Number, str, str], ...]
    turn: int
    reads: frozenset[str]
    writes: frozenset[str]

    def updates(
        self,
        readers: Sequence[Vector],
        keys: Sequence[Vector],
        first: int,
        log: Log,
        *,
        ahead: bool,
    ) -> list[Vector]:
        """What it adds to each reader; the first of these stands at the place ``first``.

        ``ahead``: it may look at what stands behind the reader.
        """
        offered: dict[int, list[Any] | None] = {}
        shares: list[Shares] = []
        for log.position, reader in enumerate(readers, first):
            last = len(keys) - 1 if ahead else log.position
            shares.append(self._shares(reader, keys[: last + 1], offered, log))
        if self.divided:
            shares = _divided(shares)
        updates: list[Vector] = []
        for log.position, (reader, share) in enumerate(zip(readers, shares, strict=True), first):
            is_held = self.held(reader, log)
            updates.append(self._update(reader, keys, share, log) if is_held else {})
        return updates

    def _shares(
        self, reader: Vector, keys: Sequence[Vector], offered: dict[int, list[Any] | None], log: Log
    ) -> Shares:
        """How a reader divides itself among the keys; its scores, if they divide themselves.

        ``offered``: what keys have of what is looked for, as far as somebody has looked at them.
        """
        nothing = {} if self.rest is None else {NULL: Fraction(1)}
        if not self.when(reader, log):
            return nothing
        asked = [line.asks(reader, log) for line in self.lines]
        scores: dict[int, tuple[Number, Number]] = {}
        here = log.position
        for place, key in enumerate(keys):
            apart = place - here
            if not self.look(apart):
                continue
            if place not in offered:
                log.position = place
                fits = self.where(key, log)
                offered[place] = [line.offers(key, log) for line in self.lines] if fits else None
                log.position = here
            offers = offered[place]
            if offers is None:
                continue
            each = zip(self.lines, asked, offers, strict=True)
            found = [(line.weighs, *line.finds(mine, its, apart)) for line, mine, its in each]
            if self.rest is None or self.below is not None or all(hit for _, hit, _ in found):
                heavy = sum(score for weighs, _, score in found if weighs)
                scores[place] = heavy, sum(score for weighs, _, score in found if not weighs)
        if self.below is not None:
            scores = {place: (0, sum(both)) for place, both in scores.items()}
            scores[NULL] = 0, self.below
        for line, mine in zip(self.lines, asked, strict=True):
            if line.alone and scores and len(mine) > 1:
                log.note("one", ", ".join(mine), len(mine))
        return scores if self.divided else best(scores) or nothing

    def _update(self, reader: Vector, keys: Sequence[Vector], shares: Shares, log: Log) -> Vector:
        """What it writes of what is read: filler times role, and how far away that is."""
        place = log.position
        update, rest = dict(self.bias), self.rest or {}
        if self.distance and len(shares) > 1:
            log.note("distance", "", len(shares))
        for channel in self.channels:
            fillers = (
                share * (rest.get(channel.name, 0) if key == NULL else channel.filler.of(keys[key]))
                for key, share in shares.items()
            )
            if bound := sum(fillers) * channel.role.of(reader):
                for name, factor in channel.writes:
                    update[name] = update.get(name, 0) + bound * factor
        for period, cos, sin in self.distance:
            for key, share in shares.items():
                moved = hand(period, key - place) if key != NULL else (0, 0)
                update[cos] = update.get(cos, 0) + share * moved[0]
                update[sin] = update.get(sin, 0) + share * moved[1] * self.turn
        return update


def best(scores: dict[int, Any]) -> Shares:
    """Equal shares for what has the greatest score."""
    most = max(scores.values(), default=None)
    first = [each for each, score in scores.items() if score == most]
    return {each: Fraction(1, len(first)) for each in first}


def _divided(scores: Sequence[Shares]) -> list[Shares]:
    """Each key divides itself among the readers with the best scores."""
    found: list[Shares] = [{} for _ in scores]
    for key in dict.fromkeys(key for mine in scores for key in mine):
        readers = {reader: mine[key] for reader, mine in enumerate(scores) if key in mine}
        for reader, share in best(readers).items():
            found[reader][key] = share
    return found


def head_of(block: f.Block, names: Names) -> Head:
    """The head that a block describes."""
    fields, own, other = fields_of(block.children), set[str](), set[str]()
    mine = replace(names, reads=own)
    theirs = replace(names, reads=other if "from" in fields else own)
    ranked = [fields[key] for key in ("highest", "lowest") if key in fields]
    rests = not fields.keys().isdisjoint(_RESTING) or any(each.where for each in ranked)
    divided, look = fields.get("normalize") == "queries", fields.get("look", "all")
    rest = fields.get("else", f.Rest((), None))
    channels = tuple(_channels(fields, mine, theirs))
    distance = names.distances[fields["distance"]] if "distance" in fields else ()
    onward = mine.map(fields.get("out", ()), hidden=True)
    bias = {name: form.constant for name, form in onward.sums.items() if form.constant}
    targets = {name for channel in channels for name, _ in channel.writes}
    targets |= bias.keys() | {name for _, *two in distance for name in two}
    return Head(
        lines=tuple(_lines(fields, mine, theirs, rests=rests)),
        look=_LOOKS[look],
        where=only(fields.get("where"), theirs),
        when=only(fields.get("when"), mine),
        held=only(fields.get(HELD), mine),
        crossing="from" in fields,
        divided=divided,
        rest=mine.vector(rest.filler) if rests and not divided else None,
        below=None if rest.below is None else number(rest.below),
        channels=channels,
        bias=bias,
        distance=distance,
        turn=-1 if look in ("before", "upto") else 1,
        reads=frozenset(own),
        writes=frozenset(targets),
    )
