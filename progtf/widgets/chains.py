"""Chains of questions in a notebook: a text, what each step made of it, and the answer."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import progtf
from progtf.program.answers import ChainStep, EndlessError
from progtf.program.chains import ChainError, followers, replaced
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.widgets.base import Data, Widget

if TYPE_CHECKING:
    from progtf.network.model import Model
    from progtf.running.interpret import Interpreter

MOST = 8
"""So many examples of a program are offered where nobody names others."""


class StepsView(Widget):
    """A field for a question, and below it every step to its answer, what each replaces marked.

    Of a program without ``again:`` there is one step. Pages and notebooks without a kernel show the
    chains of all questions that are offered.

    Args:
        program: a ``.seme`` file, what ``progtf.load`` returns, or what answers by it: a model, or
            what ``progtf.interpret`` returns.
        text: the first question; without one the first that is offered.
        others: questions that are offered; without them the first examples of the program.

    Raises:
        SemeError: for a file with mistakes.
    """

    def __init__(
        self,
        program: "str | Path | Program | Interpreter | Model",
        text: str | None = None,
        others: Sequence[str] | None = None,
    ) -> None:
        self.answering = (
            progtf.interpret(program) if isinstance(program, str | Path | Program) else program
        )
        if others is None:
            others = [each for each, _ in self.answering.speaker.interface.examples[:MOST]]
        self.others = [self.asked(each) for each in others]
        first = self.asked(text) if text is not None else (self.others or [self.asked("")])[0]
        super().__init__("chain", {"asked": first, "others": self.others})

    def asked(self, text: str) -> Data:
        """A question with the pieces of every step, and which of them the next one replaces."""
        try:
            steps = self.answering.steps(text)
            said, error = steps[-1].answer.text, ""
        except InputError as wrong:
            steps, said, error = _so_far(wrong), "", str(wrong)
        told = [
            {"pieces": _pieces(step.text, replaced(step.text, after)), "depth": step.depth}
            for step, after in zip(steps, followers(steps), strict=True)
        ]
        if not told:
            told = [{"pieces": [(text, False)], "depth": 0}]
        return {"text": text, "steps": told, "answer": said, "error": error}

    def still(self) -> str:
        """The chain that is shown, as HTML without scripts."""
        asked = self.data["asked"]
        lines = [
            f'<li style="margin-left:{2 * step["depth"]}em">'
            + "".join(
                f"<mark>{escape(p)}</mark>" if gone else escape(p) for p, gone in step["pieces"]
            )
            + "</li>"
            for step in asked["steps"]
        ]
        said = escape(asked["error"] or asked["answer"])
        return f'<pre style="white-space:pre-wrap"><ol>{"".join(lines)}</ol><b>{said}</b></pre>'

    def hear(self, message: Data) -> None:
        """Answers a question that was typed."""
        match message:
            case {"type": "ask", "text": str(text)}:
                self.data = {"asked": self.asked(text), "others": self.others}
            case _:
                pass


def _so_far(error: InputError) -> Sequence[ChainStep]:
    """The steps before what went wrong."""
    if isinstance(error, EndlessError):
        return error.answer.steps
    return error.steps if isinstance(error, ChainError) else ()


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """A text in pieces, those within the spans marked."""
    ends = [0, *(end for span in spans for end in span), len(text)]
    found = (
        (text[first:past], number % 2 == 1) for number, (first, past) in enumerate(pairwise(ends))
    )
    return [(piece, marked) for piece, marked in found if piece]
