"""Batches one after the other, for one rank and one loader process, from any cursor on."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.data.batch import (
    Batch,
    Batching,
    Cursor,
    Symbols,
    cut,
    for_ranks,
    random_order,
)
from progtf.data.pool import Mixture


class Shard(NamedTuple):
    """Whose batches.

    Attributes:
        rank: Of this training process.
        ranks: How many training processes share the batches.
        worker: Of this loader process.
        workers: How many loader processes a training process has; they take turns.
    """

    rank: int = 0
    ranks: int = 1
    worker: int = 0
    workers: int = 1


BEGINNING, ALL = Cursor(), Shard()


def stream_batches(
    mixture: Mixture,
    batching: Batching,
    start: Cursor = BEGINNING,
    shard: Shard = ALL,
    epochs: int | None = None,
) -> Iterator[Batch]:
    """Yields the batches of a rank, the same ones in the same order whatever came before.

    In an epoch all ranks together read every problem of weight 1 once, and equally many batches
    each. Loader processes take the batches of their rank in turns, as torch's `DataLoader` asks
    for them, so that their number changes nothing.

    Args:
        mixture: The problems.
        batching: The batches' sizes.
        start: Where to begin: the `after` of the last batch that counted.
        shard: Whose batches.
        epochs: After how many epochs, counted from epoch 0, to stop; without it there is no end.
    """
    turn = count()
    for epoch, index in _pools(mixture, start, epochs):
        symbols, batches = _ready(mixture, batching, shard, epoch, index)
        begin = start.batch if (epoch, index) == (start.epoch, start.pool) else 0
        for number, members in enumerate(batches[begin:], start=begin):
            if next(turn) % shard.workers == shard.worker:
                yield symbols.batch(members, Cursor(epoch, index, number + 1))


def _pools(mixture: Mixture, start: Cursor, epochs: int | None) -> Iterator[tuple[int, int]]:
    for epoch in count(start.epoch) if epochs is None else range(start.epoch, epochs):
        for index in range(start.pool if epoch == start.epoch else 0, mixture.pools):
            yield epoch, index


def _ready(
    mixture: Mixture, batching: Batching, shard: Shard, epoch: int, index: int
) -> tuple[Symbols, list[NDArray[np.int64]]]:
    """Returns a pool, and which of its problems are in each of a rank's batches."""
    pool = mixture.pool(epoch, index)
    batches = cut(pool, random_order(pool, mixture.seed, epoch, index), batching)
    steps = for_ranks(batches, shard.ranks)
    return Symbols.of(pool, batching.vocabulary), [step[shard.rank] for step in steps]
