"""Texts of words to tokens, by the spelling of a program: what is folded, parted, dropped, kept.

Nothing here depends on what a program is about: its section ``spelling:`` says all of it. Every
token knows where it stands in the text.
"""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from progtf.program.spelling import MarkTest, ReadAs, Spelling, Token

TYPOGRAPHY = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02",
    "-": "\u2010\u2011\uff0d",
    ".": "\u2026\uff0e\u3002",
    "!": "\uff01",
    "?": "\uff1f",
    ",": "\uff0c",
    ":": "\uff1a",
    ";": "\uff1b",
}
"""What typewriters have, and what typesetters have for it."""
PLAIN = {sign: plain for plain, signs in TYPOGRAPHY.items() for sign in signs}
_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Characters that show nothing, but that two of them join letters of Arabic and Hindi."""
_BLANK_UNSEEN = str.maketrans("\u200b\ufeff", "  ")
_DOUBLE = str.maketrans(dict.fromkeys('"' + TYPOGRAPHY['"'], " "))
_SINGLE = re.compile(
    r"(?<!\S)['\u2018](?=\S)(.*?)(?<=\S)['\u2019](?=[.,;:!?\u2026]*(?!\S))", re.DOTALL
)
_DASH = r"--+|[\u2012-\u2015]"
_PARTS = re.compile(rf"{_DASH}|(?:(?!{_DASH})\S)+")
_WORDS = re.compile(r"\S+")
_DASHES = re.compile(_DASH)
_INNER = re.compile(r"(?<=[^\W\d_])[,;:!?](?=[^\W\d_])")
"""A mark between two letters, after which a blank was forgotten."""
_STOPS = ".!?"
_MOST_KNOWN = 50_000
"""Words of which is remembered how they are cut."""


class _Piece(NamedTuple):
    """A piece of a text: what it is looked up as, what was written, and where."""

    text: str
    written: str
    start: int
    end: int


@dataclass(frozen=True)
class Cutter:
    """Cuts texts into tokens by the spelling of a program whose lexicon is known."""

    spelling: Spelling
    lexicon: Mapping[str, object] | frozenset[str]
    _known: dict[tuple[str, bool], tuple[_Piece, ...]] = field(
        default_factory=dict[tuple[str, bool], tuple[_Piece, ...]], repr=False, compare=False
    )
    _marked: dict[str, tuple[int, ...]] = field(
        default_factory=dict[str, tuple[int, ...]], repr=False, compare=False
    )

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text of words."""
        pieces = self._ended(self._all_pieces(self._folded(text)), text)
        if self.spelling.join:
            return [*self._joined(pieces)]
        return [self._single(pieces, place) for place in range(len(pieces))]

    # ------------------------------------------------------------------ the text as a whole

    def _folded(self, text: str) -> str:
        """The text in the same places, with plain marks for typeset ones, without quotes."""
        spelling = self.spelling
        if not text.isascii():
            text = text.translate(_BLANK_UNSEEN)
            if "typography" in spelling.fold:
                text = text.translate(self._plain)
        if spelling.quotes == "drop":
            text = text.translate(_DOUBLE)
            text = _SINGLE.sub(r" \1 ", text) if "'" in text or "\u2018" in text else text
        return _DASHES.sub(_blanks, text) if spelling.dashes == "drop" else text

    @cached_property
    def _plain(self) -> dict[int, str]:
        """What typeset signs are folded to, but for those that the lexicon itself has."""
        own = {sign for token in self.lexicon if not token.isascii() for sign in token}
        return {ord(sign): plain for sign, plain in PLAIN.items() if sign not in own}

    def _all_pieces(self, text: str) -> list[_Piece]:
        words = (_PARTS if self.spelling.dashes == "separate" else _WORDS).finditer(text)
        pieces: list[_Piece] = []
        for number, found in enumerate(words):
            word, start = found[0], found.start()
            first = number == 0 and self._first_differs
            known = self._known.get((word, first))
            if known is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                known = tuple(self._cut(word, first=first))
                self._known[word, first] = known
            for piece in known:
                pieces.append(
                    _Piece(piece.text, piece.written, start + piece.start, start + piece.end)
                )
        return pieces

    @cached_property
    def _first_differs(self) -> bool:
        return any(said.where == "inside" for said in self.spelling.read)

    def _ended(self, pieces: list[_Piece], text: str) -> list[_Piece]:
        """The pieces without what says nothing, closed as the program wants it."""
        spelling = self.spelling
        if spelling.drop:
            pieces = [piece for piece in pieces if piece.text not in spelling.drop]
        while pieces and pieces[-1].text in spelling.stops:
            pieces.pop()
        mark = spelling.closing(text.lstrip()) if pieces else ""
        if mark and pieces[-1].text != mark:
            pieces.append(_Piece(mark, "", len(text), len(text)))
        return pieces

    # ------------------------------------------------------------------ one word

    def _cut(self, word: str, *, first: bool) -> Iterator[_Piece]:
        """The pieces of one word, with places in it."""
        bare = word if word.isascii() else _without_unseen(word)
        pieces = self._pieces(bare, 0, first=first)
        if len(bare) != len(word):  # places are those of the whole word
            pieces = (piece._replace(start=0, end=len(word)) for piece in pieces)
        return iter(pieces)

    def _pieces(self, word: str, at: int, *, first: bool) -> Iterator[_Piece]:
        """A word without the endings that are tokens of their own, then these."""
        if self.has(word) or word in self.spelling.keep:
            yield self._piece(word, at)
            return
        parted = self._ending_of(word) or self._inner_of(word) or self._read(word, at, first=first)
        if parted is None:
            yield self._piece(word, at)
            return
        stem, rest = parted
        if stem:
            yield from self._pieces(stem, at, first=first)
        if isinstance(rest, str):
            yield from self._pieces(rest, at + len(stem), first=first)
        else:
            yield from rest

    def _piece(self, word: str, at: int) -> _Piece:
        return _Piece(self._trimmed(word), word, at, at + len(word))

    def _ending_of(self, word: str) -> tuple[str, str] | None:
        for ending in self._endings:
            stem = word.removesuffix(ending)
            if stem != word and stem:
                return stem, ending
        return None

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        spelling = self.spelling
        return tuple(dict.fromkeys((*spelling.separate, *spelling.drop, *spelling.stops)))

    def _inner_of(self, word: str) -> tuple[str, str] | None:
        """``sleep,and``: a mark that is parted at the end of a word is so before a word, too."""
        for found in _INNER.finditer(word):
            if found[0] in self._endings:
                return word[: found.end()], word[found.end() :]
        return None

    def _read(self, word: str, at: int, *, first: bool) -> tuple[str, list[_Piece]] | None:
        """What a word, or its ending, stands for, if the lexicon has all of that."""
        lower = word.lower()
        for said in self._by_length:
            if not lower.endswith(said.text.lower()) or (first and said.where == "inside"):
                continue
            stem, meant = word[: len(word) - len(said.text)], said.meant.split()
            if (not stem or self.has(stem)) and all(map(self.has, meant)):
                start, end = at + len(stem), at + len(word)
                written = word[len(stem) :]
                return stem, [_Piece(each, written, start, end) for each in meant]
        return None

    @cached_property
    def _by_length(self) -> tuple[ReadAs, ...]:
        return tuple(sorted(self.spelling.read, key=lambda said: -len(said.text)))

    def _trimmed(self, word: str) -> str:
        if not self.spelling.leaving or word in (*self.spelling.separate, *self.spelling.keep):
            return word
        bare = word.strip(string.punctuation)
        return bare if len(bare) >= self.spelling.leaving else word

    # ------------------------------------------------------------------ pieces to tokens

    def has(self, word: str) -> bool:
        """Whether the lexicon has a word, in the case that it is looked up in."""
        return word in self.lexicon or self.looked_up(word) in self.lexicon

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

    def _marks(self, written: str) -> tuple[int, ...]:
        """The marks of a piece as it was written; guesses are made of tokens."""
        marks = self._marked.get(written)
        if marks is None:
            if len(self._marked) >= _MOST_KNOWN:
                self._marked.clear()
            tests = self.spelling.marks
            marks = tuple(0 if mark.guesses else mark.of(written) for mark in tests)
            self._marked[written] = marks
        return marks

    def _single(self, pieces: Sequence[_Piece], place: int) -> Token:
        piece = pieces[place]
        token, marks = self.looked_up(piece.text), self._marks(piece.written)
        where = (piece.start, piece.end)
        if not self.spelling.guesses or token in self.lexicon:
            return Token.of(token, marks, where)
        number, guess = next(
            ((n, m) for n, m in enumerate(self.spelling.marks) if self._holds(m, pieces, place)),
            (None, None),
        )
        if number is None or guess is None:
            return Token.of(token, marks, where)
        return Token.of(token, (*marks[:number], 1, *marks[number + 1 :]), where, str(guess))

    @staticmethod
    def _holds(mark: MarkTest, pieces: Sequence[_Piece], place: int) -> bool:
        """Whether a guess fits a word; a capital tells nothing where any word would have one."""
        if not mark.guesses or not mark.of(pieces[place].text):
            return False
        if mark.test != "capital":
            return True
        begins = place == 0 or pieces[place - 1].text in _STOPS
        return not begins and any(piece.written.islower() for piece in pieces)

    def _joined(self, pieces: Sequence[_Piece]) -> Iterator[Token]:
        """From left to right the longest sequence of words that the lexicon has."""
        place = 0
        while place < len(pieces):
            longest = min(self._longest.get(pieces[place].text.lower(), 1), len(pieces) - place)
            phrases = (pieces[place : place + size] for size in range(longest, 1, -1))
            token, size = next(filter(None, map(self._phrase, phrases)), (None, 1))
            yield token or self._single(pieces, place)
            place += size

    def _phrase(self, pieces: Sequence[_Piece]) -> tuple[Token, int] | None:
        """The token that these words are together, and how many they are; None if they are none."""
        token = self.looked_up(" ".join(piece.text for piece in pieces))
        if token not in self.lexicon:
            return None
        marks = zip(*(self._marks(piece.written) for piece in pieces), strict=True)
        where = (pieces[0].start, pieces[-1].end)
        return Token.of(token, [max(values) for values in marks], where), len(pieces)

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The first word of every phrase of the lexicon -> the words of the longest one."""
        longest: dict[str, int] = {}
        for phrase in self.lexicon:
            first, *more = phrase.lower().split(" ")
            longest[first] = max(longest.get(first, 1), 1 + len(more))
        return longest


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _without_unseen(word: str) -> str:
    """A word without soft hyphens and the like; in scripts that need joiners these stay."""
    unseen = _UNSEEN if word.isascii() or not _joins(word) else "\u00ad\u200b\u2060\ufeff"
    return "".join(sign for sign in word if sign not in unseen)


def _joins(word: str) -> bool:
    """Whether a word is written in a script in which joiners tell words apart."""
    return any("\u0590" <= sign <= "\u1fff" for sign in word)
