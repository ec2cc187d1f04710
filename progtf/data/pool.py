"""A hundred thousand problems or so, taken from all sources alike, to make batches from.

An epoch is divided into pools. Every pool has its share of every source's blocks, which come in
another order in each pass over the source, so that a pool is a small picture of the whole. Pool
`index` of epoch `epoch` depends on the seed and these numbers alone, on every machine and with
every version of numpy.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from progtf.data.cache import Cache, Source
from progtf.data.modules import choose_modules
from progtf.data.text import Text
from progtf.equality import compared

POOL = 1 << 18
"""Problems that are shuffled together: about 20 MB."""


@compared
class Pool(NamedTuple):
    """Problems side by side in memory.

    Shapes:
        text     as `Text`, of all the problems
        start    problem            where each question begins; its answer follows it
        source   problem            number of the module file that each is from
    """

    text: Text
    start: NDArray[np.int64]
    source: NDArray[np.int32]


def pooled(texts: list[Text], sources: list[int]) -> Pool:
    """Returns some texts, each from one source, as a pool; no text, an empty pool."""
    nothing = np.empty(0, np.uint8)
    parts = zip(Text(nothing, nothing, nothing), *texts, strict=True)
    text = Text(*map(np.concatenate, parts))
    lengths = text.question_length.astype(np.int64) + text.answer_length
    sizes = [len(part.question_length) for part in texts]
    return Pool(text, np.cumsum(lengths) - lengths, np.repeat(np.asarray(sources, np.int32), sizes))


@dataclass(frozen=True)
class Mixture:
    """How the sources of a cache are mixed, epoch after epoch.

    Args:
        cache: Where the problems are.
        seed: Of every order.
        weights: How many times an epoch reads a module, by the patterns of `choose_modules`; a
            later pattern wins, and 1 is what no pattern names. With 0.5 an epoch reads one half
            and the next epoch the other.
        pool_size: Problems shuffled together.

    Raises:
        DataError: A pattern names no module.
        ValueError: A weight is negative, or all are zero.
    """

    cache: Cache
    seed: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)
    pool_size: int = POOL

    def __post_init__(self) -> None:
        if any(not 0 <= weight < math.inf for weight in self.weights.values()):
            raise ValueError(f"weights must be 0 or more, not {dict(self.weights)}")
        if self.pool_size < 1:
            raise ValueError(f"pool_size must be 1 or more, not {self.pool_size}")
        if not self.problems:
            raise ValueError("all weights are zero")

    @cached_property
    def problems(self) -> float:
        """How many problems an epoch has, weights counted."""
        weighted = zip(self.source_weights, self.cache.sources, strict=True)
        return sum(weight * source.problems for weight, source in weighted)

    @cached_property
    def pools(self) -> int:
        """How many pools an epoch has."""
        return max(1, round(self.problems / self.pool_size))

    @cached_property
    def source_weights(self) -> list[float]:
        """The weight of each of the cache's sources."""
        known = sorted({source.module for source in self.cache.sources})
        weights = dict.fromkeys(known, 1.0)
        for pattern, weight in self.weights.items():
            weights |= dict.fromkeys(choose_modules([pattern], known), weight)
        return [weights[source.module] for source in self.cache.sources]

    def pool(self, epoch: int, index: int) -> Pool:
        """Returns a pool of an epoch; the memory map is let go of."""
        texts: list[Text] = []
        numbers: list[int] = []
        weighted = zip(self.cache.sources, self.source_weights, strict=True)
        for number, (source, weight) in enumerate(weighted):
            for block in self._blocks(source, weight, epoch, index):
                texts.append(self.cache.text(source, block))
                numbers.append(number)
        self.cache.forget()
        return pooled(texts, numbers)

    def _blocks(self, source: Source, weight: float, epoch: int, index: int) -> list[int]:
        """Returns the blocks of a source that fall in a pool."""
        key = crc32(f"{source.split}/{source.module}".encode())
        # Sources with few blocks would otherwise all have theirs in the same pool.
        phase = int(random_keys(1, self.seed, key)[0] >> np.uint64(54)) / 1024

        def reached(index: int) -> int:
            epochs, rest = divmod(epoch * self.pools + index, self.pools)
            return math.floor(phase + (epochs + rest / self.pools) * weight * source.blocks)

        steps = (divmod(step, source.blocks) for step in range(reached(index), reached(index + 1)))
        return [int(permutation(source.blocks, self.seed, key, turn)[n]) for turn, n in steps]


def random_keys(count: int, *seed: int) -> NDArray[np.uint64]:
    """Returns 64 random bits a thing.

    `Generator.permutation` may change with numpy's version; the bits of PCG64 may not.
    """
    return np.random.PCG64(seed).random_raw(count)


@lru_cache(maxsize=1024)
def permutation(count: int, *seed: int) -> NDArray[np.int64]:
    """Returns the numbers below `count` in an order of the seed's."""
    return np.argsort(random_keys(count, *seed), kind="stable")
