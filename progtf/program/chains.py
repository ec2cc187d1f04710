"""Chains: what a program writes is asked, as long as it writes ``<again>`` or ``<ask>``.

``<again>`` puts what was written in the place of the text; after ``<ask>`` the text waits for the
answer, and is asked again with it. Which of them is read off what the network wrote, never off the
text.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from progtf.notation.spell import counted
from progtf.program.answers import Answer, ChainStep, EndlessError
from progtf.program.holes import put
from progtf.program.interface import Interface
from progtf.program.outcome import NotExactError, Outcome, Proof
from progtf.program.tokens import InputError

Tried = Answer | InputError
Spans = tuple[tuple[int, int], ...]
_PIECE = re.compile(r"(?s)\w+|\s+|.")


class ChainError(InputError):
    """A text that a chain came to, and that its program cannot take.

    Attributes:
        steps: those before it.
        text: that text; depth: as of a step.
    """

    def __init__(
        self, message: str, steps: tuple[ChainStep, ...], text: str, depth: int = 0
    ) -> None:
        super().__init__(message)
        self.steps, self.text, self.depth = steps, text, depth

    def of(self, place: str) -> "ChainError":
        return ChainError(f"{place}: {self}", self.steps, self.text, self.depth)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChainError, (str(self), self.steps, self.text, self.depth)


@dataclass
class _Chain:
    """How far the chain of one text has come.

    Attributes:
        text: what is asked next, or was last.
        waiting: the texts that asked a question, each for the answer of the next.
        steps: those that were taken.
    """

    text: str
    waiting: list[str] = field(default_factory=list[str])
    steps: tuple[ChainStep, ...] = ()

    def goes_on(self, answer: Answer, ask: str) -> bool:
        """Takes what was written, and finds the text that is asked next: False if there is none."""
        self.steps += (ChainStep(self.text, answer, len(self.waiting)),)
        if answer.asks:
            self.waiting.append(self.text)
            self.text = answer.text
        elif answer.again:
            self.text = answer.text
        elif self.waiting:
            self.text = put(ask, answer.text, self.waiting.pop())
        else:
            return False
        return True

    def endless(self, why: str, text: str) -> EndlessError:
        """Why it has no end, with the text so far: where a first one waits, that."""
        so_far = [*self.waiting, text][0]
        return EndlessError(why, replace(_whole(self.steps), text=so_far))

    def stopped(self, error: InputError) -> InputError:
        """Why it goes no further, with the number of the step; the first needs none."""
        why = f"step {len(self.steps) + 1}: {error}" if self.steps else str(error)
        if isinstance(error, EndlessError):
            self.steps += (ChainStep(self.text, error.answer, len(self.waiting)),)
            return self.endless(why, error.answer.text)
        return ChainError(why, self.steps, self.text, len(self.waiting)) if self.steps else error


def followed(
    texts: Sequence[str],
    first: Sequence[Tried],
    shape: Interface,
    ask: Callable[[Sequence[str]], list[Tried]],
) -> list[Tried]:
    """The chains of some texts, side by side, each to its end.

    Args:
        texts: the texts.
        first: what comes of each in one step.
        shape: of the program: how many steps a chain has at most, and how answers are put.
        ask: what comes of further texts in one step each.

    Returns:
        Of each text the last answer with all its steps, or why there is none: an ``EndlessError``
        where more would have to be asked after the last step that a chain may have.

    Raises:
        NotExactError: if ``ask`` refuses, with the number of the step.
    """
    chains, ended = [_Chain(text) for text in texts], dict[int, Tried]()
    going, found = [*range(len(texts))], first
    for number in range(1, shape.again + 1):
        for place, tried in zip(going, found, strict=True):
            chain = chains[place]
            if isinstance(tried, InputError):
                ended[place] = chain.stopped(tried)
            elif not chain.goes_on(tried, shape.ask):
                ended[place] = _whole(chain.steps)
            elif number == shape.again:
                why = f"again: not done after {counted(number, 'step')}"
                ended[place] = chain.endless(why, chain.text)
        going = [place for place in going if place not in ended]
        if not going:
            break
        unlike = [*dict.fromkeys(chains[place].text for place in going)]
        try:
            said = dict(zip(unlike, ask(unlike), strict=True))
        except NotExactError as error:
            raise NotExactError(f"step {number + 1}: {error}") from None
        found = [said[chains[place].text] for place in going]
    return [ended[place] for place in range(len(texts))]


def _whole(steps: tuple[ChainStep, ...]) -> Answer:
    """The last answer of a chain, with what is doubtful in any of its steps."""
    answers = [step.answer for step in steps]
    gaps = [each.gap for each in answers if each.gap is not None]
    tied = [each.tied for each in answers if each.tied is not None]
    return replace(
        answers[-1],
        steps=steps,
        gap=min(gaps, default=None),
        tied=any(tied) if tied else None,
        outside=next((each.outside for each in answers if each.outside is not None), None),
        broken=tuple(
            replace(broken, step=number)
            for number, each in enumerate(answers, start=1)
            for broken in each.broken
        ),
        fractions=any(each.fractions for each in answers),
        proof=Proof(lambda: _outcome([each.outcome for each in answers])),
    )


def _outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """What is proven of all steps: that of the first that is not exact, with its number."""
    if all(each == outcomes[0] for each in outcomes):
        return outcomes[0]
    for number, each in enumerate(outcomes, start=1):
        if not each.exact:
            return replace(each, problems=tuple(f"step {number}: {why}" for why in each.problems))
    return outcomes[-1]


def followers(steps: Sequence[ChainStep]) -> list[str]:
    """Of each step the text that takes the place of its own: the next one of its depth.

    Of the last ones that is their answer, and of one that waits for an answer that never came its
    own text.
    """
    return [
        next((each.text for each in steps[number:] if each.depth <= step.depth), step.text)
        if step.answer.asks
        else step.answer.text
        for number, step in enumerate(steps, start=1)
    ]


def replaced(before: str, after: str) -> Spans:
    """The parts of a text, from and to, that the next one has not: words are taken as a whole.

    For people who look on; nothing is decided by it.
    """
    one, other = _PIECE.findall(before), _PIECE.findall(after)
    ends = [0]
    for piece in one:
        ends.append(ends[-1] + len(piece))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    gone = ((ends[first], ends[past]) for kind, first, past, _, _ in blocks if kind != "equal")
    return tuple(span for span in gone if span[0] < span[1])
