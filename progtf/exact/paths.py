"""What rules do at a token, case by case: in each, what semes are is a sum of what they were.

A case fixes which gates are open and between which bends of its curve every form lies. What is
known in it is linear: the bounds of the numbers that a round begins with, and sums of them that are
not below 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from progtf.program.forms import Form, Space, Values, total
from progtf.program.model import Curve, FeedForward, Rule
from progtf.rational import fraction_of, rational

NEAR = 1e-6
"""So much more than there is may be in a case, and so much longer it may go on: more is looked at,
and nothing is left out.
"""
DEPTH = 2  # of what is added to a sum to bound it
MOST_KNOWN = 6  # of what is known beside bounds; less is known without the rest


Added = Mapping[str, Form]


class TooManyError(Exception):
    """There are more cases than are looked at."""


@dataclass(frozen=True)
class Case:
    """One way through some rules.

    Attributes:
        semes: what semes are by now, as sums of what the case began with; any other is itself.
        bounds: the lowest and highest value, and the step, of each name that these sums read.
        known: sums that are not below 0.
    """

    semes: Mapping[str, Form]
    bounds: Mapping[str, Values]
    known: tuple[Form, ...] = ()

    def read(self, form: Form) -> Form:
        """A form of semes as one of what the case began with."""
        parts = (self.semes[name].scaled(factor) for name, factor in form.coefficients.items())
        return total((*parts, Form({}, form.constant)))

    def highest(self, form: Form, depth: int = DEPTH) -> float:
        """What a sum is at most: by weak duality of linear programs, with few of the known sums."""
        best = form.constant
        for name, factor in form.coefficients.items():
            best += factor * (self.bounds[name].high if factor > 0 else self.bounds[name].low)
        for known in self.known if depth else ():
            for name, factor in form.coefficients.items():
                if factor * known.coefficients.get(name, 0.0) < 0:
                    times = -factor / known.coefficients[name]
                    best = min(best, self.highest(form + known.scaled(times), depth - 1))
        return best

    def between(self, form: Form, low: float, high: float) -> "Case | None":
        """The case in which a sum lies between two numbers; None: there is none."""
        if not any(form.coefficients.values()):
            return self if low - NEAR <= form.constant <= high + NEAR else None
        ends = form + Form({}, -low), form.scaled(-1.0) + Form({}, high)
        if any(self.highest(end) < -NEAR for end in ends):
            return None
        names = [name for name, factor in form.coefficients.items() if factor]
        if len(names) > 1:
            new = [end for end in ends if self.highest(end.scaled(-1.0)) > NEAR]
            return replace(self, known=(*self.known, *new)[:MOST_KNOWN]) if new else self
        (name,) = names
        first, last = sorted((x - form.constant) / form.coefficients[name] for x in (low, high))
        values = self.bounds[name]
        values = Values(max(values.low, first), min(values.high, last), values.grain)
        if values.low > values.high + NEAR:
            return None
        return replace(self, bounds={**self.bounds, name: values})


def behind(block: FeedForward, space: Space, case: Case, most: int) -> Iterator[Case]:
    """The cases behind a block, of those semes that a case follows.

    Raises:
        TooManyError: if there are more than ``most``.
    """
    rules = [rule for rule in block.rules if not case.semes.keys().isdisjoint(rule.writes)]
    bias = (block.bias or {}).items()
    added: Added = {name: Form({}, value) for name, value in bias if name in case.semes}
    cases = [(case, added)]
    for rule in rules:
        cases = [after for before in cases for after in _with(rule, space, *before)]
        if len(cases) > most:
            raise TooManyError
    for found, added in cases:
        semes = {name: total((found.semes[name], sums)) for name, sums in added.items()}
        yield replace(found, semes={**found.semes, **semes})


def _with(rule: Rule, space: Space, case: Case, added: Added) -> Iterator[tuple[Case, Added]]:
    """The cases of one rule: its gate is closed, or open on one piece of its curve."""
    flags = [(name, 1.0) for name in sorted(rule.gate.positive)]
    flags += [(name, 0.0) for name in sorted(rule.gate.negative)]
    for name, due in flags:
        form = case.read(Form({name: 1.0}))
        closed = case.between(form, 1.0 - due, 1.0 - due)
        if closed is not None:
            yield closed, added
        opened = case.between(form, due, due)
        if opened is None:
            return
        case = opened
    for low, high, value in pieces(rule.curve, space):
        read = Form() if rule.curve is None else case.read(rule.curve.form)
        if (here := case.between(read, low, high)) is not None:
            writes = {name: x for name, x in rule.writes.items() if name in case.semes}
            sums = {name: here.read(value).scaled(factor) for name, factor in writes.items()}
            yield here, {**added, **{n: added.get(n, Form()) + s for n, s in sums.items()}}


def pieces(curve: Curve | None, space: Space) -> Iterator[tuple[float, float, Form]]:
    """Between which values of its form a curve is which sum."""
    if curve is None:
        yield 0.0, 0.0, Form({}, 1.0)
        return
    values = space.values(curve.form)
    inner = {x for x, _ in curve.knots if curve.low < x < curve.high}
    bends = sorted({curve.low, curve.high, *inner})
    for left, right in pairwise(bends if len(bends) > 1 else bends * 2):
        low, high = left, right
        if values.grain:
            low = values.at(values.above(left))
            high = values.at(values.above(right, strictly=True) - 1)
        if low <= high + NEAR:
            slope, start = _line(curve, left)
            yield low, high, curve.form.scaled(slope) + Form({}, start)


def _line(curve: Curve, left: float) -> tuple[float, float]:
    """Slope and height of a curve to the right of a bend, reckoned without rounding."""
    slope, height = fraction_of(curve.slope), fraction_of(curve.start)
    height -= slope * fraction_of(curve.low)
    for knot, change in curve.knots:
        if knot <= left:
            slope += fraction_of(change)
            height -= fraction_of(change) * fraction_of(knot)
    return rational(slope), rational(height)
