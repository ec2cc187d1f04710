"""Passages and questions, cut into words that know where they stand in their text."""

import re
from dataclasses import dataclass
from functools import cached_property

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\d+|[^\w\s]|_", re.UNICODE)
"""Numbers with their points, runs of letters, and every other sign alone."""
_SENTENCE_END = frozenset(".?!")


@dataclass(frozen=True)
class Text:
    """A text and its words.

    Attributes:
        raw: as it was given.
        words: what it is read as; nothing between them but blanks.
        places: where each word begins and ends in ``raw``.
    """

    raw: str
    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, raw: str) -> "Text":
        """Cuts a text."""
        found = list(_WORD.finditer(raw))
        return cls(raw, tuple(m.group() for m in found), tuple(m.span() for m in found))

    def span(self, first: int, last: int) -> str:
        """What stands from one word to another, both with it."""
        return self.raw[self.places[first][0] : self.places[last][1]]

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(word.lower() for word in self.words)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The first word of each sentence, and the one behind its last."""
        ends = [n + 1 for n, word in enumerate(self.words) if word in _SENTENCE_END]
        if not ends or ends[-1] != len(self.words):
            ends.append(len(self.words))
        return tuple(zip([0, *ends[:-1]], ends, strict=True))


@dataclass(frozen=True)
class Question:
    """A question about a passage.

    Attributes:
        name: what tells it from others.
        article: what the passage is from: questions of one article are never trained on and tested.
        asked: the question.
        passage: where the answer stands.
        answers: as people gave them; none, if it is only asked.
    """

    name: str
    article: str
    asked: Text
    passage: Text
    answers: tuple[str, ...] = ()


def spans_of(question: Question) -> tuple[tuple[int, int], ...]:
    """Every place where one of its answers stands, as first and last word, in order.

    An answer is looked for as it is written, from the beginning of a word to the end of one; where
    it stands only within words, these words are meant.
    """
    found: set[tuple[int, int]] = set()
    for answer in dict.fromkeys(answer.strip() for answer in question.answers):
        occurrences = [
            found.span() for found in re.finditer(re.escape(answer), question.passage.raw)
        ]
        spans = [span for span in (_words_at(question.passage, *at) for at in occurrences) if span]
        exact = {span[:2] for span in spans if span[2]}
        found |= exact or {span[:2] for span in spans}
    return tuple(sorted(found))


def _words_at(text: Text, begin: int, end: int) -> tuple[int, int, bool] | None:
    """The words that a stretch of characters touches, and whether it is just these."""
    touched = [n for n, (left, right) in enumerate(text.places) if left < end and right > begin]
    if not touched or begin == end:
        return None
    first, last = touched[0], touched[-1]
    just = text.places[first][0] == begin and text.places[last][1] == end
    return first, last, just
