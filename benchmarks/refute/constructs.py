"""Which constructs a program has, for counts."""

from collections.abc import Iterator

from progtf.program.curves import ramps
from progtf.program.model import Dense, Head, Layer, Program, Rule
from progtf.program.spelling import Spelling

WIDE = 1e6


def constructs(program: Program) -> frozenset[str]:
    """The names of what is in a program."""
    return frozenset(name for name, there in _found(program) if there)


def _found(program: Program) -> Iterator[tuple[str, bool]]:
    yield program.kind, True
    yield f"norm {program.norm}", program.norm != "none"
    yield "binding outer", program.binding == "outer"
    yield "spelling", program.spelling != Spelling()
    yield "cell", program.cell is not None
    ranges = [program.space.ranges[name] for name in program.space.names[: program.semes]]
    yield "wide range", any(max(abs(v.low), abs(v.high)) >= WIDE for v in ranges)
    yield "step 0", any(v.grain == 0 for v in ranges)
    yield "step off", any(v.grain and v.grain * 64 % 1 for v in ranges)
    if program.classify is not None:
        name = "score" if program.classify.number else "classify"
        yield f"{name} {program.classify.pool}", True
    else:
        yield "output" if program.outputs else "residual", True
    yield "loop in a decoder", any(stage.loop is not None for stage in program.decoder)
    for stage in (*program.encoder, *program.decoder):
        if isinstance(stage, Dense):
            yield "dense layer", True
        else:
            yield from _of_layer(stage)


def _of_layer(layer: Layer) -> Iterator[tuple[str, bool]]:
    yield "repeat", layer.repeat > 1
    if layer.loop is not None:
        yield "loop", True
        yield "falls", layer.loop.falls is not None
        yield "loop: when", bool(layer.loop.asked)
    for head in (*layer.heads, *layer.cross):
        yield from _of_head(head)
    if layer.feedforward is not None:
        yield "raw units", bool(layer.feedforward.units)
        for rule in layer.feedforward.rules:
            yield from _of_rule(rule)


def _of_head(head: Head) -> Iterator[tuple[str, bool]]:
    yield "head: mean", not head.parts
    for part in head.parts:
        yield f"head: {part.kind}", True
    yield "head: counts", head.normalize == "queries"
    yield "head: else", head.null is not None and any(head.null.filler)
    yield "head: role", any(channel.role.coefficients for channel in head.channels)
    yield "head: channels", len(head.channels) > 1
    yield "head: encoder", head.source == "encoder"


def _of_rule(rule: Rule) -> Iterator[tuple[str, bool]]:
    gated, curve = bool(rule.gate.positive or rule.gate.negative), rule.curve
    stepped = curve is not None and any(True for _ in ramps(curve))
    yield "rule: gate", gated and curve is None
    yield "rule: sum", curve is not None and not gated and not stepped
    yield "rule: gated sum", curve is not None and gated and not stepped
    yield "rule: steps", stepped
    yield "rule: constant", not gated and curve is None
