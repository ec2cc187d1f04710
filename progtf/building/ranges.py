"""The values that tokens give to semes, held against what is declared.

A seme without a declared range is a flag as long as every token gives it 0 or 1. Where one gives it
something else, it takes the values that tokens give: whatever then reads it as a flag is refused,
rather than compiled to something else than it says.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm

from progtf.building import problems
from progtf.building.names import Names
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.numbers import plain
from progtf.program.forms import FLAG, Space, Values
from progtf.rational import fraction_of, rational


def misfits(
    vector: Mapping[str, float], space: Space, place: Callable[[str], Span]
) -> Iterable[Diagnostic]:
    """The entries of a token's vector that the declared ranges do not allow.

    Args:
        vector: seme -> value.
        space: the ranges.
        place: where a seme gets its value.
    """
    for name, value in vector.items():
        values = space.ranges[name]
        if values != FLAG and not values.holds(value):
            steps = "" if values.grain in (0, 1) else f" in steps of {plain(values.grain)}"
            yield problems.names.out_of_range(place(name), name, value, values, steps)


def widened(names: Names, vectors: Iterable[Mapping[str, float]]) -> Names:
    """Names in which flags that are no flags have the values that tokens give them."""
    given: dict[str, set[float]] = {}
    for vector in vectors:
        for name, value in vector.items():
            if value not in (0.0, 1.0) and names.space.ranges[name] == FLAG:
                given.setdefault(name, {0.0, 1.0}).add(value)
    if not given:
        return names
    wider = {name: _hull(frozenset(values)) for name, values in given.items()}
    numbers = {name: max(values - {0.0, 1.0}, key=abs) for name, values in given.items()}
    return replace(names, space=Space.of({**names.space.ranges, **wider}), numbers=numbers)


def _hull(values: frozenset[float]) -> Values:
    """The smallest grid that holds all values."""
    parts = [*map(fraction_of, values)]
    below = lcm(*(part.denominator for part in parts))
    step = gcd(*(int(part * below) for part in parts))
    return Values(min(values), max(values), rational(Fraction(step, below)))
