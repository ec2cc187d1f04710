"""Words as numbers: for texts that are read word by word."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from progtf.data.tokens import SPECIALS, UNKNOWN, Vocabulary, named


@dataclass(frozen=True)
class Words:
    """Symbols and their numbers: the four specials, then words in the order given.

    Attributes:
        units: The words, one number each, from 4 on.
        open: Other words are `<unk>`. Without it, another word is an error.
    """

    units: tuple[str, ...]
    open: bool = False
    tokens: ClassVar = "words"
    """What a program reads of such texts."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Words":
        """Returns the words of some texts, in the order of their letters."""
        return cls(tuple(sorted({word for text in texts for word in cls.cut(text)})))

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.units)

    @staticmethod
    def cut(text: str) -> list[str]:
        """The words of a text: what stands between blanks."""
        return text.split()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.units, start=len(SPECIALS))}

    def encode(self, text: str) -> NDArray[np.int64]:
        """Returns the numbers of a text, without specials.

        Shapes:
            returns   word

        Raises:
            ValueError: A word has no number, and the words are not open to others.
        """
        words = self.cut(text)
        if self.open:
            return np.array([self._numbers.get(word, UNKNOWN) for word in words], dtype=np.int64)
        for place, word in enumerate(words, start=1):
            if word not in self._numbers:
                raise ValueError(f"word {place} of {text!r}, {word!r}, is none of the data's")
        return np.array([self._numbers[word] for word in words], dtype=np.int64)

    def decode(self, numbers: NDArray[np.integer]) -> str:
        """Returns the text up to `<eos>`; `<unk>` is a white square, other specials are nothing."""
        return " ".join(named(numbers, self.units))


Alphabet = Vocabulary | Words
"""What texts are made of: characters or words."""
