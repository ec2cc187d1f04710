"""Which flags never hold together: told by tokens, comparisons, distances and gates.

A flag is known by cases: it is up only if one of them holds. A case says of some facts what they
must be then: which tokens, which values of a sum, which distances, which other flags. Two flags
whose cases contradict each other are never up at one token.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from math import inf, pi

import numpy as np
from numpy.typing import NDArray

from progtf.exact.stream import vectors
from progtf.program.arrays import Array
from progtf.program.curves import ramps
from progtf.program.forms import FLAG, Form
from progtf.program.model import Channel, Curve, Head, Program, Rule
from progtf.rational import fraction_of

MOST_CASES = 12
MOST_FLAGS, MOST_LINES = 400, 2000
_UP, _DOWN = 2, 1  # bits of what a flag can be: 0 or 1

Fact = Hashable
Among = int | tuple[float, float]
"""A set of choices as bits, or the ends of an interval."""
Case = Mapping[Fact, Among]
Cases = tuple[Case, ...]
ANY: Cases = ({},)
Groups = tuple[tuple[int, ...], ...]
"""Groups of things, by their places, of which one at most holds."""
Forms = tuple[tuple[str, float], ...]
Columns = NDArray[np.intp]


@dataclass(eq=False)
class Known:
    """What is known of the flags of one stack, kept up to date layer by layer.

    Attributes:
        length: the longest input, in tokens.
        plain: whether what is read is what was written.
        cases: of the flags that something is known of.
        written: how often a seme has been written, so that facts about old values stay apart.
        parted: of families the columns of several members that exclude each other, if asked.
    """

    length: int
    plain: bool = False
    cases: dict[str, Cases] = field(default_factory=dict[str, Cases])
    written: Counter[str] = field(default_factory=Counter[str])
    parted: dict[str, tuple[Columns, ...]] = field(default_factory=dict[str, tuple[Columns, ...]])
    _told: dict[tuple[int, bool], Cases] = field(default_factory=dict[tuple[int, bool], Cases])

    @staticmethod
    def of(program: Program, length: int) -> "Known":
        """What the lexicon tells: of each flag the tokens that have it."""
        spelled = {name for vector in program.spelled for name in vector}
        tokens: dict[str, int] = {}
        for place, (_, vector) in enumerate(vectors(program)):
            for name, value in vector.items():
                tokens[name] = tokens.get(name, 0) | (bool(value) << place)
        flags = (n for n, v in program.space.ranges.items() if v == FLAG and n not in spelled)
        cases: dict[str, Cases] = {n: ({"token": tokens[n]},) if n in tokens else () for n in flags}
        plain = bool(program.lexicon) and program.norm == "none"
        return Known(length, plain=True, cases=cases) if plain else Known(length)

    def apart(self, one: str, other: str) -> bool:
        """Whether two flags are never up at one token."""
        return contradict(self.cases.get(one, ANY), self.cases.get(other, ANY))

    def write(self, seme: str, cases: Cases | None, times: int = 1) -> None:
        """A seme has been written, ``times`` over; ``cases``: when what is added is not 0."""
        self._told.clear()
        self.parted.pop(family_of(seme), None)
        before = self.cases.pop(seme, None)
        self.written[seme] += times
        if cases is not None and before is not None:
            self.cases[seme] = _few([*before, *(case for case in cases if case not in before)])

    def again(self, written: Iterable[str], zeros: Iterable[str]) -> None:
        """Another round begins: semes that rounds write may be of any before it; flags are 0."""
        for seme in {*written, *zeros}:
            self.write(seme, None)
        self.cases |= dict.fromkeys(zeros if self.plain else (), ())

    def copy(self) -> "Known":
        """The same, which what is written now leaves as it is."""
        return replace(self, cases={**self.cases}, written=self.written.copy(), parted={}, _told={})

    def forget(self) -> None:
        """Everything has been written anew."""
        self._told.clear()
        self.parted.clear()
        self.cases.clear()

    # -------------------------------------------------------------- rules

    def holding(self, rules: Iterable[Rule]) -> Cases:
        """When a line is not 0: one of its rules holds."""
        return _few([case for rule in rules for case in self._cases(rule, silent=False)])

    def sounding(self, rules: Iterable[Rule]) -> Cases:
        """When some hidden unit of a line is not 0."""
        return _few([case for rule in rules for case in self._cases(rule, silent=True)])

    def _cases(self, rule: Rule, *, silent: bool) -> Cases:
        """As long as nothing more is written; a rule lives as long as its program."""
        key = id(rule), silent
        if key not in self._told:
            self._told[key] = self._rule(rule, silent=silent)
        return self._told[key]

    def _rule(self, rule: Rule, *, silent: bool) -> Cases:
        curve = rule.curve
        if silent and curve is not None and curve.slope and curve.reach <= curve.high - curve.low:
            return ANY  # a closed gate leaves an error
        case: dict[Fact, Among] = {}
        for bit, flags in ((_UP, rule.gate.positive), (_DOWN, rule.gate.negative)):
            case |= {("flag", name, self.written[name]): bit for name in flags}
        up = rule.gate.positive
        if curve is not None:
            case |= self._compared(curve, silent=silent)
            read = _single(curve.form) if not curve.low and not curve.start else None
            up |= {read} if read else set[str]()
        return self._with(case, up)

    def _with(self, case: Case, flags: Iterable[str]) -> Cases:
        """A case, and of some flags that are up in it what that tells."""
        found: Cases = (case,)
        for name in sorted(flags):
            more = self.cases.get(name, ANY)
            if len(found) * len(more) <= MOST_CASES:
                both = (_joined(a, b) for a in found for b in more)
                found = tuple(case for case in both if case is not None)
        return found

    def _compared(self, curve: Curve, *, silent: bool) -> Case:
        """Where a window lies; ``silent``: where its units are not 0, which is all above it."""
        if curve.slope or not curve.knots:
            return {}
        names, stem, ends = _outline(curve)
        if silent:
            ends = ends[0], inf
        if stem is None:
            return {("sum", tuple((n, self.written[n], c) for n, c in names)): ends}
        if any(self.written[name] != 1 for name, _ in names):
            return {}
        return {("distance", stem): _distances(names, ends, self.length)}

    # -------------------------------------------------------------- heads

    def copied(
        self, head: Head, there: "Known", number: int
    ) -> Iterator[tuple[Channel, Cases | None]]:
        """Of every channel when a copy of a flag is up: who is read has it, and my role is up.

        Args:
            head: the head.
            there: what is known of the tokens that it reads.
            number: of the head, so that each head's tokens stay apart.
        """
        nulls = (0.0,) * len(head.channels) if head.null is None else head.null.filler
        required = head.required
        for channel, null in zip(head.channels, nulls, strict=True):
            source, role = _single(channel.filler), _single(channel.role)
            if source is None or role is None or null or head.normalize != "keys":
                yield channel, None
                continue
            read = there.cases.get(source, ANY) if source else ANY
            cases: Cases = tuple(_elsewhere(case, number) for case in read)
            up = {role, *required} - {""}
            mine = self._with({("flag", name, self.written[name]): _UP for name in up}, up)
            both = (_joined(a, b) for a in cases for b in mine)
            yield channel, tuple(case for case in both if case is not None)


def family_of(seme: str) -> str:
    """What stands before the brackets."""
    return seme.partition("[")[0]


def contradict(one: Cases, other: Cases) -> bool:
    """Whether no case of the one can hold together with one of the other."""
    for a in one:
        for b in other:
            if not _against(a, b):
                return False
    return True


def _against(one: Case, other: Case) -> bool:
    """Whether two cases say of one fact what cannot both be."""
    small, large = (one, other) if len(one) < len(other) else (other, one)
    for fact, among in small.items():
        there = large.get(fact)
        if there is not None and (
            not among & there
            if isinstance(among, int) and isinstance(there, int)
            else _common(among, there) is None
        ):
            return True
    return False


def exclusive(cases: Iterable[Cases]) -> Groups:
    """Things that are known by cases, in groups."""
    given = tuple(cases)
    facts = tuple(tuple(frozenset(case.items()) for case in mine) for mine in given)
    return _grouped(_Question(facts, given))


@dataclass(frozen=True, slots=True)
class _Question:
    """Cases, told from others by their facts: the same come again in other formats and walks."""

    facts: tuple[tuple[frozenset[tuple[Fact, Among]], ...], ...]
    cases: tuple[Cases, ...] = field(compare=False)


@lru_cache(maxsize=1024)
def _grouped(question: _Question) -> Groups:
    windows = _windows(question.cases)
    if windows is not None:
        return _apart(windows)
    groups: list[_Group] = []
    begun = defaultdict[Fact, list[int]](list)  # by what the first of a group tells
    for place, mine in enumerate(question.cases):
        told = _told(mine)
        first: Case = mine[0] if mine else {}
        facts = (None, *first) if mine else begun  # they contradict each other in one of them
        near = sorted({number for fact in facts for number in begun.get(fact, ())})
        group = next((g for g in map(groups.__getitem__, near) if g.admits(mine, told)), None)
        if group is None:
            for fact in first or (None,):
                begun[fact].append(len(groups))
            groups.append(group := _Group())
        group.add(place, mine, told)
    return tuple(tuple(group.places) for group in groups)


def _windows(given: Sequence[Cases]) -> list[tuple[float, float]] | None:
    """The windows of one number, where things tell nothing else that is not the same for all."""
    if len(given) < 2 or any(len(cases) != 1 for cases in given):
        return None
    first, *rest = (cases[0] for cases in given)
    if any(case.keys() != first.keys() for case in rest):
        return None
    told = [fact for fact in first if any(case[fact] != first[fact] for case in rest)]
    if len(told) != 1:
        return None
    found = (cases[0][told[0]] for cases in given)
    windows = [among for among in found if not isinstance(among, int)]
    return windows if len(windows) == len(given) else None


def _apart(windows: Sequence[tuple[float, float]]) -> Groups:
    """Windows in as few groups as can be: each goes behind the one that ends first."""
    groups: list[list[int]] = []
    ends: list[tuple[float, int]] = []
    for place in sorted(range(len(windows)), key=windows.__getitem__):
        low, high = windows[place]
        if ends and ends[0][0] <= low:
            group = heappop(ends)[1]
            groups[group].append(place)
        else:
            group = len(groups)
            groups.append([place])
        heappush(ends, (high, group))
    return tuple(tuple(group) for group in groups)


class _Group:
    """Things of which one at most holds.

    ``spans``: the facts that all cases of all of them tell, each with all that is taken of it, so
    that most things are admitted without a look at each of the others.
    """

    def __init__(self) -> None:
        self.places: list[int] = []
        self.members: list[Cases] = []
        self.spans: Case = {}

    def admits(self, mine: Cases, told: Case) -> bool:
        """Whether something never holds beside any of them; ``told``: what all its cases tell."""
        if mine == ANY:
            return False
        if _against(told, self.spans):
            return True
        for other in reversed(self.members):  # noqa: SIM110  a generator takes twice as long
            if not contradict(mine, other):
                return False
        return True

    def add(self, place: int, mine: Cases, told: Case) -> None:
        """One thing more; it is one that ``admits`` admitted."""
        kept = self.spans if self.members else told
        self.spans = {f: _either((kept[f], told[f])) for f in kept if f in told}
        self.places.append(place)
        self.members.append(mine)


def _told(cases: Cases) -> Case:
    """What all cases tell, each fact with all that is taken of it."""
    if len(cases) == 1:
        return cases[0]
    first, *rest = cases or ANY
    shared = {fact for fact in first if all(fact in case for case in rest)}
    return {fact: _either(case[fact] for case in cases) for fact in shared}


def _elsewhere(case: Case, number: int) -> Case:
    """The same of another token: the one that head ``number`` reads."""
    return {("read", number, fact): among for fact, among in case.items()}


def _joined(one: Case, other: Case) -> Case | None:
    """Both cases together; None if they contradict each other."""
    small, large = (one, other) if len(one) < len(other) else (other, one)
    both = dict(large)
    for fact, among in small.items():
        if fact in both:
            left = _common(among, both[fact])
            if left is None:
                return None
            both[fact] = left
        else:
            both[fact] = among
    return both


def _common(one: Among, other: Among) -> Among | None:
    if isinstance(one, int) or isinstance(other, int):
        assert isinstance(one, int)
        assert isinstance(other, int)
        return one & other or None
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low < high else None


def _few(cases: Sequence[Case]) -> Cases:
    """Not too many cases: what all of them have in common stands for them."""
    return tuple(cases) if len(cases) <= MOST_CASES else (_told(tuple(cases)),)


def _either(parts: Iterable[Among]) -> Among:
    parts = tuple(parts)
    masks = [part for part in parts if isinstance(part, int)]
    if masks:
        found = 0
        for mask in masks:
            found |= mask
        return found
    ends = [part for part in parts if isinstance(part, tuple)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _single(form: Form) -> str | None:
    """The flag that a form reads and nothing else; "" if it is always 1."""
    names = [name for name, factor in form.coefficients.items() if factor]
    if not names and form.constant:
        return ""
    return names[0] if len(names) == 1 and not form.constant else None


def _outline(curve: Curve) -> tuple[Forms, str | None, tuple[float, float]]:
    """What a curve of steps reads, of which distance that tells if of any, and its window."""
    names = tuple(sorted(curve.form.coefficients.items()))
    return names, _distance(name for name, _ in names), _window(curve)


def _window(curve: Curve) -> tuple[float, float]:
    """The ends between which a curve of steps is not 0, halfway up its outer ramps."""
    begun = ramps(curve)
    if 2 * len(begun) != len(curve.knots) or not begun:
        return -inf, inf
    middles = [(curve.knots[p][0] + curve.knots[p + 1][0]) / 2 for p in begun]
    knots = [(fraction_of(place), fraction_of(change)) for place, change in curve.knots]
    rises = sum(knots[p][1] * (knots[p + 1][0] - knots[p][0]) for p in begun)
    ends_at_0 = not fraction_of(curve.start) + rises
    return (-inf if curve.start else middles[0]), (middles[-1] if ends_at_0 else inf)


def _distance(names: Iterable[str]) -> str | None:
    """The distance whose hands a form reads and nothing else."""
    stems = {name.rpartition(".cos[")[0] or name.rpartition(".sin[")[0] for name in names}
    return stems.pop() if len(stems) == 1 and "" not in stems else None


def _distances(names: Forms, ends: tuple[float, float], length: int) -> int:
    """The distances, from -length up, at which a sum of hands lies between two ends, as bits."""
    x = np.array([factor for _, factor in names]) @ _hands(tuple(n for n, _ in names), length)
    within = (ends[0] <= x) & (x <= ends[1])
    return int.from_bytes(np.packbits(within, bitorder="little").tobytes(), "little")


@lru_cache(maxsize=256)
def _hands(names: tuple[str, ...], length: int) -> Array:
    """The hands of clocks at all distances, from -length up."""
    turn = 2 * pi * np.arange(-length, length + 1)
    parts = ((name, float(name[name.rindex("[") + 1 : -1])) for name in names)
    return np.array([(np.cos if ".cos[" in n else np.sin)(turn / period) for n, period in parts])
