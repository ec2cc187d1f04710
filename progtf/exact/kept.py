"""What is assumed of a network, held against a text: which assumptions it breaks.

The text is computed by its meaning, and all that its assumptions speak of is looked at: what semes
are behind the heads of every layer and behind its rules, how heads divide their attention, and what
promises the text breaks.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from progtf.exact.report import shown
from progtf.notation.spell import counted
from progtf.numbers import plain
from progtf.program.answering import Input
from progtf.program.answers import Readout
from progtf.program.arrays import Array, Ints
from progtf.program.forms import Form, Values
from progtf.program.model import BOS, EOS, Curve, Head, Program, Rule
from progtf.program.outcome import Held, place_of
from progtf.program.promises import Broken
from progtf.program.speaking import gap_of
from progtf.rational import Rational, fraction_of
from progtf.running.cells import Cells, Flags, as_floats
from progtf.running.interpret import Interpreter
from progtf.running.sums import Sums
from progtf.running.trace import Step, Trace
from progtf.running.walk import normalised

Said = Mapping[str, Sequence[Held]]
"""Assumptions in words, each with what it says."""
ULPS = 4 * 2.0**-53
"""By such a share a float64 may miss a step that no float64 is."""
_READS = "range", "step", "flag"
"""The kinds of promises that say how rules, heads and answers read a seme."""


@dataclass(frozen=True, eq=False)
class Look:
    """How one head looked once.

    Attributes:
        pattern: shape (dst, src); rest: that of the null key, (dst,).
        scores: shape (dst, src + 1), the null key's last; minus infinity where it may not look. Of
            sources that divide themselves: shape (src, dst).
        matters: which readers do not bind what they read to 0.
        there: the residuals that are read.
    """

    head: Head
    pattern: Array
    rest: Array
    scores: Array
    matters: Flags
    there: Array


class Watch(Trace):
    """A trace that keeps how heads looked."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.looks = list[Look]()
        self.curves = list[tuple[Rule, Array]]()
        self.every = list[Step]()
        self._behind_heads = 0
        self._scores = self._asked = np.zeros((0, 0))

    def again(self) -> None:
        """All begins anew, in fractions."""
        super().again()
        self.looks.clear()
        self.curves.clear()
        self.every.clear()
        self._behind_heads = 0

    def note(self, stack: str, label: str, residual: Array) -> None:
        """The residual behind a part."""
        super().note(stack, label, residual)
        self.every.append(self.steps[-1])
        self._behind_heads = 0

    def between(self, stack: str, label: str, residual: Array) -> None:
        """The residual behind heads, before the rules of their layer."""
        self.every.append(Step(stack, label, self.tokens, residual.copy()))
        self._behind_heads += 1

    def stays(self, places: NDArray[np.bool_]) -> None:
        """What was added is left out at some tokens: they are as they were."""
        if self.steps and self._behind_heads:
            before = self.steps[-1].residual
            for step in self.every[-self._behind_heads :]:
                step.residual[places] = before[places]

    def curve(self, rule: Rule, values: Array) -> None:
        """What a rule reads where its gate is open."""
        self.curves.append((rule, values.copy()))

    def scores(self, head: Head, scores: Array) -> None:  # noqa: ARG002  as a trace
        """What is told of a head first."""
        self._scores = scores.copy()

    def asked(self, head: Head, scores: Array) -> None:  # noqa: ARG002  as a trace
        """What is told of a head whose sources divide themselves."""
        self._asked = scores

    def shares(self, head: Head, pattern: Array, rest: Array) -> None:
        """One head's attention; the residual is that of the last step."""
        here = self.steps[-1].residual
        if self.program.norm not in ("none", "split"):
            here = normalised(Cells.of(here), self.program).values
        there, matters = here, np.ones(len(pattern), dtype=bool)
        if head.source == "encoder":  # behind its own heads, so that roles may be others
            assert self.encoded is not None
            there = self.encoded.residual
        elif head.channels:
            roles = _read([channel.role for channel in head.channels], self.program, here)
            matters = np.asarray((roles != 0).any(axis=1), dtype=bool)
        queries = head.normalize == "queries"
        scores = self._asked if queries else self._scores
        self.looks.append(Look(head, pattern, rest, scores, matters, there))


def _read(forms: Iterable[Form], program: Program, stream: Array) -> Array:
    """What sums come to in a residual: shape (positions, forms)."""
    every = [*forms]
    names = dict.fromkeys(name for form in every for name in form.coefficients)
    columns = [program.space.index[name] for name in names]
    index = {name: place for place, name in enumerate(names)}
    return as_floats(Sums.of(every, index)(Cells.of(stream[:, columns])).values)


def broken(meant: Interpreter, given: Input, said: Said) -> dict[str, str]:
    """The assumptions that a text breaks: their words, each with what does not hold of it."""
    if not said:
        return {}
    watch = Watch(meant.program)
    return broken_by(meant.program, meant.readout(given, watch), watch, said)


def broken_by(program: Program, readout: Readout, watch: Watch, said: Said) -> dict[str, str]:
    """The same of a text that has been read out under a watch."""
    text = _Text(program, readout, watch)
    found = ((words, next(_all(text, held), None)) for words, held in said.items())
    return {words: why for words, why in found if why is not None}


def _all(text: "_Text", held: Iterable[Held]) -> Iterator[str]:
    for each in held:
        yield from text.breaks(each)


@dataclass(frozen=True, eq=False)
class _Text:
    """A text, and all that was seen of it."""

    program: Program
    readout: Readout
    watch: Watch
    _read_before: dict[Look, Array] = field(default_factory=dict[Look, Array])

    def breaks(self, held: Held) -> Iterator[str]:
        """Why an assumption does not hold, if it does not."""
        match held.kind:
            case "range" | "always" | "step":
                yield from self._values(held)
                yield from self._promised(held)
            case "read":
                yield from self._promised(held)
            case "same" | "sum":
                yield from self._fillers(held)
            case "hot":
                yield from self._several(held.name)
            case "one" | "few" | "there" | "apart":
                for look in self._looks(held):
                    yield from _looked(look, held, self._given(look))
            case "alike":
                for look in self._looks(held):
                    yield from self._unlike(look)
            case "score":
                yield from self._shared(held.least)
            case "loop":
                yield from self._endless(held.name)
            case "flat":
                yield from self._rising(held)

    # ------------------------------------------------------------------ semes

    def _family(self, held: Held) -> list[str]:
        """The seme that an assumption is about, or those that its words are about, too."""
        ranges, name = self.program.space.ranges, held.name
        alike = [*self._families[shown(name)]]
        if held.kind in ("range", "always"):
            return [n for n in alike if ranges[n].ends == ranges[name].ends]
        return [n for n in alike if ranges[n].grain == ranges[name].grain]

    @cached_property
    def _families(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.program.space.names:
            found.setdefault(shown(name), []).append(name)
        return found

    def _values(self, held: Held) -> Iterator[str]:
        """What a seme is behind some layer; 0 is what a token has that has nothing."""
        keeps = _whole if held.kind == "step" else _inside
        for name in self._family(held):
            values = self.program.space.ranges[name]
            due = f"steps of {plain(values.grain)}" if held.kind == "step" else values.ends
            for value, token in self._seen(name):
                if (value or held.kind == "always") and not keeps(value, values):
                    yield f"`{name}` is {plain(value)} at token {token + 1}, not in {due}"

    def _seen(self, name: str) -> Iterator[tuple[float, int]]:
        """Each number that a seme ever is, and a token where it is."""
        rows, tokens = self._rows
        found, places = np.unique(rows[:, self.program.space.index[name]], return_index=True)
        yield from zip(found.tolist(), tokens[places].tolist(), strict=True)

    @cached_property
    def _rows(self) -> tuple[Array, Ints]:
        """The residuals of all tokens behind all layers, and which tokens these are."""
        steps = self.watch.every
        tokens = [np.arange(len(step.residual)) for step in steps]
        return np.concatenate([step.residual for step in steps]), np.concatenate(tokens)

    def _promised(self, held: Held) -> Iterator[str]:
        """A promise of a rule, a head or an answer that reads a seme, and does not hold."""
        names = {*self._family(held)}
        yield from (str(each) for each in self.readout.broken if _about(each) & names)

    def _several(self, family: str) -> Iterator[str]:
        space = self.program.space
        columns = [space.index[n] for n in space.names if n.partition("[")[0] == family]
        for step in self.watch.every:
            many = np.flatnonzero((step.residual[:, columns] != 0).sum(axis=1) > 1)
            yield from (f"several of `{family}[..]` hold at token {n + 1}" for n in many.tolist())

    # ------------------------------------------------------------------ heads

    def _looks(self, held: Held) -> Sequence[Look]:
        return self._looked_at.get((held.name, held.place), ())

    @cached_property
    def _looked_at(self) -> Mapping[tuple[str, str], Sequence[Look]]:
        """How each head looked, by its name and place."""
        found: dict[tuple[str, str], list[Look]] = {}
        for look in self.watch.looks:
            found.setdefault((look.head.name, place_of(look.head.span)), []).append(look)
        return found

    @cached_property
    def _writers(self) -> Mapping[str, Sequence[tuple[Look, int]]]:
        """Of each seme, how the heads that write it looked, and by which of their channels."""
        found: dict[str, list[tuple[Look, int]]] = {}
        for look in self.watch.looks:
            for place, channel in enumerate(look.head.channels):
                for name in channel.writes:
                    found.setdefault(name, []).append((look, place))
        return found

    def _given(self, look: Look) -> Array:
        """What each token has to give to a head: shape (tokens, channels)."""
        if look not in self._read_before:
            fillers = [channel.filler for channel in look.head.channels]
            self._read_before[look] = _read(fillers, self.program, look.there)
        return self._read_before[look]

    def _unlike(self, look: Look) -> Iterator[str]:
        """Where a head finds several values at once."""
        nulls = look.head.null.filler if look.head.null else (0.0,) * len(look.head.channels)
        parts = np.hstack([look.pattern, look.rest[:, None]])[look.matters]
        for read, null in zip(self._given(look).T, nulls, strict=True):
            yield from _mixed(np.append(read, null), parts, look.head)

    def _fillers(self, held: Held) -> Iterator[str]:
        """What heads read for a seme: several values, or sums that grow too large on the way."""
        writers = (self._writers.get(name, ()) for name in self._family(held))
        for look, place in dict.fromkeys(chain.from_iterable(writers)):
            null = look.head.null.filler[place] if look.head.null else 0.0
            parts = np.hstack([look.pattern, look.rest[:, None]])[look.matters]
            values = np.append(self._given(look)[:, place], null)
            if held.kind == "same":
                yield from _mixed(values, parts, look.head)
            elif held.kind == "sum":
                sums = (
                    np.maximum(parts * values, 0).sum(axis=1),
                    np.minimum(parts * values, 0).sum(axis=1),
                )
                if max(np.abs(each).max(initial=0.0) for each in sums) >= held.least:
                    yield f"head `{look.head.name}` adds up more"

    # ------------------------------------------------------------------ rules

    def _rising(self, held: Held) -> Iterator[str]:
        """Where what a rule reads lies on a part of its curve that rises or falls, or near one."""
        for rule, values in self.watch.curves:
            if rule.curve is None or place_of(rule.line.span) != held.place:
                continue
            for begin, end in _rises(rule.curve):
                on = (values > begin - held.least) & (values < end + held.least)
                yield from (f"{held.place} reads {plain(v)}" for v in values[on].tolist())

    # ------------------------------------------------------------------ answers, loops

    def _shared(self, least: float) -> Iterator[str]:
        yield from (str(each) for each in self.readout.broken if each.kind == "tie")
        readout = self.readout
        gap = readout.gap
        if readout.scores is not None:
            rows = np.atleast_2d(readout.scores)
            inner = [
                n for n in range(len(rows)) if len(rows) == 1 or readout.tokens[n] not in (BOS, EOS)
            ]
            gap = min((gap_of(rows[n]) for n in inner), default=np.inf)
        if gap is not None and gap <= least:
            yield f"the best score is ahead by {plain(gap)}"

    def _endless(self, name: str) -> Iterator[str]:
        column = self.program.space.index.get(f"{name}.unfinished")
        loops = [
            each for each in (self.readout.unfinished,) if each is not None and each.name == name
        ]
        for loop in loops:
            yield f"loop `{name}` is not done after {counted(loop.most, 'round')}"
        if column is not None and any((s.residual[:, column] > 0).any() for s in self.watch.steps):
            yield f"loop `{name}` is not done"


def _rises(curve: Curve) -> Iterator[tuple[float, float]]:
    """The parts of a curve that rise or fall."""
    bends = [*([(curve.low, curve.slope)] if curve.slope else []), *curve.knots]
    slope = 0.0
    for place, (knot, change) in enumerate(bends):
        slope += change
        behind = bends[place + 1][0] if place + 1 < len(bends) else math.inf
        if slope:
            yield knot, behind


def _about(broken_one: Broken) -> set[str]:
    """The semes that a broken promise is about."""
    return {name for name, _ in broken_one.reads} if broken_one.kind in _READS else set()


def _inside(value: float, values: Values) -> bool:
    return values.low <= value <= values.high


def _whole(value: float, values: Values) -> bool:
    """Whether a number is a step, or the float64 that is nearest to one."""
    if not values.grain:
        return True
    step = fraction_of(values.grain)
    number = round((fraction_of(value) - fraction_of(values.low)) / step)
    near = fraction_of(values.low) + number * step
    if near == fraction_of(value):
        return True
    rough = Rational in (type(values.low), type(values.grain))
    return rough and abs(float(near) - value) <= ULPS * abs(value)


def _mixed(values: Array, parts: Array, head: Head) -> Iterator[str]:
    """Readers of several values; of sources that divide themselves, several readers of one."""
    if head.normalize == "queries":
        if (parts % 1 != 0).any():
            yield f"head `{head.name}` divides a token among several"
        return
    for row in parts:
        read = values[row > 0]
        if read.size and (read != read[0]).any():
            yield f"head `{head.name}` reads {plain(read.min())} and {plain(read.max())} at once"


def _looked(look: Look, held: Held, given: Array) -> Iterator[str]:
    """What a head was taken to do, and did not; a token that has nothing to give finds nobody."""
    head, name = look.head, f"head `{look.head.name}`"
    if head.normalize == "queries":
        counts = (look.pattern > 0).sum(axis=0)[(given != 0).any(axis=1)]
    else:
        counts = ((look.pattern > 0).sum(axis=1) + (look.rest > 0))[look.matters]
    match held.kind:
        case "one":
            yield from (f"{name} finds {n} tokens" for n in counts.tolist() if n > 1)
        case "few":
            yield from (f"{name} finds {n} tokens" for n in counts.tolist() if n & (n - 1))
        case _:
            rows = look.scores if head.normalize == "queries" else look.scores[look.matters]
            for row in rows:
                each = np.sort(row[np.isfinite(row)])
                if held.kind == "there" and each.size and each[-1] < held.least:
                    yield f"no token stands where {name} looks"
                apart = np.diff(each)
                if held.kind == "apart" and ((apart > 0) & (apart < held.least)).any():
                    yield f"scores of {name} differ by {plain(apart[apart > 0].min())}"
