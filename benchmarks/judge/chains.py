"""Chains, judged step by step: every text means what the one before it meant."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from benchmarks.judge.expressions import Meaningless, Unreadable
from benchmarks.judge.questions import Meaning, meaning
from progtf.program.answers import ChainStep

Verdict = Literal["right", "refused", "wrong", "not judged"]
VERDICTS: tuple[Verdict, ...] = ("right", "refused", "wrong", "not judged")


@dataclass(frozen=True)
class Judged:
    """One step: what was asked, what was made of it, and what the judge says of that."""

    asked: str
    answer: str
    verdict: Verdict
    why: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.asked}\n    -> {self.answer}\n    {self.why}"


@dataclass(frozen=True)
class Chain:
    """A judged chain."""

    steps: tuple[Judged, ...]

    @property
    def verdict(self) -> Verdict:
        """Wrong if any step is; else what is to be said of the last."""
        found = {each.verdict for each in self.steps}
        return next((v for v in ("wrong", "not judged") if v in found), self.steps[-1].verdict)


def judged(steps: Sequence[ChainStep], error: str = "") -> Chain:
    """Judges the steps of a chain.

    Args:
        steps: as `model.steps` gives them.
        error: why there is no step behind the last, where the chain came to no answer.
    """
    found: list[Judged] = []
    text, waiting, due = steps[0].text, list[str](), steps[0].text
    for step in steps:
        answer = step.answer.text
        if (step.text, step.depth) != (due, len(waiting)):
            found.append(Judged(step.text, answer, "wrong", f"no step behind {due}"))
            return Chain(tuple(found))
        if step.answer.asks:
            verdict = _of_question(text, answer)
            waiting.append(text)
            text = due = answer
        elif step.answer.again:
            verdict = _of_rewriting(text, answer)
            text = due = answer
        else:
            verdict = _of_answer(text, answer)
            text = waiting.pop() if waiting else ""
            due = f"{answer}; {text}"
        found.append(Judged(step.text, answer, *verdict))
    if error:
        found.append(Judged(due, error, "refused"))
    return Chain(tuple(found))


def _of_rewriting(text: str, answer: str) -> tuple[Verdict, str]:
    """A text that takes the place of another means the same."""
    if answer.startswith("?"):
        return "refused", ""
    before, after = _meant(text), _meant(answer)
    if isinstance(before, Unreadable):
        return "not judged", str(before)
    if isinstance(before, Meaning) and isinstance(after, Meaning) and before.same(after):
        return "right", ""
    if isinstance(before, Meaningless) and isinstance(after, Meaningless):
        return "right", "both mean nothing"
    return "wrong", f"{_told(before)} became {_told(after)}"


def _of_question(text: str, question: str) -> tuple[Verdict, str]:
    """A question for a value can be read; what its answer leads to shows that it was the one to
    ask. Any other is that of the text, with values in the places of names.
    """
    if question.startswith("?"):
        return "refused", ""
    whole, part = _meant(text), _meant(question)
    if isinstance(whole, Unreadable):
        return "not judged", str(whole)
    if isinstance(part, Unreadable):
        return "wrong", f"asks for {_told(part)}"
    if isinstance(part, Meaningless) or part.kind == "values":
        return "right", ""
    if isinstance(whole, Meaning) and whole.nameless == part.nameless:
        return "right", ""
    return "wrong", f"{_told(whole)} asks for {_told(part)}"


def _of_answer(text: str, answer: str) -> tuple[Verdict, str]:
    """An answer is right, and none where there is none."""
    if answer.startswith("?"):
        return "refused", ""
    meant = _meant(text)
    if isinstance(meant, Unreadable):
        return "not judged", str(meant)
    if isinstance(meant, Meaning) and meant.right(answer):
        return "right", ""
    return "wrong", f"asked for {_told(meant)}"


@lru_cache(maxsize=10_000)
def _meant(text: str) -> Meaning | Meaningless | Unreadable:
    try:
        return meaning(text)
    except (Meaningless, Unreadable) as why:
        return why


def _told(meant: Meaning | ValueError) -> str:
    if isinstance(meant, Meaning):
        return f"{meant.kind} {meant.about}"
    return f"{type(meant).__name__} ({meant})"
