"""Batches of problems in random order, as arrays of symbol numbers."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.data.pool import Pool, random_keys
from progtf.data.problem import MAX_ANSWER, MAX_QUESTION
from progtf.data.tokens import END, PAD, PAPER, START, Vocabulary
from progtf.equality import compared

LONGEST = MAX_QUESTION + MAX_ANSWER + 4
"""Symbols of the longest problem, with the start and end of question and answer."""


class Cursor(NamedTuple):
    """Which batch comes next: the whole state of a stream of batches.

    Attributes:
        epoch: Counted from 0.
        pool: In the epoch.
        batch: In the pool, of one rank.
    """

    epoch: int = 0
    pool: int = 0
    batch: int = 0


@compared
class Batch(NamedTuple):
    """Some problems, each line `<sos>`, the text, `<eos>`, then `<pad>` up to the longest.

    Shapes:
        question   batch src
        answer     batch dst
        source     batch         number of the module file that each is from

    Attributes:
        after: The cursor with which the stream goes on after this batch.
    """

    question: NDArray[np.uint8]
    answer: NDArray[np.uint8]
    source: NDArray[np.int32]
    after: Cursor


@dataclass(frozen=True, slots=True)
class Batching:
    """How problems are put together.

    Args:
        tokens: The most symbols of a batch, padding counted, question and answer together.
        problems: The most problems of a batch.
        vocabulary: What the symbols' numbers are.

    Raises:
        ValueError: The longest problem would not fit.
    """

    tokens: int = 16384
    problems: int = 1024
    vocabulary: Vocabulary = PAPER

    def __post_init__(self) -> None:
        if self.tokens < LONGEST:
            raise ValueError(f"tokens must be {LONGEST} or more, not {self.tokens}")
        if self.problems < 1:
            raise ValueError(f"problems must be 1 or more, not {self.problems}")


def random_order(pool: Pool, *seed: int) -> NDArray[np.int64]:
    """Returns the problems of a pool in an order of the seed's, whatever their lengths.

    Questions of like length are mostly of one module. So batches of like length pad less, and
    teach one module at a time: the same network with the same questions learned 48 % in place of
    72 % (docs/experiments). Saxton et al. (2019) and Schlag et al. (2019) merge and shuffle.
    """
    return np.argsort(random_keys(len(pool.start), *seed), kind="stable")


def cut(pool: Pool, order: NDArray[np.int64], batching: Batching) -> list[NDArray[np.int64]]:
    """Cuts an order into batches that are as large as allowed."""
    question = pool.text.question_length[order].astype(np.int64) + 2
    answer = pool.text.answer_length[order].astype(np.int64) + 2
    batches: list[NDArray[np.int64]] = []
    begin = 0
    while begin < len(order):
        most = min(batching.problems, batching.tokens // int(question[begin] + answer[begin]))
        window = slice(begin, begin + most)
        widest = np.maximum.accumulate(question[window]) + np.maximum.accumulate(answer[window])
        tokens = widest * np.arange(1, len(widest) + 1)
        size = int(np.searchsorted(tokens, batching.tokens, side="right"))
        batches.append(order[begin : begin + size])
        begin += size
    return batches


def for_ranks(batches: list[NDArray[np.int64]], ranks: int) -> list[list[NDArray[np.int64]]]:
    """Deals batches to ranks, equally many to each.

    Returns:
        For each step a batch for each rank.

    Raises:
        ValueError: Every batch is a single problem, and there is one too many or too few.
    """
    batches = list(batches)
    while len(batches) % ranks:
        largest = max(range(len(batches)), key=lambda number: len(batches[number]))
        halves = np.array_split(batches[largest], 2)
        if not len(halves[1]):
            raise ValueError(
                f"{len(batches)} problems, one a batch, cannot be dealt to {ranks} ranks evenly;"
                " allow larger batches or larger pools"
            )
        batches[largest : largest + 1] = halves
    return [batches[first : first + ranks] for first in range(0, len(batches), ranks)]


@compared
class Symbols(NamedTuple):
    """A pool with its characters as numbers."""

    numbers: NDArray[np.uint8]
    pool: Pool

    @classmethod
    def of(cls, pool: Pool, vocabulary: Vocabulary) -> "Symbols":
        """Looks every character up once."""
        return cls(vocabulary.table[pool.text.characters], pool)

    def batch(self, members: NDArray[np.int64], after: Cursor) -> Batch:
        """Returns some problems of the pool, padded to the longest of them."""
        start = self.pool.start[members]
        question = self.pool.text.question_length[members]
        answer = self.pool.text.answer_length[members]
        return Batch(
            self._lines(start, question),
            self._lines(start + question, answer),
            self.pool.source[members],
            after,
        )

    def _lines(self, start: NDArray[np.int64], length: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Returns `batch position` symbols of the stretches that begin at `start`."""
        longest = int(length.max())
        column = np.arange(longest)
        places = np.minimum(start[:, None] + column, len(self.numbers) - 1)
        inside = column < length[:, None]
        lines = np.full((len(start), longest + 2), PAD, np.uint8)
        lines[:, 0] = START
        np.copyto(lines[:, 1:-1], self.numbers[places], where=inside)
        lines[np.arange(len(start)), length.astype(np.int64) + 1] = END
        return lines
