"""What a certificate promises of an answer, and whether a network keeps it."""

from dataclasses import dataclass

import numpy as np

from benchmarks.refute.meaning import Meant, judged
from progtf.exact import FORMATS, Report
from progtf.exact import answer as answered
from progtf.program.answers import Answer, Readout
from progtf.program.arrays import Array
from progtf.program.speaking import gap_of

SLACK = 1e-9
FINE = answered.FINE
COARSE = getattr(answered, "COARSE", FINE)


@dataclass(frozen=True)
class Got:
    """What a network made of an input: the answer, its scores, and how its last residual lies off.

    ``gap``: the smallest distance between its two best scores.
    """

    answer: Answer
    readout: Readout

    @property
    def scores(self) -> Array | None:
        return judged(self.readout)

    @property
    def gap(self) -> float:
        if self.readout.written is not None:
            return self.readout.gap or 0.0
        scores = self.scores
        return np.inf if scores is None else min(map(gap_of, scores), default=np.inf)


@dataclass(frozen=True)
class Claim:
    """A certificate: weights in one format, and what is promised of them."""

    dtype: str
    report: Report

    @property
    def allowed(self) -> float:
        """How far a number of the answer may lie off, as a share of the larger of 1 and it."""
        return FINE if FORMATS[self.dtype].bits >= 24 else COARSE

    def broken_by(self, meant: Meant, got: Got, *, alone: bool) -> str:
        """Which promise is not kept: answer, number, score, error or gap; "" if all are.

        ``alone``: the gap of what a decoder writes is known only of a batch.
        """
        if meant.answer.score is not None or meant.scores is None:
            return self._numbers(meant, got)
        if meant.answer.text != got.answer.text:
            return "answer"
        if meant.readout.written is None and self._off(meant, got) > 0:
            return "error"
        promised = None if self.report.output is None else self.report.output.gap
        known = meant.readout.written is None or (alone and not meant.continued)
        if promised is not None and known and got.gap < promised - self._slack(meant):
            return "gap"
        return ""

    def _numbers(self, meant: Meant, got: Got) -> str:
        wanted, found = numbers(meant.answer), numbers(got.answer)
        fine = np.abs(wanted - found) <= self.allowed * np.maximum(1.0, np.abs(wanted))
        return "" if fine.all() else "number" if meant.answer.score is None else "score"

    def _off(self, meant: Meant, got: Got) -> float:
        """How much further a score lies off than is promised."""
        assert meant.scores is not None
        assert got.scores is not None
        promised = 0.0 if self.report.output is None else self.report.output.error
        off = float(np.abs(meant.scores - got.scores).max(initial=0.0))
        return off - promised * (1 + 1e-6) - self._slack(meant)

    @staticmethod
    def _slack(meant: Meant) -> float:
        """What the interpreter itself may be off: it computes in float64."""
        assert meant.scores is not None
        return SLACK * max(1.0, float(np.abs(meant.scores).max(initial=0.0)))

    def tension(self, meant: Meant, got: Got) -> tuple[float, float]:
        """How near an input comes to a broken promise: 1 is there; then, by how small a gap."""
        if meant.answer.score is not None or meant.scores is None:
            wanted, found = numbers(meant.answer), numbers(got.answer)
            off = np.abs(wanted - found) / (self.allowed * np.maximum(1.0, np.abs(wanted)))
            return float(np.nan_to_num(off, nan=9e9).max(initial=0.0)), 0.0
        gap, off = meant.gap, 0.0
        if got.scores is not None and meant.readout.written is None:
            off = float(np.abs(meant.scores - got.scores).max(initial=0.0))
        return 2 * off / (gap + SLACK) if gap > SLACK else 0.0, -min(gap, got.gap)


def numbers(answer: Answer) -> Array:
    """The numbers that an answer consists of."""
    if answer.residual is not None:
        return answer.residual.ravel()
    return np.array([] if answer.score is None else [answer.score])
