"""The entries of maps as arrays: the numbers that are meant, beside those that are multiplied."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared
from progtf.exact.formats import Format, grids_of
from progtf.exact.lemmas import lost_in_sum
from progtf.exact.stream import Terms
from progtf.program.arrays import Array
from progtf.program.forms import Form, Space
from progtf.rational import Rational
from progtf.weights.maps import BIAS, Map

Ints = NDArray[np.int64]


@compared
class Sums(NamedTuple):
    """What a map makes of its sources, column by column.

    Attributes:
        low, high: the ends of the exact values.
        grid: a power of two that all terms are multiples of; 0: none.
        error: how far the sum lies off because of what it reads, and of how weights are stored.
        lost: what products and additions lose beyond that.
        most: no sum of some of the terms is larger.
        products: the sum of the amounts of those that a weight rounds, no power of two.
        terms: how many are not 0.
        stray: how far the sum lies off where it is exactly 0.
    """

    low: Array
    high: Array
    grid: Array
    error: Array
    lost: Array
    most: Array
    products: Array
    terms: Array
    stray: Array


@compared
class _Products(NamedTuple):
    """Every entry times what it reads: exact ends, computed ends, amount, error, grid, stray."""

    low: Array
    high: Array
    above: Array
    below: Array
    amount: Array
    off: Array
    grid: Array
    stray: Array


def missed(forms: Sequence[Form], space: Space) -> dict[tuple[int, int], float]:
    """By row and column how far a factor of some forms, each a column, lies off as float64."""
    found: dict[tuple[int, int], float] = {}
    for column, form in enumerate(forms):
        given = [(len(space), form.constant)]
        given += [(space.index[name], factor) for name, factor in form.coefficients.items()]
        for row, factor in given:
            if type(factor) is Rational:
                found[row, column] = float(abs(factor.fraction - Fraction(float(factor)))) * 2
    return found


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of one map or of several side by side.

    Attributes:
        rows: of the sources; that of a bias is the last, behind all others.
        columns: of the targets; ``n_columns``: how many there are.
        meant: the numbers of the program; runs: those that are multiplied.
        off: how far these lie off what the program says.
    """

    rows: Ints
    columns: Ints
    meant: Array
    runs: Array
    n_columns: int
    off: Array

    @classmethod
    def of(cls, maps: Iterable[tuple[Map, Map]], constant: int) -> "Entries":
        """Of maps, each as it is meant and as it runs, that share sources and targets."""
        pairs = list(maps)
        rows = [np.where(m.rows == BIAS, constant, m.rows) for m, _ in pairs]
        meant = np.concatenate([m.numbers for m, _ in pairs])
        runs = np.concatenate([r.numbers for _, r in pairs])
        return cls(
            np.concatenate(rows).astype(np.int64),
            np.concatenate([m.columns for m, _ in pairs]).astype(np.int64),
            meant, runs, len(pairs[0][0].targets), np.abs(runs - meant),
        )  # fmt: skip

    @classmethod
    def reading(cls, forms: Sequence[Form], space: Space) -> "Entries":
        """Of forms, each a column, as they are meant; first its constant."""
        given = [
            (row, column, factor)
            for column, form in enumerate(forms)
            for row, factor in (
                (len(space), form.constant),
                *((space.index[name], factor) for name, factor in form.coefficients.items()),
            )
        ]
        rows, columns, factors = np.array(given, dtype=np.float64).reshape(-1, 3).T
        places = rows.astype(np.int64), columns.astype(np.int64)
        return cls(*places, factors, factors, len(forms), np.zeros_like(factors))

    def ends(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The ends of the columns' exact values, by those of what they read."""
        ends = [self.meant * np.append(each, 1.0)[self.rows] for each in (low, high)]
        return self._sum(np.minimum(*ends)), self._sum(np.maximum(*ends))

    def besides(self, lost: Mapping[tuple[int, int], float]) -> "Entries":
        """The same, entries by row and column lying off by so much more."""
        if not lost:
            return self
        places = zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        return replace(self, off=self.off + [lost.get(place, 0.0) for place in places])

    def sums(self, terms: Terms, number: Format) -> Sums:
        """What the columns add up to (lemmas 1 to 3)."""
        each = self._products(terms)
        group, count = terms.group[self.rows], self._sum(each.amount > 0)
        up = self._most(np.maximum(each.above, 0), group)
        most = np.maximum(up, self._most(np.maximum(-each.below, 0), group))
        rounded = np.abs(self.runs) != grids_of(self.runs)
        products = self._sum(np.where(rounded, each.amount, 0.0))
        second = 1 + 2 * count * number.roundoff
        traces = self._sum(each.stray) * second
        error = np.minimum(
            self._sum(each.off) * second, self._most(each.off, group) * second + traces
        )
        grid = self._least(each.grid)
        lost = lost_in_sum(count, most, products, grid, error, number)
        one_sided = (self._sum(each.low < 0) == 0) | (self._sum(each.high > 0) == 0)
        stray = np.minimum(np.where(one_sided, traces, np.inf), error + lost)
        low, high = self._sum(each.low), self._sum(each.high)
        return Sums(low, high, grid, error, lost, most, products, count, stray)

    def all_of(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of every column whether all that it reads is so; a bias is."""
        lacks = ~np.append(flags, values=True)[self.rows] & (self.meant != 0)
        return self._sum(lacks) == 0

    def sizes(self, sizes: Array) -> Array:
        """How large columns are at most, by the sizes of what they read."""
        return self._sum(np.abs(self.meant) * np.append(sizes, 1.0)[self.rows])

    def _products(self, terms: Terms) -> "_Products":
        rows = self.rows
        low, high, error = terms.low[rows], terms.high[rows], terms.error[rows]
        ends = self.meant * low, self.meant * high
        computed = self.runs * (low - error), self.runs * (high + error)
        above, below = np.maximum(*computed), np.minimum(*computed)
        largest = np.maximum(np.abs(low), np.abs(high))
        there = (largest > 0) & (self.meant != 0)
        grid = np.full(len(rows), np.inf)
        grid[there] = grids_of(self.meant[there]) * terms.grid[rows[there]]
        grid[(largest > 0) & (self.off > 0)] = 0.0
        off = np.abs(self.runs) * error + self.off * largest
        return _Products(
            np.minimum(*ends), np.maximum(*ends), above, below, np.maximum(above, -below),
            off, grid, np.abs(self.runs) * terms.stray[rows],
        )  # fmt: skip

    def _sum(self, values: Array | NDArray[np.bool_]) -> Array:
        weights = values.astype(np.float64)
        found = np.bincount(self.columns, weights=weights, minlength=self.n_columns)
        return found.astype(np.float64)

    def _most(self, values: Array, group: Array) -> Array:
        """The largest sum of values of which one at most of each group is there."""
        alone = group < 0
        if alone.all():
            return self._sum(values)
        single = np.bincount(self.columns[alone], weights=values[alone], minlength=self.n_columns)
        wide = int(group.max()) + 1
        keys = self.columns[~alone] * wide + group[~alone].astype(np.int64)
        largest = np.zeros(self.n_columns * wide)
        np.maximum.at(largest, keys, values[~alone])
        return single + largest.reshape(self.n_columns, wide).sum(axis=1)

    def _least(self, values: Array) -> Array:
        found = np.full(self.n_columns, np.inf)
        np.minimum.at(found, self.columns, values)
        return found
