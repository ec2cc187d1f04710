"""``abs(abs(x) - a)``: a line folded at 0 and then at ``a``, in one layer.

Where ``a`` is not below 0, it is 2 relu(x - a) + 2 relu(x + a) - 2 relu(x) - x - a.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from progtf.building import problems
from progtf.building.rules.functions import copy_rules, value_rules
from progtf.building.rules.logic import Logic
from progtf.building.rules.resolve import Twice
from progtf.notation.diagnostics import Mistake
from progtf.program.forms import Form, Space, Values, step_of
from progtf.program.model import Curve, Line, Rule


@dataclass(frozen=True, slots=True)
class Folded:
    """What such a value is made of.

    Attributes:
        bends: curves, each with the values of its form.
        rest: the sum that is added to them.
        given: what it can be.
    """

    bends: tuple[tuple[Curve, Values], ...]
    rest: Form
    given: Values


def fold_rules(fold: Folded, rest: Form, values: Values, when: Logic, line: Line) -> Iterator[Rule]:
    """The bends, and a sum beside them, where a condition holds."""
    for curve, given in fold.bends:
        yield from value_rules(curve, given, when, line)
    yield from copy_rules(rest, when, values, line, below=True)


def folded(value: Twice, space: Space) -> Folded:
    """The parts of a value.

    Raises:
        Mistake: if ``a`` may be below 0.
    """
    x, a, of = value.x, value.a, space.values
    if of(a).low < 0:
        raise Mistake(problems.rules.folded_below(value.span, of(a).low))
    low, high = _amount(*_less(_amount(of(x).low, of(x).high), of(a)))
    return Folded(*_parts(x, a, of), Values(low, high, step_of(of(x), of(a))))


def _parts(
    x: Form, a: Form, of: Callable[[Form], Values]
) -> tuple[tuple[tuple[Curve, Values], ...], Form]:
    """The bends and the sum."""
    rest, bends = (x + a).scaled(-1.0), list[tuple[Curve, Values]]()
    some = [(x + a.scaled(-1.0), 2.0), (x, -2.0), (x + a, 2.0)]  # none is below the one before
    sides = _sides([of(form) for form, _ in some])
    for (form, height), (up, down) in zip(some, sides, strict=True):
        if up:
            rest = rest + form.scaled(height)
        elif not down:
            bends.append((_above(form, of(form), height), of(form)))
    return tuple(bends), rest.read


def _sides(some: Sequence[Values]) -> Iterator[tuple[bool, bool]]:
    """Whether each is nowhere below 0, or nowhere above it; none is below the one before.

    So what holds of one holds of those behind it, or before it: ends are rounded each by itself.
    """
    up = accumulate((values.low >= 0 for values in some), max)
    down = [*accumulate((values.high <= 0 for values in reversed(some)), max)]
    return zip(up, reversed(down), strict=True)


def _above(form: Form, values: Values, height: float) -> Curve:
    """How far a form is above 0, times a height."""
    bend = ((0.0, height),)
    return Curve(form, values.low, values.high, 0.0, 0.0, bend, values.grain)


def _amount(low: float, high: float) -> tuple[float, float]:
    """The ends of an absolute value."""
    return 0.0 if low < 0 < high else min(abs(low), abs(high)), max(abs(low), abs(high))


def _less(ends: tuple[float, float], taken: Values) -> tuple[float, float]:
    return ends[0] - taken.high, ends[1] - taken.low
