"""What a decoder writes, token by token as it comes: of millions none is kept."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from progtf.program.answers import Answer, EndlessError
from progtf.program.model import EOS
from progtf.program.outcome import NotExactError, Outcome
from progtf.program.tokens import SPECIAL
from progtf.running.cells import Cells, DoubtError
from progtf.running.native.library import library
from progtf.running.promises import Promises
from progtf.running.ready import Ready
from progtf.running.walk import Run, writing

if TYPE_CHECKING:
    from progtf.program.promises import Broken


class Stream(Iterator[str]):
    """The tokens of one answer, to be gone through once.

    Args:
        ready: the program that answers: a decoder that goes on with the text.
        tokens: the text.
        native: whether the engine in C goes first.
        strict: whether to stop where the text breaks a promise of the program.

    Attributes:
        broken: the promises that the text was found to break so far.
        tied: whether two tokens shared the best score so far: the first of them was taken.
    """

    def __init__(self, ready: Ready, tokens: Sequence[str], *, native: bool, strict: bool) -> None:
        self.ready, self.native, self.strict = ready, native, strict
        self.given = tuple(tokens)
        self.broken: tuple[Broken, ...] = ()
        self.tied = False
        self._pieces = self._some()
        self._left = deque[str]()

    @property
    def outcome(self) -> Outcome:
        """What is known of what was written so far, as of an answer."""
        if not self.broken:
            return Outcome("by meaning", "float64")
        return Outcome("broken promise", "float64", problems=tuple(map(str, self.broken)))

    def __next__(self) -> str:
        """The next token; raises as ``some`` does."""
        while not self._left:
            self._left.extend(next(self._pieces))
        return self._left.popleft()

    def some(self) -> Iterator[list[str]]:
        """What is left of the tokens, several at a time as they come, without ``<eos>``.

        Raises:
            EndlessError: behind the last ones, where the answer does not end.
            NotExactError: where ``strict`` stops.
        """
        if self._left:
            left = [*self._left]
            self._left.clear()
            yield left
        yield from self._pieces

    def _some(self) -> Iterator[list[str]]:
        shape = self.ready.first.interface
        left = shape.lengths[1]
        for tokens in self._written():
            ended = tokens[-1] == EOS
            yield [token for token in tokens[:left] if token not in SPECIAL]
            left -= len(tokens)
            if ended:
                return
        if shape.ends:
            raise EndlessError.after(shape.lengths[1], Answer("", self.given, broken=self.broken))

    def _written(self) -> Iterator[list[str]]:
        """All that is written, by the engine in C as far as that tells, then by numpy."""
        count = 0
        engine = self.ready.coded.engine if self.native and library() is not None else None
        if engine is not None:
            outputs = self.ready.first.interface.outputs
            writing = engine.writing(self.given)
            while True:
                try:
                    numbers = next(writing)
                except StopIteration as end:
                    if end.value:
                        return
                    break
                count += len(numbers)
                yield [outputs[number] for number in numbers]
        for token in self._computed(count):
            yield [token]

    def _computed(self, count: int) -> Iterator[str]:
        """The same by numpy, in fractions once float64 does not tell; all but the first ones."""
        for exact in (False, True):
            run = Run(self.ready.program, Promises(self.ready.program), exact=exact)
            steps, place = writing(run, self.given, None), 0
            try:
                while (step := _next(steps)) is not None:
                    token, apart, _ = step
                    self.tied |= apart == 0
                    self._note(run.promises)
                    if place == count:
                        count += 1
                        yield token
                    place += 1
            except DoubtError:
                if exact:
                    raise
            else:
                return

    def _note(self, promises: Promises) -> None:
        self.broken = tuple(promises.broken)
        if self.broken and self.strict:
            raise NotExactError(str(self.outcome))


def _next(steps: Iterator[tuple[str, float, Cells]]) -> tuple[str, float, Cells] | None:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return next(steps, None)
