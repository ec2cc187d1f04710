"""Linear forms over semes: the one kind of number that attention and rules read."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import TypeVar

from progtf.frozen import freeze, quick
from progtf.numbers import plain, whole_steps
from progtf.rational import Rational, fraction_of, ratio_of, rational

Key = TypeVar("Key")


@quick
@dataclass(frozen=True, slots=True)
class Form:
    """``sum of coefficient * seme, plus constant``."""

    coefficients: Mapping[str, float] = field(default_factory=dict[str, float])
    constant: float = 0.0

    def __add__(self, other: "Form") -> "Form":
        merged = dict(self.coefficients)
        for name, value in other.coefficients.items():
            add_to(merged, name, value)
        return Form(merged, self.constant + other.constant)

    def scaled(self, factor: float) -> "Form":
        """This form times a number."""
        coefficients = {name: factor * value for name, value in self.coefficients.items()}
        return Form(coefficients, factor * self.constant + 0.0)  # no -0.0

    @property
    def read(self) -> "Form":
        """The same without semes that it does not read."""
        return Form({n: factor for n, factor in self.coefficients.items() if factor}, self.constant)

    def key(self) -> tuple[tuple[tuple[str, float], ...], float]:
        """What two equal forms have in common, whatever the order of their semes."""
        return tuple(sorted(self.coefficients.items())), self.constant

    def __hash__(self) -> int:
        return hash((frozenset(self.coefficients.items()), self.constant))


def add_to(coefficients: dict[Key, float], name: Key, value: float) -> None:
    """Adds an entry; a first entry is stored as it is, so that -0.0 keeps its sign."""
    coefficients[name] = coefficients[name] + value if name in coefficients else value


def is_nothing(value: float) -> bool:
    """Whether a number changes no sum: 0, and not -0.0."""
    return not value and math.copysign(1.0, value) > 0


def one(name: str, factor: float = 1.0) -> Form:
    """The form that reads one seme."""
    return Form({name: factor})


def total(forms: Iterable[Form]) -> Form:
    """The sum of forms."""
    merged: dict[str, float] = {}
    constant = 0.0
    for form in forms:
        constant += form.constant
        for name, value in form.coefficients.items():
            add_to(merged, name, value)
    return Form(merged, constant)


@quick
@dataclass(frozen=True, slots=True)
class Values:
    """The numbers a form can take: ``low, low + grain, ..., high``; grain 0: anything between."""

    low: float
    high: float
    grain: float

    @property
    def whole(self) -> bool:
        """Whether they are whole numbers."""
        return whole_steps(self.low, self.grain)

    @property
    def ends(self) -> str:
        """``0..9``."""
        return f"{plain(self.low)}..{plain(self.high)}"

    @property
    def count(self) -> float:
        """How many values there are."""
        return self.steps_to(self.high)[0] + 1 if self.grain else math.inf

    def at(self, number: int) -> float:
        """The value with this number; the lowest has number 0."""
        found = self.low + number * self.grain
        if _whole(self.low, self.grain, found) and abs(found) <= LARGEST_WHOLE:
            return found
        return rational(fraction_of(self.low) + number * fraction_of(self.grain))

    def above(self, x: float, *, strictly: bool = False) -> int:
        """The number of the first value that is not below ``x``, or that lies above it."""
        steps, rest = self.steps_to(x)
        return steps + (strictly or rest > 0)

    def steps_to(self, x: float) -> tuple[int, int]:
        """How many whole steps ``x`` lies above the lowest value, and a rest, 0 if none is left."""
        (above, below), (low, under) = ratio_of(x), ratio_of(self.low)
        step, part = ratio_of(self.grain)
        return divmod((above * under - low * below) * part, step * below * under)

    def holds(self, x: float) -> bool:
        """Whether a number is one of the values."""
        if not fraction_of(self.low) <= fraction_of(x) <= fraction_of(self.high):
            return False
        away = fraction_of(x) - fraction_of(self.low)
        return not self.grain or not away % fraction_of(self.grain)


def _whole(x: float, y: float, z: float) -> bool:
    """Whether all three are whole numbers; a ``Rational`` is none, whatever it is rounded to."""
    return not (x % 1 or y % 1 or z % 1 or Rational in (type(x), type(y), type(z)))


LARGEST_WHOLE = 2.0**53
"""Up to here float64 has every whole number."""
FLAG = Values(0.0, 1.0, 1.0)


def with_zero(values: Values) -> Values:
    """The values, and 0 beside them."""
    low, high = min(0.0, values.low), max(0.0, values.high)
    if not values.grain:
        return Values(low, high, 0.0)
    if not values.steps_to(0.0)[1]:
        return Values(low, high, values.grain)
    begin, step = abs(fraction_of(values.low)), fraction_of(values.grain)
    return Values(low, high, rational(_gcd(begin, step)))


def step_of(*some: Values) -> float:
    """A step of which all of these are multiples; 0: none is known."""
    steps = [with_zero(values).grain for values in some]
    return _common_step(steps) if all(steps) else 0.0


@dataclass(frozen=True)
class Space:
    """The residual stream: names in order, with the values each one may take."""

    ranges: Mapping[str, Values]
    names: tuple[str, ...]
    index: Mapping[str, int]

    def __post_init__(self) -> None:
        freeze(self, "ranges", "index")

    @staticmethod
    def of(ranges: Mapping[str, Values]) -> "Space":
        """A space over these names, in this order."""
        names = tuple(ranges)
        return Space(ranges, names, {name: i for i, name in enumerate(names)})

    def __len__(self) -> int:
        return len(self.names)

    def values(self, form: Form) -> Values:
        """What a form can take when its semes keep to their ranges and move independently."""
        low = high = form.constant
        steps: dict[float, None] = {}
        for name, factor in form.coefficients.items():
            if factor == 0:
                continue
            values = self.ranges[name]
            one, other = factor * values.low, factor * values.high
            low, high = (low + one, high + other) if one <= other else (low + other, high + one)
            step = factor * values.grain
            steps[step if step >= 0 else -step] = None
        if not steps:
            return Values(form.constant, form.constant, 1.0)
        if not all(steps):
            return Values(*_total_range(self, form), 0.0)
        return Values(low, high, _common_step(steps))


def _total_range(space: Space, form: Form) -> tuple[float, float]:
    ends = [
        sorted((factor * space.ranges[name].low, factor * space.ranges[name].high))
        for name, factor in form.coefficients.items()
    ]
    return form.constant + sum(e[0] for e in ends), form.constant + sum(e[1] for e in ends)


def _common_step(steps: Collection[float]) -> float:
    """The largest step of which some steps above 0 are multiples."""
    first, *others = steps
    if not others:
        return first
    if all(step.is_integer() and type(step) is float for step in steps):
        return float(math.gcd(*map(int, steps)))
    return rational(reduce(_gcd, map(fraction_of, steps)))


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(
        math.gcd(a.numerator * b.denominator, b.numerator * a.denominator),
        a.denominator * b.denominator,
    )


def power_of_two_above(value: float) -> float:
    """The smallest power of two that is not below ``value``: exact in every number format."""
    return 2.0 ** math.ceil(math.log2(value))


def power_of_two_below(value: float) -> float:
    """The largest power of two that is not above ``value``."""
    return 2.0 ** math.floor(math.log2(value) + 1e-12)
