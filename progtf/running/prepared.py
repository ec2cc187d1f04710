"""What the parts of a program read and write, as arrays: found once, used at every step."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from progtf.once import once
from progtf.program.arrays import Ints
from progtf.program.forms import FLAG, Space
from progtf.program.model import FeedForward, Head, Program
from progtf.running.ranges import Ranges, without_steps
from progtf.running.rules import Rules
from progtf.running.sight import Sight
from progtf.running.sums import Sums

Made = TypeVar("Made")


class Prepared:
    """The arrays of a program's parts, each found when it is first asked for.

    Attributes:
        space, clocks: of the program.
        scores: of what it may say.
    """

    def __init__(self, program: Program) -> None:
        self.space, self.clocks = program.space, program.clocks
        self.scores = [*program.outputs.values()]
        if program.classify is not None:
            self.scores = [*program.classify.classes.values()]
        self._made: dict[int, tuple[object, Any]] = {}

    def sight(self, head: Head) -> Sight:
        """The arrays of a head."""
        return self._of(head, lambda part, space: Sight.of(part, space, self.clocks))

    def rules(self, block: FeedForward) -> Rules:
        """The arrays of a feed-forward block."""
        return self._of(block, Rules.of)

    @cached_property
    def outputs(self) -> Sums:
        """The arrays of the scores of what may be written."""
        return Sums.of(self.scores, self.space.index)

    @cached_property
    def answering(self) -> tuple[Ints, Ranges]:
        """The columns of the numbers that scores read, and the ends of their ranges."""
        ranges = self.space.ranges
        names = dict.fromkeys(name for form in self.scores for name in form.coefficients)
        numbers = [name for name in names if ranges[name] != FLAG]
        columns = np.array([self.space.index[name] for name in numbers], dtype=np.intp)
        return columns, Ranges.of([without_steps(ranges[name]) for name in numbers])

    def _of(self, part: Any, make: Callable[[Any, Space], Made]) -> Made:
        if id(part) not in self._made:  # which is its own as long as the part is kept beside it
            self._made[id(part)] = part, make(part, self.space)
        return self._made[id(part)][1]


@once
def prepared(program: Program) -> Prepared:
    """Those of a program, as long as it lives."""
    return Prepared(program)
