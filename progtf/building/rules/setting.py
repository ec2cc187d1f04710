"""Rules that put a value in the place of what a seme was: ``set x: value when condition``.

They add the value, less what there was. Of several that set one seme one at most may hold.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from progtf.building import problems
from progtf.building.names import Names
from progtf.building.rules.conditions import logic
from progtf.building.rules.folding import Folded, fold_rules, folded
from progtf.building.rules.functions import (
    MOST_STEPS,
    copy_rules,
    function_curve,
    truth_rules,
    value_rules,
)
from progtf.building.rules.logic import TRUE, All, Logic, cases
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake
from progtf.program.curves import curve_values, evaluate_curve
from progtf.program.forms import FLAG, Form, Values, one, with_zero
from progtf.program.model import Curve, Line, Rule

Flagged = Callable[[Logic], Logic]


def set_rules(
    rule: f.Rule, form: Form | None, names: Names, length: int, flagged: Flagged
) -> Iterator[Rule]:
    """The gates and curves of a rule that sets a seme.

    Args:
        rule: as written.
        form: its value, if that is a sum.
        names: what its names mean.
        length: the longest input.
        flagged: gives conditions back, comparisons perhaps as flags.

    Raises:
        Mistake: if a hidden layer cannot compute it.
    """
    seme = names.target(rule.targets[0].terms[0])
    when = TRUE if rule.when is None else logic(rule.when, names, length)
    if form is not None:
        yield from _sum(rule, seme, form, names, flagged(when))
        return
    old = names.space.ranges[seme]
    match rule.value:
        case f.Function(more=(_, *_)) as value:
            yield from _folded(rule, seme, folded(value, names), names, flagged(when))
            return
        case f.Function() as value:
            read = names.form(value.form)
            values = names.space.values(read)
            curve = function_curve(value.function, read, values, value.arguments, value.span)
            given = _given(curve, values)
            line = _line(rule, seme, given, _less(given, old))
            yield from value_rules(curve, values, flagged(when), line)
        case value:
            assert value is not None
            line = _line(rule, seme, FLAG, _less(FLAG, old))
            yield from truth_rules(flagged(All((logic(value, names, length), when))), line)
    backward = Values(-old.high, -old.low, old.grain)
    yield from _copied(one(seme).scaled(-1.0), flagged(when), backward, line)


def _given(curve: Curve, values: Values) -> Values:
    """What a curve gives where its form has one of its values, and not on its ramps."""
    if values.count > MOST_STEPS:
        return curve_values(curve)
    found = {evaluate_curve(curve, values.at(number)) for number in range(int(values.count))}
    return Values(min(found), max(found), curve_values(curve).grain)


def _folded(rule: f.Rule, seme: str, fold: Folded, names: Names, when: Logic) -> Iterator[Rule]:
    """A line folded twice, less what there was."""
    old, less = names.space.ranges[seme], _less_than(fold.rest, seme)
    line = replace(_line(rule, seme, fold.given, _less(fold.given, old)), folds=fold.forms)
    return fold_rules(fold, less, names.space.values(less), when, line)


def _sum(rule: f.Rule, seme: str, form: Form, names: Names, when: Logic) -> Iterator[Rule]:
    """What a sum is more than what there was; that may be the same everywhere."""
    less = _less_than(form, seme)
    change = names.space.values(less)
    yield from _copied(less, when, change, _line(rule, seme, names.space.values(form), change))


def _less_than(form: Form, seme: str) -> Form:
    """What a sum is more than what there was."""
    return (form + one(seme).scaled(-1.0)).read


def _copied(form: Form, when: Logic, values: Values, line: Line) -> Iterator[Rule]:
    """By as much as what there was lies off, the difference to it does: together they cancel."""
    return copy_rules(form, when, values, line, below=True)


def _line(rule: f.Rule, seme: str, given: Values, change: Values) -> Line:
    values = change if rule.when is None else with_zero(change)
    return Line({seme: 1.0}, values, rule.span, sets=given)


def _less(given: Values, old: Values) -> Values:
    """What a value is more than what there was."""
    grain = min(given.grain, old.grain) if given.grain and old.grain else 0.0
    return Values(given.low - old.high, given.high - old.low, grain)


def overlapping(rules: Iterable[f.Rule], names: Names, length: int) -> Iterator[Diagnostic]:
    """What is wrong with rules that write a seme beside one that sets it."""
    writers: dict[str, list[f.Rule]] = {}
    for rule in rules:
        for entry in rule.targets:
            writers.setdefault(entry.terms[-1].name or "", []).append(rule)
    for seme, some in writers.items():
        for first, second in combinations(some, 2):
            both = first.sets and second.sets and _never_both(first, second, names, length)
            if (first.sets or second.sets) and not both:
                setter, other = (second, first) if second.sets else (first, second)
                yield problems.rules.set_twice(setter.span, seme, at=other.span)


def _never_both(first: f.Rule, second: f.Rule, names: Names, length: int) -> bool:
    """Whether it is certain that two conditions exclude each other."""
    if first.when is None or second.when is None:
        return False
    try:
        both = All((logic(first.when, names, length), logic(second.when, names, length)))
        return not cases(both, second.span)
    except Mistake:
        return False
