"""How far a column of a feed-forward block lies off: what its units and lines add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul

import numpy as np

from progtf.exact.entries import Ints, Sums
from progtf.exact.exclusive import ANY, MOST_LINES, Known, exclusive
from progtf.exact.formats import Format, grid_of
from progtf.exact.lemmas import MARGIN, lost_in_sum
from progtf.exact.parts import Part
from progtf.exact.rules import RuleBound
from progtf.exact.units import Block, Units
from progtf.program.arrays import Array
from progtf.program.model import Unit

SEEN = 1e-9  # an error below this is not looked at more closely


@dataclass(frozen=True, eq=False)
class Summed:
    """The sums by which units write columns.

    Attributes:
        block: the block; ``units``: its hidden units at worst.
        bounds: of its rules, by place.
        tame: of every rule whether its units are exactly 0 where it says that they are (lemma 7).
        known: which flags exclude each other.
        number: the format.
        folded: how far lines lie off of which that is known of their rules together, by ``id``.
    """

    block: Block
    units: Units
    bounds: Sequence[RuleBound]
    tame: Sequence[bool]
    known: Known
    number: Format
    folded: Mapping[int, float]

    @cached_property
    def loose(self) -> list[tuple[int, Unit]]:
        """Raw units, and those that undo what is held back and are not surely 0."""
        raw = len(self.block.hidden.units) - len(self.block.rules.units)
        return [(p, unit) for p, unit in self.block.loose if p >= raw or self.units.height[p]]

    def stray(self, seme: str, column: int, parts: Sequence[Part], error: float) -> float:
        """How far the sum lies off where it is 0, because every line is (lemma 6)."""
        ends = [part.ends for part in parts]
        one_sided = all(low >= 0 for low, _ in ends) or all(high <= 0 for _, high in ends)
        raw = any(seme in unit.writes for _, unit in self.loose)
        if not one_sided or raw or (self.block.rules.bias or {}).get(seme):
            return error
        places = [(abs(w), place) for part in parts for w, place in part.rules_of]
        stray = sum(w * self._rule_stray(place) for w, place in places)
        if column not in self._stored_off:
            return stray
        stored = self.stored(column)
        return stray + sum(self._unpaid(place, stored) for _, place in places)

    def _unpaid(self, place: int, stored: Array) -> float:
        """What remains where units cancel, as their stored weights do not quite (lemma 7)."""
        units = self.block.hidden.of_rules[place]
        if self.tame[place] and not self.block.shapes[place].to_0:
            return 0.0
        return float(stored[-1] + sum(stored[u] * self.units.height[u] for u in units))

    def stored(self, column: int) -> Array:
        """How far off the weights of units, which lines share, are stored; the bias comes last."""
        off = np.zeros(len(self.units.height) + 1)
        if column in self._stored_off:
            rows, amounts = self._stored_off[column]
            np.add.at(off, rows, amounts)
        return off

    @cached_property
    def _stored_off(self) -> dict[int, tuple[Ints, Array]]:
        """Of every column with weights that are not stored as they are: which, and how far off."""
        outer = self.block.outer
        assert outer is not None
        found = outer.off > 0
        rows, columns, amounts = outer.rows[found], outer.columns[found], outer.off[found]
        return {c: (rows[columns == c], amounts[columns == c]) for c in np.unique(columns).tolist()}

    def _rule_stray(self, place: int) -> float:
        """How far a rule's value lies off where it is 0."""
        units, shape = self.block.hidden.of_rules[place], self.block.shapes[place]
        changes = [abs(change) for change in shape.bends]
        if shape.to_0 or not self.tame[place]:
            each = [float(self.units.error[u]) for u in units]
            return (
                self.bounds[place].error + sum(map(mul, changes, each)) * MARGIN + self._lost(place)
            )
        sloped = [u for u, on_slope in zip(units, shape.slopes, strict=True) if on_slope]
        return max(changes, default=0.0) * sum(float(self.units.stray[u]) for u in sloped)

    def _lost(self, place: int) -> float:
        """What is lost where the units of a rule are added up and cancel."""
        if not float(self._sums.lost.max(initial=0.0)):
            return 0.0
        units, bends = self.block.hidden.of_rules[place], self.block.shapes[place].bends
        sizes = [abs(c) * float(self.units.height[u]) for c, u in zip(bends, units, strict=True)]
        return len(sizes) * self.number.roundoff * sum(sizes)

    def error(self, seme: str, column: int, parts: Sequence[Part]) -> float:
        """How far the sum lies off: as if all lines held, or, if that is seen, more closely."""
        error, lost = float(self._sums.error[column]), float(self._sums.lost[column])
        passed = sum(map(self._passed, parts)) + self._raw_error(seme)
        everything = error + lost + passed
        if everything <= SEEN or not 1 < len(parts) <= MOST_LINES or self.loose:
            return everything
        return min(everything, self._one_of(column, parts))

    def _passed(self, part: Part) -> float:
        """How far a line lies off because of what its rules read."""
        passed = sum(abs(weight) * self.bounds[place].error for weight, place in part.rules_of)
        return min(passed, abs(part.weight) * self.folded.get(id(part.line), np.inf))

    def _raw_error(self, seme: str) -> float:
        """What errors pass through raw units whose sums are not exact."""
        snapped = self.units.snapped
        return sum(
            abs(unit.writes.get(seme, 0.0)) * float(self.units.off[place])
            for place, unit in self.loose
            if not snapped[place] and self.units.height[place]
        )

    @cached_property
    def _sums(self) -> Sums:
        assert self.block.outer is not None
        return self.block.outer.sums(self.units.terms, self.number)

    def _one_of(self, column: int, parts: Sequence[Part]) -> float:
        """The error if of lines that exclude each other one at most has units that are not 0."""
        stored = self.stored(column)
        each = [self.line(part, stored) for part in parts]
        cases = [self.known.sounding(part.rules) if part.tame else ANY for part in parts]
        groups = [largest([each[place] for place in group]) for group in exclusive(cases)]
        return self.together(groups, column)

    def together(self, groups: Sequence[Array], column: int) -> float:
        """The error of groups of lines of which each adds what its largest one does."""
        bias = self._bias(column)
        lines = np.sum([*groups, bias], axis=0)
        up, down, products, terms, error, passed = lines.tolist()
        grid = float(self._sums.grid[column])
        lost = lost_in_sum(
            np.array(terms), np.array(max(up, down)), np.array(products), np.array(grid),
            np.array(error), self.number,
        )  # fmt: skip
        return float(lost) + error + passed

    def line(self, part: Part, stored: Array) -> Array:
        """Up, down, products, terms, error and what passes, of the units of one line."""
        up = down = products = terms = off = 0.0
        heights, errors = self._heights
        for weight, place in part.rules_of:
            units, bends = self.block.hidden.of_rules[place], self.block.shapes[place].bends
            for unit, change in zip(units, bends, strict=True):
                factor, height, error = weight * change, heights[unit], errors[unit]
                amount = abs(factor) * (height + error)
                up, down = (up + amount, down) if factor > 0 else (up, down + amount)
                products += 0.0 if abs(factor) == grid_of(factor) else amount
                terms += amount > 0
                off += abs(factor) * error + float(stored[unit]) * height
        return np.array([up, down, products, terms, off, self._passed(part)])

    @cached_property
    def _heights(self) -> tuple[list[float], list[float]]:
        """How large units are at most, and how far they lie off."""
        return self.units.height.tolist(), self.units.error.tolist()

    def _bias(self, column: int) -> Array:
        outer = self.block.outer
        assert outer is not None
        here = (outer.columns == column) & (outer.rows == len(self.units.height))
        value = float(outer.runs[here].sum())
        off = float(outer.off[here].sum())
        return np.array([max(value, 0.0), max(-value, 0.0), 0.0, value != 0, off, 0.0])


def largest(rows: Sequence[Array]) -> Array:
    """Of several rows the largest of each place."""
    return np.max(rows, axis=0)
