"""What the interpreter says of inputs, and what it went through: the oracle."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from progtf.exact.kept import Watch
from progtf.program.answers import Answer, Readout
from progtf.program.arrays import Array
from progtf.program.forms import Form
from progtf.program.model import BOS, EOS, Program
from progtf.program.speaking import gap_of
from progtf.running.cells import Cells, as_floats
from progtf.running.interpret import Interpreter
from progtf.running.sums import Sums


def read(forms: Iterable[Form], program: Program, stream: Array) -> Array:
    """What sums come to in a residual: shape (positions, forms)."""
    return as_floats(Sums.of([*forms], program.space.index)(Cells.of(stream)).values)


@dataclass(frozen=True)
class Meant:
    """What an input means.

    Attributes:
        answer: the interpreter's.
        readout: what it was made of.
        scores: of the places that the answer is read off, shape (places, answers); None: none.
        continued: whether a decoder's gap is also one of what was given, or past its last token.
    """

    answer: Answer
    readout: Readout
    scores: Array | None
    continued: bool

    @property
    def gap(self) -> float:
        """The smallest distance of the best score from the second best."""
        return np.inf if self.scores is None else min(map(gap_of, self.scores), default=np.inf)


class Oracle:
    """The interpreter of a program; what it said is remembered."""

    def __init__(self, program: Program) -> None:
        self.program, self.interpreter = program, Interpreter(program)
        self.known: dict[str, tuple[Meant, Watch]] = {}

    def meant(self, text: str) -> Meant:
        """What a text means.

        Raises:
            InputError: if the program cannot take it.
        """
        return self._known(text)[0]

    def watched(self, text: str) -> Watch:
        """Everything that happens on the way to an answer."""
        return self._known(text)[1]

    def _known(self, text: str) -> tuple[Meant, Watch]:
        if text not in self.known:
            self.known[text] = self._watched(text)
        return self.known[text]

    def endless(self, text: str) -> tuple[Meant, Watch]:
        """What becomes of a text that has no answer, for a loop has not ended."""
        return self._watched(text, Answer("", ()))

    def _watched(self, text: str, answer: Answer | None = None) -> tuple[Meant, Watch]:
        (given,) = self.interpreter.read([text])
        watch = Watch(self.program)
        readout = self.interpreter.readout(given, watch)
        answer = answer or self.interpreter.speaker.answer(readout, self.interpreter.proof)
        full = len(readout.written or ()) >= self.program.lengths[1]
        continued = full or self.program.kind == "decoder"
        return Meant(answer, readout, self._scores(readout, watch), continued), watch

    def _scores(self, readout: Readout, watch: Watch) -> Array | None:
        if readout.written is not None:
            begin = len(readout.tokens) - 1 if self.program.kind == "decoder" else 0
            stream = watch.steps[-1].residual[begin:]
            return read(self.program.outputs.values(), self.program, stream)
        return judged(readout)


def judged(readout: Readout) -> Array | None:
    """The scores that an answer is read off: shape (places, answers)."""
    if readout.scores is None or readout.scores.ndim == 1:
        return None if readout.scores is None else readout.scores[None]
    inner = [place for place, token in enumerate(readout.tokens) if token not in (BOS, EOS)]
    return readout.scores[inner]
