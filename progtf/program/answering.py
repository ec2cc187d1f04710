"""What answers texts: the part that interpreter and network share."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast, overload

from progtf.numbers import plain
from progtf.program.answers import Answer, ChainStep, Readout
from progtf.program.chains import followed
from progtf.program.outcome import NotExactError, Outcome, Proof
from progtf.program.tokens import InputError, Reader, check_texts, given
from progtf.program.vectors import read_vectors

if TYPE_CHECKING:  # who only reads a program does without numpy
    from progtf.program.speaking import Speaker

Vectors = list[dict[str, float]]
Input = list[str] | Vectors
One = TypeVar("One")


class Answering:
    """Answers texts, batched by length.

    Attributes:
        reader: texts to tokens; speaker: what was computed to answers.
        batch_size: how many inputs are computed at once, at most.
        room: for how many tokens there is room at once, of several inputs.
    """

    reader: Reader
    speaker: "Speaker"
    batch_size = 1
    room = math.inf

    @abstractmethod
    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order."""
        ...

    @property
    @abstractmethod
    def proof(self) -> Proof:
        """What is proven of it as it is now, found out when somebody asks."""
        ...

    @property
    def outcome(self) -> Outcome:
        """What is proven of it as it is now, and the format that it computes in."""
        return self.proof.outcome

    @property
    def semes(self) -> tuple[str, ...]:
        """The names of the semes, clocks left out."""
        return self.speaker.semes

    @overload
    def run(self, inputs: str, *, strict: bool = False) -> str: ...
    @overload
    def run(self, inputs: list[str], *, strict: bool = False) -> list[str]: ...
    def run(self, inputs: str | list[str], *, strict: bool = False) -> str | list[str]:
        """The answer to a text, or the answers to several, in their order.

        Args:
            inputs: a text, or several.
            strict: refuse to answer what is not proven to be exact.

        Raises:
            InputError: if the program cannot take an input.
            EndlessError: if an answer does not end; it has the text so far.
            NotExactError: where ``strict`` refuses.
            TypeError: for anything but texts.
        """
        texts = [inputs] if isinstance(inputs, str) else inputs
        said = [answer.text for answer in self.answers(texts, strict=strict)]
        return said[0] if isinstance(inputs, str) else said

    def answers(self, texts: Sequence[str], *, strict: bool = False) -> list[Answer]:
        """The answers to texts, in their order, each with its outcome.

        Raises:
            InputError: if the program cannot take one of them.
            EndlessError: if an answer does not end; it has the text so far.
            NotExactError: if ``strict``, and they would not be proven to be exact.
            TypeError: for anything but texts.
        """
        if strict and not self.outcome.exact:
            raise NotExactError(str(self.outcome))
        answers = without_errors(self._answered(Asked(texts, self.read(texts), strict)))
        wrong = next((each for each in answers if strict and each.broken), None)
        if wrong is not None:
            raise NotExactError(str(wrong.outcome))
        return answers

    def read(self, texts: Sequence[str]) -> list[Input]:
        """The tokens of texts, or vectors.

        Raises:
            InputError: if the program cannot take one of them.
            TypeError: for anything but texts.
        """
        return without_errors(self._read_all(texts))

    def try_answers(self, texts: Sequence[str]) -> list[Answer | InputError]:
        """The answers, or in their places why there is none."""
        return answered(
            texts, self._read_all(texts), lambda some, given: self._answered(Asked(some, given))
        )

    def steps(self, text: str) -> tuple[ChainStep, ...]:
        """Every step from a text to its answer: each text that is asked, with what comes of it.

        Of a program without ``again:`` there is one.

        Raises:
            InputError: if the program cannot take one of them; a ``ChainError`` behind the first.
            EndlessError: if the chain does not end; its answer has the steps so far.
        """
        (answer,) = self.answers([text])
        return answer.steps or (ChainStep(text, answer),)

    def print_digits(self, digits: int) -> None:
        """Answers print so many digits of numbers that are not whole, and decimals of scores."""
        style = replace(self.speaker.style, digits=digits, decimals=digits)
        self.speaker = replace(self.speaker, style=style)

    def _read_all(self, texts: Sequence[str]) -> list[Input | InputError]:
        check_texts(texts)
        return [tried(self._read, text) for text in texts]

    def _read(self, text: str) -> Input:
        interface, text = self.speaker.interface, given(text)
        if not interface.takes_vectors:
            return self.reader.read(text)
        vectors = read_vectors(text, self.semes, interface.vectors)
        if len(vectors) > (most := interface.lengths[0]):
            raise InputError(f"the input has {len(vectors)} vectors, the program takes {most}")
        return vectors

    def _answered(self, asked: "Asked") -> list[Answer | InputError]:
        """The answers to texts that were read; what is written to be asked again is."""
        strict, shape = asked.strict, self.speaker.interface
        found = self._once(asked.inputs, strict=strict)
        if not shape.again:
            return found

        def ask(some: Sequence[str]) -> list[Answer | InputError]:
            given = [tried(asked.read or self._read, text) for text in some]
            return answered(some, given, lambda _, inputs: self._once(inputs, strict=strict))

        return followed(asked.texts, found, shape, ask)

    def _once(self, inputs: list[Input], *, strict: bool) -> list[Answer | InputError]:
        """What is answered to inputs in one step."""
        answers: dict[int, Answer | InputError] = {}
        proof = self.proof
        if strict and not proof.outcome.exact:  # another thread may have changed it
            raise NotExactError(str(proof.outcome))
        proofs = [self._proof_for(each, proof) for each in inputs]
        if strict and (other := next((p for p in proofs if not p.outcome.exact), None)):
            raise NotExactError(str(other.outcome))
        for chosen, found in self.batches(inputs):
            pairs = zip(found, (proofs[place] for place in chosen), strict=True)
            said = (tried(self.speaker.answer, *pair) for pair in pairs)
            answers |= dict(zip(chosen, said, strict=True))
        return [answers[place] for place in range(len(inputs))]

    def _proof_for(self, given: Input, proof: Proof) -> Proof:
        """What is proven of one answer: nothing of vectors beyond what is declared, nor of a text
        that breaks what is assumed.
        """
        judge = proof.judge
        if judge is not None:
            return self._within(given, Proof(lambda: judge(given, proof.outcome)))
        return self._within(given, proof)

    def _within(self, given: Input, proof: Proof) -> Proof:
        """The same of vectors within what is declared."""
        interface = self.speaker.interface
        if not interface.takes_vectors or proof.outcome.verdict != "exact":
            return proof
        space = {each.name: each for each in interface.space}
        for vector in cast("list[dict[str, float]]", given):
            for name, value in vector.items():
                if not space[name].has(value):
                    low, high = plain(space[name].low), plain(space[name].high)
                    why = f"`{name} {low}..{high}` is declared, and it is {plain(value)}"
                    return Proof.of(Outcome("not proven", proof.outcome.dtype, problems=(why,)))
        return proof

    def batches(self, inputs: list[Input]) -> Iterator[tuple[list[int], Iterator[Readout]]]:
        """The places of inputs that are computed at once, as they are alike in length, and what is
        computed for them.
        """
        order = sorted(range(len(inputs)), key=lambda place: len(inputs[place]))
        lengths = [len(inputs[place]) for place in order]
        first = 0
        while first < len(order):
            chosen = order[first : first + self._fitting(lengths, first)]
            yield chosen, self.readouts([inputs[place] for place in chosen])
            first += len(chosen)

    def _fitting(self, lengths: list[int], first: int) -> int:
        """How many inputs from the first one on are computed at once; the last is the longest."""
        count, most, room = 1, min(self.batch_size, len(lengths) - first), self.room
        while count < most and (count + 1) * lengths[first + count] <= room:
            count += 1
        return count


class Asked(NamedTuple):
    """Texts to be answered.

    Attributes:
        texts: the texts.
        inputs: as they were read.
        strict: as of ``answers``.
        read: how later steps are read, if not as the first was.
    """

    texts: Sequence[str]
    inputs: list[Input]
    strict: bool = False
    read: Callable[[str], Input] | None = None


def answered(
    texts: Sequence[str],
    given: Sequence[Input | InputError],
    answer: Callable[[Sequence[str], list[Input]], list[Answer | InputError]],
) -> list[Answer | InputError]:
    """The answers to those of some texts that could be read; of the others why not."""
    readable = [n for n, one in enumerate(given) if not isinstance(one, InputError)]
    inputs = [one for one in given if not isinstance(one, InputError)]
    answers = iter(answer([texts[n] for n in readable], inputs))
    return [one if isinstance(one, InputError) else next(answers) for one in given]


def tried(attempt: Callable[..., One], *given: object) -> One | InputError:
    """What an attempt gives, or why it gives nothing."""
    try:
        return attempt(*given)
    except InputError as error:
        return error


def without_errors(tried: Sequence[One | InputError]) -> list[One]:
    """What was tried.

    Raises:
        InputError: the first error of it, with its number.
    """
    for number, one in enumerate(tried, start=1):
        if isinstance(one, InputError):
            raise one.of(f"input {number}") if len(tried) > 1 else one
    return [one for one in tried if not isinstance(one, InputError)]
