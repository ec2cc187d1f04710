"""What answers texts: the part that interpreter and network share."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import overload

from progtf.program.answers import Answer, Readout, Speaker
from progtf.program.tokens import InputError, Reader, check_texts
from progtf.program.vectors import read_vectors

Vectors = list[dict[str, float]]
Input = list[str] | Vectors


class Answering:
    """Answers texts, batched by length.

    Attributes:
        reader: texts to tokens; speaker: what was computed to answers.
        batch_size: how many inputs are computed at once.
    """

    reader: Reader
    speaker: Speaker
    batch_size = 1

    @abstractmethod
    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order."""
        ...

    @property
    def semes(self) -> tuple[str, ...]:
        """The names of the semes, clocks left out."""
        return self.speaker.semes

    @overload
    def run(self, inputs: str) -> str: ...
    @overload
    def run(self, inputs: list[str]) -> list[str]: ...
    def run(self, inputs: str | list[str]) -> str | list[str]:
        """The answer to a text, or the answers to several, in their order.

        Raises:
            InputError: if the program cannot take an input.
            TypeError: for anything but texts.
        """
        if isinstance(inputs, str):
            return self.answers([inputs])[0].text
        return [answer.text for answer in self.answers(inputs)]

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to texts, in their order.

        Raises:
            InputError: if the program cannot take one of them.
            TypeError: for anything but texts.
        """
        return self._answered(self.read(texts))

    def read(self, texts: Sequence[str]) -> list[Input]:
        """The tokens of texts, or vectors.

        Raises:
            InputError: if the program cannot take one of them.
            TypeError: for anything but texts.
        """
        tried = self._read_all(texts)
        for number, one in enumerate(tried, start=1):
            if isinstance(one, InputError):
                raise InputError(f"input {number}: {one}" if len(tried) > 1 else str(one))
        return [one for one in tried if not isinstance(one, InputError)]

    def try_answers(self, texts: Sequence[str]) -> list[Answer | InputError]:
        """The answers; an input that the program cannot take gives its error."""
        tried = self._read_all(texts)
        answers = iter(self._answered([one for one in tried if not isinstance(one, InputError)]))
        return [one if isinstance(one, InputError) else next(answers) for one in tried]

    def _read_all(self, texts: Sequence[str]) -> list[Input | InputError]:
        check_texts(texts)
        return [self._try_to_read(text) for text in texts]

    def _try_to_read(self, text: str) -> Input | InputError:
        try:
            if self.speaker.interface.takes_vectors:
                return read_vectors(text, self.semes)
            return self.reader.read(text)
        except InputError as error:
            return error

    def _answered(self, inputs: list[Input]) -> list[Answer]:
        order = sorted(range(len(inputs)), key=lambda place: len(inputs[place]))
        answers: dict[int, Answer] = {}
        for first in range(0, len(order), self.batch_size):
            chosen = order[first : first + self.batch_size]
            found = map(self.speaker.answer, self.readouts([inputs[place] for place in chosen]))
            answers |= dict(zip(chosen, found, strict=True))
        return [answers[place] for place in range(len(inputs))]
