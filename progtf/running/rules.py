"""A feed-forward block as arrays: gates, curves, raw units, and what they write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np

from progtf.program.arrays import Array, Ints
from progtf.program.curves import ramps
from progtf.program.forms import Space
from progtf.program.model import Curve, FeedForward, Gate
from progtf.rational import Rational, fraction_of, rational
from progtf.running.cells import Cells, Flags, places, step_of
from progtf.running.ranges import Numbers, Ranges, without_steps
from progtf.running.sums import Sums, Writing

FAR = 2.0**200
"""Beyond all that a program computes with."""


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of some rules, side by side.

    A curve is ``height + slope * (x - knot)`` between one knot and the next; before the first one
    it is flat.

    Attributes:
        form: what they read; rules: the number of each one's rule.
        low, high: the ends between which a curve is what its rule means.
        knots: where it bends, in order, the low end among them.
        height, slope, place: of each stretch, that before the first knot among them.
        begins: where the stretches of each curve begin.
        under, over: of each step the two values between which none may lie.
        rise, reach: the steepest slope of each and its farthest place; slopes, places: powers of
            two of which all of them, and the heights, are multiples.
        sure: whether all numbers of a curve's stretches are float64 as they stand.
    """

    form: Sums
    rules: Ints
    low: Numbers
    high: Numbers
    knots: Numbers
    height: Numbers
    slope: Numbers
    place: Numbers
    begins: Ints
    under: Numbers
    over: Numbers
    rise: Array
    reach: Array
    slopes: Array
    places: Array
    sure: Flags

    @staticmethod
    def of(curves: Sequence[Curve], rules: Sequence[int], space: Space) -> "Curves":
        """The arrays of the curves of these rules."""
        stretches = [[*_stretches(curve)] for curve in curves]
        knots = [[place for place, *_ in some] for some in stretches]
        flat = [[(some[0][0], some[0][1], 0.0), *some] for some in stretches]
        sizes = np.array([len(some) for some in flat], dtype=np.intp)
        between = [[*_between(curve, space)] for curve in curves]
        ends = [_means(curve, space) for curve in curves]
        rises = [[slope for *_, slope in some] for some in flat]
        places = [[place for place, *_ in some] for some in flat]
        numbers = [[each for three in some for each in three] for some in flat]
        return Curves(
            Sums.of([curve.form for curve in curves], space.index),
            np.array(rules, dtype=np.intp),
            Numbers.of([(low,) for low, _ in ends]),
            Numbers.of([(high,) for _, high in ends]),
            Numbers.of(knots),
            Numbers.of([[height for _, height, _ in some] for some in flat]),
            Numbers.of(rises),
            Numbers.of(places),
            np.cumsum(sizes) - sizes,
            Numbers.of([[low for low, _ in some] for some in between]),
            Numbers.of([[high for _, high in some] for some in between]),
            np.array([max(map(abs, some)) for some in rises]),
            np.array([max(map(abs, some)) for some in places]),
            np.array([step_of(some) for some in rises]),
            np.array(
                [
                    step_of([*some, *(h for _, h, _ in more)])
                    for some, more in zip(places, flat, strict=True)
                ]
            ),
            np.array([not any(type(each) is Rational for each in some) for some in numbers], bool),
        )


def _stretches(curve: Curve) -> Iterator[tuple[float, float, float]]:
    """Where each stretch of a curve begins, its height there and its slope."""
    bends: dict[Fraction, Fraction] = {fraction_of(curve.low): fraction_of(curve.slope)}
    for place, change in curve.knots:
        at = fraction_of(place)
        bends[at] = bends.get(at, Fraction(0)) + fraction_of(change)
    places = sorted(bends)
    slopes = [*accumulate(bends[place] for place in places)]
    height = fraction_of(curve.start)
    for number, (place, slope) in enumerate(zip(places, slopes, strict=True)):
        if number:
            height += slopes[number - 1] * (place - places[number - 1])
        yield rational(place), rational(height), rational(slope)


def _measured(curve: Curve, space: Space) -> bool:
    """Whether a curve compares a distance, whose hands are nearly what they should be."""
    read = (space.ranges[name] for name in curve.form.coefficients)
    return bool(curve.knots) and not curve.slope and any(not values.grain for values in read)


def _means(curve: Curve, space: Space) -> tuple[float, float]:
    """The ends between which a curve is what its rule means."""
    return (-FAR, FAR) if _measured(curve, space) else (curve.low, curve.high)


def _between(curve: Curve, space: Space) -> Iterator[tuple[float, float]]:
    """The two values on both sides of each step: what lies between them is on neither side."""
    low, grain = fraction_of(curve.low), fraction_of(curve.grain)
    measured = _measured(curve, space)
    for place in ramps(curve):
        if measured:
            yield curve.knots[place][0], curve.knots[place + 1][0]
            continue
        first, last = (fraction_of(knot) for knot, _ in curve.knots[place : place + 2])
        number = -((low - (first + last) / 2) // grain)
        yield rational(low + (number - 1) * grain), rational(low + number * grain)


@dataclass(frozen=True, eq=False)
class Gates:
    """Conjunctions of flags.

    Attributes:
        violations: how many flags are not as they must be.
        columns: the columns that are read, each once; entries: which of them each entry reads.
        owner: the gate of each entry.
    """

    violations: Sums
    columns: Ints
    entries: Ints
    owner: Ints

    @staticmethod
    def of(gates: Sequence[Gate], space: Space) -> "Gates":
        """The arrays of some gates."""
        sums = Sums.of([gate.violations() for gate in gates], space.index)
        columns, entries = np.unique(sums.columns, return_inverse=True)
        sizes = np.diff([*sums.starts, len(sums.columns)])
        owner = np.repeat(sums.filled, sizes) if len(sums.columns) else sums.columns
        return Gates(sums, columns, entries.astype(np.intp), owner.astype(np.intp))

    def is_open(self, residual: Cells, violations: Cells) -> tuple[Flags, list[tuple[int, int]]]:
        """Which gates are open, and the entries that read no flag where nothing else closes them.

        Raises:
            DoubtError: if float64 cannot tell.
        """
        is_open = np.asarray(violations.values < CLOSED, dtype=bool)
        odd = not_flags(residual, self.columns)
        if not odd.any():
            return is_open, []
        strange, values = odd[:, self.entries], residual.values[:, self.violations.columns]
        due = np.where(self.violations.factors < 0, 1, 0)
        wrong = np.asarray((values != due) & ~strange, dtype=np.float64)
        closed = self.violations.per_form(wrong) > 0
        touched = self.violations.per_form(strange.astype(np.float64)) > 0
        counts = ~closed | is_open  # a network is deceived by a flag of 2 beside one of 0
        return is_open & ~(touched & closed), places(strange & counts[:, self.owner])


def not_flags(cells: Cells, columns: Ints) -> Flags:
    """Which cells of some columns are neither 0 nor 1."""
    values = cells.values[:, columns]
    odd = np.asarray((values != 0) & (values != 1), dtype=bool)
    if cells.error is not None:
        error = cells.error[:, columns]
        near = np.minimum(np.abs(values), np.abs(values - 1))
        for row, place in places((error > 0) & (near <= error)):
            odd[row, place] = cells.fraction(row, int(columns[place])) not in (0, 1)
    return odd


CLOSED = 0.75
"""From so many violations on a gate is closed; with whole flags it has none, or one at least."""


@dataclass(frozen=True, eq=False)
class Rules:
    """A feed-forward block: its gates, its curves, its raw units, and what they write.

    ``guards``, ``compared`` and ``ranges``: sums of which no curve shows what they promise to be.
    """

    gates: "Gates"
    guards: "Gates"
    compared: Sums
    ranges: Ranges
    curves: Curves
    units: Sums
    writing: Writing

    @staticmethod
    def of(block: FeedForward, space: Space) -> "Rules":
        """The arrays of a block."""
        promised = [
            each.values if each.steps else without_steps(each.values) for each in block.compared
        ]
        curved = [(c, place) for place, rule in enumerate(block.rules) if (c := rule.curve)]
        writes = [part.writes for part in (*block.rules, *block.units)]
        return Rules(
            Gates.of([rule.gate for rule in block.rules], space),
            Gates.of([each.gate for each in block.compared], space),
            Sums.of([each.form for each in block.compared], space.index),
            Ranges.of(promised),
            Curves.of([curve for curve, _ in curved], [place for _, place in curved], space),
            Sums.of([unit.reads for unit in block.units], space.index),
            Writing.of(writes, block.bias or {}, space),
        )
