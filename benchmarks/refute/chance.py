"""Random choices that are biased to where arithmetic goes wrong."""

import random
from collections.abc import Sequence
from typing import TypeVar

from progtf.program.forms import Values

Item = TypeVar("Item")

PLAIN = (1.0, 1.0, 1.0, -1.0, 2.0, -2.0, 3.0, 5.0)
ODD = (0.1, 1 / 3, 1.003, 0.7, -0.3, 2.7, 1.1, 6 / 7, 1e-3, 0.5, 0.25, -0.125)
LARGE = (100.0, 1000.0, 4097.0, 65536.0, 999_999.0, 1e6, 4e6, 7_000_001.0, 8_388_609.0, 1e7)
SIZES = (1, 2, 3, 5, 6, 7, 9, 10, 11, 17, 31, 64)

RANGES = (
    *(Values(0.0, high, 1.0) for high in (3.0, 9.0, 9.0, 15.0, 100.0, 250.0, 1000.0)),
    *(Values(-high, high, 1.0) for high in (2.0, 9.0, 100.0)),
    *(Values(0.0, 1.0, step) for step in (1 / 8, 0.1, 1 / 3, 1 / 64, 0.25, 0.0)),
    *(Values(0.0, 5.0, step) for step in (0.1, 1 / 3, 0.5, 0.0)),
    *(Values(0.0, high, 1.0) for high in (4e6, 16e6, 16_777_216.0, 1e9)),
    *(Values(-high, high, 0.0) for high in (10.0, 1e6, 1e8, 1e9)),
)


class Chance(random.Random):
    """A source of choices; equal seeds choose equally."""

    def pick(self, items: Sequence[Item]) -> Item:
        """One of several things."""
        return items[self.randrange(len(items))]

    def often(self, share: float) -> bool:
        """Whether something is done that is done so often."""
        return self.random() < share

    def some(self, items: Sequence[Item], most: int) -> list[Item]:
        """One thing or several, in their order."""
        count = min(len(items), self.randint(1, most))
        return [items[place] for place in sorted(self.sample(range(len(items)), count))]

    def coefficient(self) -> float:
        """A factor: mostly small and whole, else one that no format has, or a large one."""
        kind = self.random()
        return self.pick(PLAIN if kind < 0.6 else ODD if kind < 0.8 else LARGE)

    def range(self) -> Values:
        """What a seme may be declared as."""
        return self.pick(RANGES)

    def value(self, values: Values) -> float:
        """A value of a range: an end or any other."""
        if self.often(0.4):
            return self.pick((values.low, values.high, 0.0 if values.low <= 0 else values.low))
        if not values.grain:
            found = round(self.uniform(values.low, values.high), self.pick((1, 3)))
            return min(max(found, values.low), values.high)
        return values.at(self.randrange(int(min(values.count, 1e7))))
