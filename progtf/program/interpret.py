"""What a program means: float64, hard attention in which ties share, and no torch.

Compiled networks are held against this.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from progtf.program.answers import (
    EXPLAINED,
    Answer,
    Outside,
    Reason,
    first_outside,
    number_answer,
    read_vectors,
    reasons,
    show_residual,
    show_vector,
)
from progtf.program.attend import head_update
from progtf.program.clocks import encode
from progtf.program.forms import Array, Form
from progtf.program.model import BOS, EOS, Dense, Layer, Program, Stage
from progtf.program.pointwise import dense_output, feedforward_update, recur
from progtf.program.spelling import Token
from progtf.program.tokens import InputError, Reader, join
from progtf.program.trace import Trace

NORM_EPS = 1e-5


def embed(program: Program, tokens: Sequence[str]) -> Array:
    """Lexicon vectors and clocks: shape (tokens, width)."""
    residual = np.zeros((len(tokens), program.width))
    for position, token in enumerate(tokens):
        vector = program.lexicon.get(token, program.unknown) or {}
        for seme, value in vector.items():
            residual[position, program.space.index[seme]] = value
        marks = token.marks if isinstance(token, Token) else ()
        for count, given in zip(marks, program.spelled, strict=False):
            for seme, value in given.items():
                residual[position, program.space.index[seme]] += count * value
    return with_clocks(program, residual)


def with_clocks(program: Program, residual: Array) -> Array:
    """The residual with the hands of the clocks at its positions."""
    if program.clocks:
        first = len(program.space) - 2 * len(program.clocks)
        residual[:, first : len(program.space)] += encode(program.clocks, len(residual))
    return residual


def residuals(program: Program, tokens: Sequence[str], trace: Trace | None = None) -> Array:
    """The residual stream of the encoder after its last layer: shape (tokens, width)."""
    trace = trace or Trace()
    trace.tokens = tuple(tokens)
    residual = embed(program, tokens)
    trace.note("encoder", "embedding", residual)
    if program.cell is not None:
        residual = recur(program.cell, residual, program.space)
        trace.note("encoder", "cell", residual)
    return run_stack(program, program.encoder, residual, None, "encoder", trace)


def run_stack(
    program: Program,
    stages: Sequence[Stage],
    residual: Array,
    memory: Array | None,
    stack: str,
    trace: Trace,
) -> Array:
    """All stages of an encoder or decoder, one after another."""
    for stage in stages:
        match stage:
            case Dense():
                residual = dense_output(stage, residual, program)
                trace.note(stack, stage.name, residual)
            case Layer():
                for _ in range(stage.repeat):
                    residual = _layer(program, stage, residual, memory, stack, trace)
                    trace.note(stack, stage.name, residual)
    return residual


def _layer(
    program: Program,
    layer: Layer,
    residual: Array,
    memory: Array | None,
    stack: str,
    trace: Trace,
) -> Array:
    causal = stack == "decoder"
    for heads, source in ((layer.heads, None), (layer.cross, memory)):
        if heads:
            read = normalised(residual, program)
            there = read if source is None else source
            update = sum(head_update(h, read, there, program, trace, causal=causal) for h in heads)
            residual = residual + update
    if layer.feedforward is not None:
        residual = residual + feedforward_update(
            layer.feedforward, normalised(residual, program), program.space, trace
        )
    return residual


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


# ------------------------------------------------------------------ outputs


def classes(program: Program, residual: Array) -> tuple[tuple[str, ...], Array]:
    """Class labels and their scores for the pooled sequence."""
    classify = program.classify
    assert classify is not None
    match classify.pool:
        case "max":
            pooled = residual.max(axis=0, keepdims=True)
        case "mean":
            pooled = residual.mean(axis=0, keepdims=True)
        case "first":
            pooled = residual[:1]
        case "last":
            pooled = residual[-1:]
        case "sum":
            pooled = residual.sum(axis=0, keepdims=True)
    labels, forms = class_forms(program)
    return labels, program.space.read(forms, pooled)[0]


def class_forms(program: Program) -> tuple[tuple[str, ...], list[Form]]:
    """The classes with ``otherwise`` among them, which scores one half."""
    assert program.classify is not None
    table = dict(program.classify.classes)
    if program.classify.otherwise is not None:
        table[program.classify.otherwise] = Form({}, 0.5)
    return tuple(table), list(table.values())


def generate(program: Program, tokens: Sequence[str], trace: Trace | None = None) -> list[str]:
    """The tokens that a decoder writes for an input, greedily, without ``<eos>``."""
    trace = trace or Trace()
    memory = None
    written = [BOS] if program.kind == "seq2seq" else list(tokens)
    if program.kind == "seq2seq":
        memory = residuals(program, tokens, trace)
    outputs, forms = tuple(program.outputs), list(program.outputs.values())
    produced: list[str] = []
    before = len(trace.steps)
    while len(produced) < program.lengths[1]:
        del trace.steps[before:]  # the last step sees everything that the earlier ones saw
        trace.tokens = tuple(written)
        residual = embed(program, written)
        trace.note("decoder", "embedding", residual)
        residual = run_stack(program, program.decoder, residual, memory, "decoder", trace)
        scores = program.space.read(forms, residual[-1:])[0]
        token = outputs[int(scores.argmax())]
        if token == EOS:
            break
        produced.append(token)
        written.append(token)
    return produced


# ------------------------------------------------------------------ answers


def reader(program: Program) -> Reader:
    """Reads inputs for a program."""
    unknown = program.unknown is not None
    return Reader(
        program.kind, program.tokens, program.lexicon, unknown, program.lengths[0], program.spelling
    )


def answer(program: Program, text: str, trace: Trace | None = None) -> Answer:
    """What a program says about an input, by its meaning alone.

    Raises:
        InputError: if the program cannot take the input.
    """
    trace = trace or Trace()
    names = program.space.names[: program.semes]
    if program.kind == "dense" and not program.lexicon:
        return _of_vectors(program, text, trace)
    tokens = reader(program).read(text)
    if program.kind in ("seq2seq", "decoder"):
        return Answer(
            join(generate(program, tokens, trace), program.tokens, program.join), tuple(tokens)
        )
    residual = residuals(program, tokens, trace)
    if program.classify is not None:
        labels, scores = classes(program, residual)
        if program.classify.number:
            return number_answer(float(scores[0]), tokens, _because(program, tokens, residual))
        table = dict(zip(labels, map(float, scores), strict=True))
        return Answer(
            labels[int(scores.argmax())],
            tuple(tokens),
            None,
            table,
            gap_of(scores),
            _because(program, tokens, residual),
        )
    if program.outputs:
        inner = [i for i, token in enumerate(tokens) if token not in (BOS, EOS)]
        scores = program.space.read(list(program.outputs.values()), residual)[inner]
        said = [list(program.outputs)[int(best)] for best in scores.argmax(axis=1)]
        return Answer(
            join(said, program.tokens, program.join), tuple(tokens), gap=min(map(gap_of, scores))
        )
    if program.kind == "rnn":
        tokens, residual = tokens[-1:], residual[-1:]
    return Answer(
        show_residual(tokens, residual, names), tuple(tokens), residual[:, : program.semes]
    )


def _because(program: Program, tokens: Sequence[str], residual: Array) -> tuple[Reason, ...]:
    classify = program.classify
    if classify is None or classify.pool not in EXPLAINED:
        return ()
    read = [name for form in classify.classes.values() for name in form.coefficients]
    return tuple(reasons(read, program.space.names, tokens, residual))


def gap_of(scores: Array) -> float:
    """How far the best score lies above the second best."""
    ordered = np.sort(scores)
    return float(ordered[-1] - ordered[-2]) if len(ordered) > 1 else float("inf")


def _of_vectors(program: Program, text: str, trace: Trace) -> Answer:
    """Dense programs without a lexicon take vectors in the notation."""
    names = program.space.names[: program.semes]
    vectors = read_vectors(text, names)
    residual = np.zeros((len(vectors), program.width))
    for row, vector in enumerate(vectors):
        for name, value in vector.items():
            residual[row, program.space.index[name]] = value
    trace.note("encoder", "input", residual)
    final = run_stack(program, program.encoder, residual, None, "encoder", trace)[
        :, : program.semes
    ]
    shown = " | ".join(show_vector(row, names) for row in final)
    return Answer(shown, ("",) * len(vectors), final)


@dataclass(frozen=True)
class Interpreter:
    """A program that answers texts by its meaning, one after another."""

    program: Program

    @property
    def semes(self) -> tuple[str, ...]:
        """The names of the semes, clocks left out."""
        return self.program.space.names[: self.program.semes]

    def try_answers(self, texts: Sequence[str]) -> list[Answer | InputError]:
        """The answers; an input that the program cannot take gives its error."""
        return [self._try(text) for text in texts]

    def _try(self, text: str) -> Answer | InputError:
        watched = _Last()
        try:
            said = answer(self.program, text, watched)
            return replace(said, outside=self._outside(said, watched))
        except InputError as error:
            return error

    def _outside(self, said: Answer, watched: "_Last") -> Outside | None:
        space = self.program.space
        bounds = [(name, space.ranges[name].low, space.ranges[name].high) for name in self.semes]
        if watched.encoded is None or not said.tokens[0]:
            return None
        return first_outside(watched.words, watched.encoded, bounds)


class _Last(Trace):
    """Keeps what the encoder came to."""

    def __init__(self) -> None:
        super().__init__()
        self.encoded: Array | None = None
        self.words: tuple[str, ...] = ()

    def note(self, stack: str, label: str, residual: Array) -> None:  # noqa: ARG002  a Trace's
        """Each layer of the encoder in the place of the one before."""
        if stack == "encoder":
            self.encoded, self.words = residual, self.tokens
