"""The ranges that numbers promise to keep to, held against cells without a tolerance.

An end may be a fraction that float64 has not. What is so near to it that float64 does not tell on
which side it lies is compared as the fraction that it stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from progtf.program.arrays import Array, Ints
from progtf.program.forms import Values
from progtf.rational import Rational, fraction_of
from progtf.running.cells import UNIT, Cells, Flags, exactly, places

Found = tuple[int, int, float | Fraction]
"""A row, a number of an end, and the number that stands there."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers that belong to columns, any number of them to each.

    Attributes:
        owner: the column of each; near: it as float64; exact: as a fraction.
        off: how far both lie apart at most.
    """

    owner: Ints
    near: Array
    exact: Array
    off: Array

    @staticmethod
    def of(numbers: Sequence[Sequence[float]]) -> "Numbers":
        """The numbers of each column."""
        every = [each for some in numbers for each in some]
        owner = np.repeat(np.arange(len(numbers)), [len(some) for some in numbers])
        rough = [float(type(each) is Rational) for each in every]
        near = np.array(every, np.float64)
        off = UNIT * np.abs(near) * np.array(rough)
        return Numbers(owner.astype(np.intp), near, exactly(every), off)

    def of_kind(self, cells: Cells) -> Array:
        """As the cells are: float64 or fractions."""
        return self.exact if cells.exact else self.near

    def doubtful(self, cells: Cells) -> Flags:
        """Where float64 does not tell on which side of a number a cell lies."""
        shape = len(cells.values), len(self.near)
        if cells.exact or (cells.error is None and not self.off.any()):
            return np.zeros(shape, dtype=bool)
        error = cells.errors[:, self.owner] + self.off
        away = np.abs(cells.values[:, self.owner] - self.near)
        return np.asarray((error > 0) & (away <= error), dtype=bool)

    def passed(self, cells: Cells, looked: Flags) -> Flags:
        """Where cells are as large as a number, or larger; elsewhere than ``looked`` as it comes.

        Args:
            cells: shape (rows, columns).
            looked: which numbers count in which row, shape (rows, numbers).

        Raises:
            DoubtError: if float64 does not tell.
        """
        if cells.exact:
            found, (rows, ends) = np.zeros(looked.shape, dtype=bool), np.nonzero(looked)
            found[rows, ends] = cells.values[rows, self.owner[ends]] >= self.exact[ends]
            return found
        found = np.asarray(cells.values[:, self.owner] >= self.near, dtype=bool)
        for row, end in places(self.doubtful(cells) & looked):
            found[row, end] = cells.fraction(row, int(self.owner[end])) >= self.exact[end]
        return found


def between(
    cells: Cells, low: Numbers, high: Numbers, looked: Flags, *, inside: bool
) -> list[Found]:
    """The cells that lie between two ends, or outside of them.

    Args:
        cells: shape (rows, columns).
        low: where each begins.
        high: where each ends; as many, with the same owners.
        looked: which of them count in which row, shape (rows, ends).
        inside: what is looked for lies between, neither end among it; else outside.

    Raises:
        DoubtError: if float64 does not tell.
    """
    if cells.exact:
        return _exactly_between(cells, low, high, looked, inside=inside)
    values = cells.values[:, low.owner]
    if inside:
        chosen = (values > low.near) & (values < high.near)
    else:
        chosen = (values < low.near) | (values > high.near)
    doubtful = (low.doubtful(cells) | high.doubtful(cells)) & looked
    found = list[Found]()
    for row, end in places((np.asarray(chosen, dtype=bool) & looked) | doubtful):
        value = values[row, end]
        if doubtful[row, end]:
            value = cells.fraction(row, int(low.owner[end]))
            least, most = low.exact[end], high.exact[end]
            if not (least < value < most if inside else not least <= value <= most):
                continue
        found.append((row, end, value))
    return found


def _exactly_between(
    cells: Cells, low: Numbers, high: Numbers, looked: Flags, *, inside: bool
) -> list[Found]:
    """The same of whole numbers and fractions."""
    found = list[Found]()
    for row, end in places(looked):
        value, least, most = cells.values[row, low.owner[end]], low.exact[end], high.exact[end]
        if least < value < most if inside else not least <= value <= most:
            found.append((row, end, value))
    return found


@dataclass(frozen=True, eq=False)
class Ranges:
    """The values that sums were declared to take, a column each.

    Attributes:
        values: as they were declared.
        low, high: the ends of each; grain: its step, 0 where there is none.
    """

    values: tuple[Values, ...]
    low: Numbers
    high: Numbers
    grain: Array

    @staticmethod
    def of(values: Sequence[Values]) -> "Ranges":
        """Those of some sums."""
        low, high = ([(getattr(each, end),) for each in values] for end in ("low", "high"))
        grain = np.array([each.grain for each in values], np.float64)
        return Ranges(tuple(values), Numbers.of(low), Numbers.of(high), grain)

    def outside(self, cells: Cells, looked: Flags) -> list[Found]:
        """The cells that lie outside."""
        return between(cells, self.low, self.high, looked, inside=False)

    def off_steps(self, cells: Cells, looked: Flags) -> list[Found]:
        """The cells that are none of the values, but lie among them."""
        values = cells.values
        may_be = (self.grain > 0) & ((self.grain != 1) | (cells.errors > 0) | (values % 1 != 0))
        found = list[Found]()
        for row, column in places(np.asarray(may_be, dtype=bool) & looked):
            value, low = cells.fraction(row, column), self.low.exact[column]
            step = fraction_of(self.values[column].grain)
            if low <= value <= self.high.exact[column] and (value - low) % step:
                found.append((row, column, value))
        return found


def without_steps(values: Values) -> Values:
    """The same ends, and all between."""
    return Values(values.low, values.high, 0.0)
