"""Conditions and values to rules that one hidden layer can compute exactly.

A condition becomes a sum of gates with whole weights (inclusion and exclusion), each gate with at
most one comparison. A comparison is a plateau: 0 below it, 1 above it, and the step between two
values that its form can take, so that small errors upstream do not pass.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from progtf.notation.diagnostics import Mistake, Span
from progtf.program import problems
from progtf.program.forms import Form, Space, Values
from progtf.program.model import Curve, Gate, Rule

MOST_CASES = 4096
MOST_VALUES = 256


@dataclass(frozen=True, slots=True)
class Flag:
    """A seme that is 0 or 1."""

    name: str


@dataclass(frozen=True, slots=True)
class Window:
    """``low <= form < high``; an end at infinity is open.

    ``countable``: the form takes the values of ``values`` and no others, so that it can be mixed
    with a second form; the cosines of a distance do not.
    """

    form: Form
    values: Values
    low: float
    high: float
    span: Span
    countable: bool = True


@dataclass(frozen=True, slots=True)
class All:
    """Conjunction."""

    parts: tuple["Logic", ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """Negation."""

    part: "Logic"


Logic = Flag | Window | All | Negation
TRUE = All(())


def any_of(parts: tuple[Logic, ...]) -> Logic:
    """Disjunction, by De Morgan."""
    return Negation(All(tuple(Negation(part) for part in parts)))


def both_or_neither(a: Logic, b: Logic) -> Logic:
    """``a`` exactly when ``b``."""
    return any_of((All((a, b)), All((Negation(a), Negation(b)))))


@dataclass(frozen=True, slots=True)
class Case:
    """A gate with at most one window."""

    gate: Gate
    window: Window | None


def cases(condition: Logic, span: Span) -> list[tuple[Case, float]]:
    """The condition as a sum of weighted cases.

    Raises:
        Mistake: if one hidden layer cannot compute it, or only with too many units.
    """
    summed: dict[tuple[object, ...], tuple[Case, float]] = {}
    for gate, windows, weight in _expand((condition,), Gate(), (), 1.0):
        for case, sign in _single_window(gate, windows, span):
            key = (case.gate, _window_key(case.window))
            old = summed.get(key, (case, 0.0))[1]
            summed[key] = case, old + weight * sign
            if len(summed) > MOST_CASES:
                raise Mistake(problems.too_many_cases(span, MOST_CASES))
    return [pair for pair in summed.values() if pair[1] != 0]


def _window_key(window: Window | None) -> object:
    return None if window is None else (window.form.key(), window.low, window.high)


def _expand(
    todo: tuple[Logic, ...], gate: Gate, windows: tuple[Window, ...], weight: float
) -> Iterator[tuple[Gate, tuple[Window, ...], float]]:
    """All conjunctions of literals, with signs: ``x & !P`` is ``x`` minus ``x & P``."""
    if not todo:
        if not gate.positive & gate.negative:
            yield gate, windows, weight
        return
    first, *others = todo
    rest = tuple(others)
    match first:
        case Flag(name=name):
            yield from _expand(rest, Gate(gate.positive | {name}, gate.negative), windows, weight)
        case Window():
            yield from _expand(rest, gate, (*windows, first), weight)
        case All(parts=parts):
            yield from _expand((*parts, *rest), gate, windows, weight)
        case Negation(part=Flag(name=name)):
            yield from _expand(rest, Gate(gate.positive, gate.negative | {name}), windows, weight)
        case Negation(part=Negation(part=part)):
            yield from _expand((part, *rest), gate, windows, weight)
        case Negation(part=part):
            yield from _expand(rest, gate, windows, weight)
            yield from _expand((part, *rest), gate, windows, -weight)


def _single_window(
    gate: Gate, windows: tuple[Window, ...], span: Span
) -> Iterator[tuple[Case, float]]:
    """Windows of one form meet; windows of two forms become one over a mixed form."""
    if not windows:
        yield Case(gate, None), 1.0
        return
    merged: list[Window] = []
    for window in windows:
        same = next((w for w in merged if w.form.key() == window.form.key()), None)
        if same is None:
            merged.append(window)
            continue
        merged.remove(same)
        low, high = max(same.low, window.low), min(same.high, window.high)
        merged.append(Window(window.form, window.values, low, high, window.span))
    if any(w.low >= w.high for w in merged):
        return
    for window in _joined(merged, span):
        yield Case(gate, window), 1.0


def _joined(windows: list[Window], span: Span) -> Iterator[Window]:
    if len(windows) == 1:
        yield windows[0]
        return
    if any(not w.countable or w.values.grain == 0 or w.values.count > MOST_VALUES for w in windows):
        raise Mistake(problems.two_comparisons(span))
    first, second, *rest = sorted(windows, key=lambda w: w.values.count)
    for value in points(first):
        yield from _joined([_pinned(first, value, second), *rest], span)


def points(window: Window) -> Iterator[float]:
    """The values of the form that lie in the window."""
    values = window.values
    for step in range(int(values.count)):
        value = values.low + step * values.grain
        if window.low <= value < window.high:
            yield value


def _pinned(first: Window, value: float, second: Window) -> Window:
    """``first.form = value`` and ``second``, as one window over a form that keeps both apart."""
    grain, spread = second.values.grain, second.values.high - second.values.low
    factor = (spread + grain) / first.values.grain
    form = first.form.scaled(factor) + second.form
    low = factor * value + max(second.low, second.values.low)
    high = factor * value + min(second.high, second.values.high + grain)
    values = Values(
        factor * first.values.low + second.values.low,
        factor * first.values.high + second.values.high,
        grain,
    )
    return Window(form, values, low, high, second.span)


# ------------------------------------------------------------------ rules


def truth_rules(condition: Logic, writes: Mapping[str, float], span: Span) -> Iterator[Rule]:
    """``writes`` where the condition holds."""
    for case, weight in cases(condition, span):
        scaled = {name: weight * value for name, value in writes.items()}
        curve = None if case.window is None else window_curve(case.window)
        yield Rule(scaled, case.gate, curve)


def copy_rules(
    form: Form, when: Logic, writes: Mapping[str, float], space: Space, span: Span
) -> Iterator[Rule]:
    """``writes`` times the value of a form where the condition holds."""
    values = space.values(form)

    def gated(weight: float) -> Curve:
        return Curve(form, values.low, values.high, weight * values.low, weight, ())

    yield from value_rules(form, values, when, writes, gated, lambda x: x, span)


def value_rules(
    form: Form,
    values: Values,
    when: Logic,
    writes: Mapping[str, float],
    curve: Callable[[float], Curve],
    function: Callable[[float], float],
    span: Span,
) -> Iterator[Rule]:
    """A function of a form, as a curve behind a gate, or point by point beside a comparison."""
    for case, weight in cases(when, span):
        if case.window is None:
            yield Rule(writes, case.gate, curve(weight))
            continue
        if values.grain == 0 or values.count > MOST_VALUES:
            raise Mistake(problems.value_beside_comparison(span))
        for value in points(Window(form, values, -math.inf, math.inf, span)):
            here = Window(form, values, value, value + values.grain, span)
            for joined in _joined_or_none([case.window, here], span):
                factor = weight * function(value)
                scaled = {name: factor * v for name, v in writes.items()}
                yield Rule(scaled, case.gate, window_curve(joined))


def _joined_or_none(windows: list[Window], span: Span) -> Iterator[Window]:
    for case, _ in _single_window(Gate(), tuple(windows), span):
        if case.window is not None:
            yield case.window


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


def evaluate_curve(curve: Curve, x: float) -> float:
    """The value of a curve at one point of its form."""
    bends = sum(change * max(0.0, x - knot) for knot, change in curve.knots)
    return curve.start + curve.slope * (x - curve.low) + bends
