"""What feed-forward blocks, dense layers and cells make of each position by itself."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from progtf.program.arrays import Array
from progtf.program.changes import CELL
from progtf.program.forms import Form, Space
from progtf.program.model import Cell, Dense, FeedForward, Program, Rule
from progtf.running.cells import (
    LARGEST,
    TINY,
    UNIT,
    Cells,
    DoubtError,
    Flags,
    as_floats,
    places,
    rounded_by_float,
    settled,
)
from progtf.running.override import UNCHANGED, Unchanged
from progtf.running.promises import Promises
from progtf.running.rules import Curves, Rules
from progtf.running.sums import Sums
from progtf.running.trace import Trace


def feedforward_update(
    block: FeedForward,
    made: Rules,
    residual: Cells,
    trace: Trace,
    promises: Promises | None,
    first: int = 0,
) -> Cells:
    """What rules and raw units of one layer add to the columns that they write."""
    amounts = _amounts(block, made, residual, trace, promises, first)
    if not block.units:
        return made.writing(amounts)
    units = _positive(made.units(residual))
    if trace.watches:
        for unit, amount in zip(block.units, as_floats(units.values).T, strict=True):
            trace.fired(unit, amount)
    return made.writing(_beside(amounts, units))


def _beside(left: Cells, right: Cells) -> Cells:
    """Two blocks of cells as one, column after column."""
    width = left.values.shape[1]
    room = np.zeros((len(left.values), width + right.values.shape[1]), dtype=left.values.dtype)
    whole, columns = Cells.of(room), np.arange(room.shape[1])
    return whole.put(columns[:width], left).put(columns[width:], right)


def _positive(cells: Cells) -> Cells:
    """What is below 0 becomes 0: what is so for certain exactly."""
    values, error = cells.values, cells.error
    if error is not None:
        error = np.where(values + error <= 0, 0.0, error)
    return cells.made(np.maximum(values, 0), error, cells.grid)


def _amounts(
    block: FeedForward,
    made: Rules,
    residual: Cells,
    trace: Trace,
    promises: Promises | None,
    first: int,
) -> Cells:
    """What each rule amounts to: its curve where its gate is open, else 0."""
    violations, curves = made.gates.violations(residual), made.curves
    is_open, strange = made.gates.is_open(residual, violations)
    if promises is not None:
        promises.of_gates(block, made.gates, residual, strange, first)
        promises.of_compared(block, made, residual, first)
    if violations.exact:
        openness = is_open.astype(np.int64).astype(object)
        for row, rule in places(is_open & (violations.values != 0)):
            openness[row, rule] = _openness(violations.values[row, rule])
    else:
        if (is_open & (violations.values != 0) & (violations.errors >= TINY)).any():
            raise DoubtError  # a gate whose flags are none: how far it is open, fractions tell
        openness = np.where(is_open, np.clip(1.5 - 2 * violations.values, 0, 1), 0)
    amounts, gates = Cells.of(openness), is_open[:, curves.rules]
    read = curves.form(residual, gates)
    if len(curves.rules):
        if promises is not None:
            promises.of_curves(block, curves, read, gates, first)
        curved = _curved(curves, read, gates).times(amounts.columns(curves.rules))
        amounts = amounts.put(curves.rules, curved)
    if trace.watches:
        for place, number in enumerate(curves.rules.tolist()):
            trace.curve(block.rules[int(number)], as_floats(read.values[gates[:, place], place]))
        for rule, off in zip(block.rules, as_floats(violations.values).T, strict=True):
            trace.gate(rule, off)
        for rule, amount in zip(block.rules, as_floats(amounts.values).T, strict=True):
            trace.fired(rule, amount)
    return amounts


def _openness(violations: Fraction) -> Fraction:
    """How far a gate is open whose flags are none: those that are whole open or close it."""
    return settled(min(max(Fraction(3, 2) - 2 * violations, Fraction(0)), Fraction(1)))


def _curved(curves: Curves, read: Cells, is_open: Flags) -> Cells:
    """What each curve amounts to where its gate is open: shape (positions, curves)."""
    x, knots = read.values, curves.knots
    starts = np.searchsorted(knots.owner, np.arange(len(curves.rules)))
    passed = knots.passed(read, is_open[:, knots.owner])
    stretch = np.add.reduceat(passed, starts, axis=1, dtype=np.intp) + curves.begins
    height, slope, place = (
        some.of_kind(read)[stretch] for some in (curves.height, curves.slope, curves.place)
    )
    sloped = (slope != 0) & is_open
    values = np.where(is_open, height, 0)
    if read.exact:
        values[sloped] += slope[sloped] * (x[sloped] - place[sloped])
        return Cells(values)
    values = values + np.where(sloped, slope * (x - place), 0)
    return _bounded(curves, read, values, np.where(sloped, slope, 0), place, is_open)


def _bounded(
    curves: Curves, read: Cells, values: Array, slope: Array, place: Array, is_open: Flags
) -> Cells:
    """The values of curves, with a bound where float64 may have rounded."""
    grids = curves.slopes * np.minimum(curves.places, read.grid)
    fit = (curves.rise * (read.most + curves.reach) * 4 < LARGEST * grids) & curves.sure
    if read.error is None and fit.all():
        return Cells.of(values)
    most = np.abs(slope) * (np.abs(read.values) + np.abs(place))
    grids = curves.slopes * np.minimum(curves.places, read.grids)
    fits = ((np.abs(values) + most) * 4 < LARGEST * grids) & curves.sure
    error = np.abs(slope) * read.errors * (1 + 8 * UNIT)
    rounded = 8 * UNIT * (np.abs(values) + most) + TINY
    off = (read.errors > 0) & (slope != 0)
    steep: Flags = np.asarray((slope != 0) | ~curves.sure, dtype=bool)
    inexact = is_open & np.where(fits, off, steep)
    parts = np.where(curves.sure, read.divisors, 0)
    steps = np.minimum(curves.places, curves.slopes * np.minimum(curves.places, read.finest))
    return Cells.of(values, np.where(inexact, error + rounded, 0.0), None, steps, parts)


def rule_value(rule: Rule, residual: Array, space: Space) -> Array:
    """What a rule amounts to at each position: shape (positions,)."""
    block = FeedForward((rule,))
    made = Rules.of(block, space)
    try:
        found = _amounts(block, made, Cells.of(residual), Trace(), None, 0)
    except DoubtError:
        found = _amounts(block, made, Cells.of(residual).in_fractions(), Trace(), None, 0)
    return as_floats(found.values[:, 0])


def dense_output(stage: Dense, residual: Cells, program: Program) -> Cells:
    """A dense layer replaces all semes; the clocks stay as they are."""
    result = _mapped(stage.weights, residual, program.space)
    result = _positive(result) if stage.relu else result
    clocks = np.arange(program.semes, residual.values.shape[1], dtype=np.intp)
    return result.put(clocks, residual.columns(clocks))


def recur(cell: Cell, inputs: Cells, space: Space, override: Unchanged = UNCHANGED) -> Cells:
    """The state of a recurrent cell after each position: shape (positions, width)."""
    width = inputs.values.shape[1]
    nothing = np.zeros((1, width), dtype=inputs.values.dtype)
    hidden, states = Cells.of(nothing), list[Cells]()
    for position in range(len(inputs.values)):
        word = _mapped(cell.input, inputs.rows(position, position + 1), space)
        total = word.added(np.arange(width, dtype=np.intp), _mapped(cell.recurrent, hidden, space))
        hidden = _ACTIVATIONS[cell.activation](total)
        hidden = override.behind(f"encoder.{CELL}", hidden, position)
        states.append(hidden)
    result = states[0]
    for state in states[1:]:
        result = result.under(state)
    return result


def _clipped(cells: Cells) -> Cells:
    """What is beyond -1 or 1 becomes that: what is so for certain exactly."""
    values, error = cells.values, cells.error
    if error is not None:
        error = np.where(np.abs(values) - error >= 1, 0.0, error)
    return cells.made(np.clip(values, -1, 1), error, min(1.0, cells.grid))


def _tanh(cells: Cells) -> Cells:
    """By float64: the one curve that is not made of straight lines."""
    values = np.tanh(as_floats(cells.values))
    return rounded_by_float(values, exact=cells.exact)


_ACTIVATIONS: dict[str, Callable[[Cells], Cells]] = {
    "relu": _positive,
    "tanh": _tanh,
    "clip": _clipped,
    "none": lambda cells: cells,
}


def _mapped(weights: Mapping[str, Form], residual: Cells, space: Space) -> Cells:
    width = residual.values.shape[1]
    forms = [Form()] * width
    for name, form in weights.items():
        forms[space.index[name]] = form
    return Sums.of(forms, space.index)(residual)
