"""What feed-forward blocks, dense layers and cells make of each position by itself."""

from collections.abc import Callable, Mapping

import numpy as np

from progtf.program.forms import Array, Form, Space
from progtf.program.model import Cell, Dense, FeedForward, Program, Rule
from progtf.running.trace import Trace

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "clip": lambda x: np.clip(x, -1, 1),
    "none": lambda x: x,
}


def feedforward_update(block: FeedForward, residual: Array, space: Space, trace: Trace) -> Array:
    """What rules and raw units of one layer add: shape (positions, width)."""
    update = np.zeros_like(residual)
    for part in (*block.rules, *block.units):
        if isinstance(part, Rule):
            amount = rule_value(part, residual, space, trace)
        else:
            amount = np.maximum(space.read([part.reads], residual)[:, 0], 0)
        trace.fired(part, amount)
        for seme, value in part.writes.items():
            update[:, space.index[seme]] += value * amount
    for seme, value in (block.bias or {}).items():
        update[:, space.index[seme]] += value
    return update


def rule_value(rule: Rule, residual: Array, space: Space, trace: Trace | None = None) -> Array:
    """What a rule amounts to at each position: its curve where its gate is open, else 0.

    Between 0 and 1 violations, which whole flags never have, the gate closes on a ramp; the
    curve of a closed gate is read so far to the left that it is 0.
    """
    violations = space.read([rule.gate.violations()], residual)[:, 0]
    is_open = np.clip(1.5 - 2 * violations, 0, 1)
    if trace is not None:
        trace.gate(rule, violations)
    if rule.curve is None:
        return is_open
    curve = rule.curve
    x = space.read([curve.form], residual)[:, 0] - curve.reach * violations
    if trace is not None:
        trace.curve(rule, x[violations < 0.5])
    bends = [change * np.maximum(0, x - knot) for knot, change in curve.knots]
    return curve.start * is_open + curve.slope * np.maximum(0, x - curve.low) + sum(bends)


def dense_output(stage: Dense, residual: Array, program: Program) -> Array:
    """A dense layer replaces all semes; the clocks stay as they are."""
    result = _map(stage.weights, residual, program.space)
    result = np.maximum(result, 0) if stage.relu else result
    result[:, program.semes :] = residual[:, program.semes :]
    return result


def recur(cell: Cell, inputs: Array, space: Space) -> Array:
    """The state of a recurrent cell after each position: shape (positions, width)."""
    hidden = np.zeros((1, inputs.shape[1]))
    states = np.zeros_like(inputs)
    for position, row in enumerate(inputs):
        total = _map(cell.input, row[None], space) + _map(cell.recurrent, hidden, space)
        states[position] = hidden = _ACTIVATIONS[cell.activation](total)
    return states


def _map(weights: Mapping[str, Form], residual: Array, space: Space) -> Array:
    result = np.zeros_like(residual)
    for name, form in weights.items():
        result[:, space.index[name]] = space.read([form], residual)[:, 0]
    return result
