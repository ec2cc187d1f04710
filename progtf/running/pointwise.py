"""What feed-forward blocks, dense layers and cells make of each position by itself."""

from collections.abc import Callable, Mapping

import numpy as np

from progtf.program.arrays import Array, Reading
from progtf.program.changes import CELL
from progtf.program.forms import Form, Space
from progtf.program.model import Cell, Dense, FeedForward, Program, Rule
from progtf.running.override import UNCHANGED, Unchanged
from progtf.running.prepared import Rules
from progtf.running.trace import Trace

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "clip": lambda x: np.clip(x, -1, 1),
    "none": lambda x: x,
}


def feedforward_update(block: FeedForward, made: Rules, residual: Array, trace: Trace) -> Array:
    """What rules and raw units of one layer add: shape (positions, width)."""
    amounts = _amounts(block, made, residual, trace)
    units = np.maximum(made.units(residual), 0)
    for unit, amount in zip(block.units, units.T, strict=True):
        trace.fired(unit, amount)
    return made.writing(np.hstack([amounts, units]), residual.shape[1])


def _amounts(block: FeedForward, made: Rules, residual: Array, trace: Trace) -> Array:
    """What each rule amounts to, less what would pass it if the flag that holds it back were 0."""
    violations, (held, flags) = made.gates(residual), made.held
    amounts = made.amounts(residual, violations)
    if len(held):
        closed = violations.copy()
        closed[:, held] += residual[:, flags]
        amounts[:, held] -= made.amounts(residual, closed)[:, held]
    x = made.curves.read(residual, violations)
    for rule, off in zip(block.rules, violations.T, strict=True):
        trace.gate(rule, off)
    curved: list[int] = made.curves.rules.tolist()
    for place, read in zip(curved, x.T, strict=True):
        trace.curve(block.rules[place], read[violations[:, place] < 0.5])
    for rule, amount in zip(block.rules, amounts.T, strict=True):
        trace.fired(rule, amount)
    return amounts


def rule_value(rule: Rule, residual: Array, space: Space) -> Array:
    """What a rule amounts to at each position: shape (positions,)."""
    block = FeedForward((rule,))
    return _amounts(block, Rules.of(block, space), residual, Trace())[:, 0]


def dense_output(stage: Dense, residual: Array, program: Program) -> Array:
    """A dense layer replaces all semes; the clocks stay as they are."""
    result = _map(stage.weights, residual, program.space)
    result = np.maximum(result, 0) if stage.relu else result
    result[:, program.semes :] = residual[:, program.semes :]
    return result


def recur(cell: Cell, inputs: Array, space: Space, override: Unchanged = UNCHANGED) -> Array:
    """The state of a recurrent cell after each position: shape (positions, width)."""
    hidden = np.zeros((1, inputs.shape[1]))
    states = np.zeros_like(inputs)
    for position, row in enumerate(inputs):
        total = _map(cell.input, row[None], space) + _map(cell.recurrent, hidden, space)
        hidden = _ACTIVATIONS[cell.activation](total)
        states[position] = hidden = override.behind(f"encoder.{CELL}", hidden, position)
    return states


def _map(weights: Mapping[str, Form], residual: Array, space: Space) -> Array:
    result = np.zeros_like(residual)
    for name, form in weights.items():
        result[:, space.index[name]] = Reading.of([form], space)(residual)[:, 0]
    return result
