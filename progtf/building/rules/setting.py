"""Rules that put a value in the place of what a seme was: ``set x: value when condition``.

They add the value, less what there was. Of several that set one seme one at most may hold.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from progtf.building import problems
from progtf.building.rules.folding import fold_rules, folded
from progtf.building.rules.functions import (
    MOST_STEPS,
    copy_rules,
    function_curve,
    truth_rules,
    value_rules,
)
from progtf.building.rules.logic import All, Logic, cases
from progtf.building.rules.resolve import Called, Resolved, Twice, less
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.program.curves import curve_values, heights
from progtf.program.forms import FLAG, Form, Space, Values, one, with_zero
from progtf.program.model import Curve, Line, Rule


def set_rules(rule: Resolved, space: Space) -> Iterator[Rule]:
    """The gates and curves of a rule that sets a seme.

    Raises:
        Mistake: if a hidden layer cannot compute it.
    """
    if len(rule.writes) != 1:
        return  # what is wrong with that is said
    (seme,), when = rule.writes, rule.when
    old = space.ranges[seme]
    match rule.value:
        case Form() as form:  # what a sum is more than what there was may be the same everywhere
            change = space.values(rule.change)
            line = _line(rule, seme, space.values(form), change)
            yield from _copied(rule.change, when, change, line)
            return
        case Twice() as twice:
            fold = folded(twice, space)
            change = less(fold.rest, seme)
            line = _line(rule, seme, fold.given, _less(fold.given, old))
            line = replace(line, folds=(twice.x, twice.a))
            yield from fold_rules(fold, change, space.values(change), when, line)
            return
        case Called() as called:
            values = space.values(called.form)
            curve = function_curve(called, values)
            given = _given(curve, values)
            line = _line(rule, seme, given, _less(given, old))
            yield from value_rules(curve, values, when, line)
        case value:
            assert value is not None
            line = _line(rule, seme, FLAG, _less(FLAG, old))
            yield from truth_rules(All((value, when)), line)
    backward = Values(-old.high, -old.low, old.grain)
    yield from _copied(one(seme).scaled(-1.0), when, backward, line)


def _given(curve: Curve, values: Values) -> Values:
    """What a curve gives where its form has one of its values, and not on its ramps."""
    if values.count > MOST_STEPS:
        return curve_values(curve)
    found = {*heights(curve, map(values.at, range(int(values.count))))}
    return Values(min(found), max(found), curve_values(curve).grain)


def _copied(form: Form, when: Logic, values: Values, line: Line) -> Iterator[Rule]:
    """By as much as what there was lies off, the difference to it does: together they cancel."""
    return copy_rules(form, when, values, line, below=True)


def _line(rule: Resolved, seme: str, given: Values, change: Values) -> Line:
    source = rule.source
    values = change if source.when is None else with_zero(change)
    return Line({seme: 1.0}, values, source.span, rule.held, sets=given)


def _less(given: Values, old: Values) -> Values:
    """What a value is more than what there was."""
    grain = min(given.grain, old.grain) if given.grain and old.grain else 0.0
    return Values(given.low - old.high, given.high - old.low, grain)


def overlapping(
    rules: Iterable[tuple[f.Rule, Resolved | None]], raw: Mapping[str, Span]
) -> Iterator[Diagnostic]:
    """What is wrong with what writes a seme beside a rule that sets it.

    Args:
        rules: those of a block, with what they come to.
        raw: what raw weights and biases of the block write, and where.
    """
    writers: dict[str, list[tuple[f.Rule, Resolved | None]]] = {}
    for rule, resolved in rules:
        for entry in rule.targets:
            writers.setdefault(entry.terms[-1].name or "", []).append((rule, resolved))
    for seme, some in writers.items():
        for rule, _ in some if seme in raw else ():
            if rule.sets:
                yield problems.rules.set_twice(rule.span, seme, at=raw[seme])
        for (first, mine), (second, other) in combinations(some, 2):
            both = first.sets and second.sets and _never_both(mine, other)
            if (first.sets or second.sets) and not both:
                setter, beside = (second, first) if second.sets else (first, second)
                yield problems.rules.set_twice(setter.span, seme, at=beside.span)


def _never_both(first: Resolved | None, second: Resolved | None) -> bool:
    """Whether it is certain that two conditions exclude each other."""
    if not first or not second or not first.source.when or not second.source.when:
        return False
    try:
        return not cases(All((first.when, second.when)), second.source.span)
    except Mistake:
        return False
