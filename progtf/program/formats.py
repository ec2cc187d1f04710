"""Number formats: in which of them the rules of a program still do what was written."""

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from progtf.mistakes import MistakeError
from progtf.program.forms import Form, Space
from progtf.program.interface import interface_of
from progtf.program.model import FeedForward, Layer, Program
from progtf.program.tokens import InputError
from progtf.program.vectors import read_vectors

DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""Binary digits of the number formats, the leading one counted."""
NEAR = 0.05  # of numbers that are not whole
CLOSE = 0.25  # scores of neighbouring numbers, and whole numbers, are 1 apart


class FormatError(MistakeError):
    """A program whose weights a number format cannot hold."""


def rules_hold(program: Program, dtype: str) -> bool:
    """Whether all rules over numbers, all scores and what is declared whole survive ``dtype``.

    A comparison of numbers up to N has weights up to N, to a quarter of a step. In bfloat16 that
    goes well to 64, in float16 to 512, in float32 past four millions. Rules over distances and
    heads are not looked at: they have margins of another kind.
    """
    digits, space = DIGITS[dtype], program.space
    if not counts_hold(program, dtype):
        return False
    scores = () if program.classify is None else tuple(program.classify.classes.values())
    return all(
        not grain or _moved(form, digits, space) < grain / 8
        for stage in (*program.encoder, *program.decoder)
        if isinstance(stage, Layer) and stage.feedforward is not None
        for form, grain in _hidden(stage.feedforward, space)
    ) and all(_moved(form, digits, space) < CLOSE for form in (*scores, *program.outputs.values()))


def counts_hold(program: Program, dtype: str) -> bool:
    """Whether whole numbers stay themselves: those of ranges in sums, those that tokens give."""
    digits = DIGITS[dtype]
    ranges, most = program.space.ranges, 2.0 ** max(digits, DIGITS["float32"])
    vectors = (*program.lexicon.values(), program.unknown or {}, *program.spelled)
    return (
        all(
            max(abs(values.low), abs(values.high)) <= most
            for values in ranges.values()
            if values.whole
        )
        and all(
            abs(value - rounded(value, digits)) < CLOSE
            for vector in vectors
            for name, value in vector.items()
            if abs(value) > 1 and ranges[name].whole
        )
        and all(lost(vector, dtype) is None for vector in _given(program))
    )


def holding(program: Program) -> str:
    """float32, or float64 if float32 has not all whole numbers of a program."""
    return "float32" if counts_hold(program, "float32") else "float64"


def common_format(programs: Collection[str], stored: Collection[str]) -> str | None:
    """The format in which two are compared of which one at least is a program.

    Args:
        programs: the format that each program has by ``holding``.
        stored: those of weights that are there.

    Returns:
        float64 where a program needs it, else that of the weights; None: each has its own.
    """
    if not programs:
        return None
    return "float64" if "float64" in programs else next(iter(stored), None)


def _given(program: Program) -> Iterator[Mapping[str, float]]:
    """The vectors that examples give, where inputs are vectors."""
    if interface_of(program).takes_vectors:
        for example in program.examples:
            names = program.space.names[: program.semes]
            with suppress(InputError):  # one that cannot be read fails in every format
                yield from read_vectors(example.input, names, program.vectors)


def lost(vector: Mapping[str, float], dtype: str) -> float | None:
    """The first number of a vector that arithmetic beside weights of a format has not.

    Whole numbers are had as they are, others to a twentieth: float32 has 0.1 well enough, and not
    999999999.5.
    """
    digits = max(DIGITS[dtype], DIGITS["float32"])
    near = ((value, rounded(value, digits)) for value in vector.values())
    some = (v for v, n in near if (n != v if v.is_integer() else abs(n - v) > NEAR))
    return next(some, None)


def _hidden(block: FeedForward, space: Space) -> Iterator[tuple[Form, float]]:
    """What hidden units read, and the step of what they compare."""
    for rule in block.rules:
        if rule.curve is not None:
            grain = space.values(rule.curve.form).grain
            closing = rule.gate.violations().scaled(-rule.curve.reach)
            for knot, _ in (*rule.curve.knots, (rule.curve.low, 0)):
                yield rule.curve.form + closing + Form({}, -knot), grain
    for unit in block.units:
        yield unit.reads, space.values(Form(unit.reads.coefficients)).grain


def _moved(form: Form, digits: int, space: Space) -> float:
    moved = abs(form.constant - rounded(form.constant, digits))
    for name, weight in form.coefficients.items():
        values = space.ranges[name]
        largest = max(abs(values.low), abs(values.high))
        moved += abs(weight - rounded(weight, digits)) * largest
    return moved


def rounded(number: float, digits: int) -> float:
    """The nearest number with so many binary digits."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(mantissa * 2**digits), exponent - digits)
