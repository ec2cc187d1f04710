"""Heads: which token each token reads, and what it writes of it.

Each line of a head by which it searches gives every key a score, and says which keys match. A head
with a null key reads the best of the keys that match in every line, or the null key where there is
none. A head without reads the best of all. Equal ones share.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from progtf.notation import flat as f
from progtf.notation.using import HELD
from progtf.reference.sums import (
    Amount,
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
RESTING = ("at", "match", "nearest", "where", "when")
"""The lines that bring a null key with them; `highest` and `lowest` do with `where`."""


class Line:
    """One way in which a head searches.

    What the reader asks and what a key offers are looked at once for each token.
    """

    weighs = False  # more than all other lines

    def asks(self, reader: Vector, log: Log) -> Any:
        """What the reader looks for."""

    def offers(self, key: Vector, position: int, log: Log) -> Any:
        """What a key has of it."""

    def score(self, asked: Any, offered: Any, apart: int) -> Number:
        """How good a key is that stands so many tokens behind the reader."""
        raise NotImplementedError

    def matches(self, asked: Any, offered: Any, apart: int) -> bool:
        """Whether it is what is looked for at all."""
        raise NotImplementedError


# ------------------------------------------------------------------ `query`, `key`


@dataclass(frozen=True)
class Features(Line):
    """``query: noun>wanted``, ``key: adjective>wanted``: the keys with the greatest product."""

    query: Map
    key: Map
    checks: Callable[[Sum, Vector, Log], None]

    def asks(self, reader: Vector, log: Log) -> Vector:
        for form in self.query.sums.values():
            self.checks(form, reader, log)
        return self.query.of(reader)

    def offers(self, key: Vector, position: int, log: Log) -> Vector:
        for form in self.key.sums.values():
            self.checks(form, key, log)
        return self.key.of(key)

    def score(self, asked: Vector, offered: Vector, apart: int) -> Number:
        return sum(value * offered[name] for name, value in asked.items() if name in offered)

    def matches(self, asked: Vector, offered: Vector, apart: int) -> bool:
        """Each feature counts, of a family the sum of all."""
        found: Vector = {}
        for name in asked.keys() & offered.keys():
            family = name.partition("[")[0]
            found[family] = found.get(family, 0) + asked[name] * offered[name]
        return all(value > 0 for value in found.values())


# ------------------------------------------------------------------ `at`, `querypos`, `keypos`


@dataclass(frozen=True)
class Offset(Line):
    """``at: +3``: the token where the hands of all clocks agree with mine, moved on by three."""

    away: int
    clocks: tuple[Number, ...]

    def score(self, asked: None, offered: None, apart: int) -> Number:
        return nearness(self.clocks, apart - self.away)

    def matches(self, asked: None, offered: None, apart: int) -> bool:
        return apart == self.away


# ------------------------------------------------------------------ `match`


@dataclass(frozen=True)
class Members(Line):
    """``place ~ place``: keys that have the member of a family that the reader has."""

    mine: Map
    theirs: Map
    flags: tuple[frozenset[str], frozenset[str]]
    weighs = True

    def asks(self, reader: Vector, log: Log) -> Vector:
        _check(self.flags[0], reader, log)
        up = {name: value for name, value in self.mine.of(reader).items() if value}
        if len(up) > 1:
            log.note("one of", ", ".join(up), len(up))
        return up

    def offers(self, key: Vector, position: int, log: Log) -> Vector:
        _check(self.flags[1], key, log)
        return self.theirs.of(key)

    def score(self, asked: Vector, offered: Vector, apart: int) -> Number:
        return sum(value * offered[name] for name, value in asked.items() if offered[name])

    def matches(self, asked: Vector, offered: Vector, apart: int) -> bool:
        return self.score(asked, offered, apart) > 0


@dataclass(frozen=True)
class Distances(Line):
    """``to_end ~ from_start``: keys whose distance is the reader's; all hands agree."""

    mine: tuple[str, ...]
    theirs: tuple[str, ...]
    enough: Number

    def asks(self, reader: Vector, log: Log) -> list[Number]:
        return [reader.get(name, 0) for name in self.mine]

    def offers(self, key: Vector, position: int, log: Log) -> list[Number]:
        return [key.get(name, 0) for name in self.theirs]

    def score(self, asked: list[Number], offered: list[Number], apart: int) -> Number:
        return sum(one * other for one, other in zip(asked, offered, strict=True))

    def matches(self, asked: list[Number], offered: list[Number], apart: int) -> bool:
        return self.score(asked, offered, apart) > self.enough


# ------------------------------------------------------------------ `nearest`, `highest`, `lowest`


@dataclass(frozen=True)
class Nearest(Line):
    """``nearest: noun``: 2 for the flag, and for nearness the sine of a slow clock."""

    wanted: Test
    ramp: Number
    ahead: bool

    def offers(self, key: Vector, position: int, log: Log) -> tuple[bool, Number]:
        slow = hand(self.ramp, position)[1]
        return self.wanted(key, log), -slow if self.ahead else slow

    def score(self, asked: None, offered: tuple[bool, Number], apart: int) -> Number:
        return 2 * offered[0] + offered[1]

    def matches(self, asked: None, offered: tuple[bool, Number], apart: int) -> bool:
        return offered[0]


@dataclass(frozen=True)
class Extreme(Line):
    """``highest: rank where noun``: the key with the greatest value among those with the flag."""

    value: Amount
    sign: int
    where: Test
    bonus: Number

    def offers(self, key: Vector, position: int, log: Log) -> tuple[bool, Number]:
        open_ = self.where(key, log)
        return open_, (self.sign * self.value(key, log) + self.bonus) if open_ else 0

    def score(self, asked: None, offered: tuple[bool, Number], apart: int) -> Number:
        return offered[1]

    def matches(self, asked: None, offered: tuple[bool, Number], apart: int) -> bool:
        return offered[0]


# ------------------------------------------------------------------ a head


@dataclass(frozen=True)
class Channel:
    """What is read there, times what the reader binds it to, goes where ``writes`` says."""

    name: str
    filler: Sum
    role: Sum
    writes: tuple[tuple[str, Number], ...]


@dataclass(frozen=True)
class Head:
    """A head.

    Attributes:
        lines: by which it searches.
        look: how many tokens behind the reader a key may stand.
        where, when, held: what must hold of a key, of a reader, and for anything to be written.
        crossing: it reads the encoder.
        divided: each key divides itself among readers, by ``normalize: queries``.
        rest: what the null key fills into channels; None: there is none.
        below: the score of the null key, where it is given.
        channels, distance: what it reads; hands with the sign of the sines.
        bias: what it writes whatever it reads.
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
    distance: tuple[tuple[Number, str, str], ...]
    turn: int
    bias: Vector
    reads: frozenset[str]
    writes: frozenset[str]

    def updates(
        self, readers: Sequence[Vector], keys: Sequence[Vector], first: int, log: Log, *, ahead: bool
    ) -> Iterator[Vector]:
        """What it adds to each reader; the first of these stands at a place of the text.

        ``ahead``: it may look at what stands behind the reader.
        """
        offered: list[list[Any] | None] = []
        for position, key in enumerate(keys):
            log.position = position
            passed = self.where(key, log)
            offers = [line.offers(key, position, log) for line in self.lines] if passed else None
            offered.append(offers)
        shares = [
            self._shares(reader, place, offered, log, ahead=ahead)
            for place, reader in enumerate(readers, start=first)
        ]
        if self.divided:
            shares = [*_divided(shares, len(keys))]
        for place, (reader, found) in enumerate(zip(readers, shares, strict=True), start=first):
            log.position = place
            yield self._written(reader, place, keys, found) if self.held(reader, log) else {}

    def _shares(
        self, reader: Vector, place: int, offered: Sequence[list[Any] | None], log: Log, *, ahead: bool
    ) -> "Shares":
        """How a reader divides itself among the keys; the null key has the number -1."""
        log.position = place
        nothing: Shares = {} if self.rest is None else {-1: Fraction(1)}
        if not self.when(reader, log):
            return nothing
        asked = [line.asks(reader, log) for line in self.lines]
        found: dict[int, tuple[Number, Number]] = {}
        for position, offers in enumerate(offered):
            apart = position - place
            if offers is None or not (ahead or apart <= 0) or not self.look(apart):
                continue
            three = [*zip(self.lines, asked, offers, strict=True)]
            if self.rest is not None and self.below is None:
                if not all(line.matches(mine, its, apart) for line, mine, its in three):
                    continue
            scores = [(line.weighs, line.score(mine, its, apart)) for line, mine, its in three]
            most = sum(score for weighs, score in scores if weighs)
            found[position] = most, sum(score for weighs, score in scores if not weighs)
        if self.divided:
            return found  # type: ignore[return-value]
        if self.below is not None:
            found = {place: (0, sum(scores)) for place, scores in found.items()}
            found[-1] = 0, self.below
        return best(found) or nothing

    def _written(
        self, reader: Vector, place: int, keys: Sequence[Vector], shares: "Shares"
    ) -> Vector:
        update = dict(self.bias)
        rest = (self.rest or {}) if -1 in shares else {}
        for channel in self.channels:
            read = shares.get(-1, 0) * rest.get(channel.name, 0)
            for position, share in shares.items():
                if position >= 0:
                    read += share * channel.filler.of(keys[position])
            if read and (bound := read * channel.role.of(reader)):
                for name, factor in channel.writes:
                    update[name] = update.get(name, 0) + bound * factor
        for period, *two in self.distance:
            for name, side, sign in zip(two, (0, 1), (1, self.turn), strict=True):
                for position, share in shares.items():
                    moved = hand(period, position - place)[side] if position >= 0 else rest.get(name, 0)
                    update[name] = update.get(name, 0) + sign * share * moved
        return update


Shares = dict[int, Fraction]


def best(scores: dict[Any, Any]) -> dict[Any, Fraction]:
    """Equal shares for what has the greatest score."""
    if not scores:
        return {}
    most = max(scores.values())
    first = [each for each, score in scores.items() if score == most]
    return dict.fromkeys(first, Fraction(1, len(first)))


def _divided(scores: Sequence[dict[int, Any]], keys: int) -> Iterator[Shares]:
    """Each key divides itself among the readers with the best scores."""
    found: list[Shares] = [{} for _ in scores]
    for key in range(keys):
        readers = {reader: mine[key] for reader, mine in enumerate(scores) if key in mine}
        for reader, share in best(readers).items():
            found[reader][key] = share
    yield from found


def _check(flags: frozenset[str], vector: Vector, log: Log) -> None:
    for name in flags & vector.keys():
        if vector[name] not in (0, 1):
            log.note("flag", name, vector[name])


# ------------------------------------------------------------------ from its lines


def head_of(block: f.Block, names: Names) -> Head:
    """The head that a block describes."""
    fields, own, other = fields_of(block.children), set[str](), set[str]()
    mine = replace(names, reads=own)
    theirs = replace(names, reads=other if "from" in fields else own)
    lines = tuple(_lines(fields, mine, theirs))
    look = fields.get("look", "all")
    choosy = any(isinstance(fields.get(key), f.Extreme) and fields[key].where for key in _EXTREMES)
    rests = choosy or "else" in fields or any(key in fields for key in RESTING)
    divided = fields.get("normalize") == "queries"
    rest = fields.get("else", f.Rest((), None))
    channels = tuple(_channels(fields, mine, theirs))
    distance = names.distances[fields["distance"]] if "distance" in fields else ()
    onward = mine.map(fields.get("out", ()), hidden=True)
    bias = {name: form.constant for name, form in onward.sums.items() if form.constant}
    targets = {name for channel in channels for name, _ in channel.writes} | bias.keys()
    targets |= {name for _, *two in distance for name in two}
    return Head(
        lines, _LOOKS[look], only(fields.get("where"), theirs), only(fields.get("when"), mine),
        only(fields.get(HELD), mine), "from" in fields, divided,
        mine.vector(rest.filler) if rests and not divided else None,
        None if rest.below is None else number(rest.below),
        channels, distance, -1 if look in ("before", "upto") else 1, bias,
        frozenset(own), frozenset(targets),
    )  # fmt: skip


_EXTREMES = {"highest": 1, "lowest": -1}


def _lines(fields: dict[str, Any], mine: Names, theirs: Names) -> Iterator[Line]:
    rests = any(key in fields for key in ("else", *RESTING))
    if "query" in fields:
        query, key = mine.map(fields["query"]), theirs.map(fields["key"])
        yield Features(query, key, _in_range(mine) if rests else lambda _form, _vector, _log: None)
    if any(key in fields for key in ("at", "querypos", "keypos")):
        moved = fields.get("at", 0) + fields.get("querypos", 0) - fields.get("keypos", 0)
        yield Offset(int(moved), mine.clocks)
    if "match" in fields:
        yield from _matches(fields["match"], mine, theirs)
    if "nearest" in fields:
        yield Nearest(theirs.test(fields["nearest"]), mine.ramp, fields["look"] == "after")
    for key, sign in _EXTREMES.items():
        if key in fields:
            said: f.Extreme[f.Term, f.Condition] = fields[key]
            form = theirs.sum(said.form)
            values = theirs.values_of(form)
            bonus = 2 ** (2 * (values.high - values.low) + 1).__ceil__().bit_length()
            value = _ranked(form, values, check=rests or said.where is not None)
            where = only(said.where, theirs)
            yield Extreme(value, sign, where, bonus if said.where is not None else 0)


def _in_range(names: Names) -> Callable[[Sum, Vector, Log], None]:
    def check(form: Sum, vector: Vector, log: Log) -> None:
        names.values_of(form).check(form.of(vector), lambda _: None, str(form), log)

    return check


def _ranked(form: Sum, values: Values, *, check: bool) -> Amount:
    def value(vector: Vector, log: Log) -> Number:
        found = form.of(vector)
        if check:
            values.check(found, lambda _: None, str(form), log)
        return found

    return value


def _matches(entries: f.Entries, mine: Names, theirs: Names) -> Iterator[Line]:
    """``a ~ b``, of members of families and of distances; ``a ~ relation ~ b``."""
    asked: dict[str, list[tuple[Number, Sum]]] = {}
    offered: dict[str, list[tuple[Number, Sum]]] = {}
    for own, other, weight in _pairs(entries, mine):
        if own in mine.distances:
            two = [[n for _, *h in mine.distances[name] for n in h] for name in (own, other)]
            signed = mine.length if mine.signed & {own, other} else 0
            enough, _ = nearly(mine.clocks, mine.length + signed)
            mine.reads.update(two[0])
            theirs.reads.update(two[1])
            yield Distances(tuple(two[0]), tuple(two[1]), enough)
            continue
        asked[own] = [(1, mine.meant(own))]
        offered.setdefault(own, []).append((weight, theirs.meant(other)))
    if asked:
        both = Map({n: total(s) for n, s in asked.items()}), Map({n: total(s) for n, s in offered.items()})
        yield Members(*both, (mine.flags(both[0]), mine.flags(both[1])))


def _pairs(entries: f.Entries, names: Names) -> Iterator[tuple[str, str, Number]]:
    """What the reader has, what a key must have, and how much that counts."""
    for _, (own, *relation, other), factor in names.entries(entries):
        weight = factor * number(own.coefficient) * number(other.coefficient)
        if not relation:
            yield str(own.name), str(other.name), weight
            continue
        weight *= number(relation[0].coefficient)
        related = names.values[str(relation[0].name)]
        for _, (left, right), more in names.entries(related):
            if left.name == own.name:
                both = number(left.coefficient) * number(right.coefficient)
                yield str(own.name), str(right.name), weight * more * both


# ------------------------------------------------------------------ what it reads


def _channels(fields: dict[str, Any], mine: Names, theirs: Names) -> Iterator[Channel]:
    """``value`` and ``role``, by way of ``out`` or not, then ``bind``."""
    value, role = theirs.map(fields.get("value", ())).sums, mine.map(fields.get("role", ())).sums
    out = [(terms, x) for kind, terms, x in mine.entries(fields.get("out", ())) if kind != "vector"]
    one = Sum((), 1)
    if any(len(terms) == 3 for terms, _ in out):  # fillers times roles, as `out` names them
        for (filler, bound, target), factor in out:
            yield Channel(
                str(filler.name), value[str(filler.name)], role[str(bound.name)],
                ((str(target.name), factor * _product(filler, bound, target)),),
            )  # fmt: skip
    else:
        onward = mine.map(fields.get("out", ()), hidden=True)
        for name, filler in value.items():
            writes = onward.row(name) if "out" in fields else ((name, 1),)
            yield Channel(name, filler, role.get(name, one), tuple(writes))
    for _, (filler, bound, target), factor in theirs.entries(fields.get("bind", ())):
        writes = ((str(target.name), factor * number(target.coefficient)),)
        yield Channel(str(target.name), theirs.sum((filler,)), mine.sum((bound,)), writes)


def _product(*terms: f.Term) -> Number:
    found: Number = 1
    for term in terms:
        found *= number(term.coefficient)
    return found
