"""How close a run came to a wrong answer: the measured counterpart of what a checker bounds."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from progtf.program.answers import EndlessError
from progtf.program.curves import ramps
from progtf.program.model import Head, Program, Rule
from progtf.running.interpret import answer
from progtf.running.trace import Trace

Margin = tuple[float, str]


@dataclass(frozen=True)
class Margins:
    """The smallest margins over some inputs, each with the place where it was found.

    Attributes:
        attention: score of what a head reads less the best of what it does not, times sharpness.
        threshold: distance of what a rule reads from the middle of a step, as a share of the
            step: 0.5 for values on their grid, 0.25 where the plateau ends.
    """

    attention: Margin | None
    threshold: Margin | None


class _Watch(Trace):
    """A trace that sees scores and forms as they are computed."""

    def __init__(self) -> None:
        super().__init__()
        self.attention: Margin | None = None
        self.threshold: Margin | None = None

    def scores(self, head: Head, scores: np.ndarray) -> None:
        top = scores.max(axis=1, keepdims=True, initial=-np.inf)
        below = np.where(scores < top, scores, -np.inf).max(axis=1)
        rivalled = np.isfinite(below)
        gaps = (top[rivalled, 0] - below[rivalled]) * head.sharpness
        if gaps.size and (self.attention is None or gaps.min() < self.attention[0]):
            self.attention = float(gaps.min()), f"head {head.name}"

    def curve(self, rule: Rule, values: np.ndarray) -> None:
        if rule.curve is None or not values.size:
            return
        for place in ramps(rule.curve):
            middle = (rule.curve.knots[place][0] + rule.curve.knots[place + 1][0]) / 2
            self._near(rule, float(np.abs(values - middle).min()) / rule.curve.grain)

    def gate(self, rule: Rule, violations: np.ndarray) -> None:
        if violations.size and (rule.gate.positive or rule.gate.negative):
            self._near(rule, float(np.abs(violations - 0.5).min()))

    def _near(self, rule: Rule, distance: float) -> None:
        if self.threshold is None or distance < self.threshold[0]:
            self.threshold = distance, f"rule for {', '.join(rule.writes)}"


def margins_of(program: Program, texts: Sequence[str]) -> Margins:
    """The smallest margins of a program over some inputs, by the interpreter.

    Raises:
        InputError: if the program cannot take one of them.
    """
    watch = _Watch()
    for text in texts:
        with suppress(EndlessError):  # what was written so far has margins, too
            answer(program, text, watch)
    return Margins(watch.attention, watch.threshold)
