"""What questions ask of a program: how long they and their answers are, and of what."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from progtf.data import Alphabet, Cache, Problem, Vocabulary
from progtf.data.text import Text


@dataclass(frozen=True)
class Side:
    """The questions of a file, or its answers.

    Attributes:
        name: `question` or `answer`.
        place: of the file, as `train/places`.
        longest: how many characters, or words, the longest one has.
        units: each of these that occurs, once.
        tokens: `chars` or `words`.
    """

    name: str
    place: str
    longest: int
    units: tuple[str, ...]
    tokens: str


def sides_of(place: str, problems: Sequence[Problem], alphabet: Alphabet) -> Iterator[Side]:
    """The questions and the answers of some problems."""
    sides = zip(("question", "answer"), zip(*problems, strict=True), strict=True)
    for name, texts in sides if problems else ():
        cut = [alphabet.cut(text) for text in texts]
        units = tuple(sorted({unit for units in cut for unit in units}))
        yield Side(name, place, max(map(len, cut)), units, alphabet.tokens)


def sides_in(cache: Cache, vocabulary: Vocabulary) -> Iterator[Side]:
    """The questions and the answers of every file of a cache, each block read once."""
    for source in cache.sources:
        blocks = (cache.text(source, block) for block in range(source.blocks))
        yield from _sides(f"{source.split}/{source.module}", blocks, vocabulary)
        cache.forget()


def _sides(place: str, texts: Iterable[Text], vocabulary: Vocabulary) -> tuple[Side, ...]:
    longest, occurs = np.zeros(2, int), np.zeros((2, 256), bool)
    for text in texts:
        lengths = np.stack([text.question_length, text.answer_length], axis=1)
        longest = np.maximum(longest, lengths.max(axis=0))
        is_answer = np.repeat(np.arange(lengths.size) % 2, lengths.ravel())
        occurs[is_answer, text.characters] = True
    return tuple(
        Side(
            name, place, int(most),
            tuple(vocabulary.to_text(bytes(np.flatnonzero(there).tolist()))), vocabulary.tokens,
        )
        for name, most, there in zip(("question", "answer"), longest, occurs, strict=True)
    )  # fmt: skip
