"""How sure a difference is: by drawing what was tested again, and by swapping the sides."""

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
Gains = NDArray[np.float64]


def interval(gains: Gains, counts: Gains) -> tuple[float, float]:
    """The middle 95 % of mean gains over draws with replacement.

    Args:
        gains: of each group of what was tested, their sum over the group.
        counts: how many each group has.
    """
    drawn = np.random.default_rng(0).integers(len(gains), size=(DRAWS, len(gains)))
    means = gains[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def chance(gains: Gains) -> float:
    """How often a sum as far from 0 comes about if each gain's sign is drawn: a paired permutation.

    Of both sides, by 10,000 draws; what was drawn counts as one of them, so that none is 0.
    """
    signs = np.random.default_rng(0).choice((-1.0, 1.0), size=(DRAWS, len(gains)))
    # Sums of like gains in another order differ in their last bits.
    as_far = np.abs(signs @ gains) >= abs(gains.sum()) - 1e-9
    return float((as_far.sum() + 1) / (DRAWS + 1))
