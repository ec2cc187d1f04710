"""What questions ask of a program: how long they and their answers are, of which characters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from progtf.data import Cache, Problem, Vocabulary
from progtf.data.text import Text, text_of


@dataclass(frozen=True)
class Side:
    """The questions of a file, or its answers.

    Attributes:
        name: `question` or `answer`.
        place: of the file, as `train/places`.
        longest: how many characters the longest one has.
        characters: each that occurs, once.
    """

    name: str
    place: str
    longest: int
    characters: str


def sides_of(place: str, problems: Sequence[Problem], vocabulary: Vocabulary) -> tuple[Side, ...]:
    """The questions and the answers of some problems."""
    return _sides(place, [text_of(problems, vocabulary)], vocabulary) if problems else ()


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
        Side(name, place, int(most), vocabulary.to_text(bytes(np.flatnonzero(there).tolist())))
        for name, most, there in zip(("question", "answer"), longest, occurs, strict=True)
    )
