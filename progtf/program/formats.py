"""Number formats: in which of them the rules of a program still do what was written."""

import math
from collections.abc import Iterator

from progtf.program.forms import Form, Space
from progtf.program.model import FeedForward, Layer, Program, Rule

DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""Binary digits of the number formats, the leading one counted."""
CLOSE = 0.25  # scores of neighbouring numbers are 1 apart


class FormatError(ValueError):
    """A program whose weights a number format cannot hold."""


def rules_hold(program: Program, dtype: str) -> bool:
    """Whether all rules over numbers, and all scores, survive weights rounded to ``dtype``.

    A comparison of numbers up to N has weights up to N, to a quarter of a step. In bfloat16 that
    goes well to 64, in float16 to 512, in float32 past four millions. Rules over distances and
    heads are not looked at: they have margins of another kind.
    """
    digits, space = DIGITS[dtype], program.space
    scores = () if program.classify is None else tuple(program.classify.classes.values())
    return all(_holds(rule, digits, space) for rule in _rules(program)) and all(
        _moved(form, digits, space) < CLOSE for form in (*scores, *program.outputs.values())
    )


def _rules(program: Program) -> Iterator[Rule]:
    for stage in (*program.encoder, *program.decoder):
        match stage:
            case Layer(feedforward=FeedForward(rules=rules)):
                yield from rules
            case _:
                pass


def _holds(rule: Rule, digits: int, space: Space) -> bool:
    """Whether rounding moves the sum that a rule reads by less than an eighth of its step."""
    curve = rule.curve
    grain = 0.0 if curve is None else space.values(curve.form).grain
    if curve is None or not grain:
        return True
    closing = rule.gate.violations().scaled(-curve.reach)
    forms = [curve.form + closing + Form({}, -knot) for knot, _ in (*curve.knots, (curve.low, 0))]
    return all(_moved(form, digits, space) < grain / 8 for form in forms)


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
