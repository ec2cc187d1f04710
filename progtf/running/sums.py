"""Sums that parts of a program read and write, as arrays: entry after entry, none of them 0."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from progtf.program.arrays import Array, Ints
from progtf.program.forms import Form, Space
from progtf.rational import Rational
from progtf.running.cells import (
    FINEST,
    LARGEST,
    TINY,
    UNIT,
    Cells,
    DoubtError,
    Flags,
    capped,
    common,
    divides,
    exactly,
    odd_part,
    step_of,
    with_fractions,
)


@dataclass(frozen=True, eq=False)
class Sums:
    """Linear forms over columns, entry after entry.

    Attributes:
        columns: those that are read, entry by entry; factors: theirs.
        filled: the forms that read anything; starts: where the entries of each begin.
        bias: the constants, shape (forms,).
        given: the factors and constants as the program has them.
        rough, rough_bias: which of them float64 has only rounded.
    """

    columns: Ints
    factors: Array
    filled: Ints
    starts: Ints
    bias: Array
    given: tuple[tuple[float, ...], tuple[float, ...]]
    rough: Flags
    rough_bias: Flags

    @staticmethod
    def of(forms: Sequence[Form], index: Mapping[str, int]) -> "Sums":
        """The arrays of some forms."""
        read = [
            [(index[name], factor) for name, factor in form.coefficients.items() if factor]
            for form in forms
        ]
        return Sums.over(read, [form.constant for form in forms])

    @staticmethod
    def over(read: Sequence[Sequence[tuple[int, float]]], constants: Sequence[float]) -> "Sums":
        """The arrays of forms that are given as columns and factors, and constants."""
        sizes = np.array([len(each) for each in read], dtype=np.intp)
        entries = [entry for each in read for entry in each]
        factors = tuple(factor for _, factor in entries)
        filled = np.flatnonzero(sizes)
        return Sums(
            np.array([column for column, _ in entries], dtype=np.intp),
            np.array(factors, dtype=np.float64),
            filled,
            (np.cumsum(sizes) - sizes)[filled],
            np.array(constants, dtype=np.float64),
            (factors, tuple(constants)),
            np.array([type(each) is Rational for each in factors], dtype=bool),
            np.array([type(each) is Rational for each in constants], dtype=bool),
        )

    @cached_property
    def _entries(self) -> dict[int, tuple[int, int]]:
        """Of each form that reads anything its first entry, and that behind its last."""
        ends = [*self.starts.tolist(), len(self.columns)]
        return dict(zip(self.filled.tolist(), pairwise(ends), strict=True))

    @cached_property
    def _sizes(self) -> "_Sizes":
        factors, constants = self.given
        steps, lengths, copies = list[float](), list[int](), list[bool]()
        for form, constant in enumerate(constants):
            first, past = self._entries.get(form, (0, 0))
            own = factors[first:past]
            steps.append(step_of([*own, constant]))
            lengths.append(past - first)
            copies.append(past - first == 1 and not constant and abs(own[0]) == 1)
        heft = self.per_form(np.abs(self.factors)[None])[0]
        return _Sizes(
            np.array(steps), np.array(lengths), np.array(copies, bool),
            float(heft.max(initial=0.0)), float(np.abs(self.bias).max(initial=0.0)),
            min(steps, default=1.0),
        )  # fmt: skip

    @cached_property
    def _exact(self) -> tuple[Array, Array]:
        return exactly(self.given[0]), exactly(self.given[1])

    @cached_property
    def _odd(self) -> tuple[Ints, Ints]:
        """What factors and constants are divided by, powers of two left out; 0: it is large."""
        factors, constants = self.given
        return (
            capped(np.array([odd_part(each) for each in factors], dtype=np.int64)),
            capped(np.array([odd_part(each) for each in constants], dtype=np.int64)),
        )

    @cached_property
    def _any_rough(self) -> bool:
        return bool(self.rough.any() or self.rough_bias.any())

    def per_form(self, entries: Array) -> Array:
        """The sum of what the entries of each form come to."""
        if len(self.filled) == len(self.bias):
            return np.add.reduceat(entries, self.starts, axis=1) if len(self.filled) else entries
        result = np.zeros((len(entries), len(self.bias)), dtype=entries.dtype)
        if len(self.filled):
            result[:, self.filled] = np.add.reduceat(entries, self.starts, axis=1)
        return result

    def __call__(self, cells: Cells, needed: Flags | None = None) -> Cells:
        """What the forms come to at each row, shape (rows, forms); if not ``needed`` anything."""
        if not len(self.columns) and not cells.exact and not self._any_rough:
            values = np.repeat(self.bias[None], len(cells.values), axis=0)
            return Cells(values, None, self._sizes.finest, limit=self._sizes.highest)
        if cells.exact:
            return self._in_fractions(cells, needed)
        read = cells.values[:, self.columns]
        terms = read * self.factors
        values = self.per_form(terms) + self.bias
        sizes, grid = self._sizes, self._sizes.finest * cells.grid
        fits = sizes.heaviest * cells.most + sizes.highest < LARGEST * grid and grid > FINEST
        clean = cells.off is None or not cells.off[self.columns].any()
        if fits and clean and not self._any_rough:
            return Cells(values, None) if grid == 1 else Cells.of(values)
        return self._rounded(cells, read, terms, values)

    def _in_fractions(self, cells: Cells, needed: Flags | None) -> Cells:
        """What the forms come to, of whole numbers and fractions."""
        factors, bias = self._exact
        with suppress(DoubtError):
            if cells.near is not None:
                return with_fractions(self(cells.near), partial(self._one, cells.values), needed)
        return Cells(self.per_form(cells.values[:, self.columns] * factors) + bias)

    def _one(self, values: Array, row: int, form: int) -> Any:
        """What one form comes to at a row of whole numbers and fractions."""
        factors, bias = self._exact
        first, past = self._entries.get(form, (0, 0))
        read = values[row, self.columns[first:past]]
        return sum((a * b for a, b in zip(read, factors[first:past], strict=True) if a), bias[form])

    def _rounded(self, cells: Cells, read: Array, terms: Array, values: Array) -> Cells:
        """What the forms come to, with a bound where float64 may have rounded."""
        sizes, off = self._sizes, cells.errors[:, self.columns]
        grids = self._finer(sizes.step, cells.grids)
        spread = self.per_form(np.abs(self.factors) * off)
        size = self.per_form(np.abs(terms)) + spread + np.abs(self.bias)
        fits = (size * 2 < LARGEST * grids) & (grids > FINEST)
        rounding = (sizes.length + 4) * UNIT * size + TINY
        error = spread * (1 + 8 * UNIT) + np.where(sizes.copies, 0.0, rounding)
        touched = (off > 0) | (self.rough & (read != 0))
        inexact = (self.per_form(touched.astype(np.float64)) > 0) | self.rough_bias
        reads = self.per_form((read != 0).astype(np.float64)) + np.abs(self.bias) > 0
        inexact |= ~fits & reads & ~sizes.copies
        parts = self._divisors(cells)
        fine = self._finer(sizes.step, cells.finest)
        return Cells.of(values, np.where(inexact, error, 0.0), None, fine, parts)

    def _finer(self, steps: Array, read: Array) -> Array:
        """The steps of forms, times the finest of the columns that each reads."""
        found = steps.copy()
        if len(self.filled):
            finest = np.minimum.reduceat(read[self.columns], self.starts)
            found[self.filled] *= np.minimum(finest, 1.0)
        return found

    def _divisors(self, cells: Cells) -> Ints:
        """The ``parts`` of what the forms come to."""
        odd, constants = self._odd
        read = capped(cells.divisors[:, self.columns] * odd)
        parts = np.ones((len(read), len(self.bias)), dtype=np.int64)
        if len(self.filled):
            multiples = np.lcm.reduceat(read, self.starts, axis=1)
            sizes = np.diff([*self.starts, len(self.columns)])
            every = divides(read, np.repeat(multiples, sizes, axis=1))
            sure = np.logical_and.reduceat(every, self.starts, axis=1)
            parts[:, self.filled] = np.where(sure, capped(multiples), 0)
        return common(parts, constants)


@dataclass(frozen=True, eq=False)
class _Sizes:
    """What is known of forms before they read anything.

    Attributes:
        step: a power of two of which factors and constant are multiples, but for rough ones.
        length: how many columns a form reads; copies: whether it is one column, or its negative.
        heaviest: the largest sum of the amounts of a form's factors; highest: the largest amount of
            a constant.
        finest: the smallest step.
    """

    step: Array
    length: Array
    copies: Flags
    heaviest: float
    highest: float
    finest: float


@dataclass(frozen=True, eq=False)
class Writing:
    """Where amounts go: columns of the residual, and what each of them is made of.

    ``plain``: which amount each column gets, as it is, if it gets no more.
    """

    columns: Ints
    sums: Sums
    plain: Ints | None

    @staticmethod
    def of(writes: Sequence[Any], bias: Any, space: Space) -> "Writing":
        """The arrays of mappings from semes to factors, one an amount, and of a constant one."""
        named = dict.fromkeys(seme for each in (*writes, bias) for seme in each)
        made_of: dict[str, list[tuple[int, float]]] = {seme: [] for seme in named}
        for number, each in enumerate(writes):
            for seme, factor in each.items():
                if factor:
                    made_of[seme].append((number, factor))
        columns = np.array([space.index[seme] for seme in named], dtype=np.intp)
        constants = [bias.get(seme, 0.0) for seme in named]
        alone = all(len(each) == 1 and each[0][1] == 1 for each in made_of.values())
        plain = [each[0][0] for each in made_of.values()] if alone and not any(constants) else None
        sums = Sums.over([*made_of.values()], constants)
        return Writing(columns, sums, None if plain is None else np.array(plain, dtype=np.intp))

    def __call__(self, amounts: Cells) -> Cells:
        """What is added to each column: shape (positions, columns)."""
        return self.sums(amounts) if self.plain is None else amounts.columns(self.plain)
