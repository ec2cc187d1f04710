"""Recurrent cells: the state after as many steps as the input is long."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from progtf.exact.bounds import ZERO, Bound, State, read, total
from progtf.program.forms import Form
from progtf.program.model import Cell, Program

if TYPE_CHECKING:
    from progtf.exact.layers import Walk

MOST_STEPS = 512


def after_cell(program: Program, cell: Cell, inputs: State, walk: "Walk") -> dict[str, Bound]:
    """The state of a cell at its worst, kept to the declared ranges."""
    number = walk.number
    state = dict.fromkeys(program.space.names, ZERO)
    driven = {name: read(form, inputs, number) for name, form in cell.input.items()}
    assumed: set[str] = set()
    before: State = {}
    for _ in range(min(walk.lengths[0], MOST_STEPS)):
        before = state
        state = {
            name: _kept(program, name, _step(cell, name, driven, before, walk), assumed)
            for name in program.space.names
        }
        if state == before:
            break
    for stem in sorted(assumed):
        walk.report.assume(f"{stem} keeps to its declared values from word to word")
    if walk.lengths[0] > MOST_STEPS and state != before:
        walk.report.assume(f"errors of the cell grow no more after {MOST_STEPS} words")
    return state


def _step(cell: Cell, name: str, driven: Mapping[str, Bound], before: State, walk: "Walk") -> Bound:
    recurrent = read(cell.recurrent.get(name, Form()), before, walk.number)
    return _activated(total((driven.get(name, ZERO), recurrent), walk.number), cell.activation)


def _activated(bound: Bound, activation: str) -> Bound:
    match activation:
        case "relu":
            return bound._replace(low=max(0.0, bound.low), high=max(0.0, bound.high))
        case "clip":
            low, high = (min(max(end, -1.0), 1.0) for end in bound[:2])
            return bound._replace(low=low, high=high, grid=min(bound.grid, 1.0))
        case "tanh":
            return Bound(-1.0, 1.0, 0.0, bound.error + 1e-6)
        case _:
            return bound


def _kept(program: Program, name: str, bound: Bound, assumed: set[str]) -> Bound:
    from progtf.exact.settle import SLACK, shown  # noqa: PLC0415

    values = program.space.ranges[name]
    if values.low - SLACK <= bound.low and bound.high <= values.high + SLACK:
        return bound
    assumed.add(shown(name))
    low, high = max(bound.low, values.low), min(bound.high, values.high)
    return bound._replace(low=min(low, high), high=max(low, high))
