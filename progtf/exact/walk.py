"""One way through a program: what is known on it, and what has been found."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from progtf.exact import problems
from progtf.exact.exclusive import ANY, MOST_FLAGS, Columns, Known, exclusive, family_of
from progtf.exact.formats import FORMATS
from progtf.exact.needed import depended_on
from progtf.exact.report import Report, shown
from progtf.exact.settle import is_outside
from progtf.exact.stream import HUGE, Flags, Stream, on_steps
from progtf.exact.witness import Witness
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.arrays import Array
from progtf.program.forms import FLAG, Form, Values
from progtf.program.model import Program
from progtf.weights.maps import Map, Path
from progtf.weights.weights import Weights

Made = dict[Path, object]


def is_hand(seme: str, values: Values) -> bool:
    """Whether a seme is a hand of a distance."""
    return (".cos[" in seme or ".sin[" in seme) and values == Values(-1.0, 1.0, 0.0)


class Taken(NamedTuple):
    """What may be taken for granted: as little as can be is tried first.

    Attributes:
        weakly: whether numbers keep to their steps where rules read them, and nowhere else.
        few: whether heads find 1, 2, 4 ... tokens, or one.
        spared: semes and heads, as they are shown, of which no more is taken than of any first.
    """

    weakly: bool
    few: bool
    spared: frozenset[str] = frozenset()


WAYS = Taken(weakly=True, few=False), Taken(weakly=True, few=True), Taken(weakly=False, few=True)


class Walk:
    """One way through a program; what is found goes to ``report``.

    Attributes:
        number: how weights are stored.
        lengths: of the longest input and of the longest output, in tokens.
        taken: what may be taken for granted; more: the semes and heads of which more was taken than
            of any first, and that may be spared.
        weak: the semes of which it is taken that they keep to their steps where rules read them,
            and nowhere else.
        goes_on: whether it goes on behind its first problem.
        made: heads and blocks with their entries, kept from one walk to the next.
        pure: the semes that still have what the lexicon gives them.
        known: which flags exclude each other; ``remembered``: the same behind the encoder.
        stopped: in a loop of a decoder what places may be that have stopped, and what is known of
            them.
        witnesses: of heads what by which input they write that they must not.
        head_rows, rule_rows: where in the report stands what is told of a head, of a line.
    """

    def __init__(
        self,
        program: Program,
        weights: tuple[Weights, Weights],
        report: Report,
        *,
        taken: "Taken",
        goes_on: bool,
        made: Made,
        witnesses: dict[int, dict[str, Witness]],
    ) -> None:
        self.program = program
        self.meant, self.runs = weights
        self.number = FORMATS[report.dtype]
        self.lengths = report.length, program.lengths[1]
        self.report = report
        self.taken, self.goes_on = taken, goes_on
        self.more = dict[str, None]()
        self.weak = set[str]()
        self.needed = depended_on(program)
        self.ranges = {name: program.space.ranges[name] for name in self.needed}
        self.stepped = frozenset(name for name, values in self.ranges.items() if values.grain)
        self.clocks = np.arange(program.width) >= program.semes
        self.held = self.clocks | np.array(
            [name in self.needed for name in program.space.names], dtype=bool
        )
        self.pure = frozenset(program.space.names)
        self.known = self.remembered = Known.of(program, self.farthest)
        self.stopped: tuple[Stream, Known] | None = None
        self.index = program.space.index
        self.hands = frozenset(n for n, v in program.space.ranges.items() if is_hand(n, v))
        self.witnesses = witnesses
        self.head_rows: dict[tuple[str, int], int] = {}
        self.rule_rows: dict[tuple[str, str, int], int] = {}
        self.made = made

    def weakly(self, seme: str) -> bool:
        """Whether it is taken of a seme that it keeps to its steps where rules read it, and nowhere
        else; where it is of all that it does everywhere, that is noted as more.
        """
        if self.taken.weakly or shown(seme) in self.taken.spared:
            return True
        self.more[shown(seme)] = None
        return False

    def reach(self, place: str) -> int:
        """How far what a head reads may stand from the reader at most."""
        return self.farthest if place.startswith("decoder") else self.lengths[0]

    @cached_property
    def farthest(self) -> int:
        """How far two tokens stand apart at most, those of two texts by their places."""
        if self.program.kind == "decoder":
            return sum(self.lengths)
        return (
            max(self.lengths[0], self.lengths[1] + 1) if self.program.decoder else self.lengths[0]
        )

    def strictly(self, stream: Stream) -> Stream:
        """The stream in which steps are kept by what keeps to them everywhere."""
        if not self.weak:
            return stream
        kept = stream.kept.copy()
        kept[[self.index[name] for name in self.weak]] = False
        return replace(stream, kept=kept)

    def tokens(self, place: str) -> int:
        """How many tokens a stack sees at most."""
        if self.program.kind == "decoder":
            return sum(self.lengths)
        return self.lengths[1] + 1 if place.startswith("decoder") else self.lengths[0]

    def maps(self, path: Path) -> dict[str, tuple[Map, Map]]:
        """The maps of a path, each as it is meant and as it runs."""
        runs = self.runs.at(path)
        return {name: (each, runs[name]) for name, each in self.meant.at(path).items()}

    @cached_property
    def declared(self) -> tuple[Array, Array, Array, Flags]:
        """Of every column the ends of its range, its step, and whether 0 is one of its steps."""
        ranges = [self.program.space.ranges[name] for name in self.program.space.names]
        low, high, grain = (
            np.array([getattr(r, n) for r in ranges]) for n in ("low", "high", "grain")
        )
        return low, high, grain, np.array([on_steps(0.0, values) for values in ranges], dtype=bool)

    def on_grid(self, grid: Array) -> Flags:
        """Of every column whether multiples of its grid are whole steps."""
        _, _, grain, zero = self.declared
        ratio = np.divide(grid, grain, out=np.ones_like(grid), where=grain > 0)
        found = zero & (np.isinf(ratio) | (ratio >= 1) & (ratio == np.round(ratio)))
        for column in np.flatnonzero(found & (grain > 0) & np.isfinite(grid)).tolist():
            values = self.program.space.ranges[self.program.space.names[column]]
            found[column] = on_steps(float(grid[column]), values)
        return found

    def read(self, stream: Stream, memory: Stream | None) -> tuple[Stream, Known]:
        """What heads read of other tokens, and what is known of these: ``memory``, if there is any.

        In a loop of a decoder those are in the same round, or have stopped.
        """
        if memory is not None:
            return memory, self.remembered
        if self.stopped is None:
            return stream, self.known
        stopped, known = self.stopped
        return stream.either(stopped), known

    def seen(self, stream: Stream, known: Known) -> Stream:
        """What sub-layers read, with what excludes each other in it."""
        read = stream.rounded(self.program.semes) if self.program.norm == "round" else stream
        return replace(read, group=self._groups(known))

    def _groups(self, known: Known) -> Array:
        """Of the flags of a family that exclude each other the same number."""
        group = np.full(self.program.width, -1.0)
        found = [each for family in self._families for each in self._apart(known, family)]
        if found:
            numbers = np.repeat(np.arange(len(found)), [len(each) for each in found])
            group[np.concatenate(found)] = numbers
        return group

    def _apart(self, known: Known, family: str) -> tuple[Columns, ...]:
        """The columns of a family's members, of which several exclude each other, in groups."""
        if family not in known.parted:
            names, columns = self._families[family]
            cases = [known.cases.get(name, ANY) for name in names]
            lost = len(names) > MOST_FLAGS or any(case == ANY for case in cases)
            several = (each for each in (() if lost else exclusive(cases)) if len(each) > 1)
            known.parted[family] = tuple(columns[[*each]] for each in several)
        return known.parted[family]

    @cached_property
    def _families(self) -> dict[str, tuple[list[str], Columns]]:
        """The flags of every family of several, and their columns."""
        families: dict[str, list[str]] = {}
        for name, values in self.program.space.ranges.items():
            if "[" in name and values == FLAG:
                families.setdefault(family_of(name), []).append(name)
        return {
            family: (names, np.array([self.index[name] for name in names]))
            for family, names in families.items()
            if len(names) > 1
        }

    def promised(
        self, forms: Iterable[Form], stream: Stream, span: Span, *, read: bool = False
    ) -> tuple[int, ...]:
        """The assumptions that semes keep to what is declared, where something is told by it.

        ``read``: by rules, which are held against every text themselves.
        """
        notes: list[int] = []
        for name in dict.fromkeys(n for form in forms for n, f in form.coefficients.items() if f):
            bound, values = stream.at(self.index[name]), self.program.space.ranges[name]
            if is_outside(bound, values):
                notes.append(self.report.assume_range(name, values, span))
            weak = name in self.weak
            if values.grain and (not bound.kept or weak and not read):
                weakly = read and self.weakly(name)
                notes.append(self.report.assume_steps(name, values, span, read=weakly))
        return tuple(notes)

    def doubtful(self, stream: Stream) -> frozenset[str]:
        """The semes that are not known to keep to what is declared."""
        least, most, grain, _ = self.declared
        out = (stream.low < least) | (stream.high > most) | ((grain > 0) & ~stream.kept)
        names = self.program.space.names
        return frozenset(names[column] for column in np.flatnonzero(out[: len(names)]).tolist())

    def never_0(self, form: Form, stream: Stream, span: Span) -> tuple[int, ...]:
        """The assumptions that semes are in their ranges at every token, those that have nothing
        among them.
        """
        names = [name for name, factor in form.coefficients.items() if factor]
        ranges = self.program.space.ranges
        out = (n for n in names if is_outside(stream.at(self.index[n]), ranges[n]))
        return tuple(self.report.assume_range(n, ranges[n], span, always=True) for n in out)

    def overflows(self, sizes: Array, span: Span | None, what: str) -> None:
        """Numbers on the way that no format may have are refused; ``span``: None: somewhere."""
        if not (sizes < HUGE).all():
            problem = problems.overflow(span or problems.somewhere(self.program), what)
            if problem not in self.report.unproven:
                self.report.unproven.append(problem)

    def refuse(self, problem: Diagnostic, *, proven: bool) -> None:
        """Something is refused: because it is wrong, or because a bound could not be derived."""
        found = self.report.found if proven else self.report.unproven
        if all((d.code, d.span) != (problem.code, problem.span) for d in found):
            found.append(problem if proven else problems.unproven(problem))
