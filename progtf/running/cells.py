"""The numbers of a run: float64 where that is exact, with a bound where it is not, or fractions.

A block of cells, shape (rows, columns), knows how far each of them lies off at most. Where all are
whole multiples of one power of two, and none of their sums is 2^53 multiples or more, float64
misses nothing and no bound is kept. Where it rounds, ``error`` has the bound (Higham 2002, section
3.1: a sum of n products lies off by gamma(n) times the sum of their amounts at most). A decision
that falls within the bounds raises ``DoubtError``, and the text is computed again in fractions:
then cells are Python's own whole numbers and fractions, and nothing is rounded.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.program.arrays import Array, Ints
from progtf.program.tokens import InputError
from progtf.rational import Rational, fraction_of

Flags = NDArray[np.bool_]
UNIT = 2.0**-53
"""Half a unit in the last place of 1: what one operation may miss, as a share."""
LARGEST = 2.0**53
TINY = 1e-300
"""More than underflow makes of anything: part of every bound."""
LOOSE = 1e-305
"""The error of what is exactly what it says, but on no grid, as the hand of a clock: no bound."""
MOST_BITS = 4096
FINEST = 2.0**-200
"""No grid is finer: what lies on one is rounded."""


class DoubtError(ArithmeticError):
    """A decision that float64 cannot take for certain."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Numbers side by side.

    Where a cell may lie off, what it stands for is still known to be one of a few numbers, if it
    came of whole numbers and means: a multiple of ``fine / parts``. If these lie farther apart than
    the error, it is the nearest of them.

    Attributes:
        values: shape (rows, columns), float64; or objects: whole numbers and fractions, exact.
        error: how far each one lies off at most, shape (rows, columns); None: none does.
        grid: a power of two of which all that have no error are multiples.
        off: which columns may have an error, shape (columns,); None: none has.
        fine, parts: a power of two a column, shape (columns,), and a whole number a cell, shape
            (rows, columns); 0: it is not known.
        limit: no number is larger than this, where that is known.
    """

    values: Array
    error: Array | None = None
    grid: float = 1.0
    off: Flags | None = None
    fine: Array | None = None
    parts: Ints | None = None
    limit: float | None = None

    @staticmethod
    def of(
        values: Array,
        error: Array | None = None,
        grid: float | None = None,
        fine: Array | None = None,
        parts: Ints | None = None,
    ) -> "Cells":
        """Numbers, with their grid found out, and without errors where it is told what they are."""
        if values.dtype == object:
            return Cells(values)
        if error is not None and fine is not None and parts is not None:
            values, error = _recognised(values, error, fine, parts)
        off: Flags | None = None if error is None else np.asarray(error.any(axis=0))
        if error is not None and not np.isfinite(error).all():
            raise DoubtError
        if error is None or off is None or not off.any():
            grid = grid_of(values) if grid is None else grid
            return Cells(values, None, grid) if grid >= COARSE else _apart(values, None, None, None)
        grid = grid_of(values[error == 0]) if grid is None else grid
        if grid < COARSE:
            return _apart(values, error, fine, parts)
        return Cells(values, error, grid, off, fine, parts)

    def made(self, values: Array, error: Array | None, grid: float | None = None) -> "Cells":
        """Other numbers in the same columns, of the same kind."""
        return Cells.of(values, error, grid, self.finest, self.divisors)

    @property
    def exact(self) -> bool:
        """Whether they are whole numbers and fractions of Python."""
        return self.values.dtype == object

    @cached_property
    def most(self) -> float:
        """No number of them is larger."""
        if self.limit is not None:
            return self.limit
        return float(np.abs(self.values).max(initial=0.0))

    @cached_property
    def grids(self) -> Array:
        """Of each column a power of two, 1 at most; what has no error is a multiple of it."""
        found = np.ones(int(self.values.shape[1]))
        if self.grid == 1:
            return found
        sure = self.values if self.error is None else np.where(self.error == 0, self.values, 0.0)
        for column in np.flatnonzero((sure != np.rint(sure)).any(axis=0)).tolist():
            found[column] = grid_of(sure[:, column])
        return found

    @property
    def finest(self) -> Array:
        """What all numbers are multiples of, divided by their ``divisors``."""
        if self.fine is not None:
            return self.fine
        return self.grid * np.ones(int(self.values.shape[1]))

    @property
    def divisors(self) -> Ints:
        """The ``parts`` of each cell; 0: not known."""
        if self.parts is not None:
            return self.parts
        if self.error is not None:
            return np.where(self.error > 0, 0, 1)
        return np.ones(self.values.shape, dtype=np.int64)

    def fraction(self, row: int, column: int) -> Fraction:
        """What a cell stands for.

        Raises:
            DoubtError: if float64 does not tell.
        """
        value = self.values[row, column]
        if self.exact or self.error is None or self.error[row, column] < TINY:
            return Fraction(value)
        parts = int(self.divisors[row, column])
        if not parts or self.fine is None:
            raise DoubtError
        unit = Fraction(float(self.fine[column])) / parts
        if Fraction(float(self.error[row, column])) * 4 >= unit:
            raise DoubtError
        return round(Fraction(float(value)) / unit) * unit

    @property
    def nearest(self) -> Array:
        """The float64 that is nearest to each, as far as it is known which."""
        found = as_floats(self.values).copy()
        for row, column in places(self.errors >= TINY):
            with suppress(DoubtError):
                found[row, column] = float(self.fraction(row, column))
        return found

    def rows(self, first: int, past: int | None = None) -> "Cells":
        """Some rows."""
        if self.error is None:
            return Cells(self.values[first:past], None, self.grid)
        parts = None if self.parts is None else self.parts[first:past]
        error = self.error[first:past]
        return Cells(self.values[first:past], error, self.grid, self.off, self.fine, parts)

    def at(self, rows: Ints) -> "Cells":
        """The rows with some numbers."""
        if self.error is None:
            return Cells(self.values[rows], None, self.grid, limit=self.limit)
        parts = None if self.parts is None else self.parts[rows]
        values, error = self.values[rows], self.error[rows]
        return Cells(values, error, self.grid, self.off, self.fine, parts, self.limit)

    def with_rows(self, rows: Ints, other: "Cells") -> "Cells":
        """With other numbers in the rows with some numbers."""
        values = self.values.copy()
        values[rows] = other.values
        grid = min(self.grid, other.grid)
        if self.error is None and other.error is None:
            return Cells(values, None, grid)
        error, parts = self.errors.copy(), self.divisors.copy()
        error[rows], parts[rows] = other.errors, other.divisors
        return Cells.of(values, error, grid, np.minimum(self.finest, other.finest), parts)

    def columns(self, chosen: Any) -> "Cells":
        """Some columns."""
        if self.off is None or not self.off[chosen].any():
            return Cells(self.values[:, chosen], None, self.grid, limit=self.limit)
        assert self.error is not None
        parts = None if self.parts is None else self.parts[:, chosen]
        fine = None if self.fine is None else self.fine[chosen]
        values, error = self.values[:, chosen], self.error[:, chosen]
        return Cells(values, error, self.grid, self.off[chosen], fine, parts, self.limit)

    def under(self, other: "Cells") -> "Cells":
        """With other rows below."""
        values = np.vstack([self.values, other.values])
        grid = min(self.grid, other.grid)
        if self.error is None and other.error is None:
            return Cells(values, None, grid)
        fine = np.minimum(self.finest, other.finest)
        parts = np.vstack([self.divisors, other.divisors])
        return Cells.of(values, np.vstack([self.errors, other.errors]), grid, fine, parts)

    @cached_property
    def near(self) -> "Cells | None":
        """Whole numbers and fractions as float64, with bounds; None: one of them is too large."""
        try:
            values = self.values.astype(np.float64)
            rough = np.asarray(np.rint(values / COARSE) * COARSE != values, dtype=bool)
            rough[~rough] = values[~rough] != self.values[~rough]
            error = np.where(rough, UNIT * np.abs(values) + TINY, 0.0) if rough.any() else None
            return Cells.of(values, error)
        except (OverflowError, DoubtError):
            return None

    @property
    def floats(self) -> Array:
        """Each as float64, the nearest one."""
        return self.near.values if self.exact and self.near is not None else as_floats(self.values)

    def in_fractions(self) -> "Cells":
        """The same numbers, as they stand, as whole numbers and fractions."""
        return Cells(exactly(self.values.ravel().tolist()).reshape(self.values.shape))

    @property
    def errors(self) -> Array:
        """How far each one lies off at most."""
        return np.zeros(self.values.shape) if self.error is None else self.error

    def added(self, columns: Ints, more: "Cells") -> "Cells":
        """With other numbers added to some columns."""
        values, grid = self.values.copy(), min(self.grid, more.grid)
        values[:, columns] += more.values
        if self.exact:
            check_size(values[:, columns])
            return Cells(values)
        fits = self.most + more.most < LARGEST * grid
        clean = self.off is None or not self.off[columns].any()
        if fits and clean and more.error is None:
            changed = float(np.abs(values[:, columns]).max(initial=0.0))
            limit, fine = max(self.most, changed), self.fine
            if fine is not None:
                fine = fine.copy()
                fine[columns] = np.minimum(fine[columns], more.grid)
            return Cells(values, self.error, grid, self.off, fine, self.parts, limit)
        error = self.errors.copy()
        error[:, columns] += more.errors
        sums, made = error[:, columns] * (1 + 4 * UNIT), values[:, columns]
        inexact = _missed(self.values[:, columns], more.values, made) != 0
        error[:, columns] = np.where(inexact, sums + UNIT * np.abs(made) + TINY, sums)
        parts = self.divisors.copy()
        parts[:, columns] = common(parts[:, columns], more.divisors)
        fine = self.finest.copy()
        fine[columns] = np.minimum(fine[columns], more.finest)
        return Cells.of(values, error, grid, fine, parts)

    def put(self, columns: Ints, other: "Cells") -> "Cells":
        """With other numbers in the place of some columns."""
        values = self.values.copy()
        values[:, columns] = other.values
        grid = min(self.grid, other.grid)
        if self.error is None and other.error is None:
            return Cells(values, None, grid)
        error, parts = self.errors.copy(), self.divisors.copy()
        error[:, columns], parts[:, columns] = other.errors, other.divisors
        fine = self.finest.copy()
        fine[columns] = other.finest
        return Cells.of(values, error, grid, fine, parts)

    def times(self, other: "Cells") -> "Cells":
        """The products, one by one."""
        values = self.values * other.values
        if self.exact:
            return Cells(values)
        grid = self.grid * other.grid
        fits = grid > FINEST and self.most * other.most < LARGEST * grid
        if fits and self.error is None and other.error is None:
            return Cells(values, None) if grid == 1 else Cells.of(values)
        mine, theirs = self.errors, other.errors
        error = mine * np.abs(other.values) + np.abs(self.values) * theirs + mine * theirs
        here, there = self.values != 0, other.values != 0
        off = ((mine > 0) & (there | (theirs > 0))) | ((theirs > 0) & here)
        if not fits:
            grids = self.grids * other.grids
            off |= here & there & ~((np.abs(values) * 2 < LARGEST * grids) & (grids > FINEST))
        error = np.where(off, error * (1 + 8 * UNIT) + UNIT * np.abs(values) + TINY, 0.0)
        parts = capped(self.divisors * other.divisors)
        return Cells.of(values, error, None, self.finest * other.finest, parts)

    def where(self, rows: Flags, other: "Cells") -> "Cells":
        """These rows where a flag is up, those of another block where it is not."""
        values = np.where(rows[:, None], self.values, other.values)
        grid = min(self.grid, other.grid)
        if self.error is None and other.error is None:
            return Cells(values, None, grid)
        error = np.where(rows[:, None], self.errors, other.errors)
        parts = np.where(rows[:, None], self.divisors, other.divisors)
        return Cells.of(values, error, grid, np.minimum(self.finest, other.finest), parts)


def _recognised(
    values: Array, error: Array, fine: Array, parts: Ints
) -> tuple[Array, Array | None]:
    """The numbers, those that can be but one without their error, if float64 has it."""
    rows, columns = np.nonzero(error >= TINY)
    known = (parts[rows, columns] > 0) & (fine[columns] > FINEST)
    rows, columns = rows[known], columns[known]
    if not len(rows):
        return values, error
    divisors, fine = parts[rows, columns], fine[columns]
    steps = values[rows, columns] * divisors / fine
    near = np.rint(steps)
    sure = (error[rows, columns] * divisors / fine < 0.25) & (np.abs(near) < LARGEST / 1024)
    whole = sure & (near % divisors == 0)
    rows, columns, near, divisors = rows[whole], columns[whole], near[whole], divisors[whole]
    values, error = values.copy(), error.copy()
    values[rows, columns] = near / divisors * fine[whole]
    error[rows, columns] = 0.0
    return values, error


def _missed(one: Array, other: Array, total: Array) -> Array:
    """What float64 rounds off of sums: exactly (Knuth 1998, section 4.2.2, theorem C)."""
    added = total - one
    return (one - (total - added)) + (other - added)


def common(one: Ints, other: Ints) -> Ints:
    """The least common multiples; 0 for what is not known, or too large."""
    return capped(np.lcm(one, other))


def divides(some: Ints, multiples: Ints) -> Flags:
    """Whether numbers divide others, 0 none: a least common multiple that overflowed does not."""
    return np.asarray((some > 0) & (multiples > 0) & (multiples % np.maximum(some, 1) == 0), bool)


def capped(parts: Ints) -> Ints:
    """The same, 0 for what is too large to be of use."""
    return np.where(parts > _MOST_PARTS, 0, parts)


_MOST_PARTS = 2**26


def grid_of(values: Array) -> float:
    """The largest power of two, 1 at most, of which all numbers are multiples."""
    if not np.isfinite(values).all():
        raise DoubtError
    if not values.size or not (values != np.rint(values)).any():
        return 1.0
    mantissas, exponents = np.frexp(values[values != 0])
    whole = (mantissas * LARGEST).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64)) + exponents - 53
    return float(2.0 ** min(0.0, lowest.min(initial=0.0)))


COARSE = 2.0**-24
"""What is on a finer grid, as the hand of a clock, does not make the grid of the others finer."""


def _apart(values: Array, error: Array | None, fine: Array | None, parts: Ints | None) -> Cells:
    """Cells of which those on a very fine grid are what they say, but count as being on none."""
    error = np.zeros(values.shape) if error is None else error.copy()
    parts = np.where(error > 0, 0, 1) if parts is None else parts.copy()
    width, grid = values.shape[1], 1.0
    steps = np.ones(int(width))
    if fine is not None:
        steps[:] = fine
    for column in range(width):
        sure = error[:, column] == 0
        own = grid_of(values[sure, column])
        if own < COARSE:
            error[sure, column], parts[sure, column] = LOOSE, 0
            continue
        grid = min(grid, own)
        if fine is None:
            steps[column] = own
    off: Flags = np.asarray(error.any(axis=0))
    return Cells(values, error, grid, off, steps, parts)


def rounded_by_float(values: Array, *, exact: bool) -> Cells:
    """What only float64 computes, ``norm: layer`` and ``tanh``, taken as it comes out.

    Raises:
        InputError: for what is no finite number.
    """
    if not np.isfinite(values).all():
        raise InputError("no answer: a number is no finite number")
    return Cells.of(values).in_fractions() if exact else Cells.of(values)


def check_size(values: Array) -> None:
    """Refuses fractions that are too long to go on with."""
    for value in values.flat:
        above, below = value.as_integer_ratio()
        if above.bit_length() > MOST_BITS or below.bit_length() > MOST_BITS:
            raise InputError(f"no answer: a number has more than {MOST_BITS:,} bits")


def settled(value: Any) -> Any:
    """A fraction as an int if it is whole."""
    return value.numerator if value.denominator == 1 else value


def with_fractions(
    near: Cells, exactly: Callable[[int, int], Any], needed: Flags | None = None
) -> Cells:
    """Whole numbers and fractions: as float64 has them where it has, else each for itself.

    Args:
        near: the numbers, with bounds.
        exactly: what stands in a row and a column.
        needed: which of them are read, shape (rows, columns); None: all are. Others are anything.
    """
    values = near.values
    whole = (values == np.rint(values)) & (np.abs(values) < LARGEST)
    found = np.where(whole, values, 0.0).astype(np.int64).astype(object)
    sure = near.errors == 0
    for row, column in places(sure & ~whole):
        found[row, column] = settled(Fraction(values[row, column]))
    for row, column in places(~sure if needed is None else ~sure & needed):
        found[row, column] = settled(exactly(row, column))
    return Cells(found)


def exactly(numbers: Iterable[float]) -> Array:
    """Numbers of a program as whole numbers and fractions."""
    found = [settled(fraction_of(each)) for each in numbers]
    return _objects(found, (len(found),))


def applied(function: Callable[[Any], Any], values: Array) -> Array:
    """A function of each of some whole numbers and fractions."""
    return _objects(map(function, values.flat), values.shape)


def _objects(found: Iterable[Any], shape: tuple[int, ...]) -> Array:
    made: NDArray[Any] = np.empty(math.prod(shape), dtype=object)
    made[:] = list(found)
    return made.reshape(shape)


def step_of(numbers: Sequence[float]) -> float:
    """The largest power of two, 1 at most, of which all are multiples, divided by what is odd."""
    below = max((_even_part(fraction_of(each).denominator) for each in numbers), default=1)
    return 2.0 ** -(below.bit_length() - 1)


def _even_part(number: int) -> int:
    return number & -number


def odd_part(value: float) -> int:
    """What a number is divided by, powers of two left out; 0 if that is too large to be of use."""
    if type(value) is not Rational:
        return 1
    below = value.fraction.denominator
    odd = below // _even_part(below)
    return odd if odd <= _MOST_PARTS else 0


def mean(total: Cells, count: Array) -> Cells:
    """Sums divided by how many there are, shape (rows,)."""
    if (count == 1).all():
        return total
    if total.exact:
        values = total.values.copy()
        for row, column in places((count[:, None] > 1) & (values != 0)):
            values[row, column] = settled(Fraction(values[row, column]) / int(count[row]))
        return Cells(values)
    values = total.values / count[:, None]
    fits = 2 * np.abs(total.values) < LARGEST * total.grids
    back = values * count[:, None] == total.values
    sure = fits & back & (np.rint(values / total.grids) * total.grids == values)
    power = np.log2(count) % 1 == 0
    sure |= power[:, None] & back
    if total.error is None and sure.all():
        return Cells.of(values)
    error = total.errors / count[:, None] * (1 + 4 * UNIT)
    rounded = error + UNIT * np.abs(values) + TINY
    error = np.where(sure & (total.errors == 0), 0.0, rounded)
    parts = capped(total.divisors * count[:, None].astype(np.int64))
    return Cells.of(values, error, None, total.finest, parts)


def divisors_of(chosen: Flags, cells: Cells) -> Ints:
    """The ``parts`` of sums of rows: the least common multiples of those that are chosen."""
    parts = np.ones((len(chosen), cells.values.shape[1]), dtype=np.int64)
    read = cells.divisors
    columns = np.flatnonzero((read != 1).any(axis=0))
    for row, sources in enumerate(chosen) if len(columns) else ():
        if not sources.any():
            continue
        some = read[np.ix_(sources, columns)]
        multiples = np.lcm.reduce(some, axis=0)
        parts[row, columns] = np.where(divides(some, multiples).all(axis=0), multiples, 0)
    return capped(parts)


def places(chosen: Flags | Array) -> list[tuple[int, int]]:
    """The rows and columns of what is chosen."""
    rows, columns = np.nonzero(chosen)
    found: list[tuple[int, int]] = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return found


def as_floats(values: Array) -> Array:
    """Numbers as float64, each the nearest one."""
    if values.dtype != object:
        return values
    return np.array([_near(each) for each in values.flat], np.float64).reshape(values.shape)


def _near(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
