"""Characters as numbers: the vocabulary of the paper and the lower-cased one of 58 symbols."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SPECIALS = ("<unk>", "<pad>", "<sos>", "<eos>")
UNKNOWN, PAD, START, END = range(4)

CHARACTERS = (
    " !'()*+,-./0123456789:<=>?ACDEFGHILMPRSTWabcdefghijklmnopqrstuvwxyz{}"  # in ASCII's order
)
"""The 69 characters that occur in the Mathematics Dataset, questions and answers."""


@dataclass(frozen=True)
class Vocabulary:
    """Symbols and their numbers: the four specials, then the characters in the order given.

    Args:
        name: What the vocabulary is called in messages and settings.
        characters: One number each, from 4 on.
        lower: Text is lower-cased before it is looked up, and other characters are `<unk>`.
            Without it, another character is an error.
    """

    name: str
    characters: str
    lower: bool = False

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol, at the place that is its number."""
        return SPECIALS + tuple(self.characters)

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.characters)

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """The number of each of the 256 bytes; `<unk>` where there is none."""
        table = np.full(256, UNKNOWN, np.uint8)
        for number, character in enumerate(self.characters, start=len(SPECIALS)):
            table[ord(character)] = number
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
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        numbers = self.table[np.minimum(codes, 255)]
        if not self.lower and (unknown := np.flatnonzero(numbers == UNKNOWN)).size:
            place = int(unknown[0])
            raise ValueError(
                f"character {place + 1} of {text!r}, {text[place]!r}, is not in the vocabulary"
                f" `{self.name}`"
            )
        return numbers

    def decode(self, numbers: NDArray[np.integer]) -> str:
        """Returns the text up to `<eos>`; `<unk>` is a white square, other specials are nothing."""
        text = []
        for number in numbers.tolist():
            if number == END:
                break
            if number == UNKNOWN:
                text.append("\N{WHITE SQUARE}")
            elif number >= len(SPECIALS):
                text.append(self.characters[number - len(SPECIALS)])
        return "".join(text)


PAPER = Vocabulary("paper", CHARACTERS)
"""73 symbols: the 69 characters and four specials, as in the published checkpoint."""

LOWERED = Vocabulary("lowered", "".join(c for c in CHARACTERS if not c.isupper()), lower=True)
"""58 symbols: 54 characters and four specials."""

VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in (PAPER, LOWERED)}
