"""Layers that run again and again: which of them stand together, and who hears of their end."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Protocol, TypeVar

from progtf.program.forms import Form
from progtf.program.model import Dense, FeedForward, Layer, Loop, Program, Stage


class _Part(Protocol):
    @property
    def loop(self) -> Any: ...


Part = TypeVar("Part", bound=_Part)


def by_loop(parts: Iterable[Part]) -> Iterator[tuple[Part, ...]]:
    """Layers, or blocks of them, as they run: those of one loop together, any other by itself."""
    for _, together in groupby(enumerate(parts), key=_run):
        yield tuple(part for _, part in together)


def _run(numbered: tuple[int, _Part]) -> object:
    number, part = numbered
    return number if part.loop is None else part.loop.name


def unheard(program: Program) -> tuple[Loop, ...]:
    """The loops of which nothing reads whether they came to their end."""
    runs = (run for stack in (program.encoder, program.decoder) for run in by_loop(stack))
    loops = [run[0].loop for run in runs if run[0].loop is not None]
    if not loops:
        return ()
    read = {name for form in _forms(program) for name in form.coefficients}
    read |= {*program.learn.reads} if program.learn is not None else set()
    return tuple(loop for loop in loops if loop.unfinished not in read)


def _forms(program: Program) -> Iterator[Form]:
    """Everything that is read anywhere."""
    yield from program.outputs.values()
    if program.classify is not None:
        yield from program.classify.forms.values()
    for stage in (*program.encoder, *program.decoder):
        yield from _read_in(stage)


def _read_in(stage: Stage) -> Iterator[Form]:
    if isinstance(stage, Dense):
        yield from stage.weights.values()
        return
    yield from _read_by_heads(stage)
    if stage.feedforward is not None:
        yield from _read_by_rules(stage.feedforward)


def _read_by_heads(layer: Layer) -> Iterator[Form]:
    for head in (*layer.heads, *layer.cross):
        for feature in head.features:
            yield from (feature.query, feature.key)
        for channel in head.channels:
            yield from (channel.filler, channel.role)


def _read_by_rules(block: FeedForward) -> Iterator[Form]:
    yield from (unit.reads for unit in block.units)
    for rule in block.rules:
        yield rule.gate.violations()
        if rule.curve is not None:
            yield rule.curve.form
