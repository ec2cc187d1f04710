"""Batches of questions that are generated while a model trains on them.

Worth it for modules that are drawn faster than the model learns: nothing repeats, nothing is
stored. Slower modules are better made beforehand with `progtf data make`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from progtf.data.batch import Batch, Cursor, Symbols, random_order
from progtf.data.digest import digest, digests_in
from progtf.data.generator import generate
from progtf.data.modules import choose_modules, modules_of
from progtf.data.pool import Pool, pooled
from progtf.data.problem import Problem
from progtf.data.stream import ALL, BEGINNING, Shard
from progtf.data.text import text_of
from progtf.data.tokens import PAPER, Vocabulary

FAST_MODULES = (
    "arithmetic__add_or_sub",
    "arithmetic__add_or_sub_in_base",
    "arithmetic__add_sub_multiple",
    "arithmetic__div",
    "arithmetic__mul",
    "measurement__time",
    "numbers__base_conversion",
    "numbers__div_remainder",
    "numbers__gcd",
    "numbers__is_factor",
    "numbers__is_prime",
    "numbers__lcm",
    "numbers__list_prime_factors",
    "numbers__place_value",
    "numbers__round_number",
)
"""Modules of which one core draws about a thousand questions a second, or more."""

BATCHES = 32
"""Batches that are drawn together: all modules have equal parts in them."""

_ROOM = 1 << 20
"""Chunks that a pool may use up; far more than any needs."""


@dataclass(frozen=True)
class Live:
    """What to generate.

    Args:
        modules: In equal parts. Patterns as in `choose_modules`.
        split: Whose difficulty.
        seed: Of the draws.
        problems: Of each batch.
        exclude: Folders, of test questions say, whose questions must not occur.
        vocabulary: What the symbols' numbers are.

    Raises:
        DataError: A pattern names no module of the split, or a folder cannot be read.
    """

    modules: tuple[str, ...] = FAST_MODULES
    split: str = "train-hard"
    seed: int = 0
    problems: int = 256
    exclude: tuple[Path, ...] = ()
    vocabulary: Vocabulary = PAPER

    @property
    def chosen(self) -> tuple[str, ...]:
        """The modules that the patterns name; `Batch.source` counts in them."""
        return choose_modules(self.modules, modules_of(self.split))

    @cached_property
    def _excluded(self) -> set[int]:
        return set().union(*(digests_in(self.exclude, module) for module in self.chosen))

    def pool(self, index: int) -> Pool:
        """Returns the `BATCHES * problems` problems of a pool, which depend on the seed and it."""
        size = BATCHES * self.problems
        modules = self.chosen
        shares = np.bincount(np.arange(index * size, (index + 1) * size) % len(modules))
        texts = [
            text_of(list(islice(self._draw(module, index), share)))
            for module, share in zip(modules, shares.tolist(), strict=False)
        ]
        return pooled(texts, list(range(len(texts))))

    def _draw(self, module: str, index: int) -> Iterator[Problem]:
        for chunk in count(index * _ROOM):
            for problem in generate(self.split, module, self.seed, chunk):
                if not self._excluded or digest(problem.question) not in self._excluded:
                    yield problem


def stream_live(live: Live, start: Cursor = BEGINNING, shard: Shard = ALL) -> Iterator[Batch]:
    """Yields batches without end, the same ones in the same order whatever came before.

    Batch `t` of a rank depends on the seed, `t`, the rank, and the numbers of ranks and of loader
    processes. Each loader process draws its own.

    Args:
        live: What to generate.
        start: Where to begin: the `after` of the last batch that counted.
        shard: Whose batches.
    """
    ready: tuple[int, Symbols, list[NDArray[np.int64]]] | None = None
    for number in count(start.batch + shard.worker, shard.workers):
        turn, place = divmod(number // shard.workers, BATCHES)
        index = (turn * shard.workers + number % shard.workers) * shard.ranks + shard.rank
        if ready is None or ready[0] != index:
            ready = index, *_ready(live, index)
        _, symbols, batches = ready
        yield symbols.batch(batches[place], Cursor(batch=number + 1))


def _ready(live: Live, index: int) -> tuple[Symbols, list[NDArray[np.int64]]]:
    pool = live.pool(index)
    batches = np.split(random_order(pool, live.seed, index), BATCHES)
    return Symbols.of(pool, live.vocabulary), batches
