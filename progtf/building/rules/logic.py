"""Conditions as sums of cases that one hidden layer can compute exactly.

A condition is a polynomial in its tests: ``a & b`` is a product, ``!a`` is ``1 - a``. Each monomial
becomes a case: a gate of flags with at most one window over the values of one form.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from progtf.building import problems
from progtf.frozen import quick
from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Mistake, Span
from progtf.program.forms import Form, Values, add_to, power_of_two_above
from progtf.program.model import Gate

MOST_CASES = 4096
MOST_PRODUCTS = 65_536
MOST_VALUES = 256
MOST_MIXED = 65_536


@quick
@dataclass(frozen=True, slots=True)
class Flag:
    """A seme that is 0 or 1."""

    name: str


@quick
@dataclass(frozen=True, slots=True)
class Window:
    """The form has one of its values number ``first`` to ``past - 1``, counted from the lowest.

    ``countable``: the form takes the values of ``values`` and no others, so that it can be mixed
    with a second form; the cosines of a distance do not. ``source``: the comparison, as it was
    written. ``count``: how many values there are.
    """

    form: Form
    values: Values
    first: int
    past: int
    countable: bool = True
    source: f.Comparison[f.Term] | None = field(default=None, compare=False)
    count: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", self.values.count)

    @property
    def said(self) -> str:
        """The comparison as it is shown; ``!=`` as what it denies."""
        if self.source is None:
            return ""
        operator = self.source.operator if self.source.operator[0] in "<>" else "="
        return f"{_sum(self.source.left)} {operator} {_sum(self.source.right)}"

    @property
    def never(self) -> bool:
        """Whether no value lies in the window."""
        return self.first >= self.past or self.past <= 0 or self.first >= self.count

    @property
    def always(self) -> bool:
        """Whether every value does."""
        return self.countable and self.first <= 0 and self.past >= self.count

    @property
    def stepped(self) -> bool:
        """Whether the range alone does not tell how it is settled: a number between two values, or
        behind the last one, would be told wrong.
        """
        if self.source is not None and self.source.operator in ("=", "!="):
            return True
        return self.values.steps_to(self.values.high)[1] != 0

    def numbers(self) -> range:
        """The numbers of the values in the window."""
        return range(max(0, self.first), min(self.past, int(self.count)))


def _sum(terms: f.Form) -> str:
    coefficients: dict[str, float] = {}
    for term in terms:
        add_to(coefficients, term.name or "", term.coefficient)
    constant = coefficients.pop("", 0.0)
    return spell.form(coefficients, constant)


@quick
@dataclass(frozen=True, slots=True)
class All:
    """Conjunction."""

    parts: tuple["Logic", ...]


@quick
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


def with_flags(condition: Logic, flag: Callable[[Window], Logic]) -> Logic:
    """The condition with what ``flag`` gives for each comparison that is not settled."""
    match condition:
        case Window() if not condition.never and not condition.always:
            return flag(condition)
        case All(parts=parts):
            return All(tuple(with_flags(part, flag) for part in parts))
        case Negation(part=part):
            return Negation(with_flags(part, flag))
        case _:
            return condition


def windows(condition: Logic) -> list[Window]:
    """The comparisons in a condition that are not settled."""
    return [each for each in all_windows(condition) if not each.never and not each.always]


def all_windows(*conditions: Logic) -> list[Window]:
    """The comparisons in some conditions, from left to right."""
    found, todo = list[Window](), [*reversed(conditions)]
    while todo:
        part = todo.pop()
        if isinstance(part, Window):
            found.append(part)
        elif isinstance(part, All):
            todo += reversed(part.parts)
        elif isinstance(part, Negation):
            todo.append(part.part)
    return found


def conjuncts(condition: Logic) -> tuple[Gate, list[Logic]]:
    """What ``&`` joins: the flags, with ``!`` or without, and all else."""
    positive, negative, rest, todo = list[str](), list[str](), list[Logic](), [condition]
    while todo:
        part = todo.pop()
        if isinstance(part, All):
            todo += part.parts
        elif isinstance(part, Flag):
            positive.append(part.name)
        elif isinstance(part, Negation) and isinstance(part.part, Flag):
            negative.append(part.part.name)
        else:
            rest.append(part)
    return Gate(frozenset(positive), frozenset(negative)), rest


@quick
@dataclass(frozen=True, slots=True)
class Case:
    """A gate with at most one window."""

    gate: Gate
    window: Window | None


_EVERYWHERE = Case(Gate(), None)
Monomial = tuple[Gate, frozenset[Window]]
Polynomial = dict[Monomial, float]
Key = TypeVar("Key")
ONE: Monomial = (Gate(), frozenset())


def cases(condition: Logic, span: Span) -> list[tuple[Case, float]]:
    """The condition as a sum of weighted cases.

    Raises:
        Mistake: if one hidden layer cannot compute it, or only with too many units.
    """
    if condition == TRUE:
        return [(_EVERYWHERE, 1.0)]
    plain = _conjunction(condition)
    if plain is not None:
        gate, window = plain
        never = not gate.positive.isdisjoint(gate.negative) or (window and window.never)
        return [] if never else [(Case(gate, None if window and window.always else window), 1.0)]
    summed: dict[Case, float] = {}
    for (gate, windows), weight in _polynomial(condition, span).items():
        for window in joined(tuple(windows), span) if windows else (None,):
            _add(summed, Case(gate, window), weight)
            if len(summed) > MOST_CASES:
                raise Mistake(problems.rules.too_many_cases(span, MOST_CASES))
    return list(summed.items())


def _conjunction(condition: Logic) -> tuple[Gate, Window | None] | None:
    """Flags joined by ``&``, and at most one comparison; None if it is anything else."""
    gate, rest = conjuncts(condition)
    match rest:
        case []:
            return gate, None
        case [Window() as window]:
            return gate, window
        case _:
            return None


def _add(summed: dict[Key, float], key: Key, weight: float) -> None:
    """Adds to an entry; what comes to nothing is dropped."""
    total = summed.pop(key, 0.0) + weight
    if total:
        summed[key] = total


def _polynomial(condition: Logic, span: Span) -> Polynomial:
    match condition:
        case Flag(name=name):
            return {(Gate(frozenset({name})), frozenset()): 1.0}
        case Negation(part=Flag(name=name)):
            return {(Gate(frozenset(), frozenset({name})), frozenset()): 1.0}
        case Window():
            return {} if condition.never else {_tested(condition): 1.0}
        case Negation(part=part):
            result = {ONE: 1.0}
            for monomial, weight in _polynomial(part, span).items():
                _add(result, monomial, -weight)
            return result
        case All(parts=parts):
            match _conjunction(condition):
                case Gate() as gate, None:
                    return {} if gate.positive & gate.negative else {(gate, frozenset()): 1.0}
                case _:
                    result = {ONE: 1.0}
            for part in parts:
                result = _product(result, _polynomial(part, span), span)
            return result


def _tested(window: Window) -> Monomial:
    return Gate(), frozenset() if window.always else frozenset({window})


def _product(left: Polynomial, right: Polynomial, span: Span) -> Polynomial:
    if len(left) * len(right) > MOST_PRODUCTS:
        raise Mistake(problems.rules.too_many_cases(span, MOST_CASES))
    result: Polynomial = {}
    for a, mine in left.items():
        for b, theirs in right.items():
            both = _both(a, b)
            if both is not None:
                _add(result, both, mine * theirs)
    if len(result) > MOST_CASES:
        raise Mistake(problems.rules.too_many_cases(span, MOST_CASES))
    return result


def _both(a: Monomial, b: Monomial) -> Monomial | None:
    """The conjunction of two monomials, None where they exclude each other."""
    gate = Gate(a[0].positive | b[0].positive, a[0].negative | b[0].negative)
    if gate.positive & gate.negative:
        return None
    windows = a[1]
    for window in b[1]:
        same = next((w for w in windows if w.form == window.form), None)
        if same is not None:
            first, past = max(same.first, window.first), min(same.past, window.past)
            windows, window = windows - {same}, replace(window, first=first, past=past)  # noqa: PLW2901
        if window.never:
            return None
        windows |= {window}
    return gate, windows


def meeting(a: Window, b: Window, span: Span) -> Iterator[Window]:
    """Where two windows hold together, as windows of which one at most holds."""
    both = _both(_tested(a), _tested(b))
    if both is not None and both[1]:
        yield from joined(tuple(both[1]), span)


def joined(windows: tuple[Window, ...], span: Span) -> Iterator[Window]:
    """Windows of several forms, as windows of one mixed form, of which one at most holds.

    Raises:
        Mistake: if the forms take too many values to be mixed.
    """
    if len(windows) == 1:
        yield windows[0]
        return
    first, second, *rest = sorted(windows, key=_order)
    mixed = first.count * second.count
    countable = all(window.countable for window in windows)
    if not countable or first.count > MOST_VALUES or mixed > MOST_MIXED:
        raise Mistake(problems.rules.two_comparisons(span, first.said or second.said))
    for number in first.numbers():
        yield from joined((_pinned(first, number, second), *rest), span)


def _order(window: Window) -> tuple[float, list[tuple[str, float]]]:
    """Few values first; the names only make the order certain."""
    return window.count, sorted(window.form.coefficients.items())


def _pinned(first: Window, number: int, second: Window) -> Window:
    """``first.form`` has its value ``number`` and ``second`` holds: one window over a mixed form.

    Every value of the first form gets a stretch of the mixed form to itself, with room for all
    values of the second; that it is a power of two keeps the weights exact.
    """
    stretch = int(power_of_two_above(second.count))
    factor = stretch * second.values.grain / first.values.grain
    values = Values(
        factor * first.values.low + second.values.low,
        factor * first.values.high + second.values.high,
        second.values.grain,
    )
    inside = second.numbers()
    start = number * stretch
    form = first.form.scaled(factor) + second.form
    return Window(form, values, start + inside.start, start + inside.stop)
