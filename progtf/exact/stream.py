"""The residual stream before the first layer, and what may be written to it."""

import math
from collections.abc import Iterable, Iterator, Mapping

from progtf.exact.bounds import ZERO, Bound, State, declared
from progtf.exact.formats import Format, grid_of
from progtf.program.forms import Form
from progtf.program.model import Dense, Layer, Program, Stage


def embedded(program: Program, number: Format) -> dict[str, Bound]:
    """What tokens have, and the hands of the clocks; a program over vectors takes what it says."""
    names = program.space.names
    if program.lexicon or program.unknown is not None:
        state = dict.fromkeys(names, ZERO) | _given(program, number)
    else:
        state = {name: declared(values) for name, values in program.space.ranges.items()}
    hand = Bound(-1.0, 1.0, 0.0, number.roundoff / 2)
    return state | dict.fromkeys(names[program.semes :], hand)


def vectors(program: Program) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Every token with what it has."""
    yield from program.lexicon.items()
    if program.unknown is not None:
        yield "unknown", program.unknown


def _given(program: Program, number: Format) -> dict[str, Bound]:
    found: dict[str, list[float]] = {}
    count = 0
    for _, vector in vectors(program):
        count += 1
        for seme, value in vector.items():
            found.setdefault(seme, []).append(value)
    return {
        seme: _spanned(values if len(values) == count else [*values, 0.0], number)
        for seme, values in found.items()
    }


def _spanned(values: Iterable[float], number: Format) -> Bound:
    distinct = set(values)
    off = max(abs(value - number.stored(value)) for value in distinct)
    grid = min(math.inf, *(grid_of(value) for value in distinct), math.inf)
    return Bound(min(distinct), max(distinct), grid, off)


def exactly(state: State) -> dict[str, Bound]:
    """The same stream as if all of it were exact."""
    return {name: bound._replace(error=0.0) for name, bound in state.items()}


def rounded(state: State) -> dict[str, Bound]:
    """The stream as sub-layers read it through ``norm: round``."""
    return {name: _whole(bound) for name, bound in state.items()}


def _whole(bound: Bound) -> Bound:
    low, high = float(round(bound.low)), float(round(bound.high))
    safe = bound.grid >= 1 and bound.error < 0.5
    return Bound(low, high, max(1.0, bound.grid), 0.0 if safe else 1.0 + bound.error)


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
            for head in (*stage.heads, *stage.cross):
                for feature in head.features:
                    yield feature.query
                    yield feature.key
            for rule in () if stage.feedforward is None else stage.feedforward.rules:
                yield rule.gate.violations()
                if rule.curve is not None and (rule.curve.knots or rule.gate.positive):
                    yield rule.curve.form
