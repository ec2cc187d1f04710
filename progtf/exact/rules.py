"""What a feed-forward block writes at worst: threshold margins, and errors that pass or do not."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from progtf.exact.bounds import Bound, RuleBound, State, keeps, reach, read, rounding, scaled
from progtf.exact.exclusive import Known
from progtf.exact.formats import Format, grid_of
from progtf.exact.sums import LinePart, Sum
from progtf.program.curves import evaluate_curve, ramps
from progtf.program.forms import Form, Values
from progtf.program.model import Curve, FeedForward, Gate, Line, Rule
from progtf.weights.units import hidden_units

HALF = 0.5
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Seen:
    """The number format, the ranges that semes keep to, and the flags that exclude each other."""

    number: Format
    ranges: Mapping[str, Values]
    known: Known


def rule_bound(rule: Rule, state: State, number: Format) -> RuleBound:
    """The bounds of one rule, before it is multiplied by what it writes."""
    violations = _moving(rule.gate.violations(), state, number)
    if rule.curve is None or not rule.curve.knots:
        off = _gate_error(rule.gate, violations, number)
        if rule.curve is None or not rule.curve.slope:
            start = 1.0 if rule.curve is None else rule.curve.start
            return _gated(rule, start, off, number)
    bound = _curved(rule, rule.curve, state, number)
    if not (rule.gate.positive or rule.gate.negative):
        return bound
    off = _gate_error(rule.gate, violations, number)
    if bound.margin is not None and bound.margin <= HALF - off:
        return bound
    return replace(bound, margin=HALF - off, off=off, step=1.0)


def _gated(rule: Rule, start: float, off: float, number: Format) -> RuleBound:
    empty = not (rule.gate.positive or rule.gate.negative)
    up, down = _started(rule, start)
    return RuleBound(
        margin=None if empty else HALF - off,
        off=off,
        step=1.0,
        error=0.0,
        up=up,
        down=down,
        grid=min(0.5, grid_of(start)),
        terms=2,
        absorbed=off <= number.vanishing / 2,
        closes=not empty,
        loose=8 * abs(start) * off,
    )


def _gate_error(gate: Gate, violations: Bound, number: Format) -> float:
    """How far the violations lie off: those of the flags, and of the stored constants."""
    constants = (1.5 - 2 * len(gate.positive), 0.5 - 2 * len(gate.positive))
    return violations.error + max(abs(c - number.stored(c)) for c in constants) / 2


def _moving(form: Form, state: State, number: Format) -> Bound:
    """A form without its constant, which every hidden unit has for itself."""
    return read(Form(form.coefficients), state, number)


def _curved(rule: Rule, curve: Curve, state: State, number: Format) -> RuleBound:
    closing = rule.gate.violations().scaled(-curve.reach)
    shifted = curve.form + closing if closing.coefficients else curve.form
    violations = bool(rule.gate.positive or rule.gate.negative)
    moving = _moving(shifted, state, number)
    bends = ((curve.low, curve.slope), *curve.knots) if curve.slope else curve.knots
    offs = [abs(c - number.stored(c)) for c in (shifted.constant - k for k, _ in bends)]
    first = 1 if curve.slope else 0
    worst = _worst_step(curve, moving.error, offs[first:])
    passed = sum(abs(change) * off for (_, change), off in zip(bends, offs, strict=True))
    off = sum(state[n].error for n in (*rule.gate.positive, *rule.gate.negative))
    # Where a unit is above 0, no sum of some of its terms is further from 0 than all positive ones.
    highest, _ = reach(Form(shifted.coefficients), state)
    tallest = highest + max(0.0, *(shifted.constant - knot for knot, _ in bends))
    up, down = _started(rule, curve.start)
    reached = [change * max(0.0, curve.high - knot) for knot, change in bends]
    up += sum(amount for amount in reached if amount > 0)
    down -= sum(amount for amount in reached if amount < 0)
    grid = min(moving.grid, *(grid_of(shifted.constant - knot) for knot, _ in bends))
    absorbed = keeps(tallest, grid, moving.error, number)
    products = min(grid_of(change) for _, change in bends) * grid
    if not absorbed and _cancels(curve, number) and not any(offs):
        ulp = 2.0 ** (math.frexp(curve.high)[1] - number.working_bits)
        grid, absorbed, products = ulp, True, ulp * grid_of(curve.knots[0][1])
        up += abs(curve.knots[0][1]) * moving.error
    passing = _steepest(curve) * moving.error
    vanishes = absorbed and not passed and not _bends_at_0(curve)
    return RuleBound(
        margin=None if worst is None else HALF - worst / curve.grain,
        off=worst or 0.0,
        step=curve.grain or 1.0,
        error=passing + passed,
        up=up,
        down=down,
        grid=min(products, grid_of(curve.start) / (2 if violations else 1)),
        terms=len(bends) + 2,
        absorbed=absorbed,
        closes=len(curve.knots) == 2 and not curve.start and not curve.slope,
        loose=2 * moving.error * sum(abs(change) for _, change in bends)
        + 4 * abs(curve.start) * off,
        lasting=0.0 if vanishes else passing + passed,
    )


def _bends_at_0(curve: Curve) -> bool:
    """Whether a curve bends where it is 0.

    A small error of a number that is not 0 is rounded away. So one is seen only where a hidden unit
    is 0 but for it, and the value is 0 as well.
    """
    begun = set(ramps(curve))
    stepped = begun | {place + 1 for place in begun}
    bends = [knot for place, (knot, _) in enumerate(curve.knots) if place not in stepped]
    bends += [curve.low] if curve.slope else []
    return any(abs(evaluate_curve(curve, knot)) < _NOTHING for knot in bends)


def _started(rule: Rule, start: float) -> tuple[float, float]:
    """What the units of a constant add to and take away: two behind a gate, else the bias."""
    empty = not (rule.gate.positive or rule.gate.negative)
    most, least = (1.0, 0.0) if empty else (1.5, 0.5)
    up, down = abs(start) * most, abs(start) * least
    return (up, down) if start > 0 else (down, up)


def _cancels(curve: Curve, number: Format) -> bool:
    """Whether both ends of the only ramp see the same rounded sum, and subtract it exactly.

    Units that read the same form round its sum equally. A positive number less a smaller one, both
    multiples of its last place, is exact; so the difference of the two units is too.
    """
    if curve.slope or len(curve.knots) != 2 or not any(True for _ in ramps(curve)):
        return False
    (low, up), (high, _) = curve.knots
    last = 2.0 ** (math.frexp(curve.high)[1] - number.working_bits)
    return low >= 0 and min(grid_of(low), grid_of(high)) >= last and abs(up) == grid_of(up)


def _worst_step(curve: Curve, error: float, offs: list[float]) -> float | None:
    """How far the form lies off at the worst step; None without steps.

    Constants that are stored off make a ramp steeper: twice what both ends are off reaches the
    plateau.
    """
    if not curve.grain:
        return None
    return max((error + 2 * sum(offs[p : p + 2]) for p in ramps(curve)), default=None)


def _steepest(curve: Curve) -> float:
    """The steepest slope between the ramps: by so much errors pass."""
    begun = set(ramps(curve))
    slope = steepest = curve.slope
    paired = {place + 1 for place in begun}
    for place, (_, change) in enumerate(curve.knots):
        if place not in begun and place not in paired:
            slope += change
            steepest = max(abs(steepest), abs(slope))
    return abs(steepest)


def block_updates(
    block: FeedForward, bounds: Mapping[int, RuleBound], state: State, seen: Seen
) -> dict[str, Bound]:
    """What a block adds to every seme that it writes.

    Args:
        block: the block.
        bounds: those of its rules, by place.
        state: what it reads.
        seen: the number format, the ranges that are held, and which flags exclude each other.
    """
    number = seen.number
    sums: dict[str, Sum] = {}
    for line, places in lines_of(block):
        rules = [block.rules[place] for place in places]
        for seme, weight in line.writes.items():
            written = [block.rules[place].writes.get(seme, 0.0) for place in places]
            each = [(w, bounds[p]) for w, p in zip(written, places, strict=True) if w]
            part = LinePart(line, rules, weight, each)
            sums.setdefault(seme, Sum()).parts.append(part)
    found = _units_and_bias(block, state, number)
    for seme, summed in sums.items():
        added = summed.bound(seen.ranges.get(seme), number, seen.known)
        found[seme] = _together(found[seme], added) if seme in found else added
    for seme, error in _stored_off(block, state, number).items():
        found[seme] = found[seme]._replace(error=found[seme].error + error)
    return found


def lines_of(block: FeedForward) -> Iterator[tuple[Line, list[int]]]:
    """The lines of a block in their order, each with the places of its rules."""
    places: dict[int, tuple[Line, list[int]]] = {}
    for place, rule in enumerate(block.rules):
        places.setdefault(id(rule.line), (rule.line, []))[1].append(place)
    yield from places.values()


def _units_and_bias(block: FeedForward, state: State, number: Format) -> dict[str, Bound]:
    """What raw units and the bias add; of units with their errors."""
    parts: dict[str, Bound] = {}
    for unit in block.units:
        reads = read(unit.reads, state, number)
        opened = Bound(max(0.0, reads.low), max(0.0, reads.high), reads.grid, reads.error)
        lost = rounding(len(block.units), opened.size, reads.grid, reads.error, number)
        opened = opened._replace(error=opened.error + lost)
        for seme, weight in unit.writes.items():
            part = scaled(opened, weight)
            parts[seme] = _together(parts[seme], part) if seme in parts else part
    for seme, value in (block.bias or {}).items():
        part = Bound(value, value, grid_of(value), 0.0)
        parts[seme] = _together(parts[seme], part) if seme in parts else part
    return parts


def _together(one: Bound, other: Bound) -> Bound:
    low, high = one.low + other.low, one.high + other.high
    return Bound(low, high, min(one.grid, other.grid), one.error + other.error)


def _stored_off(block: FeedForward, state: State, number: Format) -> dict[str, float]:
    """What the storing of output weights and of the bias costs."""
    off: dict[str, float] = {}
    if all(_is_stored(rule, number) for rule in block.rules) and not block.units:
        return {
            seme: abs(value - number.stored(value)) for seme, value in (block.bias or {}).items()
        }
    hidden = hidden_units(block)
    for unit in hidden.units:
        most: float | None = None
        for seme, weight in unit.writes.items():
            lost = abs(weight - number.stored(weight))
            if lost:
                most = max(0.0, read(unit.reads, state, number).high) if most is None else most
                off[seme] = off.get(seme, 0.0) + lost * most
    for seme, value in hidden.bias.items():
        off[seme] = off.get(seme, 0.0) + abs(value - number.stored(value))
    return off


def _is_stored(rule: Rule, number: Format) -> bool:
    """Whether the output weights of a rule are small dyadic numbers, whose sums lose nothing."""
    curve = rule.curve
    changes = (1.0,) if curve is None else (curve.start, curve.slope, *(c for _, c in curve.knots))
    finest = 2.0 ** (2 - number.bits)
    return all(
        abs(weight * change) <= 1 / finest and grid_of(weight * change) >= finest
        and number.stored(weight * change) == weight * change
        for weight in rule.writes.values()
        for change in changes
    )  # fmt: skip
