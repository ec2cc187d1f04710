"""What the parts of a program read and write, as arrays: found once, used at every step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from progtf.once import once
from progtf.program.arrays import Array, Ints, Reading
from progtf.program.forms import Form, Space
from progtf.program.model import Curve, FeedForward, Head, Program

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Writing:
    """Where amounts go: columns of the residual, weights of shape (amounts, columns), a bias."""

    columns: Ints
    weights: Array
    bias: Array

    @staticmethod
    def of(writes: Sequence[Any], bias: Any, space: Space) -> "Writing":
        """The arrays of mappings from semes to factors, one an amount, and of a constant one."""
        every = [*writes, bias]
        columns = sorted({space.index[seme] for each in every for seme in each})
        place = {column: number for number, column in enumerate(columns)}
        weights = np.zeros((len(every), len(columns)))
        for number, each in enumerate(every):
            for seme, value in each.items():
                weights[number, place[space.index[seme]]] += value
        return Writing(np.array(columns, dtype=np.intp), weights[:-1], weights[-1])

    def __call__(self, amounts: Array, width: int) -> Array:
        """What is added to each position: shape (positions, width)."""
        update = np.zeros((len(amounts), width))
        update[:, self.columns] = amounts @ self.weights + self.bias
        return update


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of some rules, side by side.

    Attributes:
        form: what they read; rules: the number of each one's rule.
        start, slope, low, reach: theirs.
        bent: the curves that have knots, and where the knots of each begin among all knots.
        owner: the curve of each knot; knot, change: its place, and by how much the slope changes.
    """

    form: Reading
    rules: Ints
    start: Array
    slope: Array
    low: Array
    reach: Array
    bent: tuple[Ints, Ints]
    owner: Ints
    knot: Array
    change: Array

    @staticmethod
    def of(curves: Sequence[Curve], rules: Sequence[int], space: Space) -> "Curves":
        """The arrays of the curves of these rules."""
        sizes = np.array([len(curve.knots) for curve in curves], dtype=np.intp)
        bent = np.flatnonzero(sizes)
        begins = np.cumsum(sizes)[bent] - sizes[bent]
        knots = np.array([knot for curve in curves for knot in curve.knots]).reshape(-1, 2)
        numbers = np.array([(c.start, c.slope, c.low, c.reach) for c in curves]).reshape(-1, 4)
        return Curves(
            Reading.of([curve.form for curve in curves], space),
            np.array(rules, dtype=np.intp),
            *numbers.T,
            bent=(bent, begins),
            owner=np.repeat(np.arange(len(curves)), sizes),
            knot=knots[:, 0],
            change=knots[:, 1],
        )

    def read(self, residual: Array, violations: Array) -> Array:
        """What each curve reads: so far to the left where its gate is closed that it is 0 there."""
        return self.form(residual) - self.reach * violations[:, self.rules]

    def values(self, x: Array, is_open: Array) -> Array:
        """What each curve amounts to: shape (positions, curves)."""
        values = self.start * is_open[:, self.rules] + self.slope * np.maximum(0, x - self.low)
        if len(self.owner):
            bends = self.change * np.maximum(0, x[:, self.owner] - self.knot)
            values[:, self.bent[0]] += np.add.reduceat(bends, self.bent[1], axis=1)
        return values


@dataclass(frozen=True, eq=False)
class Rules:
    """A feed-forward block: its gates, its curves, its raw units, and what they write.

    ``held``: the rules that are held back, and the column of the flag of each.
    """

    gates: Reading
    curves: Curves
    units: Reading
    writing: Writing
    held: tuple[Ints, Ints]

    @staticmethod
    def of(block: FeedForward, space: Space) -> "Rules":
        """The arrays of a block."""
        curved = [(c, place) for place, rule in enumerate(block.rules) if (c := rule.curve)]
        writes = [part.writes for part in (*block.rules, *block.units)]
        return Rules(
            Reading.of([rule.gate.violations() for rule in block.rules], space),
            Curves.of([curve for curve, _ in curved], [place for _, place in curved], space),
            Reading.of([unit.reads for unit in block.units], space),
            Writing.of(writes, block.bias or {}, space),
            _held(block, space),
        )

    def amounts(self, residual: Array, violations: Array) -> Array:
        """What each rule amounts to: its curve where its gate is open, else 0.

        Between 0 and 1 violations, which whole flags never have, the gate closes on a ramp.
        """
        amounts = np.clip(1.5 - 2 * violations, 0, 1)
        x = self.curves.read(residual, violations)
        amounts[:, self.curves.rules] = self.curves.values(x, amounts)
        return amounts


def _held(block: FeedForward, space: Space) -> tuple[Ints, Ints]:
    found = [(n, space.index[r.line.held]) for n, r in enumerate(block.rules) if r.line.held]
    rules, columns = np.array(found, dtype=np.intp).reshape(-1, 2).T
    return rules, columns


@dataclass(frozen=True, eq=False)
class Found:
    """What a head finds: keys of shape (src, features), fillers of shape (src, channels)."""

    key: Array
    filler: Array

    def extended(self, other: "Found") -> "Found":
        """With what stands behind it."""
        keys, fillers = (self.key, other.key), (self.filler, other.filler)
        return Found(np.vstack(keys), np.vstack(fillers))


@dataclass(frozen=True, eq=False)
class Sight:
    """A head: what it asks, what it finds, what it retrieves, its role, and what it writes."""

    query: Reading
    key: Reading
    filler: Reading
    role: Reading
    writing: Writing

    @staticmethod
    def of(head: Head, space: Space) -> "Sight":
        """The arrays of a head."""
        return Sight(
            Reading.of([feature.query for feature in head.features], space),
            Reading.of([feature.key for feature in head.features], space),
            Reading.of([channel.filler for channel in head.channels], space),
            Reading.of([channel.role for channel in head.channels], space),
            Writing.of([channel.writes for channel in head.channels], head.bias, space),
        )

    def found(self, source: Array) -> Found:
        """What it finds in some residuals."""
        return Found(self.key(source), self.filler(source))


class Prepared:
    """The arrays of a program's parts, each found when it is first asked for.

    Attributes:
        space: of the program.
        scores: of what may be written.
    """

    def __init__(self, space: Space, scores: Sequence[Form]) -> None:
        self.space, self.scores = space, scores
        self._made: dict[int, tuple[object, Any]] = {}

    def sight(self, head: Head) -> Sight:
        """The arrays of a head."""
        return self._of(head, Sight.of)

    def rules(self, block: FeedForward) -> Rules:
        """The arrays of a feed-forward block."""
        return self._of(block, Rules.of)

    @cached_property
    def outputs(self) -> Reading:
        """The arrays of the scores of what may be written."""
        return Reading.of(self.scores, self.space)

    def _of(self, part: Any, make: Callable[[Any, Space], Made]) -> Made:
        if id(part) not in self._made:  # which is its own as long as the part is kept beside it
            self._made[id(part)] = part, make(part, self.space)
        return self._made[id(part)][1]


@once
def prepared(program: Program) -> Prepared:
    """Those of a program, as long as it lives."""
    return Prepared(program.space, [*program.outputs.values()])
