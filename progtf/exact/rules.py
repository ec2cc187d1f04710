"""What a feed-forward block writes at worst: threshold margins, and errors that pass or do not."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from progtf.compiler.units import hidden_units
from progtf.exact.bounds import MANY, Bound, State, keeps, read, rounding, scaled
from progtf.exact.formats import Format, grid_of
from progtf.program.curves import ramps
from progtf.program.forms import Form, Values
from progtf.program.model import Curve, FeedForward, Gate, Line, Rule

HALF = 0.5
PLATEAU = 0.25


@dataclass(frozen=True, slots=True)
class Seen:
    """The number format, and the ranges that semes are known or assumed to keep to."""

    number: Format
    ranges: Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class RuleBound:
    """One rule at its worst.

    Attributes:
        margin: see ``RuleRow``; None without a step.
        off: how far the form lies off that comes nearest to a step.
        step: the step of that form.
        error: how far the value lies off, rounding of the sums left out.
        size, grid, terms, absorbed: of the hidden units, for that rounding.
        closes: whether all of them are 0 where the rule does not hold.
        loose: how far all hidden units together lie off, as if nothing cancelled.
    """

    margin: float | None
    off: float
    step: float
    error: float
    size: float
    grid: float
    terms: int
    absorbed: bool
    closes: bool
    loose: float = 0.0

    def tight(self) -> "RuleBound":
        """This bound without the error of a rule that is refused for it."""
        refused = self.margin is not None and self.margin < PLATEAU
        return replace(self, error=0.0) if refused else self


def rule_bound(rule: Rule, state: State, number: Format) -> RuleBound:
    """The bounds of one rule, before it is multiplied by what it writes."""
    violations = _moving(rule.gate.violations(), state, number)
    if rule.curve is None or not rule.curve.knots:
        off = _gate_error(rule.gate, violations, number)
        if rule.curve is None or not rule.curve.slope:
            start = 1.0 if rule.curve is None else abs(rule.curve.start)
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
    return RuleBound(
        margin=None if empty else HALF - off,
        off=off,
        step=1.0,
        error=0.0,
        size=start * (1.0 if empty else 2.0),
        grid=min(0.5, grid_of(start)),
        terms=2,
        absorbed=off <= number.vanishing / 2,
        closes=not empty,
        loose=8 * start * off,
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
    moving = _moving(shifted, state, number)
    bends = ((curve.low, curve.slope), *curve.knots) if curve.slope else curve.knots
    offs = [abs(c - number.stored(c)) for c in (shifted.constant - knot for knot, _ in bends)]
    first = 1 if curve.slope else 0
    worst = _worst_step(curve, moving.error, offs[first:])
    passed = sum(abs(change) * off for (_, change), off in zip(bends, offs, strict=True))
    off = sum(state[n].error for n in (*rule.gate.positive, *rule.gate.negative))
    tallest = max(curve.high - curve.low, 0.0)
    size = sum(abs(change) * max(0.0, curve.high - knot) for knot, change in bends)
    size += abs(curve.start) * 2
    grid = min(moving.grid, *(grid_of(shifted.constant - knot) for knot, _ in bends))
    absorbed = keeps(tallest, grid, moving.error, number)
    products = min(grid_of(change) for _, change in bends) * grid
    if not absorbed and _cancels(curve, number) and not any(offs):
        ulp = 2.0 ** (math.frexp(curve.high)[1] - number.working_bits)
        grid, absorbed, products = ulp, True, ulp * grid_of(curve.knots[0][1])
        size = abs(curve.knots[0][1]) * (curve.high + moving.error - curve.knots[0][0])
        size += abs(curve.start) * 2
    return RuleBound(
        margin=None if worst is None else HALF - worst / curve.grain,
        off=worst or 0.0,
        step=curve.grain or 1.0,
        error=_steepest(curve) * moving.error + passed,
        size=size,
        grid=min(products, grid_of(curve.start)),
        terms=len(bends) + 2,
        absorbed=absorbed,
        closes=len(curve.knots) == 2 and not curve.start and not curve.slope,
        loose=2 * moving.error * sum(abs(change) for _, change in bends)
        + 4 * abs(curve.start) * off,
    )


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


@dataclass(slots=True)
class _Sum:
    """What all lines add to one seme.

    ``open`` are the hidden units, as amount and number, of lines that always count, ``closable``
    those of lines whose units are all 0 where the line does not hold. A line that holds adds
    ``least`` at least, and for each of what it adds ``steepest`` in units at most.
    """

    error: float = 0.0
    loose: float = 0.0
    grid: float = math.inf
    absorbed: bool = True
    open: tuple[float, int] = (0.0, 0)
    closable: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    least: float = math.inf
    steepest: float = 1.0

    def take(self, rules: Sequence[tuple[float, RuleBound]], weight: float) -> None:
        """The rules of one line, each with what it writes; ``weight`` is what the line writes."""
        if not rules:
            return
        size = sum(abs(w) * bound.size for w, bound in rules)
        terms = sum(bound.terms for _, bound in rules)
        for w, bound in rules:
            self.error += abs(w) * bound.error
            self.loose += abs(w) * bound.loose
            self.grid = min(self.grid, grid_of(w) * bound.grid)
            self.absorbed = self.absorbed and bound.absorbed
        if all(w * weight > 0 and bound.closes for w, bound in rules):
            self.closable.append((size, terms))
            least = min(abs(w) for w, _ in rules)
            self.least = min(self.least, least)
            self.steepest = max(self.steepest, size / least)
        else:
            self.open = self.open[0] + size, self.open[1] + terms

    def rounded(self, allowed: Values | None, number: Format) -> float:
        """The error of the sum, if no more lines hold than the seme's range allows."""
        holding, room = len(self.closable), math.inf
        if allowed is not None and self.closable:
            room = allowed.high - allowed.low
            holding = max(1, int(room / self.least))
        largest = sorted(self.closable, reverse=True)[:holding]
        size = self.open[0] + min(sum(size for size, _ in largest), room * self.steepest)
        terms = self.open[1] + sum(terms for _, terms in largest)
        fits = keeps(size, self.grid, 0.0, number)
        if fits and self.absorbed:
            return self.error
        lost = terms * number.roundoff * size
        few = fits and terms < MANY
        return self.error + (min(lost, 2.0**terms * self.loose) if few else lost)


def block_updates(
    block: FeedForward, bounds: Mapping[int, RuleBound], state: State, seen: Seen
) -> dict[str, Bound]:
    """What a block adds to every seme that it writes.

    Args:
        block: the block.
        bounds: those of its rules, by place.
        state: what it reads.
        seen: the number format, and the ranges that are held.
    """
    number = seen.number
    sums: dict[str, _Sum] = {}
    for line, places in lines_of(block):
        for seme, weight in line.writes.items():
            rules = [(block.rules[p].writes.get(seme, 0.0), bounds[p]) for p in places]
            sums.setdefault(seme, _Sum()).take([r for r in rules if r[0]], weight)
    found = _exact_parts(block, state, number)
    for seme, summed in sums.items():
        lost = summed.rounded(seen.ranges.get(seme), number)
        found[seme] = found[seme]._replace(error=found[seme].error + lost)
    for seme, error in _stored_off(block, state, number).items():
        found[seme] = found[seme]._replace(error=found[seme].error + error)
    return found


def lines_of(block: FeedForward) -> Iterator[tuple[Line, list[int]]]:
    """The lines of a block in their order, each with the places of its rules."""
    places: dict[int, tuple[Line, list[int]]] = {}
    for place, rule in enumerate(block.rules):
        places.setdefault(id(rule.line), (rule.line, []))[1].append(place)
    yield from places.values()


def _exact_parts(block: FeedForward, state: State, number: Format) -> dict[str, Bound]:
    """What lines, raw units and the bias add by their meaning; of units with their errors."""
    parts: dict[str, Bound] = {}
    for line, _ in lines_of(block):
        values = line.values
        grid = min(grid_of(values.low), grid_of(values.grain)) if values.grain else 0.0
        value = Bound(values.low, values.high, grid, 0.0)
        _add(parts, ((seme, scaled(value, weight)) for seme, weight in line.writes.items()))
    for unit in block.units:
        reads = read(unit.reads, state, number)
        opened = Bound(max(0.0, reads.low), max(0.0, reads.high), reads.grid, reads.error)
        lost = rounding(len(block.units), opened.size, reads.grid, reads.error, number)
        opened = opened._replace(error=opened.error + lost)
        _add(parts, ((seme, scaled(opened, weight)) for seme, weight in unit.writes.items()))
    bias = (block.bias or {}).items()
    _add(parts, ((seme, Bound(value, value, grid_of(value), 0.0)) for seme, value in bias))
    return parts


def _add(parts: dict[str, Bound], more: Iterable[tuple[str, Bound]]) -> None:
    for seme, part in more:
        old = parts.get(seme)
        if old is None:
            parts[seme] = part
            continue
        low, high = old.low + part.low, old.high + part.high
        parts[seme] = Bound(low, high, min(old.grid, part.grid), old.error + part.error)


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
