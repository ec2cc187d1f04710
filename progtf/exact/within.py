"""What the rules of a feed-forward block read: whether it keeps to what they were written for."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from progtf.exact.rules import values_over
from progtf.exact.stream import Flags, Stream
from progtf.exact.units import Block, Units
from progtf.program.forms import Space, Values
from progtf.program.model import Line


def kept(block: Block, stream: Stream) -> Flags:
    """Of every rule whether all that it reads keeps to its steps."""
    return block.gates.all_of(stream.kept) & block.forms.all_of(stream.kept)


@dataclass(frozen=True, eq=False)
class Within:
    """What rules are given at worst, and what holds of their values for that.

    Attributes:
        block: the block; ``units``: its hidden units at worst.
        stream: what it reads.
        held: the columns whose exact values keep to their declared ranges.
        weak: the semes that keep to their steps where rules read them, and nowhere else.
        space: the semes.
    """

    block: Block
    units: Units
    stream: Stream
    held: Flags
    weak: AbstractSet[str]
    space: Space

    @cached_property
    def holds(self) -> list[bool]:
        """Of every rule whether what it reads is known to keep to its range."""
        curves = [rule.curve for rule in self.block.rules.rules]
        limits = [(-np.inf, np.inf) if c is None else (c.low, c.high) for c in curves]
        least, most = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        low, high = map(np.array, self.ends)
        inside = (least <= low) & (high <= most)
        within = kept(self.block, self.stream) & (inside | self.block.forms.all_of(self.held))
        return within.tolist()

    @cached_property
    def ends(self) -> tuple[list[float], list[float]]:
        """Of every rule the ends of what its curve reads."""
        low, high = self.block.forms.ends(self.stream.low, self.stream.high)
        return low.tolist(), high.tolist()

    @cached_property
    def tame(self) -> list[bool]:
        """Of every rule whether its units are exactly 0 where it says that they are (lemma 7)."""
        return [self._is_tame(place) for place in range(len(self.block.rules.rules))]

    def _is_tame(self, place: int) -> bool:
        rule, units = self.block.rules.rules[place], self.block.hidden.of_rules[place]
        if not self.holds[place]:
            return False
        stray = max((float(self.units.stray[u]) for u in units), default=0.0)
        if not stray:
            return True
        grain = 1.0 if rule.curve is None else rule.curve.grain
        return bool(grain) and stray < grain / 4  # within its range it keeps to its steps

    def silent(self) -> set[int]:
        """The units that are surely 0, as they undo rules that read what they are meant to."""
        undoing = self.block.hidden.undoing
        doubted = {
            p for rule, places in undoing if not self._is_silent(rule, places) for p in places
        }
        return {place for _, places in undoing for place in places} - doubted

    def _is_silent(self, place: int, units: Sequence[int]) -> bool:
        """Whether what a rule reads, less what one closed flag takes off, is left of all bends."""
        curve = self.block.rules.rules[place].curve
        off = max((float(self.units.off[u]) for u in units), default=0.0)
        least = 0.5
        if curve is not None:
            bends = ([curve.low] if curve.slope else []) + [knot for knot, _ in curve.knots]
            least = min([0.5, *(curve.reach + bend - curve.high for bend in bends)])
        return self.holds[place] and off < least

    def values(self, line: Line, places: Sequence[int]) -> Values:
        """What a line can come to: as declared, if all that it reads keeps to its range."""
        if all(self.holds[place] for place in places):
            return line.values
        told, low, high = self.block.gates.all_of(self.stream.kept), 0.0, 0.0
        for place in places:
            rule = self.block.rules.rules[place]
            values = Values(0.0, 1.0, 1.0)
            if rule.curve is not None:
                values = values_over(rule.curve, *(each[place] for each in self.ends))
            gated = bool(rule.gate.positive or rule.gate.negative)
            ratio = next(
                (rule.writes[s] / w for s, w in line.writes.items() if w and s in rule.writes), 1.0
            )
            # A gate that is half open takes off some of the start, at a lower point of the curve.
            start = 0.0 if rule.curve is None else abs(rule.curve.start)
            off = 0.0 if told[place] else start
            ends = ratio * (values.low - off), ratio * (values.high + off)
            low += min(*ends, 0.0) if gated or len(places) > 1 else min(ends)
            high += max(*ends, 0.0) if gated or len(places) > 1 else max(ends)
        return Values(low, high, 0.0)
