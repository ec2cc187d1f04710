"""Answers, and what was computed for an input; for interpreter, network and reference alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from progtf.equality import compared
from progtf.frozen import freeze
from progtf.notation.spell import counted
from progtf.program.model import EOS, Loop
from progtf.program.outcome import UNCHECKED, Outcome, Proof
from progtf.program.promises import Broken
from progtf.program.tokens import InputError

if TYPE_CHECKING:  # who only reads a program does without numpy
    from progtf.program.arrays import Array

TIED = 1e-6  # of scores: float32 does not tell them apart for certain


@dataclass(frozen=True)
class Reason:
    """What speaks for a class: a seme that some class's score reads, and a word where it is up."""

    token: str
    position: int
    seme: str
    value: float


@dataclass(frozen=True)
class Outside:
    """A seme that has left its range at a token: what reads it may be wrong."""

    token: str
    position: int
    seme: str
    value: float
    low: float
    high: float


@compared
@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        text: what ``progtf run`` prints.
        tokens: the input's tokens.
        residual: the last residual, shape (tokens, semes), where that is the answer.
        scores: class or token -> score, where there are some: pooled, or of the first token.
        score: the number that is the answer, of a program with ``score:``.
        gap: the smallest distance between the best and the second-best score; None without scores.
        because: where the text is pooled by max or sum, which of the semes that count were found.
        outside: the first seme that the encoder left outside its range; None: all kept to theirs.
        broken: the promises of the program that the input breaks, as far as they were looked at.
        tied: whether two answers shared the best score; None: as far as ``gap`` tells.
        fractions: whether float64 was not enough, and it was computed in fractions.
        outcome: what is proven of what computed it, and the format that it was computed in.
        again: whether the text is to be asked again: the program wrote ``<again>``.
        asks: whether the text is a question, after which the text that asked it is asked again:
            the program wrote ``<ask>``; then ``again`` is False.
        steps: of a program with ``again:`` every step of the chain, the last with this text. What
            is doubtful in any of them (``outside``, ``broken``, ``tied``, ``outcome``) is so here,
            ``gap`` is the smallest, and ``tokens`` are those of the last.
    """

    text: str
    tokens: tuple[str, ...]
    residual: "Array | None" = None
    scores: dict[str, float] | None = None
    gap: float | None = None
    because: tuple[Reason, ...] = ()
    score: float | None = None
    outside: Outside | None = None
    broken: tuple[Broken, ...] = ()
    tied: bool | None = None
    fractions: bool = False
    proof: Proof = field(default=UNCHECKED, repr=False, compare=False)
    again: bool = False
    asks: bool = False
    steps: "tuple[ChainStep, ...]" = ()

    def __post_init__(self) -> None:
        freeze(self, "scores")

    @property
    def outcome(self) -> Outcome:
        """Found out, by a check of the program, when it is asked for first."""
        return self.proof.outcome

    @property
    def tie(self) -> bool:
        """Whether two classes or tokens shared the best score: the first of them was taken."""
        if self.tied is not None:
            return self.tied
        return self.gap is not None and self.gap <= TIED


@dataclass(frozen=True)
class ChainStep:
    """One step of a chain: a text that was asked, and what the network made of it.

    ``depth``: how many texts wait for an answer meanwhile, each for that of the next.
    """

    text: str
    answer: Answer
    depth: int = 0


def because(broken: Sequence[Broken]) -> str:
    """The first promise about a number that a text breaks: so what is wrong may be the text."""
    return next((f"; {each}" for each in broken if each.kind != "tie"), "")


class EndlessError(InputError):
    """An answer that does not end: all room is filled, and no ``<eos>`` follows.

    Attributes:
        answer: what was written so far, with all that is known of it.
    """

    def __init__(self, message: str, answer: Answer) -> None:
        super().__init__(message)
        self.answer = answer

    @classmethod
    def after(cls, tokens: int, answer: Answer) -> "EndlessError":
        """The error of an answer that has so many tokens."""
        room = f"the output's length is {counted(tokens, 'token')}"
        why = because(answer.broken)
        return cls(f"the answer does not end: {room}, and no {EOS} follows them{why}", answer)

    def of(self, place: str) -> "EndlessError":
        return EndlessError(f"{place}: {self}", self.answer)

    def __reduce__(self) -> tuple[Any, ...]:
        return EndlessError, (str(self), self.answer)


@compared
@dataclass(frozen=True)
class Readout:
    """What was computed for one input.

    Attributes:
        tokens: the input's tokens; of vectors one "" each.
        residual: the encoder's last one, shape (tokens, semes or more), if the answer shows it.
        evidence: what it has in the semes that classes read, shape (tokens, semes read).
        scores: of classes, shape (classes,); of outputs at every token, shape (tokens, outputs).
        written: the tokens that a decoder wrote, with ``<eos>`` if it came to its end.
        gap: the smallest distance between the two best scores; None: float64 tells.
        outside: the first seme that the encoder left outside its range.
        unfinished: the first loop that should have come to its end, and has not.
        best: of each row of scores the first of the greatest; None: float64 tells.
        tied: whether two scores are both the greatest; None: float64 tells.
        broken: the promises of the program that the input breaks.
        fractions: whether float64 was not enough, and it was computed in fractions.
    """

    tokens: tuple[str, ...]
    residual: "Array | None" = None
    evidence: "Array | None" = None
    scores: "Array | None" = None
    written: tuple[str, ...] | None = None
    gap: float | None = None
    outside: Outside | None = None
    unfinished: Loop | None = None
    best: tuple[int, ...] | None = None
    tied: bool | None = None
    broken: tuple[Broken, ...] = ()
    fractions: bool = False


def so_far(tried: Answer | InputError) -> Answer:
    """An answer, or as much as was written of one that does not end.

    Raises:
        InputError: why there is no answer.
    """
    if isinstance(tried, EndlessError):
        return tried.answer
    if isinstance(tried, InputError):
        raise tried
    return tried
