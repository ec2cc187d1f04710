"""A word problem: its words, the numbers in them, its equations and what they come to."""

import re
from dataclasses import dataclass
from fractions import Fraction

MOST_DIGITS = 30
_VALUE = re.compile(r"-?\d{1,30}(\.\d{1,30})?(/0*[1-9]\d{0,29})?")
_CONSTANT = re.compile(r"C_(?P<whole>\d{1,9})(_(?P<part>\d{1,9}))?(?P<minus>_NEG)?")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text.

    Attributes:
        words: which words say it, counted from 0.
        value: in digits, such as ``0.25`` or ``1/3``.
    """

    words: tuple[int, ...]
    value: str


@dataclass(frozen=True, slots=True)
class WordProblem:
    """A text that asks for unknowns, and what is known of the answer.

    Attributes:
        words: of the text, with punctuation apart.
        numbers: in the order of the text; ``N_0`` is the first one.
        equations: in postfix, such as ``N_0 X_0 * N_1 =``.
        wanted: the unknowns that are asked for, ``X_0`` and so on.
        answers: what these may come to: one of these tuples.
    """

    name: str
    words: tuple[str, ...]
    numbers: tuple[Number, ...]
    equations: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    answers: tuple[tuple[float, ...], ...] = ()

    @property
    def text(self) -> str:
        """The words with blanks between them."""
        return " ".join(self.words)

    def said(self, number: int) -> str:
        """The words that say a number, counted from 0."""
        return " ".join(self.words[word] for word in self.numbers[number].words)

    @property
    def without_numbers(self) -> str:
        """The text up to its numbers: two problems with the same differ in nothing else."""
        said = {word for number in self.numbers for word in number.words}
        return " ".join("#" if n in said else w.lower() for n, w in enumerate(self.words))


def value_of(digits: str) -> Fraction:
    """The number that digits say.

    Raises:
        ValueError: for anything else, and for more than 30 digits.
    """
    if not _VALUE.fullmatch(digits):
        raise ValueError(f"{digits[:80]!r} is no number of at most {MOST_DIGITS} digits")
    number, _, divisor = digits.partition("/")
    return Fraction(number) / Fraction(divisor or 1)


def constant_value(name: str) -> Fraction:
    """The number that a constant's name says: ``C_0_01`` is 0.01, ``C_1_NEG`` is -1.

    Raises:
        ValueError: for a name that is none.
    """
    if (found := _CONSTANT.fullmatch(name)) is None:
        raise ValueError(f"{name[:80]!r} names no constant; one is called as `C_0_01` is")
    number = Fraction(f"{found['whole']}.{found['part'] or 0}")
    return -number if found["minus"] else number
