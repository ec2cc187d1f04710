"""The entries of maps as arrays: the numbers that are meant, beside those that are multiplied."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.exact.formats import Format, grids_of
from progtf.exact.lemmas import lost_in_sum
from progtf.exact.stream import Terms
from progtf.program.forms import Array
from progtf.weights.maps import BIAS, Map

Ints = NDArray[np.int64]


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
        moving: the grid of the terms without the bias.
        stray: how far the sum lies off where it is exactly 0.
        rising: what is lost where the sum is not below 0: no sum of some of its terms is then
            further from 0 than that of all that are above 0.
    """

    low: Array
    high: Array
    grid: Array
    error: Array
    lost: Array
    most: Array
    products: Array
    terms: Array
    moving: Array
    stray: Array
    rising: Array


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of one map or of several side by side.

    Attributes:
        rows: of the sources; that of a bias is the last, behind all others.
        columns: of the targets; ``n_columns``: how many there are.
        meant: the numbers of the program; runs: those that are multiplied.
    """

    rows: Ints
    columns: Ints
    meant: Array
    runs: Array
    n_columns: int

    @classmethod
    def of(cls, maps: Iterable[tuple[Map, Map]], constant: int) -> "Entries":
        """Of maps, each as it is meant and as it runs, that share sources and targets."""
        pairs = list(maps)
        rows = [np.where(m.rows == BIAS, constant, m.rows) for m, _ in pairs]
        return cls(
            np.concatenate(rows).astype(np.int64),
            np.concatenate([m.columns for m, _ in pairs]).astype(np.int64),
            np.concatenate([m.numbers for m, _ in pairs]),
            np.concatenate([r.numbers for _, r in pairs]),
            len(pairs[0][0].targets),
        )

    def sums(self, terms: Terms, number: Format) -> Sums:
        """What the columns add up to (lemmas 1 to 3)."""
        n, rows, columns = self.n_columns, self.rows, self.columns
        low, high, error = terms.low[rows], terms.high[rows], terms.error[rows]
        ends = self.meant * low, self.meant * high
        computed = self.runs * (low - error), self.runs * (high + error)
        above, below = np.maximum(*computed), np.minimum(*computed)
        amount = np.maximum(above, -below)
        largest = np.maximum(np.abs(low), np.abs(high))
        off = np.abs(self.runs) * error + np.abs(self.runs - self.meant) * largest
        there = (largest > 0) & (self.meant != 0)
        grid = np.full(len(rows), np.inf)
        grid[there] = grids_of(self.meant[there]) * terms.grid[rows[there]]
        grid[(largest > 0) & (self.runs != self.meant)] = 0.0
        constant = rows == len(terms.low) - 1
        count = self._sum(amount > 0)
        least = self._least(grid, np.ones(len(rows), dtype=bool))
        group = terms.group[rows]
        up = self._most(np.maximum(above, 0), group)
        most = np.maximum(up, self._most(np.maximum(-below, 0), group))
        products = self._sum(np.where(np.abs(self.runs) == grids_of(self.runs), 0.0, amount))
        stray = np.abs(self.runs) * terms.stray[rows]
        error = np.minimum(self._sum(off), self._most(off, group) + self._sum(stray))
        error = error * (1 + 2 * count * number.roundoff)
        lost = lost_in_sum(count, most, products, least, error, number)
        rising = lost_in_sum(count, up, products, least, error, number)
        bottom, top = np.minimum(*ends), np.maximum(*ends)
        one_sided = (self._sum(bottom < 0) == 0) | (self._sum(top > 0) == 0)
        at_zero = np.where(
            one_sided, self._sum(stray) * (1 + 2 * count * number.roundoff), error + lost
        )
        return Sums(
            self._sum(bottom), self._sum(top), least, error, lost, most, products, count,
            self._least(grid, ~constant), np.minimum(at_zero, error + lost), np.minimum(rising, lost),
        )  # fmt: skip

    def _sum(self, values: Array) -> Array:
        return np.bincount(self.columns, weights=values, minlength=self.n_columns)

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

    def _least(self, values: Array, chosen: NDArray[np.bool_]) -> Array:
        found = np.full(self.n_columns, np.inf)
        np.minimum.at(found, self.columns[chosen], values[chosen])
        return found
