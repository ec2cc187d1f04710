"""Puts what was computed for an input into words; for interpreter, network and reference alike."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from progtf import numbers
from progtf.notation.spell import counted
from progtf.program.answers import Answer, EndlessError, Outside, Readout, Reason, because
from progtf.program.arrays import Array
from progtf.program.interface import Dimension, Interface
from progtf.program.model import AGAIN, ASK, BOS, EOS, Loop
from progtf.program.outcome import UNCHECKED, Outcome, Proof
from progtf.program.tokens import InputError, join
from progtf.program.vectors import PLAIN, Style, show_residual, show_vector

UP = 0.5
SLACK = 1e-3  # of a range: float32 rounds, and its softmax leaks a little
_MOST = "float64 holds none that is larger than 1.8e+308"
EXPLAINED = ("max", "sum")  # poolings in which one word can be the reason


@dataclass(frozen=True)
class Speaker:
    """Puts what was computed into words.

    Attributes:
        interface: of the program.
        evidence: the semes that classes read, where one word can be the reason for a class.
        style: how it shows numbers.
    """

    interface: Interface
    evidence: tuple[str, ...] = ()
    style: Style = PLAIN

    @property
    def semes(self) -> tuple[str, ...]:
        """The names of the semes, clocks left out."""
        return self.interface.names[: self.interface.semes]

    def answer(self, readout: Readout, proof: Proof = UNCHECKED) -> Answer:
        """The answer to one input, with what is proven of it.

        Raises:
            InputError: if a loop did not come to its end, or a number is not finite.
            EndlessError: if what was written did not.
        """
        loop = readout.unfinished
        if loop is not None:
            rounds = counted(loop.most, "round")
            raise InputError(f"loop {loop.name}: not done after {rounds}{because(readout.broken)}")
        self._check_finite(readout)
        if readout.broken:
            why = tuple(map(str, readout.broken))
            proof = Proof.of(Outcome("broken promise", "float64", problems=why))
        told: dict[str, Any] = {
            "broken": readout.broken, "tied": readout.tied, "fractions": readout.fractions
        }  # fmt: skip
        if readout.written is not None:
            return self._written(readout, readout.written, proof, told)
        return replace(self._said(readout), outside=readout.outside, proof=proof, **told)

    def _check_finite(self, readout: Readout) -> None:
        """Refuses what has grown beyond the numbers of the format: it is no answer."""
        found, what = readout.scores, "a score"
        if readout.written is not None:
            gap = readout.gap
            if gap is None or math.isfinite(gap) or len(self.interface.outputs) < 2:
                return
        elif found is not None:
            if np.isfinite(found).all():
                return
        elif (found := readout.residual) is not None:
            wrong = ~np.isfinite(found[:, : self.interface.semes]).all(axis=0)
            if not wrong.any():
                return
            what = f"`{self.semes[wrong.argmax()]}`"
        else:
            return
        single = self.style.noise > numbers.DOUBLE
        most = "float32 holds none that is larger than 3.4e+38" if single else _MOST
        raise InputError(f"no answer: {what} is no finite number; {most}")

    def _written(
        self, readout: Readout, written: tuple[str, ...], proof: Proof, told: dict[str, Any]
    ) -> Answer:
        shape, left = self.interface, readout.outside
        text = join(written, shape.tokens, shape.join)
        told |= {"gap": readout.gap, "outside": left, "proof": proof, **self._onward(written)}
        answer = Answer(text, readout.tokens, **told)
        if shape.ends and written[-1:] != (EOS,):
            raise EndlessError.after(shape.lengths[1], answer)
        return answer

    def _said(self, readout: Readout) -> Answer:
        shape = self.interface
        if readout.scores is not None and shape.classes:
            return self._class(readout, readout.scores)
        if readout.scores is not None:
            return self._token_by_token(readout, readout.scores)
        assert readout.residual is not None
        return self._shown(readout.tokens, readout.residual[:, : shape.semes])

    def _class(self, readout: Readout, scores: Array) -> Answer:
        reasons = tuple(self._reasons(readout))
        if self.interface.number:
            number = float(scores[0]) + 0.0
            text = numbers.score(number, self.style.decimals)
            return Answer(text, readout.tokens, because=reasons, score=number)
        table = dict(zip(self.interface.classes, (scores + 0.0).tolist(), strict=True))
        best = int(scores.argmax()) if readout.best is None else readout.best[0]
        label = self.interface.classes[best]
        gap = gap_of(scores) if readout.gap is None else readout.gap
        return Answer(label, readout.tokens, None, table, gap, reasons)

    def _token_by_token(self, readout: Readout, scores: Array) -> Answer:
        """One output token for every token of the input."""
        shape = self.interface
        inner = [i for i, token in enumerate(readout.tokens) if token not in (BOS, EOS)]
        best = scores.argmax(axis=1).tolist() if readout.best is None else readout.best
        said = [shape.outputs[best[place]] for place in inner]
        gap = readout.gap
        gap = min(gap_of(scores[place]) for place in inner) if gap is None else gap
        text = join(said, shape.tokens, shape.join)
        return Answer(text, readout.tokens, gap=gap, **self._onward(said))

    def _onward(self, written: Sequence[str]) -> dict[str, Any]:
        """Whether what was written is asked in its turn; ``<ask>`` decides where both stand."""
        shape = self.interface
        asks = bool(shape.ask) and ASK in written
        return {"asks": asks, "again": bool(shape.again) and AGAIN in written and not asks}

    def _shown(self, tokens: tuple[str, ...], semes: Array) -> Answer:
        """The residual itself; of a recurrent network the last state."""
        own = self.interface.space[: self.interface.semes]
        if self.interface.takes_vectors:
            shown = " | ".join(show_vector(row, own, self.style) for row in semes)
            return Answer(shown, tokens, semes)
        last = slice(-1, None) if self.interface.kind == "rnn" else slice(None)
        text = show_residual(tokens[last], semes[last], own, self.style)
        return Answer(text, tokens[last], semes[last])

    def with_digits(self, answer: Answer, digits: int) -> Answer:
        """An answer whose numbers have so many digits, and its text with them."""
        style = replace(self.style, digits=digits, decimals=digits)
        if answer.score is not None:
            text = numbers.score(answer.score, digits)
            near = float(text)
            return replace(answer, text=text, score=near)
        if answer.residual is None:
            return answer
        wide = replace(self, style=style)
        again = wide._shown(answer.tokens, answer.residual)  # noqa: SLF001  its own kind
        rows = [
            [numbers.rounded(v, whole=s.whole, digits=digits, noise=style.noise) for v, s in pairs]
            for pairs in (zip(row, self.interface.space, strict=False) for row in answer.residual)
        ]
        return replace(answer, text=again.text, residual=np.array(rows).reshape(len(rows), -1))

    def _reasons(self, readout: Readout) -> Iterator[Reason]:
        """For every seme that classes read and that is up somewhere, every word where it is."""
        if readout.evidence is None:
            return
        for position, column in np.argwhere(readout.evidence > UP).tolist():
            seme = self.interface.dimension(self.evidence[column])
            value = rounded(readout.evidence[position, column], seme, self.style.noise)
            yield Reason(readout.tokens[position], position, seme.name, value)


def evidence_of(interface: Interface, read: Sequence[str]) -> tuple[str, ...]:
    """Of the semes that classes read, those that can be the reason for one, in their order."""
    if interface.pool not in EXPLAINED:
        return ()
    chosen = set(read)
    return tuple(name for name in interface.names if name in chosen)


def gap_of(scores: Array) -> float:
    """How far the best score lies above the second best."""
    ordered = np.sort(scores)
    return float(ordered[-1] - ordered[-2]) if len(ordered) > 1 else float("inf")


def rounded(value: float, seme: Dimension, noise: float = numbers.EXACT) -> float:
    """The value of a seme: a whole number where it is one, else to six digits."""
    return numbers.rounded(value, whole=seme.whole, noise=noise)


def limits(semes: Sequence[Dimension]) -> tuple[Array, Array]:
    """The lowest and highest numbers with which semes still pass for being in their ranges."""
    low, high = np.array([(seme.low, seme.high) for seme in semes]).reshape(-1, 2).T
    slack = SLACK * np.maximum(1.0, np.maximum(abs(low), abs(high)))
    whole = np.array([seme.whole for seme in semes], dtype=bool)
    slack = np.where(whole, np.minimum(slack, numbers.QUARTER), slack)
    flag = (low == 0) & (high == 1)
    return np.where(flag, -np.inf, low - slack), np.where(flag, np.inf, high + slack)


def first_outside(
    tokens: Sequence[str],
    residual: Array,
    semes: Sequence[Dimension],
    noise: float = numbers.EXACT,
) -> Outside | None:
    """The first seme that is outside its range, flags left out: sums of them are often meant.

    Args:
        tokens: the input's tokens.
        residual: shape (tokens, semes) or wider.
        semes: with their ranges.
        noise: the share of a number by which the arithmetic may have missed it.
    """
    if not semes:
        return None
    low, high = limits(semes)
    stream = residual[: len(tokens), : len(semes)]
    over = (stream < low) | (stream > high)
    if not over.any():
        return None
    position, place = (int(index) for index in np.argwhere(over)[0])
    seme = semes[place]
    value = rounded(stream[position, place], seme, noise)
    return Outside(tokens[position], position, seme.name, value, seme.low, seme.high)


def first_unfinished(residual: Array, names: Sequence[str], loops: Sequence[Loop]) -> Loop | None:
    """The first of some loops that did not come to its end.

    Args:
        residual: the last one of one text, shape (tokens, columns).
        names: of the columns.
        loops: those that should have ended.
    """
    ends = (loop for loop in loops if residual[:, names.index(loop.unfinished)].max() > UP)
    return next(ends, None)
