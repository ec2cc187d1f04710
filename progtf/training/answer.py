"""Answers found in passages by a network that has learned to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from progtf.data import Words
from progtf.data.tokens import END, START
from progtf.nn import pad_rows
from progtf.nn.reading import SpanReader, Spans, likeliest
from progtf.tasks.comprehension import Question, Text, as_pair
from progtf.training.config import Model, RunError
from progtf.training.networks import load_network
from progtf.training.outside import check_vectors
from progtf.training.reading import know

BATCH = 32


@dataclass(frozen=True)
class Answered:
    """An answer.

    Attributes:
        words: its first and its last word, counted from 0 in the passage.
        chance: what the network gives to just these.
    """

    words: tuple[int, int]
    chance: float

    def text(self, passage: Text) -> str:
        """As it stands in the passage."""
        return passage.span(*self.words)


@dataclass(frozen=True)
class Reader:
    """A network that finds answers.

    Attributes:
        words: that it knows by now.
        known: those of its checkpoint.
        settings: that it was built by.
    """

    network: SpanReader
    words: Words
    known: Words
    settings: Model

    @classmethod
    def load(cls, checkpoint: Path, questions: Sequence[Question] = ()) -> "Reader":
        """The network of a checkpoint; it knows the words of some questions by their letters.

        Where its word vectors came from a file that is still there, new words are looked up.

        Raises:
            RunError: if there is none at this place, or the file has other vectors now.
        """
        network, known, wanted = load_network(checkpoint)
        if not isinstance(network, SpanReader) or not isinstance(known, Words):
            raise RunError(f"{checkpoint}: no checkpoint of a network that finds answers")
        texts = [text for each in questions for text in (each.asked, each.passage)]
        words = {word for text in texts for word in text.words}
        check_vectors(checkpoint, wanted)
        wider = Words((*known.units, *sorted(words.difference(known.units))), open=True)
        know(network, wanted.reading, known.units, wider.units)
        return cls(network, wider, known, wanted)

    def answers(self, questions: Sequence[Question]) -> list[Answered]:
        """The likeliest place of each answer, in the order of the questions.

        Raises:
            ValueError: for a passage that is too long.
        """
        found: dict[int, Answered] = {}
        for places, spans in self.read(questions):
            both = likeliest(spans.start, spans.end)
            chance = _chances(spans, both)
            for place, words, much in zip(places, both.tolist(), chance.tolist(), strict=True):
                found[place] = Answered((words[0], words[1]), much)
        return [found[place] for place in range(len(questions))]

    @torch.no_grad()
    def read(self, questions: Sequence[Question]) -> Iterator[tuple[list[int], Spans]]:
        """What the network gives for questions in batches of like length, with their places."""
        order = sorted(range(len(questions)), key=lambda n: len(questions[n].passage.words))
        for first in range(0, len(order), BATCH):
            places = order[first : first + BATCH]
            texts = [as_pair(questions[place]).question for place in places]
            rows = [[START, *self.words.encode(text).tolist(), END] for text in texts]
            yield places, self.network(pad_rows(rows))


def _chances(spans: Spans, both: Tensor) -> Tensor:
    """The chance of each place: that it begins there times that it ends there."""
    begin, end = both[:, :1], both[:, 1:]
    start = spans.start.softmax(dim=-1).gather(1, begin)
    return (start * spans.end.softmax(dim=-1).gather(1, end))[:, 0]


def asked(text: str, question: str) -> Question:
    """A question about a text.

    Raises:
        ValueError: for one of both that has no words, and a text that is too long.
    """
    found = Question("", "", Text.of(question), Text.of(text))
    for name, each in (("passage", found.passage), ("question", found.asked)):
        if not each.words:
            raise ValueError(f"the {name} has no words")
    as_pair(found)
    return found
