"""The edge to torch: streams of batches as data sets for `torch.utils.data.DataLoader`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from progtf.data.batch import Batch, Batching, Cursor
from progtf.data.cache import open_cache
from progtf.data.live import Live, stream_live
from progtf.data.pool import POOL, Mixture
from progtf.data.stream import BEGINNING, Shard, stream_batches


class TensorBatch(NamedTuple):
    """A `Batch` as tensors of int64.

    Shapes:
        question   batch src
        answer     batch dst
        source     batch
    """

    question: Tensor
    answer: Tensor
    source: Tensor
    after: Cursor


def as_tensors(batch: Batch) -> TensorBatch:
    """Returns a batch with its arrays as tensors."""
    question, answer, source = (torch.from_numpy(array).long() for array in batch[:3])
    return TensorBatch(question, answer, source, batch.after)


def _shard(rank: int, ranks: int) -> Shard:
    worker = get_worker_info()
    return Shard(rank, ranks, worker.id, worker.num_workers) if worker else Shard(rank, ranks)


@dataclass(frozen=True)
class CachedBatches(IterableDataset[TensorBatch]):
    """Batches from a cache; give it to `DataLoader(..., batch_size=None)` with any `num_workers`.

    Attributes as in `Mixture`, `Batching` and `stream_batches`.
    """

    path: Path
    modules: tuple[str, ...] = ()
    seed: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)
    pool_size: int = POOL
    batching: Batching = Batching()  # noqa: RUF009  (it is frozen)
    start: Cursor = BEGINNING
    epochs: int | None = None
    rank: int = 0
    ranks: int = 1

    def __iter__(self) -> Iterator[TensorBatch]:
        cache = open_cache(self.path).of(self.modules)
        mixture = Mixture(cache, self.seed, self.weights, self.pool_size)
        shard = _shard(self.rank, self.ranks)
        return map(
            as_tensors, stream_batches(mixture, self.batching, self.start, shard, self.epochs)
        )


@dataclass(frozen=True)
class LiveBatches(IterableDataset[TensorBatch]):
    """Batches generated while training; give it to `DataLoader(..., batch_size=None)`.

    Attributes as in `stream_live`.
    """

    live: Live
    start: Cursor = BEGINNING
    rank: int = 0
    ranks: int = 1

    def __iter__(self) -> Iterator[TensorBatch]:
        return map(as_tensors, stream_live(self.live, self.start, _shard(self.rank, self.ranks)))
