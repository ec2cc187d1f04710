"""What one line of a feed-forward block adds to one seme."""

from collections.abc import Sequence
from dataclasses import dataclass

from progtf.exact.formats import grid_of
from progtf.exact.search import common
from progtf.exact.stream import on_steps
from progtf.program.forms import Values
from progtf.program.model import Line, Rule
from progtf.rational import fraction_of


@dataclass(frozen=True, slots=True)
class Part:
    """One line's part of a seme.

    Attributes:
        weight: what the line writes for each of its ``values``.
        rules_of: what each of its rules writes, with its place.
        tame: whether its units are exactly 0 where it does not hold.
        strict: whether what it copies keeps to its steps everywhere, and not where it is compared
            alone.
    """

    line: Line
    rules: Sequence[Rule]
    weight: float
    values: Values
    rules_of: Sequence[tuple[float, int]]
    tame: bool
    strict: bool = True

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the greatest value that it adds."""
        ends = sorted((self.weight * self.values.low, self.weight * self.values.high))
        return ends[0], ends[1]

    @property
    def grid(self) -> float:
        """A power of two that all its values are multiples of."""
        values = self.values
        if not self.strict:
            return 0.0
        if not values.grain:
            return grid_of(self.weight) * grid_of(values.low) if values.low == values.high else 0.0
        return grid_of(self.weight) * min(grid_of(values.low), grid_of(values.grain))

    def keeps(self, allowed: Values) -> bool:
        """Whether what it adds is a whole number of the declared steps."""
        values = self.values
        if not self.strict or (not values.grain and values.low != values.high):
            return not allowed.grain
        given = self.weight, values.low, values.grain
        if allowed.grain == 1 and all(type(x) is float and x.is_integer() for x in given):
            return on_steps(values.low, allowed)
        each = (fraction_of(x) for x in (values.low, values.grain))
        steps = common(fraction_of(self.weight) * x for x in each)
        return steps is None or on_steps(steps, allowed)
