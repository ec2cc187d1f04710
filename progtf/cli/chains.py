"""Chains as commands show them: every text that was asked, and what its step replaced."""

from collections.abc import Iterator
from typing import Any

from wcwidth import wcswidth

from progtf.cli.messages import say
from progtf.program.answers import Answer, ChainStep
from progtf.program.chains import ChainError, replaced
from progtf.program.tokens import InputError


def _steps(answer: Answer | None, error: InputError | None) -> tuple[ChainStep, ...]:
    """The steps of a chain as far as it came."""
    if answer is not None:
        return answer.steps
    return error.steps if isinstance(error, ChainError) else ()


def tell_steps(text: str, answer: Answer | None, error: InputError | None) -> None:
    """Prints each text of a chain but the answer, with marks under what is replaced."""
    steps = _steps(answer, error)
    for step in steps:
        _tell(step.text, replaced(step.text, step.answer.text))
    if answer is None and steps:
        say(_line(steps[-1].answer.text))
    elif not steps:
        say(_line(text))


def _tell(text: str, spans: tuple[tuple[int, int], ...]) -> None:
    say(_line(text))
    marks, at = "", 0
    for first, past in spans:
        marks += " " * _width(text[at:first]) + "^" * _width(text[first:past])
        at = past
    if marks:
        say(marks)


def _line(text: str) -> str:
    return text.replace("\n", "\\n")


def _width(text: str) -> int:
    """In columns of a terminal."""
    shown = _line(text)
    return max(wcswidth(shown), 0) or len(shown)


def taken(answer: Answer | None, error: InputError | None) -> Iterator[dict[str, Any]]:
    """The steps of a chain for JSON: ``replaced`` counts characters of ``input`` from 0."""
    for step in _steps(answer, error):
        told: dict[str, Any] = {"input": step.text, "output": step.answer.text}
        told["replaced"] = [*map(list, replaced(step.text, step.answer.text))]
        told["verdict"] = step.answer.outcome.verdict
        yield told
