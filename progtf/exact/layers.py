"""Layer by layer: the stream that heads and rules leave behind."""

import numpy as np

from progtf.exact.attended import Attended
from progtf.exact.entries import Entries
from progtf.exact.exclusive import Known
from progtf.exact.lines import Lines
from progtf.exact.sighted import written_of
from progtf.exact.stream import Stream
from progtf.exact.walk import Walk
from progtf.program.model import Dense, Layer, Stage
from progtf.weights.layout import LayerLayout, Placed


def stack(walk: Walk, name: str, stream: Stream, memory: Stream | None) -> Stream:
    """The stream behind all layers of an encoder or decoder."""
    walk.pure = frozenset(walk.program.space.names)
    walk.remembered = walk.known
    walk.known = Known.of(walk.program, max(walk.lengths))
    written: tuple[Stage, ...] = getattr(walk.program, name)
    for placed in walk.meant.layout.stages():
        if placed.stack != name or placed.number > len(written):
            continue
        if not (walk.goes_on or walk.report.exact):
            break
        stage = written[placed.number - 1]
        if isinstance(stage, Dense):
            stream = _dense(walk, placed, stage, stream)
            continue
        for _ in range(stage.repeat):
            before = stream
            stream = _layer(walk, placed, stage, stream, memory)
            if stream.same(before):
                break
    return stream


def _layer(
    walk: Walk, placed: Placed, layer: Layer, stream: Stream, memory: Stream | None
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
    walk.held = frozenset(walk.program.space.names[walk.program.semes :])
    return Stream(
        np.where(semes, low, stream.low), np.where(semes, high, stream.high),
        np.where(semes, sums.grid, stream.grid),
        np.where(semes, sums.error + sums.lost, stream.error),
        stream.kept & ~semes | walk.on_grid(sums.grid) & semes, np.zeros_like(low),
        np.where(semes, sums.error + sums.lost, stream.stray), np.full(len(low), -1.0),
    )  # fmt: skip
