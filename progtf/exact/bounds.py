"""Numbers by what they can be, and how far the network's copy of them can lie off.

Every number has two versions: the exact one, of the interpreter, and the network's. A bound holds
the ends of the first and the largest difference of the second. Sums of multiples of a power of two
that stay below 2**24 of it are exact in float32; errors too small to be seen beside the smallest
such multiple are rounded away.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from progtf.exact.formats import Format, grid_of
from progtf.program.forms import Form, Values

MANY = 40  # terms: from here on doubling errors says nothing
HUGE = 1e30  # bounds beyond this say nothing
PLATEAU = 0.25


class Bound(NamedTuple):
    """What one number can be.

    Attributes:
        low, high: the ends of its exact values.
        grid: a power of two that all of them are multiples of; 0: there is none.
        error: how far the network's number lies off at most.
    """

    low: float
    high: float
    grid: float
    error: float

    @property
    def size(self) -> float:
        """The largest amount, the network's too."""
        return max(-self.low, self.high, 0.0) + self.error

    @property
    def spread(self) -> float:
        """The distance between its ends."""
        return self.high - self.low


ZERO = Bound(0.0, 0.0, math.inf, 0.0)
State = Mapping[str, Bound]


def constant(value: float, form: Format) -> Bound:
    """A stored number."""
    return Bound(value, value, grid_of(value), abs(value - form.stored(value)))


def declared(values: Values) -> Bound:
    """What a declared range allows."""
    grid = min(grid_of(values.low), grid_of(values.grain)) if values.grain else 0.0
    fixed = values.low == values.high
    return Bound(values.low, values.high, grid_of(values.low) if fixed else grid, 0.0)


def scaled(bound: Bound, factor: float) -> Bound:
    """A number times an exact one."""
    if factor == 0:
        return ZERO
    ends = factor * bound.low, factor * bound.high
    size = abs(factor)
    return Bound(min(ends), max(ends), grid_of(factor) * bound.grid, size * bound.error)


def rounding(terms: int, size: float, grid: float, error: float, form: Format) -> float:
    """What adding up ``terms`` numbers loses at most, if no sum of some of them exceeds ``size``.

    A sum that would be exact without the errors is itself a candidate when it is rounded, so that
    each addition at most doubles an error.
    """
    if keeps(size, grid, error, form):
        return 0.0
    lost = (terms + 2) * form.roundoff * size  # additions, and products before them
    return min(lost, 2.0**terms * error) if terms < MANY and keeps(size, grid, 0.0, form) else lost


def keeps(size: float, grid: float, error: float, form: Format) -> bool:
    """Whether arithmetic on multiples of ``grid`` up to ``size`` loses nothing."""
    fits = grid > 0 and size <= grid * 2.0**form.working_bits
    return fits and error <= grid * form.vanishing


def read(form: Form, state: State, number: Format, most: float = math.inf) -> Bound:
    """What a linear form can be, computed with stored coefficients.

    ``most``: the amount that it is known to keep to. Then no term is larger than that and the
    others together.
    """
    low = high = form.constant
    grid = grid_of(form.constant)
    error = abs(form.constant - number.stored(form.constant))
    size, terms = _largest_sum(form, state, most), 1 if form.constant else 0
    for name, factor in form.coefficients.items():
        bound = state[name]
        amount = abs(factor)
        most = bound.size
        if factor > 0:
            low, high = low + factor * bound.low, high + factor * bound.high
        else:
            low, high = low + factor * bound.high, high + factor * bound.low
        error += amount * bound.error + abs(factor - number.stored(factor)) * most
        grid = min(grid, grid_of(factor) * bound.grid) if factor and most else grid
        terms += 1
    if terms == 1 and size and _is_plain(form):
        return Bound(low, high, grid, error)
    return Bound(low, high, grid, error + rounding(terms, size, grid, error, number))


def _largest_sum(form: Form, state: State, most: float) -> float:
    up, down = reach(form, state)
    if most == math.inf:
        return max(up, down)
    sizes = [abs(f) * state[n].size for n, f in form.coefficients.items()]
    others = sum(sizes) + abs(form.constant) - max(sizes, default=0.0)
    return min(max(up, down), most + 2 * others)


def reach(form: Form, state: State) -> tuple[float, float]:
    """The largest sums of some terms of a form, in whatever order they are added: up and down."""
    up, down = max(form.constant, 0.0), max(-form.constant, 0.0)
    for name, factor in form.coefficients.items():
        bound = state[name]
        above, below = (bound.high, -bound.low) if factor > 0 else (-bound.low, bound.high)
        up += abs(factor) * max(0.0, above + bound.error)
        down += abs(factor) * max(0.0, below + bound.error)
    return up, down


def _is_plain(form: Form) -> bool:
    """Whether a form of one term only moves the binary point."""
    return all(abs(factor) == grid_of(factor) for factor in form.coefficients.values())


def product(one: Bound, other: Bound, number: Format, most: float = math.inf) -> Bound:
    """One number times another; ``most``: the amount that it is known to keep to."""
    ends = [a * b for a in one[:2] for b in other[:2]]
    a, b = max(-one.low, one.high), max(-other.low, other.high)
    error = a * other.error + b * one.error + one.error * other.error
    zero = ZERO in (one, other)
    grid = math.inf if zero else one.grid * other.grid
    size = min(a * b, most)
    lost = 0.0 if keeps(size, grid, error, number) else number.roundoff * size
    return Bound(min(ends), max(ends), grid, error + lost)


def total(parts: Iterable[Bound], number: Format) -> Bound:
    """The sum of numbers that move independently."""
    low = high = error = size = 0.0
    grid, terms = math.inf, 0
    for part in parts:
        low, high, error = low + part.low, high + part.high, error + part.error
        grid, size, terms = min(grid, part.grid), size + part.size, terms + (part != ZERO)
    lost = rounding(terms, size, grid, error, number) if terms > 1 else 0.0
    return Bound(max(low, -HUGE), min(high, HUGE), grid, min(error + lost, HUGE))


def hull(parts: Iterable[Bound]) -> Bound:
    """A number that is one of several, or lies between them."""
    parts = tuple(parts)
    return Bound(
        min(part.low for part in parts),
        max(part.high for part in parts),
        min(part.grid for part in parts),
        max(part.error for part in parts),
    )


@dataclass(frozen=True, slots=True)
class RuleBound:
    """One rule at its worst.

    Attributes:
        margin: see ``RuleRow``; None without a step.
        off: how far the form lies off that comes nearest to a step.
        step: the step of that form.
        error: how far the value lies off, rounding of the sums left out.
        up, down: what the hidden units add to, and what they take away again, at most.
        grid, terms, absorbed: of the hidden units, for that rounding.
        closes: whether all of them are 0 where the rule does not hold.
        loose: how far all hidden units together lie off, as if nothing cancelled.
        lasting: the part of the error that is left where nothing else is added to the value.
    """

    margin: float | None
    off: float
    step: float
    error: float
    up: float
    down: float
    grid: float
    terms: int
    absorbed: bool
    closes: bool
    loose: float = 0.0
    lasting: float = 0.0

    def tight(self) -> "RuleBound":
        """This bound without the error of a rule that is refused for it."""
        refused = self.margin is not None and self.margin < PLATEAU
        return replace(self, error=0.0, lasting=0.0) if refused else self
