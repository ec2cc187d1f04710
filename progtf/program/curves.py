"""Piecewise linear functions of one form: windows, steps, copies, ``mod``, ``sign`` and the like.

A comparison is a plateau: 0 below it, 1 above it, and the step between two values that its form
can take, so that small errors upstream do not pass.
"""

import math

from progtf.notation.diagnostics import Mistake, Span
from progtf.program import problems
from progtf.program.forms import Form, Space, Values
from progtf.program.logic import Window
from progtf.program.model import Curve


def window_curve(window: Window) -> Curve:
    """1 inside the window, 0 outside, ramps over the middle half of the steps at its ends."""
    values, knots, start = window.values, list[tuple[float, float]](), 1.0
    if window.low > values.low:
        knots += ramp(values, window.low, 1.0)
        start = 0.0
    if window.high <= values.high:
        knots += ramp(values, window.high, -1.0)
    return Curve(window.form, values.low, values.high, start, 0.0, tuple(knots))


def ramp(values: Values, threshold: float, height: float) -> list[tuple[float, float]]:
    """A plateau step up by ``height`` between the values on the two sides of a threshold."""
    grain = values.grain
    above = values.low + math.ceil((threshold - values.low) / grain - 1e-9) * grain
    slope = 2 * height / grain
    return [(above - 0.75 * grain, slope), (above - 0.25 * grain, -slope)]


def function_curve(
    name: str, form: Form, arguments: tuple[float, ...], space: Space, span: Span
) -> Curve:
    """``mod``, ``div``, ``sign``, ``abs`` and ``clip`` of a form as curves.

    Raises:
        Mistake: if the form's values are not known well enough.
    """
    values = space.values(form)
    low, high, grain = values.low, values.high, values.grain
    match name, arguments:
        case ("mod" | "div", (modulus,)) if modulus > 0 and grain > 0:
            height = -modulus if name == "mod" else 1.0
            first = math.floor(low / modulus)
            steps = [k * modulus for k in range(first + 1, math.floor(high / modulus) + 1)]
            knots = [knot for step in steps for knot in ramp(values, step, height)]
            start = low - modulus * first if name == "mod" else float(first)
            return Curve(form, low, high, start, float(name == "mod"), tuple(knots))
        case ("sign", ()) if grain > 0:
            knots = ramp(values, grain / 2, 1.0) if low <= 0 < high else []
            knots += ramp(values, 0.0, 1.0) if low < 0 <= high else []
            return Curve(
                form, low, high, float(low > 0) - float(low < 0), 0.0, tuple(sorted(knots))
            )
        case ("abs", ()):
            bend = ((0.0, 2.0),) if low < 0 < high else ()
            return Curve(form, low, high, abs(low), -1.0 if low < 0 else 1.0, bend)
        case ("clip", (bottom, top)) if bottom < top:
            inside = [(x, d) for x, d in ((bottom, 1.0), (top, -1.0)) if low < x < high]
            start = min(max(low, bottom), top)
            return Curve(form, low, high, start, float(bottom <= low < top), tuple(inside))
        case _:
            raise Mistake(problems.function_arguments(span, name, len(arguments)))


def copy_curve(form: Form, values: Values) -> Curve:
    """The value of a form itself."""
    return Curve(form, values.low, values.high, values.low, 1.0, ())


def scaled(curve: Curve, weight: float) -> Curve:
    """A curve times a number."""
    knots = tuple((x, weight * change) for x, change in curve.knots)
    start, slope = weight * curve.start, weight * curve.slope
    return Curve(curve.form, curve.low, curve.high, start, slope, knots)


def evaluate_curve(curve: Curve, x: float) -> float:
    """The value of a curve at one point of its form."""
    bends = sum(change * max(0.0, x - knot) for knot, change in curve.knots)
    return curve.start + curve.slope * (x - curve.low) + bends
