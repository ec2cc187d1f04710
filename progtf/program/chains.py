"""Chains: what a program writes is asked again, as long as it writes ``<again>``.

Whether a chain goes on is read off what the network wrote, never off the text.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from progtf.notation.spell import counted
from progtf.program.answers import Answer, ChainStep, EndlessError
from progtf.program.outcome import NotExactError, Outcome, Proof
from progtf.program.tokens import InputError

Tried = Answer | InputError
Spans = tuple[tuple[int, int], ...]
_PIECE = re.compile(r"(?s)\w+|\s+|.")


class ChainError(InputError):
    """A text that a chain came to, and that its program cannot take.

    Attributes:
        steps: those before it.
    """

    def __init__(self, message: str, steps: tuple[ChainStep, ...]) -> None:
        super().__init__(message)
        self.steps = steps

    def of(self, place: str) -> "ChainError":
        return ChainError(f"{place}: {self}", self.steps)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChainError, (str(self), self.steps)


def followed(
    texts: Sequence[str],
    first: Sequence[Tried],
    most: int,
    ask: Callable[[Sequence[str]], list[Tried]],
) -> list[Tried]:
    """The chains of some texts, side by side, each to its end.

    Args:
        texts: the texts.
        first: what comes of each in one step.
        most: so many steps a chain has at most.
        ask: what comes of further texts in one step each.

    Returns:
        Of each text the last answer with all its steps, or why there is none: an ``EndlessError``
        where the last step that a chain may have is to be asked again.

    Raises:
        NotExactError: if ``ask`` refuses, with the number of the step.
    """
    ended = dict[int, Tried]()
    taken = dict[int, tuple[ChainStep, ...]](dict.fromkeys(range(len(texts)), ()))
    asked, found = dict(enumerate(texts)), first
    for number in range(1, most + 1):
        going = dict[int, str]()
        for (place, text), tried in zip(asked.items(), found, strict=True):
            if isinstance(tried, InputError):
                ended[place] = _stopped(tried, text, taken[place])
                continue
            taken[place] = steps = (*taken[place], ChainStep(text, tried))
            if not tried.again:
                ended[place] = _whole(steps)
            elif number == most:
                why = f"again: not done after {counted(most, 'step')}"
                ended[place] = EndlessError(why, _whole(steps))
            else:
                going[place] = tried.text
        if not going:
            break
        asked = going
        try:
            found = ask([*going.values()])
        except NotExactError as error:
            raise NotExactError(f"step {number + 1}: {error}") from None
    return [ended[place] for place in range(len(texts))]


def _stopped(error: InputError, text: str, before: tuple[ChainStep, ...]) -> InputError:
    """Why a chain has no end, with the number of the step; the first needs none."""
    place = f"step {len(before) + 1}: " if before else ""
    if isinstance(error, EndlessError):
        return EndlessError(f"{place}{error}", _whole((*before, ChainStep(text, error.answer))))
    return ChainError(f"{place}{error}", before) if before else error


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


def replaced(before: str, after: str) -> Spans:
    """The parts of a text, from and to, that the next one has not: words are taken as a whole.

    For people who look on; nothing is decided by it.
    """
    one, other = _PIECE.findall(before), _PIECE.findall(after)
    ends = [0]
    for piece in one:
        ends.append(ends[-1] + len(piece))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    changed = ((ends[first], ends[past]) for kind, first, past, _, _ in blocks if kind != "equal")
    return tuple(changed)
