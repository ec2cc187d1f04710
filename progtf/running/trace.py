"""What can be seen of a run while it goes on."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared
from progtf.program.arrays import Array
from progtf.program.model import Head, Rule, Unit
from progtf.running.cells import as_floats


@compared
@dataclass(frozen=True)
class Step:
    """The residual after one part of the network, for traces."""

    stack: str
    label: str
    tokens: tuple[str, ...]
    residual: Array


@dataclass
class Trace:
    """What is seen of one run: the residual after every part. Subclasses may look closer.

    Attributes:
        tokens: those that are read now.
        steps: the residual after every part, if it ``keeps`` them.
        encoded: the residual after the last part of the encoder so far.
    """

    tokens: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list[Step])
    encoded: Step | None = None
    keeps: bool = True

    @property
    def watches(self) -> bool:
        """Whether it looks closer: a plain one is told nothing but the residuals."""
        return type(self) is not Trace

    def note(self, stack: str, label: str, residual: Array) -> None:
        """Remember the residual after a part."""
        step = Step(stack, label, self.tokens, as_floats(residual).copy())
        if stack == "encoder":
            self.encoded = step
        if self.keeps:
            self.steps.append(step)

    def between(self, stack: str, label: str, residual: Array) -> None:
        """Told the residual behind the heads of a layer, before its rules."""

    def again(self) -> None:
        """All begins anew, in fractions: what was seen so far counts no more."""
        self.steps.clear()
        self.encoded = None

    def scores(self, head: Head, scores: Array) -> None:
        """Told about the scores of every head, the null key's last: shape (dst, src + 1)."""

    def asked(self, head: Head, scores: Array) -> None:
        """Told about the scores of readers, of sources that divide themselves: shape (src, dst)."""

    def curve(self, rule: Rule, values: Array) -> None:
        """Told about the form that a rule reads, where its gate is open: shape (positions,)."""

    def gate(self, rule: Rule, violations: Array) -> None:
        """How many flags are not as one rule wants them: shape (positions,)."""

    def shares(self, head: Head, pattern: Array, rest: Array) -> None:
        """Told how a head divides its attention: shapes (dst, src) and, the null key's, (dst,)."""

    def added(self, head: Head, update: Array) -> None:
        """Told what a head adds: shape (positions, width)."""

    def stays(self, places: NDArray[np.bool_]) -> None:
        """Told where what has been added is left out, in a loop: shape (positions,)."""

    def fired(self, rule: Rule | Unit, amount: Array) -> None:
        """Told how strongly a rule or unit writes: shape (positions,)."""
