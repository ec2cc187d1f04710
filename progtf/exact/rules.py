"""One rule at its worst: how near it comes to a step, and how far errors pass through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from progtf.once import once
from progtf.program.arrays import Array
from progtf.program.curves import heights, ramps
from progtf.program.forms import Form, Values
from progtf.program.model import Curve, FeedForward, Rule

HALF, PLATEAU = 0.5, 0.25
_NOTHING = 1e-9
_UNREAD = Form()


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
        gate: how much of that is what its gate switches, and not its curve.
    """

    margin: float | None
    off: float
    step: float
    error: float
    gate: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether it reads beyond the plateau of a step."""
        return self.margin is not None and self.margin < PLATEAU


def rule_bound(shape: "Shape", units: Sequence[Seen], flags: float, *, kept: bool) -> RuleBound:
    """The bound of one rule.

    Args:
        shape: what it is.
        units: what its hidden units read, in their order.
        flags: how far the flags of its gate lie off together.
        kept: whether all that it reads keeps to its declared steps.
    """
    first = shape.gates
    read = [(seen.error + seen.apart) / 2 + seen.lost for seen in units[:first]]
    off = max([flags, *read]) if shape.gated else 0.0
    margin, step, error = (HALF - off if shape.gated else None), 1.0, 0.0
    exact = all(seen.snapped for seen in units)
    if first and not exact:
        start = abs(shape.bends[0])
        error = start * sum(seen.apart for seen in units[:first])
        error += 0.0 if kept and off <= PLATEAU else 2 * start * off
    gate = error
    if units[first:]:
        bound = _curved(shape, units[first:], kept=kept)
        if bound.margin is not None and (margin is None or bound.margin < margin):
            margin, off, step = bound.margin, bound.off, bound.step
        error += 0.0 if exact else bound.error
    return RuleBound(margin, off, step, error, gate)


def _curved(shape: "Shape", units: Sequence[Seen], *, kept: bool) -> RuleBound:
    """Lemma 7: on a plateau nothing passes, between plateaus what the slope makes of it."""
    common, grain = max(seen.error for seen in units), shape.grain
    inside = [2 * (units[p].apart + units[p + 1].apart) for p in shape.ramps]
    worst = None
    if grain and inside:
        worst = common + max(inside) + max(seen.lost for seen in units)
    held = kept and (worst is None or worst <= PLATEAU * grain)
    slope = shape.between if held else shape.steepest
    changes = shape.bends[shape.gates :]
    error = slope * common + sum(abs(c) * u.apart for c, u in zip(changes, units, strict=True))
    margin = None if worst is None or not kept else HALF - worst / grain
    return RuleBound(margin, worst or 0.0, grain or 1.0, error)


def _between_ramps(curve: Curve) -> float:
    """The steepest slope between the ramps: by so much errors pass."""
    on_ramps = _on_ramps(curve)
    slope = steepest = abs(curve.slope)
    slope = curve.slope
    for place, (_, change) in enumerate(curve.knots):
        if place not in on_ramps:
            slope += change
            steepest = max(steepest, abs(slope))
    return steepest


def _on_ramps(curve: Curve) -> set[int]:
    """The knots that ramps between plateaus begin and end with."""
    return {p for place in ramps(curve) for p in (place, place + 1)}


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
    values = [*heights(curve, sorted(places))]
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
        gated: whether it has a gate; ``gates``: how many of its hidden units that takes.
        bends: by how much each of its hidden units bends what it comes to, in their order.
        slopes: whether one bends between plateaus, where what is read may stand.
        to_0: whether it can come to 0 although some of them do not.
        ramps: the units of its curve with which ramps between plateaus begin.
        between, steepest: the steepest slope between the ramps, and of all.
        grain: of its curve.
    """

    gated: bool
    gates: int
    bends: list[float]
    slopes: list[bool]
    to_0: bool = False
    ramps: tuple[int, ...] = ()
    between: float = 0.0
    steepest: float = 0.0
    grain: float = 0.0


@once
def shapes_of(block: FeedForward) -> list[Shape]:
    """The shapes of the rules of a block."""
    return [_shape_of(rule) for rule in block.rules]


def _shape_of(rule: Rule) -> Shape:
    curve, gated = rule.curve, bool(rule.gate.positive or rule.gate.negative)
    if curve is None:
        begin = [1.0, -1.0] if gated else []
        return Shape(gated, len(begin), begin, [False] * len(begin))
    numbers = curve.start, curve.slope, curve.knots, curve.grain
    return _shape(Curve(_UNREAD, curve.low, curve.high, *numbers), gated=gated)


@lru_cache(maxsize=4096)
def _shape(curve: Curve, *, gated: bool) -> Shape:
    """The shape of all rules with these numbers in their curve."""
    start, slope, knots = curve.start, curve.slope, curve.knots
    begin = [start, -start] if start and gated else []
    first, on_ramps = ([slope] if slope else []), _on_ramps(curve)
    bends = [*begin, *first, *(change for _, change in knots)]
    slopes = [False] * len(begin) + [True] * len(first)
    slopes += [place not in on_ramps for place in range(len(knots))]
    return Shape(
        gated, len(begin), bends, slopes, _ends_at_0(curve, gated=gated),
        tuple(len(first) + place for place in ramps(curve)),
        _between_ramps(curve), _steepest(curve), curve.grain,
    )  # fmt: skip
