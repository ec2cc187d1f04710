"""One rule at its worst: how near it comes to a step, and how far errors pass through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from progtf.once import once
from progtf.program.curves import evaluate_curve, ramps
from progtf.program.forms import Array, Values
from progtf.program.model import Curve, FeedForward, Rule

HALF, PLATEAU = 0.5, 0.25
_NOTHING = 1e-9


class Seen(NamedTuple):
    """What one hidden unit reads.

    Attributes:
        error: how far the sum lies off that it shares with others.
        apart: how far its own bias is stored off.
        lost: what adding that loses.
        snapped: whether it is exact.
    """

    error: float
    apart: float
    lost: float
    snapped: bool


@dataclass(frozen=True, slots=True)
class RuleBound:
    """One rule at its worst.

    Attributes:
        margin: the smallest distance of what it reads from the middle of a step, as a share of
            the step; None without a step.
        off: how far what it reads lies off there; step: the step.
        error: how far its value lies off because of that, rounding left out (lemma 7).
    """

    margin: float | None
    off: float
    step: float
    error: float

    @property
    def refused(self) -> bool:
        """Whether it reads beyond the plateau of a step."""
        return self.margin is not None and self.margin < PLATEAU


def rule_bound(rule: Rule, units: Sequence[Seen], flags: float, *, kept: bool) -> RuleBound:
    """The bound of one rule.

    Args:
        rule: the rule.
        units: what its hidden units read, in their order.
        flags: how far the flags of its gate lie off together.
        kept: whether all that it reads keeps to its declared steps.
    """
    gated = bool(rule.gate.positive or rule.gate.negative)
    start = 1.0 if rule.curve is None else rule.curve.start
    first = 2 if gated and start else 0
    read = [(seen.error + seen.apart) / 2 + seen.lost for seen in units[:first]]
    off = max([flags, *read]) if gated else 0.0
    margin, step, error = (HALF - off if gated else None), 1.0, 0.0
    exact = all(seen.snapped for seen in units)
    if first and not exact:
        error = abs(start) * sum(seen.apart for seen in units[:first])
        error += 0.0 if kept and off <= PLATEAU else 2 * abs(start) * off
    if rule.curve is not None and units[first:]:
        bound = _curved(rule.curve, units[first:], kept=kept)
        if bound.margin is not None and (margin is None or bound.margin < margin):
            margin, off, step = bound.margin, bound.off, bound.step
        error += 0.0 if exact else bound.error
    return RuleBound(margin, off, step, error)


def _curved(curve: Curve, units: Sequence[Seen], *, kept: bool) -> RuleBound:
    """Lemma 7: on a plateau nothing passes, between plateaus what the slope makes of it."""
    common = max(seen.error for seen in units)
    apart = [seen.apart for seen in units]
    first = 1 if curve.slope else 0
    inside = [2 * sum(apart[first + p : first + p + 2]) for p in ramps(curve)]
    worst = None
    if curve.grain and inside:
        worst = common + max(inside) + max(seen.lost for seen in units)
    held = kept and (worst is None or worst <= PLATEAU * curve.grain)
    slope = _between_ramps(curve) if held else _steepest(curve)
    changes = ([curve.slope] if curve.slope else []) + [change for _, change in curve.knots]
    error = slope * common + sum(abs(c) * a for c, a in zip(changes, apart, strict=True))
    margin = None if worst is None or not kept else HALF - worst / curve.grain
    return RuleBound(margin, worst or 0.0, curve.grain or 1.0, error)


def _between_ramps(curve: Curve) -> float:
    """The steepest slope between the ramps: by so much errors pass."""
    begun = set(ramps(curve))
    paired = {place + 1 for place in begun}
    slope = steepest = abs(curve.slope)
    slope = curve.slope
    for place, (_, change) in enumerate(curve.knots):
        if place not in begun and place not in paired:
            slope += change
            steepest = max(steepest, abs(slope))
    return steepest


def _steepest(curve: Curve) -> float:
    """The steepest slope of all: by so much errors pass where nothing keeps to the plateaus."""
    bends = sorted(((curve.low, curve.slope), *curve.knots))
    slope = steepest = 0.0
    for _, change in bends:
        slope += change
        steepest = max(steepest, abs(slope))
    return steepest


def _ends_at_0(curve: Curve, *, gated: bool) -> bool:
    if curve.start and not gated:
        return True
    bends = sorted(curve.knots)
    begin = [curve.low] if curve.start else []
    places = [*begin, *(x for x, _ in bends[1:]), curve.high]
    values = [evaluate_curve(curve, x) for x in places]
    return min(values) <= 0 < max(values) or any(abs(value) < _NOTHING for value in values)


def values_over(curve: Curve, low: float, high: float) -> Values:
    """What a curve comes to between two numbers, which may lie outside of its range."""
    ends = sorted({low, high, *(knot for knot, _ in curve.knots if low < knot < high)})
    ends = sorted({*ends, *((curve.low,) if low < curve.low < high else ())})
    # As hidden units read it: to the left of its range the slope has not begun.
    found = _evaluated(curve, [max(x, curve.low) for x in ends])
    return Values(float(found.min()), float(found.max()), 0.0)


def _evaluated(curve: Curve, places: Sequence[float]) -> Array:
    """The values of a curve at some points of its form."""
    x, knots = np.array(places), np.array(curve.knots).reshape(-1, 2)
    bends = np.maximum(0.0, x[:, None] - knots[:, 0]) @ knots[:, 1]
    return curve.start + curve.slope * (x - curve.low) + bends


class Shape(NamedTuple):
    """What a rule is, whatever it reads.

    Attributes:
        bends: by how much each of its hidden units bends what it comes to, in their order.
        slopes: whether one bends between plateaus, where what is read may stand.
        to_0: whether it can come to 0 although some of them do not.
    """

    bends: list[float]
    slopes: list[bool]
    to_0: bool


@once
def shapes_of(block: FeedForward) -> list[Shape]:
    """The shapes of the rules of a block."""
    return [_shape(rule) for rule in block.rules]


def _shape(rule: Rule) -> Shape:
    curve, start = rule.curve, 1.0 if rule.curve is None else rule.curve.start
    gated = bool(rule.gate.positive or rule.gate.negative)
    begin = [start, -start] if start and gated else []
    if curve is None:
        return Shape(begin, [False] * len(begin), to_0=False)
    paired = {p for place in ramps(curve) for p in (place, place + 1)}
    slope = [curve.slope] if curve.slope else []
    knots = [place not in paired for place in range(len(curve.knots))]
    bends = [*begin, *slope, *(change for _, change in curve.knots)]
    slopes = [False] * len(begin) + [True] * len(slope) + knots
    return Shape(bends, slopes, _ends_at_0(curve, gated=gated))
