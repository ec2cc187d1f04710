"""Layer by layer: the stream that heads and rules leave behind."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from progtf.exact.attended import Attended
from progtf.exact.entries import Entries
from progtf.exact.exclusive import Known
from progtf.exact.lines import Lines
from progtf.exact.loops import looped, repeated
from progtf.exact.sighted import written_of
from progtf.exact.stream import Stream
from progtf.exact.walk import Walk
from progtf.program.loops import by_loop
from progtf.program.model import Dense, Layer, Stage
from progtf.weights.layout import LayerLayout, Placed


def stack(walk: Walk, name: str, stream: Stream, memory: Stream | None) -> Stream:
    """The stream behind all layers of an encoder or decoder."""
    walk.pure = frozenset(walk.program.space.names)
    walk.remembered = walk.known
    walk.known = Known.of(walk.program, walk.farthest)
    written: tuple[Stage, ...] = getattr(walk.program, name)
    placed = (p for p in walk.meant.layout.stages() if p.stack == name)
    for run in by_loop(p for p in placed if p.number <= len(written)):
        if not (walk.goes_on or walk.report.exact):
            break
        stages = [(each, written[each.number - 1]) for each in run]
        once = partial(_once, walk, stages, memory)
        layers = [stage for _, stage in stages if isinstance(stage, Layer)]
        stream = (
            once(stream)
            if run[0].loop is None
            else looped(walk, layers, stream, once, causal=name == "decoder")
        )
    return stream


def _once(
    walk: Walk, stages: Sequence[tuple[Placed, Stage]], memory: Stream | None, stream: Stream
) -> Stream:
    """The stream behind layers that run one after another."""
    for placed, stage in stages:
        if isinstance(stage, Dense):
            stream = _dense(walk, placed, stage, stream)
        else:
            turn = partial(_layer, walk, placed, stage, memory)
            stream = repeated(walk, stage, stream, turn)
    return stream


def _layer(
    walk: Walk, placed: Placed, layer: Layer, memory: Stream | None, stream: Stream
) -> Stream:
    place = f"{placed.stack} / {layer.name}"
    assert isinstance(placed.stage, LayerLayout)
    for heads, layouts, other in (
        (layer.heads, placed.stage.own, None), (layer.cross, placed.stage.cross, memory),
    ):  # fmt: skip
        labels = [each.label for each in layouts]
        written = [
            written_of(walk, (*placed.path, label), head)
            for label, head in zip(labels, heads, strict=True)
            if not head.learned
        ]
        if written:
            stream = Attended(walk, written, place).behind(stream, other)
    if layer.feedforward is not None:
        path = (*placed.path, "feedforward")
        stream = Lines.of(walk, path, layer.feedforward, place).behind(stream)
    return stream


def _dense(walk: Walk, placed: Placed, stage: Dense, stream: Stream) -> Stream:
    maps = walk.maps(placed.path)
    entries = Entries.of([maps["weights"], maps["bias"]], walk.program.width)
    sums = entries.sums(stream.terms, walk.number)
    semes = np.arange(walk.program.width) < walk.program.semes
    low, high = sums.low, sums.high
    if stage.relu:
        low, high = np.maximum(low, 0), np.maximum(high, 0)
    walk.pure = frozenset[str]()
    walk.known.forget()
    walk.held = walk.clocks
    return Stream(
        np.where(semes, low, stream.low), np.where(semes, high, stream.high),
        np.where(semes, sums.grid, stream.grid),
        np.where(semes, sums.error + sums.lost, stream.error),
        stream.kept & ~semes | walk.on_grid(sums.grid) & semes, np.zeros_like(low),
        np.where(semes, sums.error + sums.lost, stream.stray), np.full(len(low), -1.0),
    )  # fmt: skip
