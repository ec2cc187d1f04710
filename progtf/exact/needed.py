"""Which semes something is computed from that needs their declared values."""

from collections.abc import Iterable, Iterator

from progtf.program.forms import Form
from progtf.program.model import Dense, Layer, Program, Stage


def depended_on(program: Program) -> frozenset[str]:
    """The semes whose declared values something is computed from: scores, thresholds, answers."""
    stages = (*program.encoder, *program.decoder)
    forms = [form for stage in stages for form in _decisive(stage)]
    forms += program.outputs.values()
    forms += program.classify.classes.values() if program.classify is not None else ()
    needed = {name for form in forms for name, factor in form.coefficients.items() if factor}
    passed = [pair for stage in stages for pair in _passed(stage)]
    while more := {n for target, source in passed if target in needed for n in source} - needed:
        needed |= more
    return frozenset(needed)


def _passed(stage: Stage) -> Iterator[tuple[str, Iterable[str]]]:
    """What is copied as it is: a target, and what it is copied from."""
    if isinstance(stage, Dense):
        yield from ((name, form.coefficients) for name, form in stage.weights.items())
        return
    for head in (*stage.heads, *stage.cross):
        for channel in head.channels:
            reads = (*channel.filler.coefficients, *channel.role.coefficients)
            yield from ((target, reads) for target in channel.writes)
    for rule in () if stage.feedforward is None else stage.feedforward.rules:
        if rule.curve is not None:
            yield from ((target, rule.curve.form.coefficients) for target in rule.writes)


def _decisive(stage: Stage) -> Iterator[Form]:
    match stage:
        case Dense():
            return
        case Layer():
            flags = () if stage.loop is None else (stage.loop.until, *stage.loop.asked)
            yield from (Form({flag: 1.0}) for flag in flags)
            if stage.loop is not None and stage.loop.falls is not None:
                yield stage.loop.falls
            for head in (*stage.heads, *stage.cross):
                for feature in head.features:
                    yield feature.query
                    yield feature.key
            for rule in () if stage.feedforward is None else stage.feedforward.rules:
                yield rule.gate.violations()
                if rule.curve is not None:
                    yield rule.curve.form
