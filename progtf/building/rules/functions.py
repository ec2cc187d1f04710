"""Conditions and values to gates and curves: what the hidden units of a layer compute.

Curves are piecewise linear functions of one form: windows, steps, copies, ``mod``, ``sign`` and the
like. A comparison is a plateau: 0 below it, 1 above it, and the step between two values that its
form can take, so that small errors upstream do not pass.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from progtf.building import problems
from progtf.building.rules.logic import MOST_VALUES, Logic, Window, cases, meeting
from progtf.building.rules.resolve import Called
from progtf.notation.diagnostics import Mistake, Span
from progtf.program.curves import heights, scaled
from progtf.program.forms import Form, Values, power_of_two_below
from progtf.program.model import Curve, Line, Rule
from progtf.rational import fraction_of, rational


def truth_rules(condition: Logic, line: Line) -> Iterator[Rule]:
    """What the line writes where the condition holds."""
    for case, weight in cases(condition, line.span):
        curve = None if case.window is None else window_curve(case.window)
        yield Rule(_times(line.writes, weight), case.gate, curve, line)


def copy_rules(
    form: Form, when: Logic, values: Values, line: Line, *, below: bool = False
) -> Iterator[Rule]:
    """What the line writes times the value of a form where the condition holds.

    ``below``: from half a step below what it can be, so that errors pass at both ends, where they
    cancel against others.
    """
    if not form.coefficients:
        for made in truth_rules(when, line):
            yield Rule(_times(made.writes, form.constant), made.gate, made.curve, line)
        return
    low = values.low - values.grain / 2 if below else values.low
    curve = Curve(form, low, values.high, low, 1.0, (), values.grain)
    yield from value_rules(curve, values, when, line)


def value_rules(curve: Curve, values: Values, when: Logic, line: Line) -> Iterator[Rule]:
    """A function of a form, as a curve behind a gate, or point by point beside a comparison."""
    for case, weight in cases(when, line.span):
        if case.window is None:
            yield Rule(line.writes, case.gate, scaled(curve, weight), line)
            continue
        if values.grain == 0 or values.count > MOST_VALUES:
            raise Mistake(problems.rules.value_beside_comparison(line.span, case.window.said))
        given = heights(curve, map(values.at, range(int(values.count))))
        for number, height in enumerate(given):
            here, factor = Window(curve.form, values, number, number + 1), weight * height
            for both in meeting(case.window, here, line.span):
                yield Rule(_times(line.writes, factor), case.gate, window_curve(both), line)


def _times(writes: Mapping[str, float], factor: float) -> Mapping[str, float]:
    return writes if factor == 1 else {name: factor * value for name, value in writes.items()}


MOST_STEPS = 4096
Knots = tuple[tuple[float, float], ...]


def window_curve(window: Window) -> Curve:
    """1 inside the window, 0 outside, ramps over the middle half of the steps at its ends."""
    values = window.values
    opened, closed = window.first > 0, window.past < window.count
    up = _ramp(values, window.first, 1.0) if opened else ()
    down = _ramp(values, window.past, -1.0) if closed else ()
    low, high = values.low, values.high
    return Curve(window.form, low, high, float(not opened), 0.0, up + down, values.grain)


def _ramp(values: Values, number: int, height: float) -> Knots:
    """A plateau step up by ``height`` just before the value with this number.

    Knots are multiples of a power of two, which every format stores, and so is their distance.
    Where float64 has no number so fine they are fractions.
    """
    width = power_of_two_below(values.grain / 2)
    finest = width / _FINE
    low = round((values.at(number) - (values.grain + width) / 2) / finest) * finest
    high = low + width
    if high - low != width or abs(low) >= _NO_FINER * finest:
        middle = fraction_of(values.at(number)) - fraction_of(values.grain) / 2
        below = round((middle - Fraction(width) / 2) / Fraction(finest)) * Fraction(finest)
        low, high = rational(below), rational(below + Fraction(width))
    return (low, height / width), (high, -height / width)


_FINE = 64  # of the width of a ramp
_NO_FINER = 2.0**52  # multiples of a number, which float64 counts no further


def function_curve(called: Called, values: Values) -> Curve:
    """``mod``, ``div``, ``sign``, ``abs`` and ``clip`` of a form with some values as curves.

    Raises:
        Mistake: if the form's values are not known well enough.
    """
    name, form, span = called.function, called.form, called.span
    match name, called.arguments:
        case ("mod" | "div", (modulus,)) if modulus > 0 and values.grain > 0:
            return _division(name, form, values, modulus, span)
        case ("sign", ()) if values.grain > 0:
            return _sign(form, values)
        case ("abs", ()):
            low, high = values.low, values.high
            bend = ((0.0, 2.0),) if low < 0 < high else ()
            return Curve(form, low, high, abs(low), -1.0 if low < 0 else 1.0, bend, values.grain)
        case ("clip", (bottom, top)) if bottom < top:
            return _clip(form, values, bottom, top)
        case _:
            raise Mistake(problems.rules.function_arguments(span, name))


def _division(name: str, form: Form, values: Values, modulus: float, span: Span) -> Curve:
    """A staircase with a step at every multiple; ``mod`` climbs between them and falls at them."""
    if (values.high - values.low) / modulus > MOST_STEPS:
        raise Mistake(problems.rules.too_many_cases(span, MOST_STEPS))
    ends = (fraction_of(end) / fraction_of(modulus) for end in (values.low, values.high))
    first, last = map(math.floor, ends)
    rises = [values.above(k * modulus) for k in range(first + 1, last + 1)]
    height = -modulus if name == "mod" else 1.0
    knots = tuple(knot for number in rises for knot in _ramp(values, number, height))
    start = values.low - modulus * first if name == "mod" else float(first)
    return Curve(form, values.low, values.high, start, float(name == "mod"), knots, values.grain)


def _sign(form: Form, values: Values) -> Curve:
    """A step up from the last value below 0, and one up to the first value above it."""
    low, high = values.low, values.high
    knots: Knots = ()
    if low < 0 <= high:
        knots += _ramp(values, values.above(0.0), 1.0)
    if low <= 0 < high:
        knots += _ramp(values, values.above(0.0, strictly=True), 1.0)
    start = float(low > 0) - float(low < 0)
    return Curve(form, low, high, start, 0.0, tuple(sorted(knots)), values.grain)


def _clip(form: Form, values: Values, bottom: float, top: float) -> Curve:
    low, high = values.low, values.high
    bends = tuple((x, change) for x, change in ((bottom, 1.0), (top, -1.0)) if low < x < high)
    start = min(max(low, bottom), top)
    return Curve(form, low, high, start, float(bottom <= low < top), bends, values.grain)
