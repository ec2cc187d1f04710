"""Hidden units of a feed-forward block at their worst."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from progtf.exact.entries import Entries, Sums
from progtf.exact.formats import Format, grids_of, last_places
from progtf.exact.rules import Shape, shapes_of
from progtf.exact.stream import Stream, Terms, ungrouped
from progtf.program.arrays import Array
from progtf.program.forms import Form, Space
from progtf.program.model import FeedForward, Line, Unit
from progtf.weights.maps import Map, Path
from progtf.weights.units import Hidden, hidden_units

Pairs = Mapping[str, tuple[Map, Map]]


@dataclass(frozen=True, eq=False)
class Block:
    """A feed-forward block with its entries.

    Attributes:
        path: where it stands.
        rules: as they are written; ``hidden``: its units.
        inner, outer: the maps into the hidden units and out of them; None: it adds nothing.
        offsets: the bias of every hidden unit as it is meant.
        apart: how far that which runs lies off.
        space: the semes.
    """

    path: Path
    rules: FeedForward
    hidden: Hidden
    inner: Entries | None
    outer: Entries | None
    offsets: Array
    apart: Array
    space: Space

    @classmethod
    def of(cls, path: Path, block: FeedForward, maps: Pairs, space: Space) -> "Block":
        """With the maps of a path: ``mat1``, ``bias1``, ``mat2``, ``bias2``."""
        hidden = hidden_units(block)
        if "mat1" not in maps:
            return cls(path, block, hidden, None, None, np.zeros(0), np.zeros(0), space)
        lost, n_units, columns = hidden.lost, len(hidden.units), space.index
        inner = Entries.of([maps["mat1"]], len(space)).besides(
            {(columns[name], unit): off for (unit, name), off in lost.reads.items()}
        )
        outer = Entries.of([maps["mat2"], maps["bias2"]], n_units).besides(
            {(unit, columns[name]): off for (unit, name), off in lost.writes.items()}
            | {(n_units, columns[name]): off for name, off in lost.bias.items()}
        )
        meant, runs = (np.zeros(n_units) for _ in range(2))
        for each, numbers in zip(maps["bias1"], (meant, runs), strict=True):
            numbers[each.columns] = each.numbers
        apart = np.abs(runs - meant)
        for unit, off in lost.constants.items():
            apart[unit] += off
        return cls(path, block, hidden, inner, outer, meant, apart, space)

    @cached_property
    def loose(self) -> list[tuple[int, Unit]]:
        """The units that are no part of a rule's value, by place: raw ones, and those that undo."""
        first = len(self.hidden.units) - len(self.rules.units)
        undoing = {place for _, places in self.hidden.undoing for place in places}
        places = [*sorted(undoing), *range(first, len(self.hidden.units))]
        return [(place, self.hidden.units[place]) for place in places]

    @cached_property
    def gates(self) -> Entries:
        """The flags of the gates, each rule a column."""
        violations = (rule.gate.violations() for rule in self.rules.rules)
        return Entries.reading([Form(each.coefficients) for each in violations], self.space)

    @cached_property
    def forms(self) -> Entries:
        """What the curves read, each rule a column."""
        curves = (rule.curve for rule in self.rules.rules)
        forms = [Form() if curve is None else curve.form for curve in curves]
        return Entries.reading(forms, self.space)

    @property
    def shapes(self) -> list[Shape]:
        """Of every rule what it is."""
        return shapes_of(self.rules)

    @cached_property
    def lines(self) -> list[tuple[Line, list[int]]]:
        """The lines of a block in their order, each with the places of its rules."""
        places: dict[int, tuple[Line, list[int]]] = {}
        for place, rule in enumerate(self.rules.rules):
            places.setdefault(id(rule.line), (rule.line, []))[1].append(place)
        return list(places.values())


@dataclass(frozen=True, eq=False)
class Units:
    """The hidden units at their worst; those that read the same form share its sum (lemma 6).

    Attributes:
        sums: what they read, without their biases.
        low, high: the ends of what they read.
        off: how far that lies off, what adding the bias loses left out.
        height: how large they are at most.
        snapped: whether what they read is exact, or a trace where it is 0.
        error: how far one lies off by itself, be the sum that it shares as it is.
        grid: a power of two that all of them are multiples of; 0: none.
        stray: how far one lies off at most that should be 0.
    """

    sums: Sums
    low: Array
    high: Array
    off: Array
    height: Array
    snapped: NDArray[np.bool_]
    error: Array
    grid: Array
    stray: Array

    @classmethod
    def of(cls, block: Block, stream: Stream, number: Format) -> "Units":
        """The units of a block that reads a stream."""
        assert block.inner is not None
        sums, bias = block.inner.sums(stream.terms, number), block.offsets
        same = block.apart == 0
        shared = sums.error + sums.lost
        off = shared + block.apart
        low, high = sums.low + bias, sums.high + bias
        grid = np.minimum(sums.grid, grids_of(bias))
        size = np.max([-sums.low, sums.high, np.abs(bias), -low, high], axis=0)
        fits = (grid > 0) & (size <= grid * number.counts)
        traces = sums.error <= np.minimum(sums.grid, grids_of(bias)) * number.roundoff / 4
        snapped = same & (sums.lost == 0) & fits & traces
        largest = np.maximum(sums.high + shared, 0.0)
        fine = same & (bias < 0) & (grids_of(bias) >= last_places(largest, number))
        rounded = number.roundoff * np.maximum(high + off, 0.0)
        error = np.where(
            snapped, np.where(bias == 0, sums.error, 0.0), np.where(fine, 0.0, rounded)
        )
        error = np.where(~snapped & (bias == 0), 0.0, error)
        dead = high + off + error <= 0
        places = np.minimum(grids_of(bias), last_places(-bias, number))
        units = np.where(snapped, grid, np.where(fine, places, 0.0))
        height = np.where(dead, 0.0, np.maximum(0.0, high) + np.where(snapped, 0.0, off))
        stray = np.where(dead | (snapped & (bias != 0)), 0.0, off + error)
        error = np.where(dead, 0.0, error)
        return cls(sums, low, high, off, height, snapped, error, units, stray)

    def without(self, silent: Collection[int]) -> "Units":
        """The same where some of them are surely 0."""
        if not silent:
            return self
        there = ~np.isin(np.arange(len(self.height)), list(silent))
        kept = {name: getattr(self, name) * there for name in ("height", "error", "stray")}
        return replace(self, **kept)

    @property
    def terms(self) -> Terms:
        """What the output map multiplies."""
        zero = np.zeros_like(self.height)
        return ungrouped(zero, self.height, self.grid, self.error, self.error)
