"""What a program means: float64, hard attention in which ties share, and no torch.

Compiled networks are held against this. A query attends to the keys with the highest score and to
no others; what lies within ``TIE`` of the highest counts as equal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from progtf.program.answers import Answer, read_vectors, show_residual, show_vector
from progtf.program.clocks import encode
from progtf.program.forms import Array, Form, Space
from progtf.program.model import (
    BOS,
    EOS,
    Cell,
    Dense,
    FeedForward,
    Head,
    Layer,
    Look,
    Program,
    Rule,
    Stage,
)
from progtf.program.tokens import InputError, Reader, join

Mask = NDArray[np.bool_]
TIE = 1e-9
NORM_EPS = 1e-5


@dataclass(frozen=True)
class Step:
    """The residual after one part of the network, for traces."""

    stack: str
    label: str
    tokens: tuple[str, ...]
    residual: Array


@dataclass
class Trace:
    """What is seen of one run: the residual after every part. Subclasses may look closer."""

    tokens: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list[Step])

    def note(self, stack: str, label: str, residual: Array) -> None:
        """Remember the residual after a part."""
        self.steps.append(Step(stack, label, self.tokens, residual.copy()))

    def scores(self, head: Head, scores: Array) -> None:
        """Told about the scores of every head, the null key's last: shape (dst, src + 1)."""

    def curve(self, rule: Rule, values: Array) -> None:
        """Told about the form that a rule reads, where its gate is open: shape (positions,)."""


def embed(program: Program, tokens: Sequence[str]) -> Array:
    """Lexicon vectors and clocks: shape (tokens, width)."""
    residual = np.zeros((len(tokens), program.width))
    for position, token in enumerate(tokens):
        vector = program.lexicon.get(token, program.unknown) or {}
        for seme, value in vector.items():
            residual[position, program.space.index[seme]] = value
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
        residual = _recur(program.cell, residual, program.space)
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
                residual = _dense(stage, residual, program)
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
            update = sum(_head(h, read, there, program, trace, causal=causal) for h in heads)
            residual = residual + update
    if layer.feedforward is not None:
        residual = residual + _feedforward(
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


def _read(space: Space, forms: Sequence[Form], residual: Array) -> Array:
    weights, bias = space.columns(forms)
    return residual[:, : len(space)] @ weights + bias


def pattern(
    head: Head, residual: Array, source: Array, space: Space, trace: Trace, *, causal: bool
) -> tuple[Array, Array]:
    """The share that each reader gives to each source, and to the null key.

    Shapes: (dst, src) and (dst,).
    """
    query = _read(space, [f.query for f in head.features], residual)
    key = _read(space, [f.key for f in head.features], source)
    scores = np.where(_allowed(head, len(query), len(key), causal=causal), query @ key.T, -np.inf)
    if head.normalize == "queries":
        return _share(scores.T).T, np.zeros(len(query))
    rest = np.full((len(query), 1), -np.inf if head.null is None else head.null.score)
    everything = np.concatenate([scores, rest], axis=1)
    trace.scores(head, everything)
    shares = _share(everything)
    return shares[:, :-1], shares[:, -1]


def _share(scores: Array) -> Array:
    """Equal shares for the highest scores of each row; none where nothing is allowed."""
    top = scores.max(axis=1, keepdims=True, initial=-np.inf)
    chosen = np.isfinite(top) & (scores >= top - TIE)
    return chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1)


def _allowed(head: Head, readers: int, sources: int, *, causal: bool) -> Mask:
    if head.source == "encoder":
        return np.ones((readers, sources), dtype=bool)
    distance = np.arange(sources)[None, :] - np.arange(readers)[:, None]
    allowed = looks(head.look, distance)
    return allowed & (distance <= 0) if causal else allowed


def looks(look: Look, distance: NDArray[np.int64]) -> Mask:
    """Whether a head may look so far; ``distance`` is positive after the own position."""
    match look:
        case "all":
            return np.ones_like(distance, dtype=bool)
        case "before":
            return distance < 0
        case "upto":
            return distance <= 0
        case "after":
            return distance > 0
        case "self":
            return distance == 0
        case "notself":
            return distance != 0


def _head(
    head: Head, residual: Array, source: Array, program: Program, trace: Trace, *, causal: bool
) -> Array:
    """One head's update: filler times role, by name (Eq. 4 and 6)."""
    space = program.space
    share, rest = pattern(head, residual, source, space, trace, causal=causal)
    filler = share @ _read(space, [c.filler for c in head.channels], source)
    if head.null is not None:
        filler = filler + np.outer(rest, head.null.filler)
    bound = filler * _read(space, [c.role for c in head.channels], residual)
    update = np.zeros_like(residual)
    for channel, column in zip(head.channels, bound.T, strict=True):
        for seme, value in channel.writes.items():
            update[:, space.index[seme]] += value * column
    for seme, value in head.bias.items():
        update[:, space.index[seme]] += value
    return update


def _feedforward(block: FeedForward, residual: Array, space: Space, trace: Trace) -> Array:
    update = np.zeros_like(residual)
    for rule in block.rules:
        amount = rule_value(rule, residual, space, trace)
        for seme, value in rule.writes.items():
            update[:, space.index[seme]] += value * amount
    for unit in block.units:
        amount = np.maximum(_read(space, [unit.reads], residual)[:, 0], 0)
        for seme, value in unit.writes.items():
            update[:, space.index[seme]] += value * amount
    for seme, value in (block.bias or {}).items():
        update[:, space.index[seme]] += value
    return update


def rule_value(rule: Rule, residual: Array, space: Space, trace: Trace | None = None) -> Array:
    """What a rule amounts to at each position: its curve where its gate is open, else 0.

    Between 0 and 1 violations, which whole flags never have, the gate closes on a ramp; the
    curve of a closed gate is read so far to the left that it is 0.
    """
    violations = _read(space, [rule.gate.violations()], residual)[:, 0]
    is_open = np.clip(1.5 - 2 * violations, 0, 1)
    if rule.curve is None:
        return is_open
    curve = rule.curve
    x = _read(space, [curve.form], residual)[:, 0] - curve.reach * violations
    if trace is not None:
        trace.curve(rule, x[violations < 0.5])
    bends = [change * np.maximum(0, x - knot) for knot, change in curve.knots]
    return curve.start * is_open + curve.slope * np.maximum(0, x - curve.low) + sum(bends)


def _dense(stage: Dense, residual: Array, program: Program) -> Array:
    """A dense layer replaces all semes; the clocks stay as they are."""
    result = _map(stage.weights, residual, program.space)
    result = np.maximum(result, 0) if stage.relu else result
    result[:, program.semes :] = residual[:, program.semes :]
    return result


def _recur(cell: Cell, inputs: Array, space: Space) -> Array:
    hidden = np.zeros((1, inputs.shape[1]))
    states = np.zeros_like(inputs)
    for position, row in enumerate(inputs):
        total = _map(cell.input, row[None], space) + _map(cell.recurrent, hidden, space)
        hidden = _activate(total, cell.activation)
        states[position] = hidden
    return states


def _map(weights: Mapping[str, Form], residual: Array, space: Space) -> Array:
    result = np.zeros_like(residual)
    for name, form in weights.items():
        result[:, space.index[name]] = _read(space, [form], residual)[:, 0]
    return result


def _activate(x: Array, activation: str) -> Array:
    match activation:
        case "relu":
            return np.maximum(x, 0)
        case "tanh":
            return np.tanh(x)
        case "clip":
            return np.clip(x, -1, 1)
        case _:
            return x


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
    labels, forms = class_forms(program)
    return labels, _read(program.space, forms, pooled)[0]


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
        scores = _read(program.space, forms, residual[-1:])[0]
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
    return Reader(program.kind, program.tokens, program.lexicon, unknown, program.lengths[0])


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
        return Answer(join(generate(program, tokens, trace), program.tokens), tuple(tokens))
    residual = residuals(program, tokens, trace)
    if program.classify is not None:
        labels, scores = classes(program, residual)
        table = dict(zip(labels, map(float, scores), strict=True))
        return Answer(labels[int(scores.argmax())], tuple(tokens), None, table, gap_of(scores))
    if program.outputs:
        inner = [i for i, token in enumerate(tokens) if token not in (BOS, EOS)]
        scores = _read(program.space, list(program.outputs.values()), residual)[inner]
        said = [list(program.outputs)[int(best)] for best in scores.argmax(axis=1)]
        return Answer(join(said, program.tokens), tuple(tokens), gap=min(map(gap_of, scores)))
    if program.kind == "rnn":
        tokens, residual = tokens[-1:], residual[-1:]
    return Answer(
        show_residual(tokens, residual, names), tuple(tokens), residual[:, : program.semes]
    )


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
        try:
            return answer(self.program, text)
        except InputError as error:
            return error
