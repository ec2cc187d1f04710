"""What a program promises, held against the numbers of a text where they are read.

A rule is the curve that its lines mean as long as flags are 0 or 1 and numbers keep to their
ranges and steps; a head finds what its lines say as long as what they test is a flag. What no open
gate, no head and no answer reads is not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from progtf.notation.diagnostics import Span
from progtf.numbers import plain
from progtf.program.arrays import Ints
from progtf.program.forms import Values
from progtf.program.model import FeedForward, Head, Loop, Program
from progtf.program.promises import Broken, Kind
from progtf.rational import fraction_of
from progtf.running.cells import Cells, Flags, Sums, places
from progtf.running.prepared import (
    Curves,
    Found,
    Gates,
    Rules,
    Sight,
    not_flags,
    prepared,
)

MOST = 20


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
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.broken: list[Broken] = []

    def broke(self, kind: Kind, what: str, by: str, token: int, value: Any, due: str) -> None:
        """Notes a promise that does not hold."""
        found = Broken(kind, what, by, token, float(value), due)
        if len(self.broken) < MOST and found not in self.broken:
            self.broken.append(found)

    # ------------------------------------------------------------------ rules

    def of_gates(
        self, block: FeedForward, gates: Gates, residual: Cells,
        strange: Sequence[tuple[int, int]], first: int,
    ) -> None:  # fmt: skip
        """The flags of gates that nothing else closes are 0 or 1."""
        for row, entry in strange:
            column, rule = int(gates.violations.columns[entry]), int(gates.owner[entry])
            name, by = self.program.space.names[column], _at(block.rules[rule].line.span)
            value = residual.values[row, column]
            self.broke("flag", name, f"the rule {by}", first + row, value, "0 or 1")

    def of_compared(self, block: FeedForward, made: Rules, residual: Cells, first: int) -> None:
        """What comparisons read that no curve shows is one of the values that it was promised."""
        if not block.compared:
            return
        read = made.compared(residual)
        is_open, _ = made.guards.is_open(residual, made.guards.violations(residual))
        low = np.array([each.values.low for each in block.compared])
        high = np.array([each.values.high for each in block.compared])
        doubtful = read.errors > 0
        off: Flags = np.asarray((read.values < low) | (read.values > high), dtype=bool)
        off |= doubtful & (read.values - read.errors <= low)
        off |= doubtful & (read.values + read.errors >= high)
        stepped = np.array([each.steps for each in block.compared])
        wide = np.array([each.values.grain != 1 for each in block.compared])
        off |= stepped & np.asarray(doubtful | wide | (read.values % 1 != 0), dtype=bool)
        for row, place in places(off & is_open):
            each, value = block.compared[place], read.fraction(row, place)
            ends = fraction_of(each.values.low), fraction_of(each.values.high)
            by, due = f"the rule {_at(each.span)}", each.values.ends
            if not ends[0] <= value <= ends[1]:
                self.broke("range", _said(each.form.coefficients), by, first + row, value, due)
            elif each.steps and (value - ends[0]) % fraction_of(each.values.grain):
                due = f"steps of {plain(each.values.grain)}"
                self.broke("step", _said(each.form.coefficients), by, first + row, value, due)

    def of_curves(
        self, block: FeedForward, curves: Curves, read: Cells, is_open: Flags, first: int
    ) -> None:
        """What open rules read lies within its ends, and not between two values of a step."""
        low, high = curves.low.of_kind(read), curves.high.of_kind(read)
        values = read.values
        outside = ((values < low) | (values > high)) & is_open
        if read.error is not None:
            near = np.minimum(np.abs(values - low), np.abs(values - high))
            for row, place in places(is_open & (near <= read.error) & (read.error > 0)):
                value = read.fraction(row, place)
                low_end, high_end = curves.low.exact[place], curves.high.exact[place]
                outside[row, place] = not low_end <= value <= high_end
        for row, place in places(outside):
            rule = block.rules[int(curves.rules[place])]
            assert rule.curve is not None
            due = f"{plain(rule.curve.low)}..{plain(rule.curve.high)}"
            what = _said(rule.curve.form.coefficients)
            self.broke(
                "range",
                what,
                f"the rule {_at(rule.line.span)}",
                first + row,
                values[row, place],
                due,
            )
        self._of_steps(block, curves, read, is_open, first)

    def _of_steps(
        self, block: FeedForward, curves: Curves, read: Cells, is_open: Flags, first: int
    ) -> None:
        owner = curves.under.owner
        if not len(owner):
            return
        low, high = curves.under.of_kind(read), curves.over.of_kind(read)
        values = read.values[:, owner]
        between = (values > low) & (values < high) & is_open[:, owner]
        if read.error is not None and (error := read.error[:, owner]).any():
            near = np.minimum(np.abs(values - low), np.abs(values - high))
            doubtful = is_open[:, owner] & (near <= error) & (error > 0)
            for row, entry in places(doubtful):
                value = read.fraction(row, int(owner[entry]))
                between[row, entry] = curves.under.exact[entry] < value < curves.over.exact[entry]
        for row, entry in places(between):
            rule = block.rules[int(curves.rules[owner[entry]])]
            assert rule.curve is not None
            low_end, high_end = curves.under.near[entry], curves.over.near[entry]
            due = f"nothing between {plain(low_end)} and {plain(high_end)}"
            what = _said(rule.curve.form.coefficients)
            self.broke(
                "step",
                what,
                f"the rule {_at(rule.line.span)}",
                first + row,
                values[row, entry],
                due,
            )

    # ------------------------------------------------------------------ heads

    def of_head(self, head: Head, sight: Sight, found: Found, looked: "Looked") -> None:
        """What a head tests are flags, its members one, and its sums within their ranges."""
        matters, far, chosen = looked.matters, looked.far, looked.chosen
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
                self.broke("flag", name, by, int(at[row]), value, "0 or 1")
        if len(sight.members):
            held = (looked.query.values[:, sight.members] != 0).sum(axis=1)
            for row in np.flatnonzero(matters & (held > 1) & chosen.any(axis=1)).tolist():
                due, count = "one member of what it matches", int(held[row])
                self.broke("one", "", by, int(here[row]), count, due)
        for ranged, cells, rows, at in (
            (sight.ranged[0], looked.residual, matters, here),
            (sight.ranged[1], found.source, seen, there),
        ):
            self._of_ranges(*ranged, cells, rows, by, at)
        if sight.distances:
            most = np.iinfo(far.dtype).max
            nearest = np.where(chosen, far, most).min(axis=1, initial=most)
            farthest = np.where(chosen, far, -most).max(axis=1, initial=-most)
            for row in np.flatnonzero(matters & (nearest < farthest)).tolist():
                count = int(chosen[row].sum())
                due = "one token to be so far away"
                self.broke("distance", "", by, int(here[row]), count, due)

    def _of_ranges(
        self, sums: Sums, ranges: Sequence[Values], cells: Cells, rows: Flags, by: str, at: Ints
    ) -> None:
        if not ranges:
            return
        read = sums(cells)
        low = np.array([each.low for each in ranges])
        high = np.array([each.high for each in ranges])
        steps = np.array([each.grain for each in ranges])
        away = np.minimum(np.abs(read.values - low), np.abs(read.values - high))
        near = (read.values < low) | (read.values > high)
        near |= (read.errors > 0) & ((away <= read.errors) | (steps > 0))
        near |= (steps > 0) & ((steps != 1) | (read.values % 1 != 0))
        for row, place in places(np.asarray(near, dtype=bool) & rows[:, None]):
            value, due = read.fraction(row, place), ranges[place]
            low_end, grain = fraction_of(due.low), fraction_of(due.grain)
            what = _read_by(sums, place, self.program)
            if not low_end <= value <= fraction_of(due.high):
                self.broke("range", what, by, int(at[row]), value, due.ends)
            elif grain and (value - low_end) % grain:
                self.broke("step", what, by, int(at[row]), value, f"steps of {plain(due.grain)}")

    # ------------------------------------------------------------------ loops and answers

    def of_answer(self, rows: Sequence[int], residual: Cells, first: int = 0) -> None:
        """The numbers that scores read lie within their ranges; sums of flags are often meant."""
        columns, low, high = prepared(self.program).answering
        if not len(columns):
            return
        read = residual.columns(columns)
        values, error = read.values[rows], read.errors[rows]
        near = np.asarray((values - error <= low) | (values + error >= high), dtype=bool)
        near &= np.asarray((values != low) & (values != high), dtype=bool) | (error > 0)
        for place, column in places(near):
            name = self.program.space.names[int(columns[column])]
            due, value = self.program.space.ranges[name], read.fraction(rows[place], column)
            if not fraction_of(due.low) <= value <= fraction_of(due.high):
                self.broke("range", name, "the answer", first + rows[place], value, due.ends)

    def of_loop(self, loop: Loop, column: int, residual: Cells, first: int) -> None:
        """The flag that ends a loop is 0 or 1."""
        for row in np.flatnonzero(not_flags(residual, np.array([column]))[:, 0]).tolist():
            name, value = self.program.space.names[column], residual.values[row, column]
            self.broke("flag", name, f"the loop {loop.name}", first + row, value, "0 or 1")


def _at(span: Span) -> str:
    return f"in line {span.line} of {Path(span.source.name).name}"


def _said(coefficients: Any) -> str:
    from progtf.notation.spell import form  # noqa: PLC0415  only where a promise is broken

    return form(dict(coefficients), 0.0)


def _read_by(sums: Sums, place: int, program: Program) -> str:
    """The sum that a form reads, in the notation."""
    ends = [*sums.starts, len(sums.columns)]
    number = sums.filled.tolist().index(place)
    entries = range(ends[number], ends[number + 1])
    names = program.space.names
    return _said({names[int(sums.columns[each])]: sums.given[0][each] for each in entries})
