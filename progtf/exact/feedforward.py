"""What a feed-forward block adds at worst: hidden units, and what lines make of them together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import mul

import numpy as np

from progtf.exact.entries import Ints, Sums
from progtf.exact.exclusive import ANY, MOST_LINES, Known, exclusive
from progtf.exact.formats import Format, grid_of
from progtf.exact.lemmas import MARGIN, lost_in_sum
from progtf.exact.parts import Part
from progtf.exact.rules import RuleBound, Seen, rule_bound, values_over
from progtf.exact.search import lattice
from progtf.exact.stream import Bound, Flags, Stream, on_steps
from progtf.exact.units import Block, Units
from progtf.program.forms import Array, Space, Values
from progtf.program.model import Line, Unit

SLACK = 1e-6
SEEN = 1e-9  # an error below this is not looked at more closely


@dataclass(frozen=True, slots=True)
class Anew:
    """What ``set`` puts in the place of what was there.

    Attributes:
        values: what the lines say that it can be.
        error: how far it lies off, what there was left out; None: as far as both together.
    """

    values: list[Values]
    error: float | None


@dataclass(frozen=True, eq=False)
class Fed:
    """What a block adds.

    Attributes:
        added: column -> bound.
        bounds: of its rules, by place.
        loose: the semes that units write which are no part of a rule's value.
        anew: column -> what may stand there in the place of what was there (``set``).
    """

    added: dict[int, Bound]
    bounds: list[RuleBound]
    loose: frozenset[str] = frozenset()
    anew: dict[int, Anew] = field(default_factory=dict[int, Anew])


def feed(
    block: Block, stream: Stream, known: Known, held: frozenset[str], space: Space, number: Format
) -> Fed:
    """What a block adds to every column that it writes.

    Args:
        block: the block.
        stream: what it reads.
        known: which flags exclude each other.
        held: the semes whose exact values keep to their declared ranges.
        space: the semes.
        number: the format.
    """
    if block.inner is None or block.outer is None:
        return Fed({}, [RuleBound(None, 0.0, 1.0, 0.0) for _ in block.rules.rules])
    units = Units.of(block, stream, number)
    apart = block.apart.tolist()
    shared = (units.sums.error + units.sums.lost).tolist()
    columns = (shared, apart, units.error.tolist(), units.snapped.tolist())
    seen = [Seen(*each) for each in zip(*columns, strict=True)]
    flags = block.gates.sizes(stream.error).tolist()
    kept = _kept(block, stream).tolist()
    bounds = [
        rule_bound(shape, [seen[u] for u in units_of], flags[place], kept=kept[place])
        for place, (shape, units_of) in enumerate(
            zip(block.shapes, block.hidden.of_rules, strict=True)
        )
    ]
    made = _Added(block, units, bounds, stream, known, held, space, number)
    if block.hidden.undoing:
        made = replace(made, units=units.without(made.silent()))
    return Fed(made.all(), bounds, made.loose, made.anew())


def _kept(block: Block, stream: Stream) -> Flags:
    """Of every rule whether all that it reads keeps to its steps."""
    return block.gates.all_of(stream.kept) & block.forms.all_of(stream.kept)


@dataclass(frozen=True, eq=False)
class _Added:
    """What lines, raw units and the bias add up to."""

    block: Block
    units: Units
    bounds: list[RuleBound]
    stream: Stream
    known: Known
    held: frozenset[str]
    space: Space
    number: Format

    @property
    def loose(self) -> frozenset[str]:
        """The semes that units write which are no part of a rule's value."""
        return frozenset(name for _, unit in self._loose for name in unit.writes)

    def anew(self) -> dict[int, Anew]:
        """Column -> what lines set it to, where nothing else writes it."""
        found: dict[int, list[Values]] = {}
        others = set(self.loose) | set(self.block.rules.bias or {})
        for line, places in self.block.lines:
            if line.sets is None or not all(self._within[place] for place in places):
                others |= set(line.writes)
            else:
                for seme in line.writes:
                    found.setdefault(self.space.index[seme], []).append(line.sets)
        parts = self._parts() if found else {}
        return {
            column: Anew(values, self._replaced(column, parts[name]))
            for column, values in found.items()
            if (name := self.space.names[column]) not in others
        }

    def _replaced(self, column: int, parts: Sequence["Part"]) -> float | None:
        """How far what is put in a column lies off: the difference takes off what was there.

        One line at most holds, and the units of the others are exactly 0. The error of what was
        there cancels against that of the difference to it, which is read of the same number.
        """
        taken = [self._taken_off(column, part) for part in parts if part.tame]
        if len(taken) < len(parts) or any(each is None for each in taken):
            return None
        stored = self._stored(column)
        lines = [self._line(part, stored) for part in parts]
        for line, each in zip(lines, taken, strict=True):
            line[-1] -= each
        return self._together([_largest(lines)], column)

    def _taken_off(self, column: int, part: "Part") -> float | None:
        """By how much the errors of a line's rules are those of what was there, if that is known.

        They are if a rule copies it without a bend, in all of its range and a little below, where
        nothing is rounded away; and if its unit is 0 with the gate closed, be that an error off.
        """
        seme, error, found = (
            self.space.names[column],
            float(self.stream.error[column]),
            list[float](),
        )
        for weight, place in part.rules_of:
            curve, units = self.block.rules.rules[place].curve, self.block.hidden.of_rules[place]
            factor = 0.0 if curve is None else curve.form.coefficients.get(seme, 0.0)
            if curve is None or not factor or curve.knots:
                continue
            unit, sums = units[-1], self.units.sums
            off = float(sums.error[unit] + sums.lost[unit])
            least, room = self._range[0][place], curve.reach - (curve.high - curve.low)
            passes = least - curve.low > off and room > off and not self.units.snapped[unit]
            if abs(weight * curve.slope * factor) != 1 or not passes:
                return None
            found.append(error)
        return sum(found) if found else None

    def all(self) -> dict[int, Bound]:
        """Column -> bound, of every seme that is written."""
        index = self.space.index
        found: dict[int, Bound] = {}
        for seme, parts in self._parts().items():
            found[index[seme]] = self._column(seme, index[seme], parts)
        for seme in (*self.loose, *(self.block.rules.bias or {})):
            if index[seme] not in found:
                found[index[seme]] = self._column(seme, index[seme], [])
        return found

    def _parts(self) -> dict[str, list["Part"]]:
        parts: dict[str, list[Part]] = {}
        for line, places in self.block.lines:
            rules = [self.block.rules.rules[place] for place in places]
            values = self._values(line, places)
            tame = all(self._tame[place] for place in places)
            for seme, weight in line.writes.items():
                each = [
                    (rule.writes.get(seme, 0.0), place)
                    for rule, place in zip(rules, places, strict=True)
                ]
                parts.setdefault(seme, []).append(Part(line, rules, weight, values, each, tame))
        return parts

    @cached_property
    def _loose(self) -> list[tuple[int, Unit]]:
        """Raw units, and those that undo what is held back and are not surely 0."""
        raw = len(self.block.hidden.units) - len(self.block.rules.units)
        return [(p, unit) for p, unit in self.block.loose if p >= raw or self.units.height[p]]

    def silent(self) -> set[int]:
        """The units that are surely 0, as they undo rules that read what they are meant to."""
        undoing = self.block.hidden.undoing
        doubted = {
            p for rule, places in undoing if not self._is_silent(rule, places) for p in places
        }
        return {place for _, places in undoing for place in places} - doubted

    def _is_silent(self, place: int, units: Sequence[int]) -> bool:
        """Whether what a rule reads, less what one closed flag takes off, is left of all bends."""
        curve = self.block.rules.rules[place].curve
        off = max((float(self.units.off[u]) for u in units), default=0.0)
        least = 0.5
        if curve is not None:
            bends = ([curve.low] if curve.slope else []) + [knot for knot, _ in curve.knots]
            least = min([0.5, *(curve.reach + bend - curve.high for bend in bends)])
        return self._within[place] and off + SLACK < least

    @cached_property
    def _tame(self) -> list[bool]:
        """Of every rule whether its units are exactly 0 where it says that they are (lemma 7)."""
        return [self._is_tame(place) for place in range(len(self.block.rules.rules))]

    def _is_tame(self, place: int) -> bool:
        rule, units = self.block.rules.rules[place], self.block.hidden.of_rules[place]
        if not self._within[place]:
            return False
        stray = max((float(self.units.stray[u]) for u in units), default=0.0)
        if not stray:
            return True
        grain = 1.0 if rule.curve is None else rule.curve.grain
        return bool(grain) and stray < grain / 4  # within its range it keeps to its steps

    def _values(self, line: Line, places: Sequence[int]) -> Values:
        """What a line can come to: as declared, if all that it reads keeps to its range."""
        if all(self._within[place] for place in places):
            return line.values
        told, low, high = self.block.gates.all_of(self.stream.kept), 0.0, 0.0
        for place in places:
            rule = self.block.rules.rules[place]
            values = Values(0.0, 1.0, 1.0)
            if rule.curve is not None:
                values = values_over(rule.curve, *(ends[place] for ends in self._range))
            gated = bool(rule.gate.positive or rule.gate.negative)
            ratio = next(
                (rule.writes[s] / w for s, w in line.writes.items() if w and s in rule.writes), 1.0
            )
            # A gate that is half open takes off some of the start, at a lower point of the curve.
            start = 0.0 if rule.curve is None else abs(rule.curve.start)
            off = 0.0 if told[place] else start
            ends = ratio * (values.low - off), ratio * (values.high + off)
            low += min(*ends, 0.0) if gated or len(places) > 1 else min(ends)
            high += max(*ends, 0.0) if gated or len(places) > 1 else max(ends)
        return Values(low, high, 0.0)

    @cached_property
    def _within(self) -> list[bool]:
        """Of every rule whether what it reads is known to keep to its range."""
        held = np.array([name in self.held for name in self.space.names], dtype=bool)
        curves = [rule.curve for rule in self.block.rules.rules]
        limits = [(-np.inf, np.inf) if c is None else (c.low, c.high) for c in curves]
        least, most = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        low, high = map(np.array, self._range)
        inside = (least - SLACK <= low) & (high <= most + SLACK)
        within = _kept(self.block, self.stream) & (inside | self.block.forms.all_of(held))
        return within.tolist()

    @cached_property
    def _range(self) -> tuple[list[float], list[float]]:
        """Of every rule the ends of what its curve reads."""
        low, high = self.block.forms.ends(self.stream.low, self.stream.high)
        return low.tolist(), high.tolist()

    # -------------------------------------------------------------- one column

    def _column(self, seme: str, column: int, parts: Sequence["Part"]) -> Bound:
        allowed = self.space.ranges[seme]
        low, high, grid, kept = self._ends(seme, parts, allowed)
        error = self._error(seme, column, parts)
        return Bound(
            low, high, grid, error, kept, stray=min(error, self._stray(seme, column, parts, error))
        )

    def _stray(self, seme: str, column: int, parts: Sequence["Part"], error: float) -> float:
        """How far the sum lies off where it is 0, because every line is (lemma 6)."""
        ends = [part.ends for part in parts]
        one_sided = all(low >= 0 for low, _ in ends) or all(high <= 0 for _, high in ends)
        raw = any(seme in unit.writes for _, unit in self._loose)
        if not one_sided or raw or (self.block.rules.bias or {}).get(seme):
            return error
        places = [(abs(w), place) for part in parts for w, place in part.rules_of]
        stray = sum(w * self._rule_stray(place) for w, place in places)
        if column not in self._stored_off:
            return stray
        stored = self._stored(column)
        return stray + sum(self._unpaid(place, stored) for _, place in places)

    def _unpaid(self, place: int, stored: Array) -> float:
        """What remains where units cancel, as their stored weights do not quite (lemma 7)."""
        units = self.block.hidden.of_rules[place]
        if self._tame[place] and not self.block.shapes[place].to_0:
            return 0.0
        return float(stored[-1] + sum(stored[u] * self.units.height[u] for u in units))

    def _stored(self, column: int) -> Array:
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
        if shape.to_0 or not self._tame[place]:
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

    def _ends(
        self, seme: str, parts: Sequence["Part"], allowed: Values
    ) -> tuple[float, float, float, bool]:
        raw = self._raw(seme, allowed)
        ends = [part.ends for part in parts]
        low, high = sum(e[0] for e in ends) + raw.low, sum(e[1] for e in ends) + raw.high
        outside = not _inside(low, high, allowed)
        if outside and 1 < len(parts) <= MOST_LINES:
            groups = exclusive(self.known.holding(part.rules) for part in parts)
            low = raw.low + sum(_least(ends[place][0] for place in group) for group in groups)
            high = raw.high - sum(_least(-ends[place][1] for place in group) for group in groups)
        grid = min([raw.grid, *(part.grid for part in parts)])
        kept = raw.kept and all(part.keeps(allowed) for part in parts)
        return low, high, grid, kept

    def _raw(self, seme: str, allowed: Values) -> Bound:
        """What raw units and the bias add, exactly."""
        low = high = (self.block.rules.bias or {}).get(seme, 0.0)
        grid, kept = grid_of(low), on_steps(low, allowed)
        for place, unit in self._loose:
            weight = unit.writes.get(seme, 0.0)
            if not weight:
                continue
            top = weight * max(0.0, float(self.units.high[place]))
            bottom = weight * max(0.0, float(self.units.low[place]))
            low, high = low + min(top, bottom), high + max(top, bottom)
            below = min(float(self.units.sums.grid[place]), grid_of(unit.reads.constant))
            grid = min(grid, grid_of(weight) * below)
            steps = weight * lattice(unit.reads, self.space)
            known = all(self.stream.kept[self.space.index[n]] for n in unit.reads.coefficients)
            kept = kept and known and bool(steps) and on_steps(steps, allowed)
        return Bound(low, high, grid, 0.0, kept)

    def _error(self, seme: str, column: int, parts: Sequence["Part"]) -> float:
        """How far the sum lies off: as if all lines held, or, if that is seen, more closely."""
        error, lost = float(self._sums.error[column]), float(self._sums.lost[column])
        passed = sum(abs(w) * self.bounds[p].error for part in parts for w, p in part.rules_of)
        passed += self._raw_error(seme)
        everything = error + lost + passed
        if everything <= SEEN or not 1 < len(parts) <= MOST_LINES or self._loose:
            return everything
        return min(everything, self._one_of(column, parts))

    def _raw_error(self, seme: str) -> float:
        """What errors pass through raw units whose sums are not exact."""
        snapped = self.units.snapped
        return sum(
            abs(unit.writes.get(seme, 0.0)) * float(self.units.off[place])
            for place, unit in self._loose
            if not snapped[place] and self.units.height[place]
        )

    @cached_property
    def _sums(self) -> Sums:
        assert self.block.outer is not None
        return self.block.outer.sums(self.units.terms, self.number)

    def _one_of(self, column: int, parts: Sequence["Part"]) -> float:
        """The error if of lines that exclude each other one at most has units that are not 0."""
        stored = self._stored(column)
        each = [self._line(part, stored) for part in parts]
        cases = [self.known.sounding(part.rules) if part.tame else ANY for part in parts]
        groups = [_largest([each[place] for place in group]) for group in exclusive(cases)]
        return self._together(groups, column)

    def _together(self, groups: Sequence[Array], column: int) -> float:
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

    def _line(self, part: "Part", stored: Array) -> Array:
        """Up, down, products, terms, error and what passes, of the units of one line."""
        up = down = products = terms = off = passed = 0.0
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
            passed += abs(weight) * self.bounds[place].error
        return np.array([up, down, products, terms, off, passed])

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


def _largest(rows: Sequence[Array]) -> Array:
    return np.max(rows, axis=0)


def _inside(low: float, high: float, allowed: Values) -> bool:
    return allowed.low - SLACK <= low and high <= allowed.high + SLACK


def _least(given: Iterable[float]) -> float:
    """The smallest of several values, of which none need be there."""
    values = list(given)
    return min(values) if len(values) == 1 else min(0.0, *values)
