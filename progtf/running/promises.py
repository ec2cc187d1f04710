"""What a program promises, held against the numbers of a text where they are read.

A rule is the curve that its lines mean as long as flags are 0 or 1 and numbers keep to their
ranges and steps; a head finds what its lines say as long as what they test is a flag. What no open
gate, no head and no answer reads is not looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from progtf.notation.diagnostics import Span
from progtf.notation.spell import form
from progtf.numbers import plain
from progtf.program.arrays import Ints
from progtf.program.model import FeedForward, Head, Loop, Program, Rule
from progtf.program.promises import Broken, Kind
from progtf.running.cells import Cells, Flags, as_floats, places
from progtf.running.prepared import prepared
from progtf.running.ranges import Ranges, between
from progtf.running.rules import Curves, Gates, Rules, not_flags
from progtf.running.sight import Found, Sight
from progtf.running.sums import Sums

MOST = 20
Reads = Mapping[str, float]
"""A sum: each seme that it reads, with its factor."""


@dataclass(frozen=True, eq=False)
class Looked:
    """What the readers of a head did: shapes (dst, ...), and (dst, src) for ``allowed``, ``chosen``
    and ``far``.

    ``places``: where they stand in the text. ``role``: None if it is 1 everywhere.
    """

    residual: Cells
    places: Ints
    query: Cells
    role: Cells | None
    allowed: Flags
    chosen: Flags
    far: Ints

    @property
    def matters(self) -> Flags:
        """Which of them have a role that is not 0."""
        if self.role is None:
            return np.ones(len(self.places), dtype=bool)
        return np.asarray((self.role.values != 0).any(axis=1), dtype=bool)


class Promises:
    """Gathers the promises of a program that a text breaks.

    Attributes:
        program: whose promises they are.
        broken: what was found, ``MOST`` at most.
        going: in a loop the tokens that have not stopped, whose places begin at 0; None: all go on.
            What is computed of the others is thrown away.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.broken: list[Broken] = []
        self.going: Flags | None = None

    def broke(self, kind: Kind, what: Reads, by: str, token: int, value: Any, due: str) -> None:
        """Notes a promise that does not hold."""
        said = form(dict(what), 0.0) if what else ""
        found = Broken(kind, said, by, token, float(value), due, tuple(what.items()))
        if len(self.broken) < MOST and found not in self.broken:
            self.broken.append(found)

    # ------------------------------------------------------------------ rules

    def of_gates(
        self, block: FeedForward, gates: Gates, residual: Cells,
        strange: Sequence[tuple[int, int]], first: int,
    ) -> None:  # fmt: skip
        """The flags of gates that nothing else closes are 0 or 1."""
        for row, entry in strange:
            if self.going is not None and not self.going[row]:
                continue
            column, by = (
                int(gates.violations.columns[entry]),
                _rule(block.rules[int(gates.owner[entry])]),
            )
            name, value = self.program.space.names[column], residual.values[row, column]
            self.broke("flag", {name: 1.0}, by, first + row, value, "0 or 1")

    def of_compared(self, block: FeedForward, made: Rules, residual: Cells, first: int) -> None:
        """What comparisons read that no curve shows is one of the values that it promised to be."""
        if not block.compared:
            return
        read = made.compared(residual)
        is_open, _ = made.guards.is_open(residual, made.guards.violations(residual))
        is_open = self._going(is_open)

        def told(number: int) -> tuple[Reads, str]:
            each = block.compared[number]
            return each.form.coefficients, f"the rule {_at(each.span)}"

        self._of_ranges(made.ranges, read, is_open, told, first + np.arange(len(is_open)))

    def of_curves(
        self, block: FeedForward, curves: Curves, read: Cells, is_open: Flags, first: int
    ) -> None:
        """What open rules read lies within its ends, and not between two values of a step."""
        is_open = self._going(is_open)
        for row, place, value in between(read, curves.low, curves.high, is_open, inside=False):
            rule = block.rules[int(curves.rules[place])]
            assert rule.curve is not None
            due = f"{plain(rule.curve.low)}..{plain(rule.curve.high)}"
            what = rule.curve.form.coefficients
            self.broke("range", what, _rule(rule), first + row, value, due)
        under, over = curves.under, curves.over
        for row, step, value in between(read, under, over, is_open[:, under.owner], inside=True):
            rule = block.rules[int(curves.rules[under.owner[step]])]
            assert rule.curve is not None
            due = f"nothing between {plain(under.near[step])} and {plain(over.near[step])}"
            what = rule.curve.form.coefficients
            self.broke("step", what, _rule(rule), first + row, value, due)

    def _going(self, rows: Flags) -> Flags:
        """The rows of tokens that go on."""
        return rows if self.going is None else rows & self.going[:, None]

    # ------------------------------------------------------------------ heads

    def of_head(self, head: Head, sight: Sight, found: Found, looked: "Looked") -> None:
        """What a head tests are flags, its members one, and its sums within their ranges."""
        matters, far, chosen = looked.matters, looked.far, looked.chosen
        if self.going is not None:
            matters = matters & self.going[looked.places]
        if not matters.any():
            return
        by = f"the head {head.name}".rstrip() + f" {_at(head.span)}"
        seen: Flags = np.asarray((looked.allowed & matters[:, None]).any(axis=0), dtype=bool)
        here, there = looked.places, np.arange(len(seen))
        mine, theirs = sight.flags
        for cells, columns, rows, at in (
            (looked.residual, mine, matters, here),
            (found.source, theirs, seen, there),
        ):
            for row, entry in places(not_flags(cells, columns) & rows[:, None]):
                name = self.program.space.names[int(columns[entry])]
                value = cells.values[row, columns[entry]]
                self.broke("flag", {name: 1.0}, by, int(at[row]), value, "0 or 1")
        if len(sight.members):
            held = (looked.query.values[:, sight.members] != 0).sum(axis=1)
            for row in np.flatnonzero(matters & (held > 1) & chosen.any(axis=1)).tolist():
                due, count = "one member of what it matches", int(held[row])
                self.broke("one", {}, by, int(here[row]), count, due)
        for ranged, cells, rows, at in (
            (sight.ranged[0], looked.residual, matters, here),
            (sight.ranged[1], found.source, seen, there),
        ):
            sums, ranges = ranged
            if not ranges.values:
                continue
            rows_of_all = np.repeat(rows[:, None], len(ranges.values), axis=1)
            told = partial(self._read_by, sums, by)
            self._of_ranges(ranges, sums(cells), rows_of_all, told, at)
        for mine, theirs, most in sight.hands:
            self._of_hands(looked.residual.columns(mine), matters, here, most, by)
            self._of_hands(found.source.columns(theirs), seen, there, most, by)
        if sight.distances:
            most = np.iinfo(far.dtype).max
            nearest = np.where(chosen, far, most).min(axis=1, initial=most)
            farthest = np.where(chosen, far, -most).max(axis=1, initial=-most)
            for row in np.flatnonzero(matters & (nearest < farthest)).tolist():
                count = int(chosen[row].sum())
                due = "one token to be so far away"
                self.broke("distance", {}, by, int(here[row]), count, due)

    def _of_hands(self, hands: Cells, looked: Flags, at: Ints, most: float, by: str) -> None:
        """What is matched as a distance has the hands of one: their squares come to no more."""
        lengths = (as_floats(hands.values) ** 2).sum(axis=1)
        for row in np.flatnonzero(looked & (lengths > most)).tolist():
            due = "hands that are those of a distance"
            self.broke("distance", {}, by, int(at[row]), lengths[row], due)

    def _of_ranges(
        self,
        ranges: Ranges,
        read: Cells,
        looked: Flags,
        told: Callable[[int], tuple[Reads, str]],
        at: Ints,
    ) -> None:
        """Sums lie within their ranges, and on their steps; ``told``: the sum, and who reads it."""
        for row, each, value in ranges.outside(read, looked):
            self.broke("range", *told(each), int(at[row]), value, ranges.values[each].ends)
        for row, each, value in ranges.off_steps(read, looked):
            due = f"steps of {plain(ranges.values[each].grain)}"
            self.broke("step", *told(each), int(at[row]), value, due)

    def _read_by(self, sums: Sums, by: str, place: int) -> tuple[Reads, str]:
        """The sum that a form reads, in the notation, and who reads it."""
        ends = [*sums.starts, len(sums.columns)]
        number = sums.filled.tolist().index(place)
        entries = range(ends[number], ends[number + 1])
        names = self.program.space.names
        read = {names[int(sums.columns[each])]: sums.given[0][each] for each in entries}
        return read, by

    # ------------------------------------------------------------------ loops and answers

    def of_answer(self, rows: Sequence[int], residual: Cells, first: int = 0) -> None:
        """The numbers that scores read lie within their ranges; sums of flags are often meant."""
        columns, ranges = prepared(self.program).answering
        read = residual.columns(columns)
        looked = np.zeros(read.values.shape, dtype=bool)
        looked[rows] = True
        names = self.program.space.names
        at = first + np.arange(len(looked))

        def told(number: int) -> tuple[Reads, str]:
            return {names[int(columns[number])]: 1.0}, "the answer"

        self._of_ranges(ranges, read, looked, told, at)

    def of_loop(self, loop: Loop, column: int, residual: Cells, first: int) -> None:
        """The flag that ends a loop is 0 or 1."""
        for row in np.flatnonzero(not_flags(residual, np.array([column]))[:, 0]).tolist():
            name, value = self.program.space.names[column], residual.values[row, column]
            self.broke("flag", {name: 1.0}, f"the loop {loop.name}", first + row, value, "0 or 1")


def _rule(rule: Rule) -> str:
    return f"the rule {_at(rule.line.span)}"


def _at(span: Span) -> str:
    return f"in line {span.line} of {Path(span.source.name).name}"
