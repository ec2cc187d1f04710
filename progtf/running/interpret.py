"""What a program means: float64, hard attention in which ties share, and no torch.

Compiled networks are held against this.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from progtf.equality import compared
from progtf.program.answering import Answering, Input
from progtf.program.answers import (
    UP,
    Answer,
    Outside,
    Readout,
    Speaker,
    evidence_of,
    first_outside,
    first_unfinished,
    gap_of,
)
from progtf.program.arrays import Array, Reading, encode
from progtf.program.changes import Patch, named
from progtf.program.heard import unheard
from progtf.program.interface import interface_of
from progtf.program.loops import by_loop
from progtf.program.model import BOS, EOS, Dense, Head, Layer, Loop, Program, Stage
from progtf.program.outcome import Outcome, Proof
from progtf.program.tokens import Reader
from progtf.program.vectors import token_vector
from progtf.running.attend import Mask, Past, head_update
from progtf.running.override import UNCHANGED, Names, Override, Recorder, Unchanged
from progtf.running.pointwise import dense_output, feedforward_update, recur
from progtf.running.prepared import prepared
from progtf.running.trace import Trace

NORM_EPS = 1e-5


def embed(program: Program, tokens: Sequence[str], first: int = 0) -> Array:
    """Lexicon vectors and clocks of the tokens from ``first`` on: shape (tokens, width)."""
    tokens = tokens[first:]
    residual = np.zeros((len(tokens), program.width))
    for position, token in enumerate(tokens):
        for seme, value in token_vector(program, token).items():
            residual[position, program.space.index[seme]] = value
    if program.clocks:
        hands = len(program.space) - 2 * len(program.clocks)
        told = encode(program.clocks, len(residual), first)
        residual[:, hands : len(program.space)] += told
    return residual


def residuals(
    program: Program,
    tokens: Sequence[str],
    trace: Trace | None = None,
    override: Unchanged = UNCHANGED,
) -> Array:
    """The residual stream of the encoder after its last layer: shape (tokens, width)."""
    trace = trace or Trace()
    trace.tokens = tuple(tokens)
    residual = embed(program, tokens)
    trace.note("encoder", "embedding", residual)
    if program.cell is not None:
        residual = override.begun("encoder", residual, 0)
        residual = recur(program.cell, residual, program.space, override)
        trace.note("encoder", "cell", residual)
    return _Stack(program, "encoder", trace, override=override).run(program.encoder, residual)


@compared
@dataclass(frozen=True)
class _Stack:
    """An encoder or a decoder at work.

    Attributes:
        past: what the heads of a decoder have read; None: everything is computed at once.
        memory: what the encoder has found.
        override: what is changed on the way.
        first: the place of the first token.
    """

    program: Program
    name: Literal["encoder", "decoder"]
    trace: Trace
    memory: Array | None = None
    past: Past | None = None
    override: Unchanged = UNCHANGED
    first: int = 0

    def run(self, stages: Sequence[Stage], residual: Array) -> Array:
        """All stages, one after another, those of a loop again and again."""
        if stages and self.program.cell is None:
            residual = self.override.begun(self.name, residual, self.first)
        for run in by_loop(stages):
            loop = run[0].loop
            residual = (
                self._once(run, residual) if loop is None else self._loop(run, loop, residual)
            )
        return residual

    def _loop(self, stages: Sequence[Stage], loop: Loop, residual: Array) -> Array:
        """Rounds until all have stopped, texts or places of a decoder, or a mark where not."""
        index = self.program.space.index
        resets = np.array([index[name] for name in loop.resets], dtype=np.intp)
        going = np.ones(len(residual), dtype=bool)
        for name in loop.asked:
            going &= self._heard(residual, name)
        for _ in range(loop.most):
            if not going.any():
                break
            residual = residual.copy()
            residual[np.ix_(going, resets)] = 0.0
            residual = self._once(stages, residual, going)
            going &= self._heard(residual, loop.until) == loop.none
        residual = residual.copy()
        residual[going, index[loop.unfinished]] = 1.0
        residual = self.override.behind(f"{self.name}.{loop.name}", residual, self.first)
        self.trace.note(self.name, loop.name, residual)
        return residual

    def _heard(self, residual: Array, flag: str) -> Mask:
        """Which tokens hear of a flag: of a decoder those that have it; if one does, all others."""
        up = residual[:, self.program.space.index[flag]] > UP
        return up if self.name == "decoder" else np.full_like(up, up.any())

    def _once(self, stages: Sequence[Stage], residual: Array, going: Mask | None = None) -> Array:
        """All stages in turn; in a loop what has stopped, and is not ``going``, stays as it is."""
        for stage in stages:
            for turn in range(stage.repeat if isinstance(stage, Layer) else 1):
                before, last = residual, isinstance(stage, Dense) or turn == stage.repeat - 1
                residual = (
                    dense_output(stage, residual, self.program)
                    if isinstance(stage, Dense)
                    else self._layer(stage, residual, turn)
                )
                if last:
                    residual = self.override.after(self.name, stage, residual, self.first)
                if going is not None:
                    residual = np.where(going[:, None], residual, before)
                    self.trace.stays(~going)
                self.trace.note(self.name, stage.name, residual)
        return residual

    def _layer(self, layer: Layer, residual: Array, turn: int) -> Array:
        for heads, source in ((layer.heads, None), (layer.cross, self.memory)):
            if heads:
                read = normalised(residual, self.program)
                there = read if source is None else source
                updates = (self._head(layer, head, read, there, turn) for head in heads)
                residual = residual + sum(updates)
        if layer.feedforward is not None:
            read = normalised(residual, self.program)
            rules = prepared(self.program).rules(layer.feedforward)
            found = feedforward_update(layer.feedforward, rules, read, self.trace)
            found[:, self.override.unwritten(layer)] = 0.0
            residual = residual + found
        return residual

    def _head(self, layer: Layer, head: Head, read: Array, there: Array, turn: int) -> Array:
        sight, causal = prepared(self.program).sight(head), self.name == "decoder"
        past = self.past or Past()
        found = past.extended(head, sight, there, turn)
        if self.override.silent(layer, head):
            return sight.writing(np.zeros((len(read), len(head.channels))), read.shape[1])
        return head_update(head, sight, read, found, self.trace, causal=causal)


def normalised(residual: Array, program: Program) -> Array:
    """What sub-layers read of the residual, by ``norm:``; ``split`` leaves semes alone."""
    match program.norm:
        case "layer":
            centred = residual - residual.mean(axis=1, keepdims=True)
            return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + NORM_EPS)
        case "round":
            return np.round(residual)
        case _:
            return residual


def pooled(residual: Array, how: str) -> Array:
    """One row for a whole text: shape (1, width)."""
    if how in ("first", "last"):
        return residual[:1] if how == "first" else residual[-1:]
    return getattr(residual, how)(axis=0, keepdims=True)  # max, mean, sum


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
    trace, seq2seq = trace or Trace(keeps=False), program.kind == "seq2seq"
    written = [BOS] if seq2seq else list(tokens)
    memory = residuals(program, tokens, trace, override) if seq2seq else None
    past = None if (at_once := _again(program)) else Past()
    writing = _Stack(program, "decoder", Trace(keeps=False), memory, past, override)
    scores_of, outputs = prepared(program).outputs, [*program.outputs]
    produced: list[str] = []
    gap, read, residual = float("inf"), 0, np.zeros((1, program.width))
    while len(produced) <= program.lengths[1] and EOS not in produced:
        step = replace(writing, first=read)
        residual = step.run(program.decoder, embed(program, written, read))
        scores, read = scores_of(residual[-1:])[0], 0 if at_once else len(written)
        gap = min(gap, gap_of(scores))
        produced.append(outputs[int(scores.argmax())])
        written.append(produced[-1])
    if trace.keeps:
        trace.tokens = tuple(written[:-1])
        begun = embed(program, trace.tokens)
        trace.note("decoder", "embedding", begun)
        whole = _Stack(program, "decoder", trace, memory, override=override)
        whole.run(program.decoder, begun)
    loops = unheard(program) if at_once else ()
    unfinished = first_unfinished(residual, program.space.names, loops)
    return produced[: program.lengths[1] + (produced[-1] == EOS)], gap, unfinished


def _again(program: Program) -> bool:
    """Whether all is computed anew with each token: of loops, and sources that divide themselves.

    A place that has stopped is read in later rounds, of which there may be more with what is
    written; and what sources give to each reader changes with the readers.
    """
    layers = [stage for stage in program.decoder if isinstance(stage, Layer)]
    heads = [head for layer in layers for head in (*layer.heads, *layer.cross)]
    looped = any(layer.loop is not None for layer in layers)
    return looped or any(head.normalize == "queries" for head in heads)


# ------------------------------------------------------------------ answers


_BY_MEANING = Proof.of(Outcome("by meaning", "float64"))


class Interpreter(Answering):
    """A program that answers texts by its meaning alone, as models do.

    Attributes:
        program: whose meaning it is.
    """

    def __init__(self, program: Program, override: Unchanged = UNCHANGED) -> None:
        self.program, self.override = program, override
        read = [] if program.classify is None else list(program.classify.classes.values())
        names = [name for form in read for name in form.coefficients]
        interface = interface_of(program)
        self.speaker = Speaker(interface, evidence_of(interface, names))

    @cached_property
    def reader(self) -> Reader:  # type: ignore[override]
        """Texts to tokens."""
        return Reader.of(self.speaker.interface)

    @property
    def proof(self) -> Proof:
        """Its answers are what others are held against."""
        return _BY_MEANING

    def patch(self, patch: Patch) -> "Interpreter":
        """What answers with some changes to what is computed, as ``Model.patch`` says.

        Of what is patched already, those changes come first.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        names = Names.of(self.program)
        changes = named(patch, self.program.space.names, names.known)
        sources: dict[tuple[str, str, str], Array] = {}
        for each in changes:
            if each.change.how == "swap":
                recorder = Recorder(names)
                Interpreter(self.program, recorder).answers([each.change.source])
                column = self.program.space.index[each.name]
                place = each.change.source, each.layer, each.name
                sources[place] = recorder.seen[each.layer][:, column]
        if isinstance(self.override, Override):
            changes = (*self.override.changes, *changes)
            sources = {**self.override.sources, **sources}
        return Interpreter(self.program, Override(self.program, names, changes, sources))

    def _read(self, text: str) -> Input:
        given = super()._read(text)
        self.override.fits(len(given))
        return given

    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order."""
        return (self._readout(each, Trace(keeps=False)) for each in inputs)

    def answer(self, text: str, trace: Trace) -> Answer:
        """The answer to one text; the trace is told what happens.

        Raises:
            InputError: if the program cannot take the text, or the answer does not end.
        """
        (given,) = self.read([text])
        return self.speaker.answer(self._readout(given, trace), self.proof)

    def _readout(self, given: Input, trace: Trace) -> Readout:
        program = self.program
        if program.kind == "dense" and not program.lexicon:
            final = self._of_vectors(given, trace)  # type: ignore[arg-type]
            return Readout(("",) * len(given), final, unfinished=self._unfinished(trace))
        tokens: tuple[str, ...] = tuple(given)  # type: ignore[arg-type]
        if self.speaker.interface.writes:
            written, gap, undone = generate(program, tokens, trace, self.override)
            return Readout(
                tokens, written=tuple(written), gap=gap, outside=self._outside(trace),
                unfinished=self._unfinished(trace) or undone,
            )  # fmt: skip
        residual = residuals(program, tokens, trace, self.override)
        return Readout(
            tokens, residual, self._evidence(residual), self._scores(residual),
            outside=self._outside(trace), unfinished=self._unfinished(trace),
        )  # fmt: skip

    def _scores(self, residual: Array) -> Array | None:
        program = self.program
        if program.classify is not None:
            read = pooled(residual, program.classify.pool)
            return Reading.of([*program.classify.forms.values()], program.space)(read)[0]
        if program.outputs:
            return prepared(program).outputs(residual)
        return None

    def _evidence(self, residual: Array) -> Array:
        index = self.program.space.index
        return residual[:, [index[name] for name in self.speaker.evidence]]

    def _outside(self, trace: Trace) -> Outside | None:
        if trace.encoded is None:
            return None
        semes = self.speaker.interface.space[: len(self.semes)]
        return first_outside(trace.encoded.tokens, trace.encoded.residual, semes)

    def _unfinished(self, trace: Trace) -> Loop | None:
        shape = self.speaker.interface
        if trace.encoded is None:
            return None
        return first_unfinished(trace.encoded.residual, shape.names, shape.loops)

    def _of_vectors(self, vectors: Sequence[dict[str, float]], trace: Trace) -> Array:
        """Dense programs without a lexicon take vectors in the notation."""
        program = self.program
        residual = np.zeros((len(vectors), program.width))
        for row, vector in enumerate(vectors):
            for name, value in vector.items():
                residual[row, program.space.index[name]] = value
        trace.note("encoder", "input", residual)
        stack = _Stack(program, "encoder", trace, override=self.override)
        return stack.run(program.encoder, residual)


def answer(program: Program, text: str, trace: Trace | None = None) -> Answer:
    """What a program says about an input, by its meaning alone.

    Raises:
        InputError: if the program cannot take the input.
    """
    return Interpreter(program).answer(text, trace or Trace())
