"""What a program says of spelling: how texts are cut, and what the spelling of a word tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from progtf.notation import spell

MOST_COUNTED = 15
Case = Literal["as written", "lower", "fold"]
Kind = Literal["stays", "separate", "drop"]
"""What becomes of marks of a kind, such as quotes."""


class Token(str):
    """A token as the lexicon has it, with the marks of its spelling.

    Attributes:
        marks: of its spelling, in the order of the program's lines.
        place: where it stands in the text, in characters: the first one, and the one behind it.
        guess: the line of the program that it is read by, since the lexicon does not have it; "".
    """

    __slots__ = ("guess", "marks", "place")
    marks: tuple[int, ...]
    place: tuple[int, int]
    guess: str

    @classmethod
    def of(
        cls,
        text: str,
        marks: Sequence[int] = (),
        place: tuple[int, int] = (0, 0),
        guess: str = "",
    ) -> "Token":
        """A token with marks, a place, and what it is guessed by."""
        token = cls(text)
        token.marks, token.place, token.guess = tuple(marks), place, guess
        return token


@dataclass(frozen=True, slots=True)
class MarkTest:
    """``capitals``, ``contains "n't"`` or ``count "!"``, of a word as it was written.

    Of words that the lexicon does not have ``ending "ed"``, ``beginning "un"``, ``capital`` and
    ``digits``: the first of these that holds is what a word is guessed by.
    """

    test: str
    text: str

    @property
    def guesses(self) -> bool:
        """Whether it is asked of words alone that the lexicon does not have."""
        return self.test in ("ending", "beginning", "capital", "digits")

    @property
    def values(self) -> int:
        """How many values it may have."""
        return MOST_COUNTED + 1 if self.test == "count" else 2

    def of(self, word: str) -> int:
        """Its value for a word; letters of any case count as equal."""
        lower, text = word.lower(), self.text.lower()
        longer = len(lower) > len(text)
        match self.test:
            case "count":
                return min(lower.count(text), MOST_COUNTED)
            case "contains":
                found = text in lower
            case "ending":
                found = longer and lower.endswith(text)
            case "beginning":
                found = longer and lower.startswith(text)
            case "digits":
                found = any(sign.isdigit() for sign in word)
            case _:
                found = word.isupper() if self.test == "capitals" else word[:1].isupper()
        return int(found)

    def __str__(self) -> str:
        """The test as its line has it, without what it gives."""
        return spell.mark(self.test, self.text)


@dataclass(frozen=True, slots=True)
class ReadAs:
    """``read "can't" as "can not"``: what a word, an ending or a character stands for.

    ``where``: "" for anywhere, ``inside``: not in the first word of a text, ``between numbers``,
    ``between terms``.
    """

    text: str
    meant: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """``close: "?" after "What"``: what closes a text that begins so, or any if nothing is said."""

    mark: str
    after: tuple[str, ...] = ()

    def fits(self, text: str) -> bool:
        """Whether it closes a text, by its first words."""
        lower = text.lower()
        begins = (each.lower() for each in self.after)
        return not self.after or any(
            lower.startswith(each) and not lower[len(each) : len(each) + 1].isalnum()
            for each in begins
        )


@dataclass(frozen=True, slots=True)
class Spelling:
    """How texts become tokens.

    Attributes:
        separate: endings that are tokens of their own.
        leaving: punctuation around a word is cut off if so many characters are left; 0: never.
        case: how tokens are looked up.
        join: whether several words may be one token.
        marks: what is noted about every token.
        fold: what counts as what: ``typography``; of characters also ``blanks`` and ``opening``.
        keep: words that stay as they are.
        drop: endings that are left out.
        quotes, dashes: what becomes of these marks.
        stops: marks that are left out at the end of a text.
        close: what a text ends with, put there if it does not; the first that fits.
        read: what stands for something else.
        thousands: what parts the digits of a large number; "" if nothing does.
        lists: whether the same sign parts the numbers of a list.
    """

    separate: tuple[str, ...] = ()
    leaving: int = 0
    case: Case = "as written"
    join: bool = False
    marks: tuple[MarkTest, ...] = ()
    fold: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    quotes: Kind = "stays"
    dashes: Kind = "stays"
    stops: tuple[str, ...] = ()
    close: tuple[Close, ...] = ()
    read: tuple[ReadAs, ...] = ()
    thousands: str = ""
    lists: bool = False

    def closing(self, text: str) -> str:
        """What closes a text; "" for nothing."""
        return next((each.mark for each in self.close if each.fits(text)), "")

    @property
    def guesses(self) -> bool:
        """Whether some words are read that the lexicon does not have."""
        return any(mark.guesses for mark in self.marks)
