"""Characters as numbers: the vocabulary of the paper, the lower-cased one of 58 symbols, others.

Texts are kept with one byte a character: ASCII as it is, the other characters of an alphabet from
128 on in its order.
"""

import codecs
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

SPECIALS = ("<unk>", "<pad>", "<sos>", "<eos>")
UNKNOWN, PAD, START, END = range(4)

CHARACTERS = (
    " !'()*+,-./0123456789:<=>?ACDEFGHILMPRSTWabcdefghijklmnopqrstuvwxyz{}"  # in ASCII's order
)
"""The 69 characters that occur in the Mathematics Dataset, questions and answers."""


MOST_FOREIGN = 128
"""Characters beyond ASCII that an alphabet may have."""


def is_of_text(character: str) -> bool:
    """Whether a character may stand in a line: none that controls, none that ends a line."""
    return unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")


class _Codes(dict[int, int]):
    def __missing__(self, code: int) -> int:
        return 0


@dataclass(frozen=True)
class Vocabulary:
    """Symbols and their numbers: the four specials, then the characters in the order given.

    Args:
        name: What the vocabulary is called in messages and settings.
        characters: One number each, from 4 on.
        lower: Text is lower-cased before it is looked up, and other characters are `<unk>`.
            Without it, another character is an error.
        unknown: Networks have a symbol for `<unk>`. Without it they have one symbol less; the
            numbers stay the same.

    Raises:
        ValueError: Characters that no text has, that come twice, or that are too many.
    """

    name: str
    characters: str
    lower: bool = False
    unknown: bool = True

    def __post_init__(self) -> None:
        for place, character in enumerate(self.characters):
            if not is_of_text(character):
                raise ValueError(f"{character!r} is no character of a text")
            if character in self.characters[:place]:
                raise ValueError(f"{character!r} comes twice")
        foreign = sum(not character.isascii() for character in self.characters)
        if foreign > MOST_FOREIGN:
            raise ValueError(f"{foreign} characters beyond ASCII, {MOST_FOREIGN} are the most")

    tokens: ClassVar = "chars"
    """What a program reads of such texts."""

    @property
    def units(self) -> tuple[str, ...]:
        """What texts are made of, at the place that is its number less those of the specials."""
        return tuple(self.characters)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol, at the place that is its number."""
        return SPECIALS + self.units

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.characters)

    @staticmethod
    def cut(text: str) -> list[str]:
        """The units of a text."""
        return list(text)

    @cached_property
    def _codes(self) -> dict[int, int]:
        """The byte of each character; 0 for those of no alphabet."""
        foreign = [character for character in self.characters if not character.isascii()]
        codes = {code: code for code in range(128)}
        return _Codes(codes | {ord(c): byte for byte, c in enumerate(foreign, start=128)})

    @cached_property
    def _decoding(self) -> dict[int, int]:
        return dict.fromkeys(range(256), 0xFFFD) | {b: code for code, b in self._codes.items()}

    def to_bytes(self, text: str) -> bytes:
        """Returns a text with one byte a character."""
        return codecs.charmap_encode(text, "strict", self._codes)[0]

    def to_text(self, data: bytes) -> str:
        """Returns the text of such bytes."""
        return codecs.charmap_decode(data, "strict", self._decoding)[0]

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """The number of each of the 256 bytes; `<unk>` where there is none."""
        table = np.full(256, UNKNOWN, np.uint8)
        for number, character in enumerate(self.characters, start=len(SPECIALS)):
            table[self._codes[ord(character)]] = number
            if self.lower:
                table[ord(character.upper())] = number
        return table

    def encode(self, text: str) -> NDArray[np.uint8]:
        """Returns the numbers of a text, without specials.

        Shapes:
            returns   characters

        Raises:
            ValueError: A character has no number, and the vocabulary is not a lower-cased one.
        """
        numbers = self.table[np.frombuffer(self.to_bytes(text), np.uint8)]
        if not self.lower and (unknown := np.flatnonzero(numbers == UNKNOWN)).size:
            place = int(unknown[0])
            raise ValueError(
                f"character {place + 1} of {text!r}, {text[place]!r}, is not in the vocabulary"
                f" `{self.name}`"
            )
        return numbers

    def decode(self, numbers: NDArray[np.integer]) -> str:
        """Returns the text up to `<eos>`; `<unk>` is a white square, other specials are nothing."""
        return "".join(named(numbers, self.characters))


def named(numbers: NDArray[np.integer], units: Sequence[str]) -> Iterator[str]:
    """The units of an answer up to `<eos>`, `<unk>` as a white square, no other specials."""
    for number in map(int, numbers):
        if number == END:
            return
        if number == UNKNOWN:
            yield "\N{WHITE SQUARE}"
        elif number >= len(SPECIALS):
            yield units[number - len(SPECIALS)]


PAPER = Vocabulary("code-73", CHARACTERS)
"""73 symbols: the 69 characters and four specials, as in the published checkpoint."""

PAPER_TEXT = Vocabulary("paper-72", CHARACTERS, unknown=False)
"""72 symbols: the same without `<unk>`, as section 4 of Schlag et al. (2019) counts them."""


def extended(characters: Iterable[str]) -> Vocabulary:
    """Returns the vocabulary of the paper and, behind it, those characters that it does not have.

    Raises:
        ValueError: They are too many.
    """
    others = sorted(c for c in {*characters} - {*CHARACTERS} if is_of_text(c))
    return Vocabulary("alphabet", CHARACTERS + "".join(others)) if others else PAPER


LOWERED = Vocabulary("report-58", "".join(c for c in CHARACTERS if not c.isupper()), lower=True)
"""58 symbols: 54 characters and four specials."""
