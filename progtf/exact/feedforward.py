"""What a feed-forward block adds at worst: what its lines and loose units come to together."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property

from progtf.exact.anew import Anew, anew
from progtf.exact.exclusive import MOST_LINES, Known, exclusive
from progtf.exact.folds import folded
from progtf.exact.formats import Format, grid_of
from progtf.exact.parts import Part
from progtf.exact.rules import RuleBound, Seen, rule_bound
from progtf.exact.search import lattice
from progtf.exact.stream import Bound, Flags, Stream, on_steps
from progtf.exact.summed import Summed
from progtf.exact.units import Block, Units
from progtf.exact.within import Within, kept
from progtf.program.forms import Space, Values
from progtf.rational import fraction_of


@dataclass(frozen=True, eq=False)
class Fed:
    """What a block adds.

    Attributes:
        added: column -> bound.
        bounds: of its rules, by place.
        loose: the semes that units write which are no part of a rule's value.
        within: what the rules read; None: there are none.
        anew: column -> what may stand there in the place of what was there (``set``).
    """

    added: dict[int, Bound]
    bounds: list[RuleBound]
    loose: frozenset[str] = frozenset()
    within: Within | None = None
    anew: dict[int, Anew] = field(default_factory=dict[int, Anew])


def feed(
    block: Block, stream: Stream, known: Known, held: Flags, weak: AbstractSet[str], space: Space,
    number: Format,
) -> Fed:  # fmt: skip
    """What a block adds to every column that it writes.

    Args:
        block: the block.
        stream: what it reads.
        known: which flags exclude each other.
        held: the columns whose exact values keep to their declared ranges.
        weak: the semes that keep to their steps where rules read them, and nowhere else.
        space: the semes.
        number: the format.
    """
    if block.inner is None or block.outer is None:
        return Fed({}, [RuleBound(None, 0.0, 1.0, 0.0) for _ in block.rules.rules])
    units = Units.of(block, stream, number)
    apart = block.apart.tolist()
    shared = (units.sums.error + units.sums.lost).tolist()
    columns = (shared, apart, units.error.tolist(), units.snapped.tolist())
    seen = [Seen(*each) for each in zip(*columns, strict=True)]
    flags = block.gates.sizes(stream.error).tolist()
    steps = kept(block, stream).tolist()
    bounds = [
        rule_bound(shape, [seen[u] for u in units_of], flags[place], kept=steps[place])
        for place, (shape, units_of) in enumerate(
            zip(block.shapes, block.hidden.of_rules, strict=True)
        )
    ]
    within = Within(block, units, stream, held, weak, space)
    if block.hidden.undoing:
        within = replace(within, units=units.without(within.silent()))
    off = folded(within, bounds)
    summed = Summed(block, within.units, bounds, within.tame, known, number, off)
    added = _Added(within, summed)
    return Fed(added.all(), bounds, added.loose, within, anew(within, summed, added.parts))


@dataclass(frozen=True, eq=False)
class _Added:
    """What lines, raw units and the bias add up to."""

    within: Within
    summed: Summed

    @property
    def loose(self) -> frozenset[str]:
        """The semes that units write which are no part of a rule's value."""
        return frozenset(name for _, unit in self.summed.loose for name in unit.writes)

    def all(self) -> dict[int, Bound]:
        """Column -> bound, of every seme that is written."""
        index = self.within.space.index
        found: dict[int, Bound] = {}
        for seme, parts in self.parts.items():
            found[index[seme]] = self._column(seme, index[seme], parts)
        for seme in (*self.loose, *(self.within.block.rules.bias or {})):
            if index[seme] not in found:
                found[index[seme]] = self._column(seme, index[seme], [])
        return found

    @cached_property
    def parts(self) -> dict[str, list[Part]]:
        """Seme -> what each line adds to it."""
        parts: dict[str, list[Part]] = {}
        for line, places in self.within.block.lines:
            rules = [self.within.block.rules.rules[place] for place in places]
            values = self.within.values(line, places)
            tame = all(self.within.tame[place] for place in places)
            for seme, weight in line.writes.items():
                each = [
                    (rule.writes.get(seme, 0.0), place)
                    for rule, place in zip(rules, places, strict=True)
                ]
                part = Part(line, rules, weight, values, each, tame, self._strict(places))
                parts.setdefault(seme, []).append(part)
        return parts

    def _strict(self, places: Iterable[int]) -> bool:
        """Whether rules copy only what keeps to its steps wherever it stands."""
        block, weak = self.within.block, self.within.weak
        curves = ((block.rules.rules[place].curve, block.shapes[place].between) for place in places)
        return all(
            curve is None or not slope or weak.isdisjoint(curve.form.read.coefficients)
            for curve, slope in curves
        )

    def _column(self, seme: str, column: int, parts: Sequence[Part]) -> Bound:
        allowed = self.within.space.ranges[seme]
        low, high, grid, kept = self._ends(seme, parts, allowed)
        error = self.summed.error(seme, column, parts)
        return Bound(
            low,
            high,
            grid,
            error,
            kept,
            stray=min(error, self.summed.stray(seme, column, parts, error)),
        )

    def _ends(
        self, seme: str, parts: Sequence[Part], allowed: Values
    ) -> tuple[float, float, float, bool]:
        raw = self._raw(seme, allowed)
        ends = [part.ends for part in parts]
        low, high = sum(e[0] for e in ends) + raw.low, sum(e[1] for e in ends) + raw.high
        outside = not _inside(low, high, allowed)
        if outside and 1 < len(parts) <= MOST_LINES:
            groups = exclusive(self.summed.known.holding(part.rules) for part in parts)
            low = raw.low + sum(_least(ends[place][0] for place in group) for group in groups)
            high = raw.high - sum(_least(-ends[place][1] for place in group) for group in groups)
        grid = min([raw.grid, *(part.grid for part in parts)])
        kept = raw.kept and all(part.keeps(allowed) for part in parts)
        return low, high, grid, kept

    def _raw(self, seme: str, allowed: Values) -> Bound:
        """What raw units and the bias add, exactly."""
        low = high = (self.within.block.rules.bias or {}).get(seme, 0.0)
        grid, kept = grid_of(low), on_steps(low, allowed)
        for place, unit in self.summed.loose:
            weight = unit.writes.get(seme, 0.0)
            if not weight:
                continue
            top = weight * max(0.0, float(self.within.units.high[place]))
            bottom = weight * max(0.0, float(self.within.units.low[place]))
            low, high = low + min(top, bottom), high + max(top, bottom)
            below = min(float(self.within.units.sums.grid[place]), grid_of(unit.reads.constant))
            grid = min(grid, grid_of(weight) * below)
            steps = lattice(unit.reads, self.within.space)
            known = all(
                self.within.stream.kept[self.within.space.index[n]] and n not in self.within.weak
                for n in unit.reads.coefficients
            )
            whole = steps is None or steps > 0 and on_steps(steps * fraction_of(weight), allowed)
            kept = kept and (not allowed.grain or known and whole)
        return Bound(low, high, grid, 0.0, kept)


def _inside(low: float, high: float, allowed: Values) -> bool:
    return allowed.low <= low and high <= allowed.high


def _least(given: Iterable[float]) -> float:
    """The smallest of several values, of which none need be there."""
    values = list(given)
    return min(values) if len(values) == 1 else min(0.0, *values)
