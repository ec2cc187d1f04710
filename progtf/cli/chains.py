"""Chains as commands show them: every text that was asked, and what its step replaced."""

from collections.abc import Iterator
from typing import Any

from wcwidth import wcswidth

from progtf.cli.messages import say
from progtf.program.answers import Answer, ChainStep
from progtf.program.chains import ChainError, followers, replaced
from progtf.program.tokens import InputError

_DEEPER = "  "


def _steps(answer: Answer | None, error: InputError | None) -> tuple[ChainStep, ...]:
    """The steps of a chain as far as it came."""
    if answer is not None:
        return answer.steps
    return error.steps if isinstance(error, ChainError) else ()


def tell_steps(text: str, answer: Answer | None, error: InputError | None) -> None:
    """Prints each text of a chain but the answer, with marks under what is replaced.

    A question is indented below the text that asked it.
    """
    steps = _steps(answer, error)
    for step, after in zip(steps, followers(steps), strict=True):
        _tell(step.text, replaced(step.text, after), _DEEPER * step.depth)
    if isinstance(error, ChainError):
        say(_DEEPER * error.depth + _line(error.text))
    elif not steps:
        say(_line(text))


def _tell(text: str, spans: tuple[tuple[int, int], ...], margin: str) -> None:
    say(margin + _line(text))
    marks, at = "", 0
    for first, past in spans:
        marks += " " * _width(text[at:first]) + "^" * _width(text[first:past])
        at = past
    if marks:
        say(margin + marks)


def _line(text: str) -> str:
    return text.replace("\n", "\\n")


def _width(text: str) -> int:
    """In columns of a terminal."""
    shown = _line(text)
    return max(wcswidth(shown), 0) or len(shown)


def taken(answer: Answer | None, error: InputError | None) -> Iterator[dict[str, Any]]:
    """The steps of a chain for JSON: ``replaced`` counts characters of ``input`` from 0."""
    steps = _steps(answer, error)
    for step, after in zip(steps, followers(steps), strict=True):
        told: dict[str, Any] = {"input": step.text, "output": step.answer.text}
        told["depth"] = step.depth
        told["replaced"] = [*map(list, replaced(step.text, after))]
        told["verdict"] = step.answer.outcome.verdict
        yield told
