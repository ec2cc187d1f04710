"""The kinds of question that a program of parts answers, and which of them a text comes near to."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

REFUSED = "?"
"""How an answer begins that is none, by ``std/refuse.seme``."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A part of a program, and questions that it answers, in their order."""

    name: str
    questions: tuple[str, ...]


def nearest_kinds(text: str, kinds: Sequence[Answered]) -> list[tuple[Answered, str]]:
    """Kinds with the question of each that is most like a text, the nearest first.

    A word, or a sign such as `+`, that both have counts for more the fewer kinds have it; of
    questions with more beside it less is alike. Where that is equal, letters decide. Numbers and
    names of one letter do not count.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415  programs start without it

    words = [{word for each in kind.questions for word in _words(each)} for kind in kinds]
    shared = Counter(word for each in words for word in each)
    asked = _words(text)

    def likeness(question: str) -> tuple[float, float]:
        own = _words(question)
        both = sum(1 / shared[word] for word in asked & own)
        both /= sum(1 / (shared[word] or 1) for word in asked | own) or 1
        letters = SequenceMatcher(None, _plain(text), _plain(question), autojunk=False)
        return both, letters.ratio()

    ranked: list[tuple[tuple[float, float], Answered, str]] = []
    for kind in kinds:
        best = max(kind.questions, key=likeness)
        ranked.append((likeness(best), kind, best))
    ranked.sort(key=lambda each: each[0], reverse=True)
    return [(kind, question) for _, kind, question in ranked]


_LONGEST = 400
"""Letters of a text that are compared."""


def _plain(text: str) -> str:
    return re.sub(r"\d+", "0", text[:_LONGEST].lower())


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}|[-+*/^=<>!]", _plain(text)))
