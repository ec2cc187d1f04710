"""Lemmas 6 and 7: what hidden units that read one sum come to together.

Units that read the same but for their biases share the sum *S*: the network computes it once and
adds each bias to the same rounded number. What such a group writes to one column is a curve of *S*,
linear between its knots.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import ceil, floor, frexp, inf, isinf, ldexp
from typing import NamedTuple

from progtf.exact.kernel.facts import NOTHING, ZERO, Fact, Term, term
from progtf.exact.kernel.numbers import (
    Format,
    above,
    common,
    grid_of,
    is_power_of_two,
    plus,
    times,
)


class Unit(NamedTuple):
    """One hidden unit of a group, as it comes out of the network.

    Attributes:
        bias: as it is meant; off: how far it is stored off.
        fact: of the unit itself, apart from what *S* lies off.
    """

    bias: Fraction
    off: float
    fact: Fact


class Group(NamedTuple):
    """Units that read one sum.

    Attributes:
        sum: *S*, without any bias.
        exactly: whether *S* is the exact number wherever that is not 0 (lemma 2).
    """

    sum: Fact
    units: tuple[Unit, ...]
    exactly: bool


def group(read: Fact, biases: Sequence[tuple[Fraction, Fraction]], number: Format) -> Group:
    """The units that read a sum, each with a bias as it is meant and as it is stored."""
    made = [_unit(read, meant, stored, number) for meant, stored in biases]
    exactly = not read.off and all(snapped for _, snapped in made)
    return Group(read, tuple(unit for unit, _ in made), exactly)


def _unit(read: Fact, meant: Fraction, stored: Fraction, number: Format) -> tuple[Unit, bool]:
    """A unit, and whether it is what it would be if its sum were exact."""
    u, error, off = number.roundoff, read.error, above(meant - stored)
    low, high = max(read.low + meant, ZERO), max(read.high + meant, ZERO)
    if Fraction(plus(error, off)) <= -(read.high + meant):  # below 0, wherever the sum lies
        return Unit(meant, 0.0, NOTHING), not (read.off or off)
    step = common((read.step, abs(meant)))
    grid, bottom = grid_of(step), read.low + meant
    size = max(read.size, above(meant), above(read.high + meant), above(bottom))
    fits = grid > 0 and size <= grid * 2.0**number.precision
    if fits and not read.off and not off and read.stray <= grid * u / 4:  # lemma 2
        return Unit(meant, 0.0, Fact(low, high, step, 0.0, 0.0 if meant else read.stray)), True
    if not meant and not off:  # the sum itself, or 0
        return Unit(meant, 0.0, Fact(low, high, None)), False
    largest, places = plus(above(max(read.high, ZERO)), error), grid_of(abs(meant))
    if meant < 0 and not off and places >= last_place(largest, number) > 0:  # lemma 6
        places = min(places, last_place(above(meant), number))
        return Unit(meant, 0.0, Fact(low, high, Fraction(places))), False
    rounded = times(u, plus(above(high), error, off))
    return Unit(meant, off, Fact(low, high, None, rounded, rounded)), False


def last_place(size: float, number: Format) -> float:
    """The unit in the last place of a number of this size; 0: there is none."""
    return 0.0 if not size or isinf(size) else ldexp(1.0, frexp(size)[1] - number.precision)


class Written(NamedTuple):
    """What a group writes to one column.

    Attributes:
        terms: its units times their weights, as they come out of the network.
        exact: the curve of the exact sum: its ends and its step.
        passed: how far the curve of the network's sum lies off that of the exact one.
        claimed: whether that stands on what is claimed of the sum.
    """

    terms: list[Term]
    exact: Fact
    passed: float
    claimed: bool = False


def written(
    made: Group, weights: Sequence[tuple[int, Fraction, Fraction]], *, flat: bool
) -> Written:
    """What units write, by place with the weight as it is meant and as it is stored.

    Args:
        made: the group.
        weights: of each unit the place, and the weight as it is meant and as it is stored.
        flat: whether the exact sum is claimed to stand on no part of the curve that rises or falls,
            nor as near to one as the network's may lie off.
    """
    terms: list[Term] = []
    passed = 0.0
    for place, meant, stored in weights:
        unit = made.units[place]
        error = 0.0 if made.exactly else made.sum.error  # the unit may be higher by that
        each = term(_raised(unit.fact, error), meant, stored)
        if each is not None:
            terms.append(each)
        passed = plus(passed, times(above(meant), unit.off))
    curve = _curve(
        made.sum.low, made.sum.high, made.sum.step,
        tuple(sorted((-made.units[place].bias, meant) for place, meant, _ in weights)),
    )  # fmt: skip
    low, high, step = curve.ends
    rises = 0.0 if made.exactly else curve.steepest(made.sum)
    if rises and flat:
        return Written(terms, curve.on_plateaus, passed, claimed=True)
    passed = plus(passed, times(rises, made.sum.error))
    return Written(terms, Fact(low, high, step), passed)


class Placed(NamedTuple):
    """A group whose sum reads the hands of one place, and what it writes to one column.

    Attributes:
        group: its units.
        up: the places where some unit may be above 0, each with what *S* is there.
        places: how many there are.
        within: how far that may lie off the number that is meant, and the network's off that.
        weights: as in `written`.
    """

    group: Group
    up: Sequence[tuple[int, Fraction]]
    places: int
    within: Fraction
    weights: Sequence[tuple[int, Fraction, Fraction]]


def placed(
    made: Group, sums: Sequence[float], off: float
) -> tuple[list[tuple[int, Fraction]], Fraction]:
    """Where units of a group may be above 0, by what its sum is at each place."""
    within = Fraction(plus(made.sum.error, off, *(unit.off for unit in made.units)))
    first = min(-unit.bias for unit in made.units) - within
    return [(n, Fraction(each)) for n, each in enumerate(sums) if Fraction(each) > first], within


class _Here(NamedTuple):
    """What units come to at one place: the curve's value, sums up and down, what is rounded."""

    value: Fraction = ZERO
    up: float = 0.0
    down: float = 0.0
    rounded: float = 0.0
    many: int = 0


def written_by_place(parts: Sequence[Placed]) -> Written | None:
    """What groups that read hands of the same place write to one column, place by place.

    None: at some place the sum of a group stands on a part that rises, or as near to one as it may
    lie off.
    """
    here: dict[int, _Here] = {}
    steps, passed = list[Fraction | None](), 0.0
    for part in parts:
        curve = _curve(part.group.sum.low, part.group.sum.high, None, _bends(part))
        for place, about in part.up:
            height = curve.flat_at(about, part.within)
            if height is None:
                return None
            here[place] = _beside(here.get(place, _Here()), part, about + part.within, height)
        for unit, meant, stored in part.weights:
            made = part.group.units[unit]
            raised = _raised(made.fact, 0.0 if part.group.exactly else part.group.sum.error)
            steps.append(None if raised.step is None else raised.step * abs(stored))
            slack = times(above(meant - stored), plus(above(raised.high), raised.error))
            passed = plus(passed, times(above(meant), plus(made.off, made.fact.error)), slack)
    found = [*here.values()]
    if len(found) < parts[0].places:
        found.append(_Here())
    values, count = [each.value for each in found], max(each.many for each in found)
    up, down = max(each.up for each in found), max(each.down for each in found)
    fact, share = Fact(-Fraction(down), Fraction(up), common(steps)), 1.0 / max(1, count)
    rounded = max(each.rounded for each in found)
    one = Term(fact, *(times(each, share) for each in (up, down, rounded)))
    exact = Fact(min(values), max(values), common(map(abs, values)))
    return Written([one] * count, exact, passed)


def _beside(here: _Here, part: Placed, top: Fraction, height: Fraction) -> _Here:
    """What units come to with those of another group."""
    value, up, down, rounded, count = here
    for unit, _, stored in part.weights:
        made = part.group.units[unit]
        if top + made.bias <= 0 or made.fact.nothing:
            continue
        each = times(above(stored), plus(above(top + made.bias), made.fact.error))
        up, down = (plus(up, each), down) if stored > 0 else (up, plus(down, each))
        rounded = plus(rounded, 0.0 if is_power_of_two(stored) else each)
        count += 1
    return _Here(value + height, up, down, rounded, count)


def _bends(part: Placed) -> tuple[tuple[Fraction, Fraction], ...]:
    units = part.group.units
    return tuple(sorted((-units[place].bias, meant) for place, meant, _ in part.weights))


def _raised(fact: Fact, error: float) -> Fact:
    """A unit as the network's sum makes it: a number of its own, of which nothing is off."""
    if not error or fact.nothing:
        return fact
    return fact._replace(low=ZERO, high=fact.high + Fraction(error))


class Curve(NamedTuple):
    """A curve of one sum, linear between its knots.

    Attributes:
        low, high, step: of the exact sum.
        knots: where it bends, rising; heights: at each of them; slopes: behind it.
        ends: its own ends, and its step.
    """

    low: Fraction
    high: Fraction
    step: Fraction | None
    knots: tuple[Fraction, ...]
    heights: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    ends: tuple[Fraction, Fraction, Fraction | None]

    @property
    def on_plateaus(self) -> Fact:
        """What it comes to where it neither rises nor falls."""
        flats = zip(self.heights, self.slopes, strict=True)
        heights = [ZERO, *(height for height, slope in flats if not slope)]
        return Fact(min(heights), max(heights), common(map(abs, heights)))

    def flat_at(self, about: Fraction, within: Fraction) -> Fraction | None:
        """Its height near a sum; None: it rises or falls there."""
        height = ZERO
        for place, (knot, slope) in enumerate(zip(self.knots, self.slopes, strict=True)):
            behind = self.knots[place + 1] if place + 1 < len(self.knots) else None
            if slope and about + within > knot and (behind is None or about - within < behind):
                return None
            if about > knot:
                height = self.heights[place]
                if slope:
                    assert behind is not None
                    height = self.heights[place + 1]
        return height

    def steepest(self, read: Fact) -> float:
        """The steepest slope that lies within what the sum may be off of what it can be."""
        if isinf(read.error):
            return inf
        error, found = Fraction(read.error), ZERO
        for slope, begin, end in self._parts():
            if abs(slope) <= found:
                continue
            first = self.low if begin is None else max(self.low, begin - error)
            last = self.high if end is None else min(self.high, end + error)
            if _between(first, last, begin, end, error, self.step):
                found = abs(slope)
        return above(found)

    def _parts(self) -> Iterator[tuple[Fraction, Fraction | None, Fraction | None]]:
        for place, slope in enumerate(self.slopes):
            if slope:
                behind = place + 1 < len(self.knots)
                yield slope, self.knots[place], self.knots[place + 1] if behind else None


def _between(
    first: Fraction, last: Fraction, begin: Fraction | None, end: Fraction | None,
    error: Fraction, step: Fraction | None,
) -> bool:  # fmt: skip
    """Whether the sum can be where it, or what lies so far off it, is inside of a part."""
    if first > last:
        return False

    def inside(x: Fraction) -> bool:
        return (begin is None or x + error > begin) and (end is None or x - error < end)

    if step is None:
        return True
    if not step:
        return inside(ZERO)
    least, most = ceil(first / step), floor(last / step)
    if least > most:
        return False
    if most - least > 1:
        return True
    return any(inside(number * step) for number in range(least, most + 1))


@lru_cache(maxsize=65536)
def _curve(
    low: Fraction, high: Fraction, step: Fraction | None,
    bends: tuple[tuple[Fraction, Fraction], ...],
) -> Curve:  # fmt: skip
    """The curve that bends so at these knots."""
    merged: dict[Fraction, Fraction] = {}
    for knot, change in bends:
        merged[knot] = merged.get(knot, ZERO) + change
    knots = tuple(merged)
    slopes = tuple(accumulate(merged.values()))
    heights = [ZERO]
    for (here, there), slope in zip(pairwise(knots), slopes, strict=False):
        heights.append(heights[-1] + slope * (there - here))

    def at(x: Fraction) -> Fraction:
        found = ZERO
        for knot, height, slope in zip(knots, heights, slopes, strict=True):
            if x <= knot:
                break
            found = height + slope * (x - knot)
        return found

    values = [at(low), at(high), *(at(k) for k in knots if low < k < high)]
    made = Curve(low, high, step, knots, tuple(heights), slopes, (min(values), max(values), None))
    return made._replace(ends=(*made.ends[:2], _step(made, bends)))


def _step(curve: Curve, bends: tuple[tuple[Fraction, Fraction], ...]) -> Fraction | None:
    """What the curve's values are multiples of, where the sum is."""
    step = curve.step
    if step is None:
        return abs(curve.ends[0]) if curve.ends[0] == curve.ends[1] else None
    each = ((common((step, abs(knot))) or ZERO, abs(change)) for knot, change in bends)
    by_units = common(change * below for below, change in each)
    if curve.steepest(Fact(curve.low, curve.high, step)):
        return by_units
    rests = zip(curve.knots, curve.heights, curve.slopes, strict=True)
    plateaus = common(abs(h) for knot, h, slope in rests if not slope or _on(knot, step))
    return max(by_units or ZERO, plateaus or ZERO)


def _on(knot: Fraction, step: Fraction) -> bool:
    return not knot % step if step else not knot
