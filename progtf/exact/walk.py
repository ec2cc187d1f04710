"""One way through a program: what is known on it, and what has been found."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from progtf.exact import problems
from progtf.exact.exclusive import ANY, MOST_FLAGS, Columns, Known, exclusive, family_of
from progtf.exact.formats import FORMATS
from progtf.exact.needed import depended_on
from progtf.exact.report import Report
from progtf.exact.settle import SLACK
from progtf.exact.stream import Flags, Stream, on_steps
from progtf.exact.witness import Witness
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.arrays import Array
from progtf.program.forms import FLAG, Form
from progtf.program.model import Program
from progtf.weights.maps import Map, Path
from progtf.weights.weights import Weights

Made = dict[Path, object]


class Walk:
    """One way through a program; what is found goes to ``report``.

    Attributes:
        number: how weights are stored.
        lengths: of the longest input and of the longest output, in tokens.
        few: whether tokens that match equally may be taken to be 1, 2, 4 ... in number.
        goes_on: whether it goes on behind its first problem.
        doubted: whether it would have mattered somewhere to take them so.
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
        few: bool,
        goes_on: bool,
        made: Made,
    ) -> None:
        self.program = program
        self.meant, self.runs = weights
        self.number = FORMATS[report.dtype]
        self.lengths = lengths = report.length, program.lengths[1]
        self.report = report
        self.few, self.goes_on, self.doubted = few, goes_on, False
        self.needed = depended_on(program)
        self.ranges = {name: program.space.ranges[name] for name in self.needed}
        self.stepped = frozenset(name for name, values in self.ranges.items() if values.grain)
        self.clocks = np.arange(program.width) >= program.semes
        self.held = self.clocks | np.array([name in self.needed for name in program.space.names])
        self.pure = frozenset(program.space.names)
        self.known = self.remembered = Known.of(program, max(lengths))
        self.stopped: tuple[Stream, Known] | None = None
        self.index = program.space.index
        self.witnesses = dict[int, dict[str, Witness]]()
        self.head_rows: dict[tuple[str, int], int] = {}
        self.rule_rows: dict[tuple[str, str, int], int] = {}
        self.made = made

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
        return zero & (np.isinf(ratio) | (ratio >= 1) & (ratio == np.round(ratio)))

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

    def promised(self, forms: Iterable[Form], stream: Stream, span: Span) -> tuple[int, ...]:
        """The assumptions that semes keep to what is declared, where something is told by it."""
        notes: list[int] = []
        for name in dict.fromkeys(n for form in forms for n, f in form.coefficients.items() if f):
            bound, values = stream.at(self.index[name]), self.program.space.ranges[name]
            if bound.low < values.low - SLACK or bound.high > values.high + SLACK:
                notes.append(self.report.assume_range(name, values, span))
            if values.grain and not bound.kept:
                notes.append(self.report.assume_steps(name, values, span))
        return tuple(notes)

    def refuse(self, problem: Diagnostic, *, proven: bool) -> None:
        """Something is refused: because it is wrong, or because a bound could not be derived."""
        found = self.report.found if proven else self.report.unproven
        if all((d.code, d.span) != (problem.code, problem.span) for d in found):
            found.append(problem if proven else problems.unproven(problem))
