"""What the lines of a block add to one seme together: of lines that exclude each other, one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from progtf.exact.bounds import MANY, Bound, RuleBound, keeps
from progtf.exact.exclusive import MOST_LINES, Cases, Known, exclusive
from progtf.exact.formats import Format, grid_of
from progtf.program.forms import Values
from progtf.program.model import Line, Rule

_SLACK = 1e-6


class Units(NamedTuple):
    """Hidden units: what they add, what they take away, how many there are, all at most.

    ``loose``: how far they lie off together, as if nothing cancelled.
    """

    up: float = 0.0
    down: float = 0.0
    terms: int = 0
    loose: float = 0.0

    @property
    def most(self) -> float:
        """The largest sum of some of them, in whatever order they are added up."""
        return max(self.up, self.down)


@dataclass(frozen=True, slots=True)
class LinePart:
    """One line's part of a seme.

    Attributes:
        weight: what the line writes for each of its values.
        bounds: of its rules, each with what it writes.
    """

    line: Line
    rules: Sequence[Rule]
    weight: float
    bounds: Sequence[tuple[float, RuleBound]]

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the greatest value that it adds."""
        ends = sorted((self.weight * self.line.values.low, self.weight * self.line.values.high))
        return ends[0], ends[1]

    @property
    def error(self) -> float:
        return sum(abs(weight) * bound.error for weight, bound in self.bounds)

    @property
    def lasting(self) -> float:
        """The error if no other line adds anything."""
        return sum(abs(weight) * bound.lasting for weight, bound in self.bounds)

    @property
    def units(self) -> Units:
        """All its hidden units."""
        up = sum(w * b.up if w > 0 else -w * b.down for w, b in self.bounds)
        down = sum(w * b.down if w > 0 else -w * b.up for w, b in self.bounds)
        loose = sum(abs(w) * b.loose for w, b in self.bounds)
        return Units(up, down, sum(b.terms for _, b in self.bounds), loose)

    @property
    def closes(self) -> bool:
        """Whether it adds something wherever any of its units does."""
        return all(w * self.weight > 0 and b.closes for w, b in self.bounds)

    @property
    def least(self) -> float:
        return min((abs(weight) for weight, _ in self.bounds), default=0.0)


@dataclass(slots=True)
class Sum:
    """What all lines of a block add to one seme."""

    parts: list[LinePart] = field(default_factory=list[LinePart])

    def bound(self, allowed: Values | None, number: Format, known: Known) -> Bound:
        """The sum, ``allowed`` being the range that it is held to or assumed to keep."""
        low, high, grid = self._ends(known, allowed)
        return Bound(low, high, grid, self._error(allowed, number, known))

    # -------------------------------------------------------------- exact values

    def _ends(self, known: Known, allowed: Values | None) -> tuple[float, float, float]:
        ends = [part.ends for part in self.parts]
        grids = [_grid(part.line.values, part.weight) for part in self.parts]
        low, high = sum(low for low, _ in ends), sum(high for _, high in ends)
        outside = allowed is not None and not _within(low, high, allowed)
        if outside and 1 < len(self.parts) <= MOST_LINES:
            groups = list(exclusive(known.holding(part.rules) for part in self.parts))
            low = sum(_least(ends[place][0] for place in group) for group in groups)
            high = -sum(_least(-ends[place][1] for place in group) for group in groups)
        return low, high, min(grids)

    # -------------------------------------------------------------- rounding

    def _error(self, allowed: Values | None, number: Format, known: Known) -> float:
        """How far the sum lies off: as if all lines held, or, if that is too much, more closely."""
        units = [part.units for part in self.parts]
        errors = [part.error for part in self.parts]
        grid = min((_fine(part) for part in self.parts), default=1.0)
        absorbed = all(bound.absorbed for part in self.parts for _, bound in part.bounds)
        everything = sum(errors), _added(units)
        best = _rounded(everything, grid, absorbed, number)
        if best == everything[0] == 0:
            return best
        for fewer in (self._one_of(errors, units, known), self._room(errors, units, allowed)):
            best = min(best, _rounded(fewer, grid, absorbed, number))
        return best

    def _one_of(
        self, errors: Sequence[float], units: Sequence[Units], known: Known
    ) -> tuple[float, Units]:
        """The error and the units if of lines that exclude each other one at most has any."""
        if len(self.parts) > MOST_LINES:
            return sum(errors), _added(units)
        groups = list(exclusive(_sounding(part, known) for part in self.parts))
        if len(groups) == 1 and all(len(part.bounds) == 1 for part in self.parts):
            errors = [part.lasting for part in self.parts]
        error = sum(max(errors[place] for place in group) for group in groups)
        return error, _added(_largest(units[place] for place in group) for group in groups)

    def _room(
        self, errors: Sequence[float], units: Sequence[Units], allowed: Values | None
    ) -> tuple[float, Units]:
        """The same if no more lines hold than the range allows."""
        closing = [place for place, part in enumerate(self.parts) if part.closes]
        if allowed is None or not closing:
            return sum(errors), _added(units)
        room = allowed.high - allowed.low
        holding = _holding(sorted(self.parts[place].least for place in closing), room)
        rest = [units[place] for place in range(len(units)) if place not in set(closing)]
        shut = [units[place] for place in closing]
        steepest = max(units[p].most / self.parts[p].least for p in closing if self.parts[p].least)
        up = min(_top((u.up for u in shut), holding), room * max(steepest, 1.0))
        down = min(_top((u.down for u in shut), holding), room * max(steepest, 1.0))
        terms = int(_top((u.terms for u in shut), holding))
        loose = _top((u.loose for u in shut), holding)
        return sum(errors), _added([*rest, Units(up, down, terms, loose)])


def _rounded(given: tuple[float, Units], grid: float, absorbed: bool, number: Format) -> float:
    error, units = given
    fits = keeps(units.most, grid, 0.0, number)
    if fits and absorbed:
        return error
    lost = number.roundoff * (units.terms * units.most + units.up + units.down)
    few = fits and units.terms < MANY
    return error + (min(lost, 2.0**units.terms * units.loose) if few else lost)


def _sounding(part: LinePart, known: Known) -> Cases:
    return known.sounding(part.rules)


def _grid(values: Values, weight: float) -> float:
    grid = min(grid_of(values.low), grid_of(values.grain)) if values.grain else 0.0
    return grid_of(weight) * grid if grid else 0.0


def _fine(part: LinePart) -> float:
    return min((grid_of(weight) * bound.grid for weight, bound in part.bounds), default=1.0)


def _within(low: float, high: float, allowed: Values) -> bool:
    return allowed.low - _SLACK <= low and high <= allowed.high + _SLACK


def _added(units: Iterable[Units]) -> Units:
    return Units(*(sum(column) for column in zip(*units, strict=True))) or Units()


def _largest(units: Iterable[Units]) -> Units:
    return Units(*(max(column) for column in zip(*units, strict=True)))


def _least(values: Iterable[float]) -> float:
    """The smallest of several values, of which none need be there."""
    values = list(values)
    return min(values) if len(values) == 1 else min(0.0, *values)


def _holding(least: Sequence[float], room: float) -> int:
    """How many lines can hold at once that add so much each and no more than ``room`` together."""
    filled = 0.0
    for count, amount in enumerate(least):
        filled += amount
        if filled > room + _SLACK:
            return max(1, count)
    return len(least)


def _top(values: Iterable[float], count: int) -> float:
    return sum(sorted(values, reverse=True)[:count])
