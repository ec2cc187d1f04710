"""Conditions and values to gates and curves: what the hidden units of a layer compute."""

from collections.abc import Iterator, Mapping

from progtf.notation.diagnostics import Mistake, Span
from progtf.program import problems
from progtf.program.curves import copy_curve, evaluate_curve, scaled, window_curve
from progtf.program.forms import Form, Space, Values
from progtf.program.logic import MOST_VALUES, Logic, Window, cases, meeting
from progtf.program.model import Curve, Rule

Writes = Mapping[str, float]


def truth_rules(condition: Logic, writes: Writes, span: Span) -> Iterator[Rule]:
    """``writes`` where the condition holds."""
    for case, weight in cases(condition, span):
        curve = None if case.window is None else window_curve(case.window)
        yield Rule(_times(writes, weight), case.gate, curve)


def copy_rules(form: Form, when: Logic, writes: Writes, space: Space, span: Span) -> Iterator[Rule]:
    """``writes`` times the value of a form where the condition holds."""
    values = space.values(form)
    return value_rules(copy_curve(form, values), values, when, writes, span)


def value_rules(
    curve: Curve, values: Values, when: Logic, writes: Writes, span: Span
) -> Iterator[Rule]:
    """A function of a form, as a curve behind a gate, or point by point beside a comparison."""
    for case, weight in cases(when, span):
        if case.window is None:
            yield Rule(writes, case.gate, scaled(curve, weight))
            continue
        if values.grain == 0 or values.count > MOST_VALUES:
            raise Mistake(problems.value_beside_comparison(span))
        for number in range(int(values.count)):
            here = Window(curve.form, values, number, number + 1)
            factor = weight * evaluate_curve(curve, values.at(number))
            for both in meeting(case.window, here, span):
                yield Rule(_times(writes, factor), case.gate, window_curve(both))


def _times(writes: Writes, factor: float) -> dict[str, float]:
    return {name: factor * value for name, value in writes.items()}
