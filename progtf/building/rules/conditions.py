"""Conditions with their names resolved: flags, comparisons, distances, aliases."""

import math

from progtf.building import problems
from progtf.building.names import CLOCKED, Reader
from progtf.building.rules.logic import (
    TRUE,
    All,
    Flag,
    Logic,
    Negation,
    Window,
    any_of,
    both_or_neither,
    conjuncts,
)
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.program.clocks import address_gap
from progtf.program.forms import FLAG, Form, Values
from progtf.program.model import Gate

ALIKE = 1e-6


def logic(condition: f.Condition, names: Reader, length: int) -> Logic:
    """The meaning of a condition.

    Args:
        condition: as written.
        names: what its names mean.
        length: the longest input, which decides how well distances are told apart.
    """
    if isinstance(condition, f.Truth):
        return _truth(condition, names, length)
    if isinstance(condition, f.Comparison):
        return _comparison(condition, names, length)
    if isinstance(condition, f.Not):
        return Negation(logic(condition.part, names, length))
    parts = tuple([_part(part, names, length) for part in condition.parts])
    return All(parts) if isinstance(condition, f.AllOf) else any_of(parts)


def _part(condition: f.Condition, names: Reader, length: int) -> Logic:
    """What `&` and `|` join; a number there is a comparison that was not written out."""
    if isinstance(condition, f.Truth):
        first, *others = condition.form
        if first.name is None and all(term.name is None for term in others):
            raise Mistake(problems.rules.number_as_condition(condition.span))
    return logic(condition, names, length)


def _truth(condition: f.Truth[f.Term], names: Reader, length: int) -> Logic:
    """A flag, an alias of a condition, or a group of flags of which one must hold."""
    first = condition.form[0]
    name = first.name if len(condition.form) == 1 and first.coefficient == 1 else None
    if name and name not in names.aliases and names.space.ranges.get(name) is FLAG:
        return Flag(names.read(first))
    alias = _condition_alias(condition.form, names)
    if alias is not None:
        return logic(names.aliases[alias], names.within(alias), length)
    if len(condition.form) == 1 and condition.form[0].name is None:
        return All(()) if condition.form[0].coefficient else Negation(All(()))
    form = names.form(condition.form)
    members = [
        name
        for name, factor in form.coefficients.items()
        if factor == 1 and names.space.ranges[name] == FLAG
    ]
    if form.constant or len(members) != len(form.coefficients):
        values = names.space.values(form)
        shown = condition.form[0].name or "this"
        number = names.numbers.get(shown)
        raise Mistake(problems.rules.not_a_flag(condition.span, shown, values, number))
    if len(members) == 1:
        return Flag(members[0])
    return any_of(tuple(Flag(name) for name in members))


def _condition_alias(form: f.Form, names: Reader) -> str | None:
    """The alias that a form consists of, if it stands for a condition."""
    if len(form) != 1 or form[0].coefficient != 1:
        return None
    name = form[0].name
    if name is None or name not in names.aliases:
        return None
    value = names.aliases[name]
    plain_sum = isinstance(value, f.Truth) and _condition_alias(value.form, names) is None
    return None if plain_sum and not _is_one_flag(value) else name


def _is_one_flag(value: f.Condition) -> bool:
    """An alias of one flag reads as that flag."""
    return isinstance(value, f.Truth) and len(value.form) == 1 and value.form[0].coefficient == 1


def _comparison(condition: f.Comparison[f.Term], names: Reader, length: int) -> Logic:
    if condition.operator in ("=", "!=") and any(
        _is_logic(_condition_alias(side, names), names)
        for side in (condition.left, condition.right)
        if len(side) == 1 and side[0].name in names.aliases
    ):
        a, b = (
            _truth(f.Truth(side, condition.span), names, length)
            for side in (condition.left, condition.right)
        )
        same = both_or_neither(a, b)
        return same if condition.operator == "=" else Negation(same)
    if len(condition.left) == 1 and condition.left[0].name in names.distances:
        return _distance(condition, names, length)
    form, constant = names.difference(condition.left, condition.right)
    window = _window(condition, form, -constant, names)
    return Negation(window) if condition.operator == "!=" else window


def _is_logic(alias: str | None, names: Reader) -> bool:
    return alias is not None and not isinstance(names.aliases[alias], f.Truth)


def _window(condition: f.Comparison[f.Term], form: Form, threshold: float, names: Reader) -> Window:
    """``form operator threshold`` as a window over the form's values; of ``!=`` where it fails."""
    values = names.space.values(form)
    if values.grain == 0:
        clocked = any(name.startswith(CLOCKED) for name in form.coefficients)
        problem = problems.rules.clock_compared if clocked else problems.rules.no_grain
        raise Mistake(problem(condition.span))
    first, past = 0, int(values.count)
    if condition.operator in (">", "<="):
        split = values.above(threshold, strictly=True)
    else:
        split = values.above(threshold)
    match condition.operator:
        case ">" | ">=":
            first = split
        case "<" | "<=":
            past = split
        case _:
            first, past = split, values.above(threshold, strictly=True)
    return Window(form, values, first, past, source=condition)


def _distance(condition: f.Comparison[f.Term], names: Reader, length: int) -> Logic:
    """``distance = k``: all hands stand as they do k tokens away, told from k-1 and k+1."""
    name = condition.left[0].name
    assert name is not None
    right = names.form(condition.right)
    countable = not right.coefficients and right.constant.is_integer()
    if condition.operator not in ("=", "!=") or not countable:
        raise Mistake(problems.rules.unequal_comparison(condition.span, name))
    coefficients: dict[str, float] = {}
    for period, cos, sin in names.distance(name):
        names.reads.append((cos, condition.span))
        angle = 2 * math.pi * right.constant / period
        coefficients |= {cos: math.cos(angle), sin: math.sin(angle)}
    top = float(len(names.clocks))
    apart = abs(int(right.constant))
    if apart >= length:  # no two tokens are so far apart
        return Negation(TRUE) if condition.operator == "=" else TRUE
    reach = length + apart if name in names.signed else max(length, apart + 1)
    grain = 2.0 ** math.floor(math.log2(told_apart(names.clocks, reach, condition.span)))
    steps = math.ceil(2 * top / grain)
    values = Values(top - steps * grain, top, grain)
    window = Window(Form(coefficients), values, steps, steps + 1, False, condition)
    return window if condition.operator == "=" else Negation(window)


def gate(condition: f.Condition, names: Reader, length: int, span: Span, what: str) -> Gate:
    """A condition that attention can test: flags joined by ``&``.

    Raises:
        Mistake: for anything else.
    """
    positive, negative = set[str](), set[str]()
    todo = [logic(condition, names, length)]
    while todo:
        found, rest = conjuncts(todo.pop())
        positive |= found.positive
        negative |= found.negative
        for each in rest:
            match each:
                case Negation(part=Negation(part=part)):
                    todo.append(part)
                case _:
                    raise Mistake(problems.rules.literal_needed(span, what))
    return Gate(frozenset(positive), frozenset(negative))


def one_of(condition: f.Condition, names: Reader, length: int) -> tuple[str, ...] | None:
    """The flags of ``a | b | c``, or None if it is anything else."""
    match logic(condition, names, length):
        case Negation(part=All(parts=parts)):
            flags = tuple(p.part for p in parts if isinstance(p, Negation))
        case _:
            return None
    names_of = tuple(flag.name for flag in flags if isinstance(flag, Flag))
    return names_of if names_of and len(names_of) == len(parts) else None


def told_apart(periods: tuple[float, ...], length: int, span: Span) -> float:
    """The address gap.

    Raises:
        Mistake: if two distances below ``length`` look alike on all clocks.
    """
    gap = address_gap(periods, length)
    if gap < ALIKE:
        raise Mistake(problems.heads.alike_positions(span, length))
    return gap
