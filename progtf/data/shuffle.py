"""Orders that are functions of a seed, on every machine and with every version of numpy."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def random_keys(count: int, *seed: int) -> NDArray[np.uint64]:
    """Returns 64 random bits a thing.

    `Generator.permutation` may change with numpy's version; the bits of PCG64 may not.
    """
    return np.random.PCG64(seed).random_raw(count)


@lru_cache(maxsize=1024)
def permutation(count: int, *seed: int) -> NDArray[np.int64]:
    """Returns the numbers below `count` in an order of the seed's."""
    return np.argsort(random_keys(count, *seed), kind="stable")
