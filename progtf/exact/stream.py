"""The residual by what each seme can be, and how far the network's copy of it can lie off."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared
from progtf.exact.formats import Format, grid_of
from progtf.exact.lemmas import lost_in_sum
from progtf.program.arrays import Array
from progtf.program.forms import Space, Values
from progtf.program.model import Program, is_generated
from progtf.program.spelling import MOST_COUNTED
from progtf.rational import Rational, fraction_of

HUGE = 1e30  # bounds beyond this say nothing
Flags = NDArray[np.bool_]


class Bound(NamedTuple):
    """What one number can be.

    Every number has two versions: the exact one, of the interpreter, and the network's.

    Attributes:
        low, high: the ends of its exact values.
        grid: a power of two that all of them are multiples of; 0: there is none.
        error: how far the network's number lies off at most.
        kept: whether the exact values keep to the declared steps.
        relative: the part of the error that is so small a share of the exact value.
        stray: how far the network's number lies off where the exact one is 0; None: as elsewhere.
    """

    low: float
    high: float
    grid: float
    error: float
    kept: bool = True
    relative: float = 0.0
    stray: float | None = None

    @property
    def size(self) -> float:
        """The largest amount, the network's too."""
        return max(-self.low, self.high, 0.0) + self.error


@compared
class Terms(NamedTuple):
    """Numbers that are multiplied by weights and added up; fields as those of `Bound`.

    ``group``: of those that exclude each other the same number, -1 of all others.
    """

    low: Array
    high: Array
    grid: Array
    error: Array
    stray: Array
    group: Array


ONE = (1.0, 1.0, 1.0, 0.0, 0.0, -1.0)


def with_constant(terms: Terms) -> Terms:
    """The terms, and behind them the 1 that a bias is multiplied by."""
    return Terms(*(np.append(column, one) for column, one in zip(terms, ONE, strict=True)))


def ungrouped(low: Array, high: Array, grid: Array, error: Array, stray: Array) -> Terms:
    """Terms of which nothing is known together, the 1 of a bias behind them."""
    return with_constant(Terms(low, high, grid, error, stray, np.full(len(low), -1.0)))


@dataclass(frozen=True, eq=False)
class Stream:
    """The bounds of all columns of a residual; arrays of shape (width,), fields as of `Bound`."""

    low: Array
    high: Array
    grid: Array
    error: Array
    kept: Flags
    relative: Array
    stray: Array
    group: Array

    @classmethod
    def zero(cls, space: Space) -> "Stream":
        """A residual of zeros; not every seme has 0 among its steps."""
        ranges = [space.ranges[name] for name in space.names]
        zero = np.zeros(len(ranges))
        return cls(
            zero, zero, np.full(len(ranges), np.inf), zero,
            np.array([on_steps(0.0, values) for values in ranges]), zero, zero,
            np.full(len(ranges), -1.0),
        )  # fmt: skip

    @property
    def terms(self) -> Terms:
        """What a map multiplies, the 1 of its bias behind it."""
        return with_constant(
            Terms(self.low, self.high, self.grid, self.error, self.stray, self.group)
        )

    @property
    def sizes(self) -> Array:
        """The largest amounts, the network's too."""
        return np.maximum(np.maximum(-self.low, self.high), 0.0) + self.error

    def at(self, column: int) -> Bound:
        """The bound of one column."""
        return Bound(
            float(self.low[column]), float(self.high[column]), float(self.grid[column]),
            float(self.error[column]), bool(self.kept[column]), float(self.relative[column]),
            float(self.stray[column]),
        )  # fmt: skip

    def put(self, bounds: Mapping[int, Bound]) -> "Stream":
        """The same with other bounds in some columns."""
        if not bounds:
            return self
        columns = np.fromiter(bounds, dtype=np.int64)
        made: dict[str, Array] = {}
        full = [b if b.stray is not None else b._replace(stray=b.error) for b in bounds.values()]
        for name, values in zip(Bound._fields, zip(*full, strict=True), strict=True):
            made[name] = getattr(self, name).copy()
            made[name][columns] = values
        return replace(self, **made)

    def plus(self, added: Mapping[int, Bound], number: Format) -> dict[int, Bound]:
        """What some columns come to with what is added to them (lemmas 1 to 3)."""
        if not added:
            return {}
        columns = np.fromiter(added, dtype=np.int64)
        low, high, grid, error, kept, relative, stray = (
            np.array(each) for each in zip(*added.values(), strict=True)
        )
        one_sided = (low >= 0) & (self.low[columns] >= 0) | (high <= 0) & (self.high[columns] <= 0)
        stray = np.where(one_sided, stray + self.stray[columns], HUGE)
        before = [np.maximum(-self.low, self.high)[columns] + self.error[columns]]
        sizes = (before[0], np.maximum(-low, high) + error)
        terms = np.sum([size > 0 for size in sizes], axis=0)
        grid = np.minimum(grid, self.grid[columns])
        error = error + self.error[columns]
        most = sizes[0] + sizes[1]
        lost = lost_in_sum(terms, most, np.zeros_like(most), grid, error, number)
        parts = zip(
            columns.tolist(), np.maximum(self.low[columns] + low, -HUGE).tolist(),
            np.minimum(self.high[columns] + high, HUGE).tolist(), grid.tolist(),
            np.minimum(error + lost, HUGE).tolist(), (self.kept[columns] & kept).tolist(),
            np.where(before[0] > 0, 0.0, relative).tolist(),
            np.minimum(stray, np.minimum(error + lost, HUGE)).tolist(), strict=True,
        )  # fmt: skip
        return {column: Bound(*bound) for column, *bound in parts}

    def same(self, other: "Stream") -> bool:
        """Whether all bounds are equal."""
        return all(np.array_equal(getattr(self, n), getattr(other, n)) for n in Bound._fields)

    def either(self, other: "Stream") -> "Stream":
        """What numbers can be that are those of the one or of the other."""
        return replace(
            self,
            low=np.minimum(self.low, other.low), high=np.maximum(self.high, other.high),
            grid=np.minimum(self.grid, other.grid), error=np.maximum(self.error, other.error),
            kept=self.kept & other.kept,
            relative=np.where(self.relative == other.relative, self.relative, 0.0),
            stray=np.maximum(self.stray, other.stray), group=np.full_like(self.group, -1.0),
        )  # fmt: skip

    def exactly(self) -> "Stream":
        """The same as if all of it were exact."""
        return replace(self, error=np.zeros_like(self.error), stray=np.zeros_like(self.error))

    def rounded(self, semes: int) -> "Stream":
        """What sub-layers read of it through ``norm: round``: clocks stay behind the semes."""
        safe = (self.grid >= 1) & (self.error < 0.5)
        own = np.arange(len(self.low)) < semes
        error = np.where(own, np.where(safe, 0.0, 1.0 + self.error), self.error)
        low, high = (np.where(own, np.round(end), end) for end in (self.low, self.high))
        grid = np.where(own, np.maximum(self.grid, 1.0), self.grid)
        stray = np.where(own, error, self.stray)
        return replace(self, low=low, high=high, grid=grid, error=error, stray=stray)


def vectors(program: Program) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Every token with what it has."""
    yield from program.lexicon.items()
    if program.unknown is not None:
        yield "unknown", program.unknown


def embedded(program: Program, number: Format) -> Stream:
    """What tokens have, and the hands of the clocks; a program over vectors takes what it says."""
    names, ranges = program.space.names, program.space.ranges
    if program.lexicon or program.unknown is not None:
        found = _given(program, number)
    else:
        given = (name for name in names[: program.semes] if not is_generated(name))
        found = {name: declared(ranges[name]) for name in given}
    hand = Bound(-1.0, 1.0, 0.0, number.roundoff)
    found |= dict.fromkeys(names[program.semes :], hand)
    index = program.space.index
    return Stream.zero(program.space).put({index[name]: bound for name, bound in found.items()})


def declared(values: Values) -> Bound:
    """What a declared range allows."""
    grid = min(grid_of(values.low), grid_of(values.grain)) if values.grain else 0.0
    fixed = values.low == values.high
    return Bound(values.low, values.high, grid_of(values.low) if fixed else grid, 0.0)


def _given(program: Program, number: Format) -> dict[str, Bound]:
    """What the lexicon gives, and the spelling of a word on top of it (lemma 1)."""
    found: dict[str, list[float]] = {}
    count = 0
    for _, vector in vectors(program):
        count += 1
        for seme, value in vector.items():
            found.setdefault(seme, []).append(value)
    ranges = program.space.ranges
    bounds = {
        seme: _spanned(values if len(values) == count else [*values, 0.0], ranges[seme], number)
        for seme, values in found.items()
    }
    for mark, vector in zip(program.spelling.marks, program.spelled, strict=True):
        for seme, value in vector.items():
            before = bounds.get(seme, Bound(0.0, 0.0, math.inf, 0.0))
            bounds[seme] = _counted(before, value, mark.values - 1, ranges[seme], number)
    return bounds


def _spanned(values: Sequence[float], allowed: Values, number: Format) -> Bound:
    distinct = set(values)
    off = max(_off(value, number) for value in distinct)
    grid = min(grid_of(value) for value in distinct)
    kept = not allowed.grain or all(on_steps(value, allowed) for value in distinct)
    return Bound(min(distinct), max(distinct), grid, off, kept)


def _off(value: float, number: Format) -> float:
    """How far a number lies off the one that is stored for it."""
    stored = number.stored(value)
    if type(value) is not Rational:
        return abs(value - stored)
    return 2 * float(abs(value.fraction - Fraction(stored)))  # itself rounded


def _counted(before: Bound, value: float, most: int, allowed: Values, number: Format) -> Bound:
    """What a mark adds that a word may have up to ``most`` times."""
    assert most <= MOST_COUNTED
    stored = number.stored(value)
    low, high = before.low + min(0.0, most * value), before.high + max(0.0, most * value)
    grid = min(before.grid, grid_of(value))
    size = max(-low, high) + before.error
    exact = grid > 0 and size <= grid * number.counts and not before.error and stored == value
    lost = 0.0 if exact else 4 * number.roundoff * (size + abs(most * value))
    error = before.error + most * _off(value, number) + lost
    kept = before.kept and (not allowed.grain or on_steps(value, allowed))
    return Bound(low, high, grid, error, kept)


def on_steps(value: float | Fraction, allowed: Values) -> bool:
    """Whether a number is so many whole steps, those of the range beginning at 0."""
    if not allowed.grain:
        return True
    if allowed.grain == 1 and float(allowed.low).is_integer() and float(value).is_integer():
        return type(value) is not Rational and type(allowed.low) is not Rational
    given = value if isinstance(value, Fraction) else fraction_of(value)
    step = fraction_of(allowed.grain)
    return not (fraction_of(allowed.low) % step or given % step)
