"""The way of one text through a program: embedded, layer by layer, loops, and what is written."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from progtf.equality import compared
from progtf.program.arrays import Array, Ints, hands
from progtf.program.heard import unheard
from progtf.program.loops import by_loop
from progtf.program.model import BOS, EOS, Dense, Head, Layer, Loop, Program, Stage
from progtf.program.speaking import UP, first_unfinished
from progtf.program.vectors import token_vector
from progtf.rational import Rational, fraction_of
from progtf.running.attend import Past, head_update, summed
from progtf.running.cells import (
    LOOSE,
    TINY,
    UNIT,
    Cells,
    DoubtError,
    Flags,
    applied,
    as_floats,
    exactly,
    grid_of,
    mean,
    odd_part,
    places,
    rounded_by_float,
    settled,
    step_of,
)
from progtf.running.override import UNCHANGED, Unchanged
from progtf.running.pointwise import dense_output, feedforward_update, recur
from progtf.running.prepared import prepared
from progtf.running.promises import Promises
from progtf.running.stop import STOP
from progtf.running.trace import Trace

Made = TypeVar("Made")
NORM_EPS = 1e-5


def embed(program: Program, tokens: Sequence[str], first: int = 0) -> Array:
    """Lexicon vectors and clocks of the tokens from ``first`` on: shape (tokens, width)."""
    return as_floats(embedded(program, tokens, first, exact=False).values)


def embedded(program: Program, tokens: Sequence[str], first: int, *, exact: bool) -> Cells:
    """What tokens have before the first layer, as cells."""
    tokens, index = tokens[first:], program.space.index
    shape = len(tokens), program.width
    values = np.zeros(shape, dtype=object if exact else np.float64)
    error: Array | None = None
    parts, fine = np.ones(shape, dtype=np.int64), 1.0
    for position, token in enumerate(tokens):
        for seme, value in token_vector(program, token).items():
            if exact:
                values[position, index[seme]] = settled(fraction_of(value))
                continue
            values[position, index[seme]] = value
            if type(value) is Rational:
                error = np.zeros(shape) if error is None else error
                error[position, index[seme]] = UNIT * abs(value) + TINY
                parts[position, index[seme]] = odd_part(value)
                fine = min(fine, step_of([value]))
    if not exact:
        fine = min(fine, grid_of(values if error is None else values[error == 0]))
    if not program.clocks:
        return Cells.of(values, error, None, np.full(program.width, fine), parts)
    begin = len(program.space) - 2 * len(program.clocks)
    tables = [hand[first:] for p in program.clocks for hand in hands(p, first + len(tokens))]
    told = np.stack(tables, axis=1)
    columns = np.arange(begin, len(program.space))
    if exact:
        values[:, columns] = exactly(told.ravel().tolist()).reshape(told.shape)
        return Cells(values)
    error = np.zeros(shape) if error is None else error
    grid = grid_of(values[error == 0])
    values[:, columns] = told
    error[:, columns] = LOOSE
    parts[:, columns] = 0
    return Cells.of(values, error, grid, np.full(program.width, fine), parts)


def residuals(
    program: Program,
    tokens: Sequence[str],
    trace: Trace | None = None,
    override: Unchanged = UNCHANGED,
) -> Array:
    """The residual stream of the encoder after its last layer: shape (tokens, width)."""
    trace = trace or Trace()
    found = certainly(program, lambda run: encoded(run, tokens, trace), override, trace)[0]
    return as_floats(found.values)


@dataclass(frozen=True, eq=False)
class Run:
    """One text at work.

    Attributes:
        program: what is computed.
        promises: held against the numbers.
        override: what is changed on the way.
        exact: whether it computes in fractions.
    """

    program: Program
    promises: Promises
    override: Unchanged = UNCHANGED
    exact: bool = False


def certainly(
    program: Program,
    compute: Callable[[Run], Made],
    override: Unchanged = UNCHANGED,
    trace: Trace | None = None,
) -> tuple[Made, Promises, bool]:
    """What a computation gives, in float64 where that is certain, else in fractions.

    Returns:
        What it gives, the promises that it held against the numbers, and whether it took fractions.
    """
    for exact in (False, True):
        promises = Promises(program)
        try:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return compute(Run(program, promises, override, exact)), promises, exact
        except DoubtError:
            if exact:
                raise
            if trace is not None:
                trace.again()
    raise AssertionError


def encoded(run: Run, tokens: Sequence[str], trace: Trace) -> Cells:
    """The residual stream of the encoder after its last layer."""
    program, override = run.program, run.override
    trace.tokens = tuple(tokens)
    residual = embedded(program, tokens, 0, exact=run.exact)
    trace.note("encoder", "embedding", residual.floats)
    if program.cell is not None:
        residual = override.begun("encoder", residual, 0)
        residual = recur(program.cell, residual, program.space, override)
        trace.note("encoder", "cell", residual.floats)
    return Stack(run, "encoder", trace).run_stages(program.encoder, residual)


@compared
@dataclass(frozen=True)
class Stack:
    """An encoder or a decoder at work.

    Attributes:
        past: what the heads of a decoder have read; None: everything is computed at once.
        memory: what the encoder has found.
        first: the place of the first token.
    """

    run: Run
    name: Literal["encoder", "decoder"]
    trace: Trace
    memory: Cells | None = None
    past: Past | None = None
    first: int = 0

    @property
    def program(self) -> Program:
        """What is computed."""
        return self.run.program

    def run_stages(self, stages: Sequence[Stage], residual: Cells) -> Cells:
        """All stages, one after another, those of a loop again and again."""
        if stages and self.program.cell is None:
            residual = self.run.override.begun(self.name, residual, self.first)
        for run in by_loop(stages):
            loop = run[0].loop
            residual = (
                self._once(run, residual) if loop is None else self._loop(run, loop, residual)
            )
        return residual

    def _loop(self, stages: Sequence[Stage], loop: Loop, residual: Cells) -> Cells:
        """Rounds until all have stopped, texts or places of a decoder, or a mark where not."""
        index = self.program.space.index
        resets = np.array([index[name] for name in loop.resets], dtype=np.intp)
        going = np.ones(len(residual.values), dtype=bool)
        for name in loop.asked:
            going &= self._heard(loop, residual, name)
        for _ in range(loop.most):
            if not going.any():
                break
            residual = _put(residual, going, resets, 0)
            residual = self._once(stages, residual, going)
            going &= self._heard(loop, residual, loop.until) == loop.none
        residual = _put(residual, going, np.array([index[loop.unfinished]]), 1)
        label = f"{self.name}.{loop.name}"
        residual = self.run.override.behind(label, residual, self.first)
        self.trace.note(self.name, loop.name, residual.floats)
        return residual

    def _heard(self, loop: Loop, residual: Cells, flag: str) -> Flags:
        """Which tokens hear of a flag: of a decoder those that have it; if one does, all others."""
        column = self.program.space.index[flag]
        self.run.promises.of_loop(loop, column, residual, self.first)
        up = np.asarray(residual.values[:, column] > UP, dtype=bool)
        return up if self.name == "decoder" else np.full_like(up, up.any())

    def _once(self, stages: Sequence[Stage], residual: Cells, going: Flags | None = None) -> Cells:
        """All stages in turn; in a loop what has stopped, and is not ``going``, stays as it is."""
        override = self.run.override
        self.run.promises.going = going
        for stage in stages:
            for turn in range(stage.repeat if isinstance(stage, Layer) else 1):
                before, last = residual, isinstance(stage, Dense) or turn == stage.repeat - 1
                residual = (
                    dense_output(stage, residual, self.program)
                    if isinstance(stage, Dense)
                    else self._layer(stage, residual, turn)
                )
                if last:
                    residual = override.after(self.name, stage, residual, self.first)
                if going is not None:
                    residual = residual.where(going, before)
                    self.trace.stays(~going)
                self.trace.note(self.name, stage.name, residual.floats)
        self.run.promises.going = None
        return residual

    def _layer(self, layer: Layer, residual: Cells, turn: int) -> Cells:
        STOP.hear()
        for heads, source in ((layer.heads, None), (layer.cross, self.memory)):
            if not heads:
                continue
            read = normalised(residual, self.program)
            there = read if source is None else source
            for head in heads:
                residual = self._head(layer, head, read, there, turn, residual)
            if self.trace.watches:
                self.trace.between(self.name, layer.name, residual.floats)
        if layer.feedforward is None:
            return residual
        read = normalised(residual, self.program)
        made = prepared(self.program).rules(layer.feedforward)
        update = feedforward_update(
            layer.feedforward, made, read, self.trace, self.run.promises, self.first
        )
        silent = self.run.override.unwritten(layer)
        return (
            residual.added(made.writing.columns, update)
            if not silent
            else _without(residual, made.writing.columns, update, silent)
        )

    def _head(
        self, layer: Layer, head: Head, read: Cells, there: Cells, turn: int, residual: Cells
    ) -> Cells:
        sight, causal = prepared(self.program).sight(head), self.name == "decoder"
        past = self.past or Past()
        found = past.extended(head, sight, there, turn)
        columns = sight.writing.columns
        if self.run.override.silent(layer, head):
            shape = len(read.values), len(head.channels)
            nothing = Cells.of(np.zeros(shape, dtype=read.values.dtype))
            update = sight.writing(nothing.columns(slice(sight.channels)))
        else:
            update = head_update(
                head, sight, read, found, self.trace, self.run.promises,
                causal=causal, first=self.first,
            )  # fmt: skip
        if self.trace.watches:
            whole = np.zeros(read.values.shape)
            whole[:, columns] = as_floats(update.values)
            self.trace.added(head, whole)
        return residual.added(columns, update)


def _put(residual: Cells, rows: Flags, columns: Ints, value: int) -> Cells:
    """The cells of some rows and columns at 0 or 1."""
    chosen = np.ix_(rows, columns)
    values = residual.values.copy()
    values[chosen] = value
    if residual.error is None:
        return Cells(values, None, residual.grid)
    error = residual.error.copy()
    error[chosen] = 0.0
    return residual.made(values, error, residual.grid)


def _without(residual: Cells, columns: Ints, update: Cells, silent: Sequence[int]) -> Cells:
    """What is added, but for some columns."""
    kept = np.flatnonzero(~np.isin(columns, silent))
    return residual.added(columns[kept], update.columns(kept))


def normalised(residual: Cells, program: Program) -> Cells:
    """What sub-layers read of the residual, by ``norm:``; ``split`` leaves semes alone."""
    match program.norm:
        case "layer":
            values = as_floats(residual.values)
            centred = values - values.mean(axis=1, keepdims=True)
            scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + NORM_EPS)
            return rounded_by_float(scaled, exact=residual.exact)
        case "round":
            return _rounded(residual, program.semes)
        case _:
            return residual


def _rounded(residual: Cells, semes: int) -> Cells:
    """The nearest whole numbers, half to even; clocks, which tell positions, as they are."""
    own, width = residual.columns(slice(semes)), residual.values.shape[1]
    if residual.exact:
        rounded = Cells(applied(round, own.values))
    else:
        values = np.rint(own.values)
        for row, column in places(own.errors > 0):
            to_half = 0.5 - abs(own.values[row, column] - values[row, column])
            if to_half <= own.errors[row, column]:
                values[row, column] = round(own.fraction(row, column))
        rounded = Cells.of(values)
    return residual.put(np.arange(min(semes, width), dtype=np.intp), rounded)


def pooled(residual: Cells, how: str) -> Cells:
    """One row for a whole text: shape (1, width)."""
    if how in ("first", "last"):
        return residual.rows(0, 1) if how == "first" else residual.rows(-1)
    values, count = residual.values, len(residual.values)
    if how == "max":
        top = values.max(axis=0, keepdims=True)
        if residual.error is None:
            return Cells(top, None, residual.grid)
        least = (values - residual.error).max(axis=0, keepdims=True)
        may_be = values + residual.error >= least
        error = np.where(may_be, residual.error, 0.0).max(axis=0, keepdims=True)
        return Cells.of(top, error)
    total = summed(np.ones((1, count), dtype=bool), residual)
    return total if how == "sum" else mean(total, np.array([count]))


def generate(
    program: Program,
    tokens: Sequence[str],
    trace: Trace | None = None,
    override: Unchanged = UNCHANGED,
) -> tuple[list[str], float, Loop | None]:
    """The tokens that a decoder writes for an input, greedily, with ``<eos>`` if it ends.

    And the smallest distance between the best and the second-best score on the way, and the first
    loop that did not come to its end at a place. The trace is told of the encoder, and of the
    decoder as it reads all that was written at once.
    """
    trace = trace or Trace(keeps=False)
    return certainly(program, lambda run: written_by(run, tokens, trace), override, trace)[0]


def written_by(
    run: Run, tokens: Sequence[str], trace: Trace, ends: Sequence[Loop] | None = None
) -> tuple[list[str], float, Loop | None]:
    """What `generate` gives; ``ends``: the loops that must end, if not those of ``unheard``."""
    program, seq2seq = run.program, run.program.kind == "seq2seq"
    memory = encoded(run, tokens, trace) if seq2seq else None
    produced: list[str] = []
    gap = float("inf")
    residual = Cells.of(np.zeros((1, program.width)))
    for token, apart, residual in writing(run, tokens, memory):  # noqa: B007  the last one is read
        produced.append(token)
        gap = min(gap, apart)
    if trace.keeps:
        begun = [BOS] if seq2seq else list(tokens)
        trace.tokens = tuple([*begun, *produced][:-1])
        embedding = embedded(program, trace.tokens, 0, exact=run.exact)
        trace.note("decoder", "embedding", embedding.floats)
        Stack(run, "decoder", trace, memory).run_stages(program.decoder, embedding)
    loops = () if not anew(program) else unheard(program) if ends is None else ends
    unfinished = first_unfinished(as_floats(residual.values), program.space.names, loops)
    return produced[: program.lengths[1] + (produced[-1] == EOS)], gap, unfinished


def writing(
    run: Run, tokens: Sequence[str], memory: Cells | None
) -> Iterator[tuple[str, float, Cells]]:
    """What a decoder writes, token by token, to ``<eos>`` or to one more than there is room for.

    Args:
        run: the text at work.
        tokens: the text.
        memory: what the encoder has found; None: the decoder goes on with the text itself.

    Yields:
        The token, how far its score lies above the next best, and the residual stream it was read
        off: of all tokens where all is computed `anew`, else of those that came last.
    """
    program = run.program
    written = list(tokens) if memory is None else [BOS]
    past = None if (at_once := anew(program)) else Past()
    stack = Stack(run, "decoder", Trace(keeps=False), memory, past)
    scores_of, outputs = prepared(program).outputs, [*program.outputs]
    count, read, token = 0, 0, ""
    while count <= program.lengths[1] and token != EOS:
        step = replace(stack, first=read)
        begun = embedded(program, written, read, exact=run.exact)
        residual = step.run_stages(program.decoder, begun)
        run.promises.of_answer([len(residual.values) - 1], residual, read)
        scores = scores_of(residual.rows(-1))
        best, apart = best_of(scores, run.promises, len(written) - 1)
        read = 0 if at_once else len(written)
        token, count = outputs[int(best[0])], count + 1
        written.append(token)
        yield token, float(apart[0]), residual


def best_of(scores: Cells, promises: Promises, first: int = 0) -> tuple[Ints, Array]:
    """The first of the greatest scores of each row, and how far it lies above the next.

    Raises:
        DoubtError: if float64 cannot tell which is the greatest.
    """
    values, error = scores.values, scores.errors if not scores.exact else None
    rows: list[list[Any]] = values.tolist()
    first_best: list[int] = [max(range(len(row)), key=row.__getitem__) for row in rows]
    best = np.array(first_best, dtype=np.intp)
    gaps = np.full(len(values), np.inf)
    for row, place in enumerate(first_best):
        rest = np.delete(values[row], place)
        if not len(rest):
            continue
        gaps[row] = _apart(scores, row, place, int(np.argmax(rest)))
        if error is not None:
            off = error[row, place] + np.delete(error[row], place)
            if ((off > 0) & (values[row, place] - rest <= off)).any():
                raise DoubtError
        alike = np.asarray(values[row] == values[row, place], dtype=bool)
        if alike.sum() > 1:
            due = "one answer to have the best score"
            promises.broke("tie", {}, "the answer", first + row, values[row, place], due)
    return best, gaps


def _apart(scores: Cells, row: int, first: int, second: int) -> float:
    """How far the first score of a row lies above the one that is ``second`` without it."""
    second += second >= first
    with suppress(DoubtError):
        return float(scores.fraction(row, first) - scores.fraction(row, second))
    return float(scores.values[row, first] - scores.values[row, second])


def anew(program: Program) -> bool:
    """Whether all is computed anew with each token: of loops, and sources that divide themselves.

    A place that has stopped is read in later rounds, of which there may be more with what is
    written; and what sources give to each reader changes with the readers.
    """
    layers = [stage for stage in program.decoder if isinstance(stage, Layer)]
    heads = [head for layer in layers for head in (*layer.heads, *layer.cross)]
    looped = any(layer.loop is not None for layer in layers)
    return looped or any(head.normalize == "queries" for head in heads)
