"""Recurrent cells: the state after as many steps as the input is long."""

from dataclasses import replace

import numpy as np

from progtf.exact import problems
from progtf.exact.entries import Entries
from progtf.exact.lemmas import lost_in_sum
from progtf.exact.report import shown
from progtf.exact.stream import Flags, Stream
from progtf.exact.walk import Walk
from progtf.program.model import Cell, Program
from progtf.program.outcome import Held

MOST_STEPS = 512
TANH = 4.0  # roundoffs that tanh may lie off


def after_cell(program: Program, cell: Cell, inputs: Stream, walk: Walk) -> Stream:
    """The state of a cell at its worst, kept to the declared ranges (lemmas 1 to 3, 9)."""
    number, maps = walk.number, walk.maps(("cell",))
    driving = Entries.of([maps["input"]], program.width)
    again = Entries.of([maps["recurrent"]], program.width)
    driven = driving.sums(inputs.terms, number)
    state, taken = Stream.zero(program.space), np.zeros(program.width, dtype=bool)
    for _ in range(min(walk.lengths[0], MOST_STEPS)):
        before = state
        back = again.sums(before.terms, number)
        low, high = driven.low + back.low, driven.high + back.high
        grid, error = np.minimum(driven.grid, back.grid), driven.error + driven.lost
        error = error + back.error + back.lost
        sizes = [np.maximum(-s.low, s.high) + s.error + s.lost for s in (driven, back)]
        terms, most = np.sum([size > 0 for size in sizes], axis=0), sizes[0] + sizes[1]
        lost = lost_in_sum(terms, most, np.zeros_like(most), grid, error, number)
        error = error + lost
        made = replace(state, low=low, high=high, grid=grid, error=error, stray=error)
        made = _activated(made, cell.activation, number.roundoff)
        made = replace(made, kept=walk.on_grid(made.grid))
        state, loose = _kept(made, walk)
        taken |= loose
        if state.same(before):
            break
    else:
        if walk.lengths[0] > MOST_STEPS:
            walk.report.unproven.append(problems.long_cell(cell.span, MOST_STEPS))
    _assume_kept(taken, cell, walk)
    return state


def _activated(made: Stream, activation: str, roundoff: float) -> Stream:
    match activation:
        case "relu":
            return replace(made, low=np.maximum(made.low, 0), high=np.maximum(made.high, 0))
        case "clip":
            low, high = (np.clip(end, -1.0, 1.0) for end in (made.low, made.high))
            return replace(made, low=low, high=high, grid=np.minimum(made.grid, 1.0))
        case "tanh":
            low, high = np.tanh(made.low), np.tanh(made.high)
            grid = np.where((made.low == 0) & (made.high == 0), np.inf, 0.0)
            return replace(
                made,
                low=low,
                high=high,
                grid=grid,
                error=made.error + TANH * roundoff,
                stray=made.error + TANH * roundoff,
            )
        case _:
            return made


def _kept(made: Stream, walk: Walk) -> tuple[Stream, Flags]:
    """The state, taken to keep to the declared ranges; of every column whether that is needed."""
    least, most, _, _ = walk.declared
    loose = (made.low < least) | (made.high > most)
    low, high = np.maximum(made.low, least), np.minimum(made.high, most)
    low, high = np.minimum(low, high), np.maximum(low, high)
    kept = replace(made, low=np.where(loose, low, made.low), high=np.where(loose, high, made.high))
    return kept, loose


def _assume_kept(loose: Flags, cell: Cell, walk: Walk) -> None:
    for column in np.flatnonzero(loose).tolist():
        name = walk.program.space.names[column]
        values = walk.program.space.ranges[name]
        text = f"{shown(name)} stays in {values.ends} from word to word"
        walk.report.assume(text, cell.span, Held("range", name))
