"""Lines that fold: how far ``abs(abs(x) - a)`` lies off, its rules taken together."""

from collections.abc import Sequence

import numpy as np

from progtf.exact.entries import Entries
from progtf.exact.lemmas import MARGIN
from progtf.exact.rules import RuleBound
from progtf.exact.within import Within
from progtf.program.forms import Form


def folded(within: Within, bounds: Sequence[RuleBound]) -> dict[int, float]:
    """How far the lines of a block lie off that fold, by ``id``, where that is known."""
    found = {
        id(line): _off(within, bounds, line.folds, places)
        for line, places in within.block.lines
        if line.folds is not None
    }
    return {line: off for line, off in found.items() if off is not None}


def _off(
    within: Within, bounds: Sequence[RuleBound], folds: tuple[Form, Form], places: Sequence[int]
) -> float | None:
    """As far as x and a do: as long as a is not below 0, it is nowhere steeper than 1 in either.

    All else by which a rule lies off passes that rule alone, by its slope.
    """
    sums = Entries.reading([Form(each.coefficients) for each in folds], within.space)
    lowest = sums.ends(within.stream.low, within.stream.high)[0][1] + folds[1].constant
    off = sums.sizes(within.stream.error)
    own = [_own(within, bounds, place) for place in places if within.tame[place]]
    if lowest < off[1] or len(own) < len(places) or None in own:
        return None
    return float(off.sum() + sum(each or 0.0 for each in own)) * MARGIN


def _own(within: Within, bounds: Sequence[RuleBound], place: int) -> float | None:
    """How far a rule lies off though the sum of its curve does not, if it keeps to its slope.

    That is by flags of its gate, by weights that are stored off, and by what is rounded.
    """
    block, sums, rule = within.block, within.units.sums, within.block.rules.rules[place]
    shape, curve = block.shapes[place], rule.curve
    if curve is None or curve.form.coefficients.keys() & {*rule.gate.positive, *rule.gate.negative}:
        return None
    units = block.hidden.of_rules[place][shape.gates :]
    off = max(float(sums.error[unit] + sums.lost[unit]) for unit in units)
    first = curve.low if curve.slope else curve.knots[0][0]
    bends = not curve.slope or within.ends[0][place] - first > off
    if not bends or curve.reach - (curve.high - first) <= off:
        return None
    read = [within.space.index[name] for name in curve.form.coefficients]
    lost = max(
        float(sums.lost[unit]) + float(block.apart[unit]) + _besides(within, unit, read)
        for unit in units
    )
    return bounds[place].gate + shape.steepest * lost


def _besides(within: Within, unit: int, read: Sequence[int]) -> float:
    """How far what a unit reads lies off, errors of some columns left out."""
    inner, stream = within.block.inner, within.stream
    assert inner is not None
    here = inner.columns == unit
    rows = inner.rows[here]
    stored = inner.off[here] * np.maximum(np.abs(stream.low), np.abs(stream.high))[rows]
    errors = np.where(np.isin(rows, read), 0.0, np.abs(inner.runs[here]) * stream.error[rows])
    return float(stored.sum() + errors.sum())
