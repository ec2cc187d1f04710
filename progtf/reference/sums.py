"""Numbers, names, sums and conditions: what a line of a program says of one token.

A token has a *vector*, the number of each seme, and what is not in it is 0. Numbers are fractions;
a whole one is an ``int``, with which Python reckons sooner.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from progtf.notation import flat as f
from progtf.notation import spell
from progtf.program import promises
from progtf.rational import fraction_of

Number = int | Fraction
Vector = dict[str, Number]
HALF = Fraction(1, 2)


def number(value: float) -> Number:
    """The fraction that a number of the text stands for."""
    return plain(fraction_of(value))


def plain(value: Number) -> Number:
    """The same number, an ``int`` if it is whole."""
    return value.numerator if value.denominator == 1 else value


# ------------------------------------------------------------------ promises


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that a text does not let the program keep: what it says may be anything there.

    Attributes:
        kind: ``flag``: it is neither 0 nor 1; ``range``: it lies outside its range; ``step``: it
            lies between two values; ``one``: a reader has several members; ``distance``: it is
            none of one token; ``tie``: unlike answers share the best score; ``loop``: it does not
            end; ``set``: several lines set it.
        what: the seme, or the sum, of which it was promised.
        position: of the token in its text.
        value: what it is instead.
    """

    kind: promises.Kind
    what: str
    position: int
    value: Number

    @property
    def told(self) -> promises.Broken:
        """The same as answers have it."""
        due = "what it promises"
        return promises.Broken(
            self.kind, self.what, "the program", self.position, float(self.value), due
        )


class Log(list[Broken]):
    """The promises that were broken on the way to one answer."""

    position = 0

    def note(self, kind: promises.Kind, what: str, value: Number) -> None:
        """A promise is broken where the program reads now."""
        self.append(Broken(kind, what, self.position, value))


# ------------------------------------------------------------------ `semes:`


@dataclass(frozen=True, slots=True)
class Values:
    """What a seme or a sum is promised to be: low, low + step, ..., high; step 0: all between."""

    low: Number
    high: Number
    step: Number

    def check(
        self, value: Number, meant: Callable[[Number], object], what: object, log: "Log"
    ) -> None:
        """Notes what lies outside, or between two steps that do not mean the same."""
        if not self.low <= value <= self.high:
            log.note("range", str(what), value)
        elif self.step and (above := (value - self.low) % self.step):
            below = value - above
            if meant(below) != meant(below + self.step):
                log.note("step", str(what), value)


FLAG, HAND = Values(0, 1, 1), Values(-1, 1, 0)


def common_step(steps: Iterable[Number]) -> Number:
    """The largest step of which all are multiples; 0 if one of them is 0."""
    found = Fraction(0)
    for step in steps:
        if not step:
            return 0
        both = math.lcm(found.denominator, step.denominator)
        found = Fraction(math.gcd(int(found * both), int(step * both)), both)
    return plain(found) or 1


# ------------------------------------------------------------------ `clocks:`


@cache
def hand(period: Number, tokens: int) -> tuple[Number, Number]:
    """The hand of a clock after so many tokens: cosine and sine, taken from the first eighth."""
    return _turned(Fraction(tokens) / period % 1)


def _turned(turn: Fraction) -> tuple[Number, Number]:
    if turn > HALF:
        cos, sin = _turned(1 - turn)
        return cos, -sin
    if turn > Fraction(1, 4):
        cos, sin = _turned(HALF - turn)
        return -cos, sin
    if turn > Fraction(1, 8):
        cos, sin = _turned(Fraction(1, 4) - turn)
        return sin, cos
    angle = 2 * math.pi * float(turn)
    return number(math.cos(angle)), number(math.sin(angle))


@cache
def nearness(periods: tuple[Number, ...], tokens: int) -> Number:
    """How well all hands agree so many tokens apart: the number of clocks at 0, elsewhere less."""
    return sum((hand(period, tokens)[0] for period in periods), start=0)


@cache
def nearly(periods: tuple[Number, ...], length: int) -> tuple[Number, Number]:
    """Above what hands agree, and by how much they agree less one token off."""
    gap = len(periods) - max(nearness(periods, n) for n in range(1, max(2, length)))
    return len(periods) - gap / Fraction(2), gap


def hands(period: Number) -> tuple[str, str]:
    """What the hands of a clock are called."""
    shown = spell.number(float(period))
    return f"cos[{shown}]", f"sin[{shown}]"


# ------------------------------------------------------------------ vectors, matrices and sums


@dataclass(frozen=True, slots=True)
class Sum:
    """``2a + b - 3``: semes with their factors, and a number."""

    terms: tuple[tuple[str, Number], ...]
    constant: Number = 0

    def of(self, vector: Vector) -> Number:
        """What it comes to."""
        total = self.constant
        for name, factor in self.terms:
            if name in vector:
                total += factor * vector[name]
        return total

    def __str__(self) -> str:
        return spell.form({n: float(x) for n, x in self.terms}, float(self.constant))


@dataclass(frozen=True)
class Map:
    """An affine map: a sum for each target."""

    sums: Mapping[str, Sum]

    def of(self, vector: Vector) -> Vector:
        """All the sums; of a sum of no seme that is there its number."""
        found: Vector = {name: each.constant for name, each in self.sums.items()}
        for name in self._rows.keys() & vector.keys():
            for target, factor in self._rows[name]:
                found[target] += factor * vector[name]
        return found

    def row(self, name: str) -> list[tuple[str, Number]]:
        """What a seme adds to, and by which factor."""
        return self._rows.get(name, [])

    @cached_property
    def _rows(self) -> dict[str, list[tuple[str, Number]]]:
        """What each seme adds to."""
        rows: dict[str, list[tuple[str, Number]]] = {}
        for target, each in self.sums.items():
            for name, factor in each.terms:
                rows.setdefault(name, []).append((target, factor))
        return rows


Test = Callable[[Vector, Log], bool]
Amount = Callable[[Vector, Log], Number]
_ORDERS = {">=": ge, ">": gt, "<": lt, "<=": le, "=": eq, "!=": ne}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mod": lambda x, m: x - m * (x // m),
    "div": lambda x, m: x // m,
    "sign": lambda x: (x > 0) - (x < 0),
    "abs": abs,
    "clip": lambda x, low, high: min(max(x, low), high),
}


@dataclass(frozen=True)
class Names:
    """What names mean.

    Attributes:
        ranges: semes, the hands of distances and clocks, and what each may be.
        distances: period, cosine and sine of each distance, for each clock.
        signed: the distances that some head measures to both sides.
        groups: ``weird`` for ``weird.case``, ``weird.order`` ...
        aliases, values: what ``:=`` and ``name:`` define.
        clocks: the periods that addresses use.
        ramp: the period of the slow clock by which ``nearest`` tells how near.
        length: of the longest text, in tokens.
        reads: gathers which semes a part reads.
        known: what names were found to mean.
    """

    ranges: Mapping[str, Values]
    distances: Mapping[str, tuple[tuple[Number, str, str], ...]]
    signed: frozenset[str]
    groups: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, f.Condition]
    values: Mapping[str, f.Entries]
    clocks: tuple[Number, ...]
    ramp: Number
    length: int
    reads: set[str] = field(default_factory=set[str])
    known: dict[str, Sum] = field(default_factory=dict[str, Sum])

    def sum(self, terms: Iterable[f.Term]) -> Sum:
        """A sum, with what stands for aliases and groups in it."""
        one = Sum((), 1)
        return total(
            (number(term.coefficient), one if term.name is None else self.meant(term.name))
            for term in terms
        )

    def meant(self, name: str) -> Sum:
        """What a name reads: a seme, the sum that an alias stands for, or that of a group."""
        if name not in self.known:
            alias = self.aliases.get(name)
            if name in self.ranges:
                self.known[name] = Sum(((name, 1),))
            elif isinstance(alias, f.Truth):
                self.known[name] = self.sum(alias.form)
            else:
                self.known[name] = total((1, self.meant(each)) for each in self.groups[name])
        self.reads.update(each for each, _ in self.known[name].terms)
        return self.known[name]

    def values_of(self, form: Sum) -> Values:
        """What a sum may be, if each seme keeps to its range."""
        ends = [(x * self.ranges[n].low, x * self.ranges[n].high) for n, x in form.terms]
        low, high = sum(map(min, ends)), sum(map(max, ends))
        step = common_step(abs(x) * self.ranges[n].step for n, x in form.terms if x)
        return Values(form.constant + low, form.constant + high, step)

    def hands_of(self, distance: str) -> list[str]:
        """The semes of a distance, which are read."""
        found = [hand for _, *two in self.distances[distance] for hand in two]
        self.reads.update(found)
        return found

    def reach(self, *distances: str) -> int:
        """How far apart tokens can be, twice as far where both sides are measured."""
        return self.length * (1 if self.signed.isdisjoint(distances) else 2)

    # -------------------------------------------------------------- lists

    def entries(
        self, entries: f.Entries, factor: Number = 1
    ) -> Iterator[tuple[str, tuple[f.Term, ...], Number]]:
        """Kind, terms and a factor of each entry; named values are put in."""
        for entry in entries:
            first = entry.terms[0]
            if entry.kind == "vector" and first.name in self.values:
                inside = factor * number(first.coefficient)
                yield from self.entries(self.values[str(first.name)], inside)
            else:
                yield entry.kind, entry.terms, factor

    def vector(self, entries: f.Entries) -> Vector:
        """``+pig -2wombat``; entries of the same place add up."""
        return {name: each.constant for name, each in self.map(entries).sums.items()}

    def map(self, entries: f.Entries, *, hidden: bool = False) -> Map:
        """``3pig>wombat, -wombat``: by target, and a bias is a number in its sum.

        ``hidden``: sources are hidden units or features, which are called as the author likes.
        """
        found: dict[str, list[tuple[Number, Sum]]] = {}
        for kind, (*source, target), factor in self.entries(entries):
            if target.name is None or kind == "product":
                continue  # the zero vector; products are read elsewhere
            scale, meant = factor * number(target.coefficient), Sum((), 1)
            if source and hidden:
                meant = Sum(((str(source[0].name), number(source[0].coefficient)),))
            elif source:
                meant = self.sum(source)
            found.setdefault(target.name, []).append((scale, meant))
        return Map({name: total(parts) for name, parts in found.items()})

    def flags(self, read: Map) -> frozenset[str]:
        """The flags that a map reads."""
        names = {name for form in read.sums.values() for name, _ in form.terms}
        return frozenset(name for name in names if self.ranges[name] == FLAG)

    # -------------------------------------------------------------- conditions

    def test(self, condition: f.Condition) -> Test:  # noqa: PLR0911  one per node
        """Whether a condition holds."""
        match condition:
            case f.AllOf(parts=parts):
                return _joined([self.test(part) for part in parts], settles=False)
            case f.AnyOf(parts=parts):
                return _joined([self.test(part) for part in parts], settles=True)
            case f.Not(part=part):
                inside = self.test(part)
                return lambda vector, log: not inside(vector, log)
            case f.Comparison():
                return self._comparison(condition)
            case f.Truth(form=(f.Term(name=str() as name),)) if self._is_alias(name):
                return self.test(self.aliases[name])
            case f.Truth(form=(f.Term(name=None, coefficient=value),)):
                return lambda _vector, _log: value != 0
            case f.Truth(form=form):
                flags = [is_up(name) for name, _ in self.sum(form).terms]
                return flags[0] if len(flags) == 1 else _joined(flags, settles=True)

    def _is_alias(self, name: str) -> bool:
        return name in self.aliases and name not in self.ranges

    def _comparison(self, said: f.Comparison[f.Term]) -> Test:
        order, sides = _ORDERS[said.operator], (said.left, said.right)
        if said.operator in ("=", "!=") and any(map(self._is_condition, sides)):
            left, right = (self.test(f.Truth(side, said.span)) for side in sides)
            return lambda vector, log: order(left(vector, log), right(vector, log))
        if len(said.left) == 1 and said.left[0].name in self.distances:
            return self._distance(said)
        form = total([(1, self.sum(said.left)), (-1, self.sum(said.right))])
        values, shown = self.values_of(form), f"{form} {said.operator} 0"

        def meant(value: Number) -> bool:
            return order(value, 0)

        def compared(vector: Vector, log: Log) -> bool:
            value = form.of(vector)
            values.check(value, meant, shown, log)
            return order(value, 0)

        return compared

    def _is_condition(self, side: f.Form) -> bool:
        alias = self.aliases.get(side[0].name or "") if len(side) == 1 else None
        return alias is not None and not isinstance(alias, f.Truth)

    def _distance(self, said: f.Comparison[f.Term]) -> Test:
        """``far = 3``: all hands stand as they do three tokens away."""
        name, wanted = str(said.left[0].name), said.operator == "="
        away = int(self.sum(said.right).constant)
        form = self.agreement(name, away)
        reach = self.length + abs(away) if name in self.signed else max(self.length, abs(away) + 1)
        enough, gap = nearly(self.clocks, reach)
        if abs(away) >= self.length:
            return lambda _vector, _log: not wanted

        def compared(vector: Vector, log: Log) -> bool:
            value = form.of(vector)
            if abs(value - enough) * 4 < gap:
                log.note("distance", f"{name} {said.operator} {away}", value)
            return (value > enough) == wanted

        return compared

    def agreement(self, distance: str, away: int) -> Sum:
        """How well the hands of a distance agree with those of so many tokens."""
        parts: list[tuple[str, Number]] = []
        for period, *two in self.distances[distance]:
            self.reads.update(two)
            parts += zip(two, hand(period, away), strict=True)
        return Sum(tuple(parts))

    def needed(self, condition: f.Value | None) -> str:
        """A flag without which a condition does not hold; "" if there is none for certain."""
        match condition:
            case f.Truth(form=(f.Term(coefficient=1.0, name=str() as name),)):
                return name if self.ranges.get(name) == FLAG else ""
            case f.AllOf(parts=parts):
                return next(filter(None, map(self.needed, parts)), "")
            case _:
                return ""

    # -------------------------------------------------------------- what a rule gives

    def tests(self, value: f.Value | None) -> f.Condition | None:
        """The condition that a rule gives as 1 or 0; None if it gives a number."""
        match value:
            case None | f.Function():
                return None
            case f.Truth(form=form) if not self._is_condition(form):
                return None
            case _:
                return value

    def amount(self, value: f.Value | None) -> Amount:
        """The number that a rule gives: a sum, a function of one, or 1 where a condition holds."""
        match value:
            case None:
                return lambda _vector, _log: 1
            case f.Function():
                return self._function(value)
            case f.Truth(form=form) if not self._is_condition(form):
                return self._checked(self.sum(form), lambda x: x, "")
            case _:
                test = self.test(value)
                return lambda vector, log: int(test(vector, log))

    def _function(self, said: f.Function[f.Term, float]) -> Amount:
        form, given = self.sum(said.form), [number(each) for each in said.arguments]
        called = _FUNCTIONS[said.function]
        steps = said.function if said.function in ("mod", "div", "sign") else ""
        if not said.more:
            return self._checked(form, lambda x: called(x, *given), steps)
        more = self.sum(said.more)
        return lambda vector, _log: abs(abs(form.of(vector)) + more.of(vector))

    def _checked(self, form: Sum, called: Callable[[Number], Number], steps: str) -> Amount:
        """A function of a sum that keeps to its range, and to its steps where that jumps."""
        if not form.terms:
            return lambda _vector, _log: called(form.constant)
        values, shown = self.values_of(form), str(form)
        meant: Callable[[Number], object] = lambda _x: None  # noqa: E731  nothing jumps
        if steps == "mod":
            meant = lambda x: x - called(x)  # noqa: E731
        elif steps:
            meant = called

        def amount(vector: Vector, log: Log) -> Number:
            value = form.of(vector)
            values.check(value, meant, shown, log)
            return called(value)

        return amount


def product_of(*terms: f.Term) -> Number:
    """The product of the factors of terms."""
    return math.prod(number(term.coefficient) for term in terms)


def total(parts: Iterable[tuple[Number, Sum]]) -> Sum:
    """Sums, each times a number, as one."""
    factors, constant = dict[str, Number](), 0
    for scale, form in parts:
        constant += scale * form.constant
        for name, factor in form.terms:
            factors[name] = factors.get(name, 0) + scale * factor
    return Sum(tuple(factors.items()), constant)


def is_up(name: str) -> Test:
    """Whether a flag is 1."""

    def up(vector: Vector, log: Log) -> bool:
        value = vector.get(name, 0)
        if value not in (0, 1):
            log.note("flag", name, value)
        return value > HALF

    return up


def _joined(parts: list[Test], *, settles: bool) -> Test:
    """``&``, which one that does not hold settles, or ``|``, which one that holds does.

    Where one part settles it for certain, it does not matter what the others promised.
    """

    def joined(vector: Vector, log: Log) -> bool:
        begun, found = len(log), not settles
        for part in parts:
            known = len(log)
            if part(vector, log) == settles:
                found = settles
                if len(log) == known:
                    del log[begun:]
                    break
        return found

    return joined


def always(_vector: Vector, _log: Log) -> bool:
    """The condition that is not written."""
    return True


def only(condition: f.Condition | None, names: Names) -> Test:
    """A condition that may be left out."""
    return always if condition is None else names.test(condition)


def fields_of(children: Iterable[f.Statement]) -> dict[str, Any]:
    """The lines of a block by key; those of the rounds of a ``for`` are one list."""
    found: dict[str, Any] = {}
    for child in children:
        if isinstance(child, f.Field):
            value = child.value
            before = found.get(child.key, ()) if isinstance(value, tuple) else ()
            found[child.key] = (*before, *value) if isinstance(value, tuple) else value
    return found
