"""How texts are cut into tokens, and what the spelling of a word tells."""

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

MOST_COUNTED = 15
Case = Literal["as written", "lower", "fold"]


class Token(str):
    """A token as the lexicon has it, with the marks of its spelling."""

    __slots__ = ("marks",)
    marks: tuple[int, ...]

    @classmethod
    def of(cls, text: str, marks: Sequence[int]) -> "Token":
        """A token with marks."""
        token = cls(text)
        token.marks = tuple(marks)
        return token


@dataclass(frozen=True, slots=True)
class MarkTest:
    """``capitals``, ``contains "n't"`` or ``count "!"``, of a word as it was written."""

    test: str
    text: str

    @property
    def values(self) -> int:
        """How many values it may have."""
        return MOST_COUNTED + 1 if self.test == "count" else 2

    def of(self, word: str) -> int:
        """Its value for a word; letters of any case count as equal."""
        match self.test:
            case "capitals":
                return int(word.isupper())
            case "contains":
                return int(self.text.lower() in word.lower())
            case _:
                return min(word.lower().count(self.text.lower()), MOST_COUNTED)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How texts become tokens.

    Attributes:
        separate: endings that are tokens of their own.
        leaving: punctuation around a word is cut off if so many characters are left; 0: never.
        case: how tokens are looked up.
        join: whether several words may be one token.
        marks: what is noted about every token.
    """

    separate: tuple[str, ...] = ()
    leaving: int = 0
    case: Case = "as written"
    join: bool = False
    marks: tuple[MarkTest, ...] = ()

    def marked(self, word: str) -> tuple[int, ...]:
        """The marks of a word as it was written."""
        return tuple(mark.of(word) for mark in self.marks)


@dataclass(frozen=True)
class Cutter:
    """Cuts texts into tokens by the spelling of a program whose lexicon is known."""

    spelling: Spelling
    lexicon: Mapping[str, object] | frozenset[str]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text of words."""
        pieces = [piece for word in text.split() for piece in self._pieces(word)]
        cut = [(self._trimmed(piece), self.spelling.marked(piece)) for piece in pieces]
        return list(self._joined(cut) if self.spelling.join else map(self._single, cut))

    def _pieces(self, word: str) -> list[str]:
        """A word without the endings that are tokens of their own, then these."""
        for ending in self.spelling.separate:
            stem = word.removesuffix(ending)
            if stem != word and stem and word not in self.lexicon:
                return [*self._pieces(stem), ending]
        return [word]

    def _trimmed(self, word: str) -> str:
        if not self.spelling.leaving or word in self.spelling.separate:
            return word
        bare = word.strip(string.punctuation)
        return bare if len(bare) >= self.spelling.leaving else word

    def _single(self, cut: tuple[str, tuple[int, ...]]) -> Token:
        return Token.of(self.looked_up(cut[0]), cut[1])

    def looked_up(self, word: str) -> str:
        """The token of the lexicon that a word is, or the word itself."""
        match self.spelling.case:
            case "lower":
                return word.lower()
            case "fold" if word not in self.lexicon:
                return self._by_lower.get(word.lower(), word)
            case _:
                return word

    @cached_property
    def _by_lower(self) -> dict[str, str]:
        return {token.lower(): token for token in sorted(self.lexicon)}

    def _joined(self, cut: Sequence[tuple[str, tuple[int, ...]]]) -> Iterator[Token]:
        """From left to right the longest sequence of words that the lexicon has."""
        place = 0
        while place < len(cut):
            longest = min(self._longest.get(cut[place][0].lower(), 1), len(cut) - place)
            phrases = (cut[place : place + size] for size in range(longest, 1, -1))
            token, size = next(filter(None, map(self._phrase, phrases)), (None, 1))
            yield token or self._single(cut[place])
            place += size

    def _phrase(self, cut: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[Token, int] | None:
        """The token that these words are together, and how many they are; None if they are none."""
        token = self.looked_up(" ".join(word for word, _ in cut))
        if token not in self.lexicon:
            return None
        marks = zip(*(marks for _, marks in cut), strict=True)
        return Token.of(token, [max(values) for values in marks]), len(cut)

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The first word of every phrase of the lexicon -> the words of the longest one."""
        longest: dict[str, int] = {}
        for phrase in self.lexicon:
            first, *more = phrase.lower().split(" ")
            longest[first] = max(longest.get(first, 1), 1 + len(more))
        return longest
