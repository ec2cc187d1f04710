"""Conditions and values to gates and curves: what the hidden units of a layer compute."""

from collections.abc import Iterator, Mapping

from progtf.building import problems
from progtf.building.rules.functions import copy_curve, window_curve
from progtf.building.rules.logic import MOST_VALUES, Logic, Window, cases, meeting
from progtf.notation.diagnostics import Mistake
from progtf.program.curves import evaluate_curve, scaled
from progtf.program.forms import Form, Values
from progtf.program.model import Curve, Line, Rule


def truth_rules(condition: Logic, line: Line) -> Iterator[Rule]:
    """What the line writes where the condition holds."""
    for case, weight in cases(condition, line.span):
        curve = None if case.window is None else window_curve(case.window)
        yield Rule(_times(line.writes, weight), case.gate, curve, line)


def copy_rules(form: Form, when: Logic, values: Values, line: Line) -> Iterator[Rule]:
    """What the line writes times the value of a form where the condition holds."""
    return value_rules(copy_curve(form, values), values, when, line)


def value_rules(curve: Curve, values: Values, when: Logic, line: Line) -> Iterator[Rule]:
    """A function of a form, as a curve behind a gate, or point by point beside a comparison."""
    for case, weight in cases(when, line.span):
        if case.window is None:
            yield Rule(line.writes, case.gate, scaled(curve, weight), line)
            continue
        if values.grain == 0 or values.count > MOST_VALUES:
            raise Mistake(problems.rules.value_beside_comparison(line.span, case.window.said))
        for number in range(int(values.count)):
            here = Window(curve.form, values, number, number + 1)
            factor = weight * evaluate_curve(curve, values.at(number))
            for both in meeting(case.window, here, line.span):
                yield Rule(_times(line.writes, factor), case.gate, window_curve(both), line)


def _times(writes: Mapping[str, float], factor: float) -> dict[str, float]:
    return {name: factor * value for name, value in writes.items()}
