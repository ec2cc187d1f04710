"""The edge to torch: streams of batches as data sets for `torch.utils.data.DataLoader`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.data import IterableDataset, get_worker_info

from progtf.data.batch import Batch, Batching, Cursor
from progtf.data.cache import open_cache
from progtf.data.live import Live, stream_live
from progtf.data.pool import POOL, Mixture
from progtf.data.stream import BEGINNING, Shard, stream_batches
from progtf.data.tokens import PAD
from progtf.equality import compared


@compared
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


def in_order_of_length(parts: list[TensorBatch]) -> list[TensorBatch]:
    """The same problems in as many batches, those of each of like length.

    Batches that are one step together: what the step teaches stays, and less of it is padding.
    """
    if len(parts) == 1:
        return parts
    question = _joined([part.question for part in parts])
    answer = _joined([part.answer for part in parts])
    source, after = torch.cat([part.source for part in parts]), parts[-1].after
    order = (question != PAD).sum(dim=1).argsort(stable=True)
    return [
        TensorBatch(_trimmed(question[some]), _trimmed(answer[some]), source[some], after)
        for some in order.tensor_split(len(parts))
        if len(some)
    ]


def _joined(sides: list[Tensor]) -> Tensor:
    longest = max(side.shape[1] for side in sides)
    return torch.cat([pad(side, (0, longest - side.shape[1]), value=PAD) for side in sides])


def _trimmed(lines: Tensor) -> Tensor:
    return lines[:, : int((lines != PAD).sum(dim=1).max())]


def moved(lines: Tensor, device: torch.device) -> Tensor:
    """Lines on a device; to a GPU from memory that it can read while it computes."""
    if device.type != "cuda":
        return lines.to(device)
    return lines.pin_memory().to(device, non_blocking=True)


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
