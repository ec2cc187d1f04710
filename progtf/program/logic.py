"""Conditions as sums of cases that one hidden layer can compute exactly.

A condition becomes a sum of gates with whole weights (inclusion and exclusion), each gate with at
most one window over the values of one form.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from progtf.notation.diagnostics import Mistake, Span
from progtf.program import problems
from progtf.program.forms import Form, Values
from progtf.program.model import Gate

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
        for window in joined(windows, span) if windows else (None,):
            key = (gate, _window_key(window))
            old = summed[key][1] if key in summed else 0.0
            summed[key] = Case(gate, window), old + weight
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
        case Flag() | Negation(part=Flag()):
            yield from _expand(rest, _narrowed(gate, first), windows, weight)
        case Window():
            yield from _expand(rest, gate, (*windows, first), weight)
        case All(parts=parts):
            yield from _expand((*parts, *rest), gate, windows, weight)
        case Negation(part=Negation(part=part)):
            yield from _expand((part, *rest), gate, windows, weight)
        case Negation(part=part):
            yield from _expand(rest, gate, windows, weight)
            yield from _expand((part, *rest), gate, windows, -weight)


def _narrowed(gate: Gate, literal: Logic) -> Gate:
    match literal:
        case Flag(name=name):
            return Gate(gate.positive | {name}, gate.negative)
        case Negation(part=Flag(name=name)):
            return Gate(gate.positive, gate.negative | {name})
        case _:
            raise AssertionError(literal)


def joined(windows: tuple[Window, ...], span: Span) -> Iterator[Window]:
    """Windows that hold together, as windows of which one at most holds.

    Those of one form meet; those of two forms become windows over a mixed form.

    Raises:
        Mistake: if they take too many values to be mixed.
    """
    merged: list[Window] = []
    for window in windows:
        same = next((w for w in merged if w.form.key() == window.form.key()), None)
        if same is None:
            merged.append(window)
            continue
        merged.remove(same)
        low, high = max(same.low, window.low), min(same.high, window.high)
        merged.append(replace(window, low=low, high=high))
    if all(window.low < window.high for window in merged):
        yield from _joined(merged, span)


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
