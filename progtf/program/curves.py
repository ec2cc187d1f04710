"""Curves, piecewise linear functions of one form: what they give, and where they are steep."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from progtf.program.forms import Values
from progtf.program.model import Curve
from progtf.rational import fraction_of, rational

_SAME = 1e-6


def scaled(curve: Curve, weight: float) -> Curve:
    """A curve times a number."""
    if weight == 1:
        return curve
    knots = tuple((x, weight * change) for x, change in curve.knots)
    start, slope = weight * curve.start, weight * curve.slope
    return Curve(curve.form, curve.low, curve.high, start, slope, knots, curve.grain)


def heights(curve: Curve, places: Iterable[float]) -> Iterator[float]:
    """The values of a curve at points in ascending order, each rounded once."""
    knots = iter(sorted((fraction_of(x), fraction_of(change)) for x, change in curve.knots))
    last, height, slope = map(fraction_of, (curve.low, curve.start, curve.slope))
    knot = next(knots, None)
    for place in map(fraction_of, places):
        while knot is not None and knot[0] < place:
            height += slope * (knot[0] - last)
            last, slope = knot[0], slope + knot[1]
            knot = next(knots, None)
        height += slope * (place - last)
        last = place
        yield rational(height)


def climbed(curve: Curve) -> float:
    """What its hidden units come to at most, as if nothing cancelled."""
    bends, high = ((curve.low, curve.slope), *curve.knots), curve.high
    return 2 * abs(curve.start) + sum([abs(c) * (high - x) for x, c in bends if x < high])


def curve_values(curve: Curve) -> Values:
    """What a curve can give: on the grid of its form where its knots are."""
    bends = sorted(((curve.low, 0.0), (curve.high, 0.0), *curve.knots))
    bent = accumulate(change for _, change in bends)
    widths = (right - left for (left, _), (right, _) in pairwise(bends))
    rises = ((curve.slope + change) * width for change, width in zip(bent, widths, strict=False))
    first = bends[0][0]
    start = curve.start if first is curve.low else next(heights(curve, [first]))
    found = [start + rise for rise in accumulate(rises, initial=0.0)]
    slopes = {curve.slope, *(change for _, change in curve.knots)}
    whole = all((slope * curve.grain).is_integer() for slope in slopes) and curve.start.is_integer()
    return Values(float(min(found)), float(max(found)), 1.0 if whole and curve.grain else 0.0)


def ramps(curve: Curve) -> tuple[int, ...]:
    """The places of the knots with which ramps between two plateaus begin."""
    knots, place, found = curve.knots, 0, list[int]()
    while place + 1 < len(knots):
        (low, up), (high, down) = knots[place : place + 2]
        plateau = up == -down and high - low <= (0.5 + _SAME) * curve.grain
        if plateau:
            found.append(place)
        place += 2 if plateau else 1
    return tuple(found)
