"""A residual in the coordinates of semes: what a network's maps read and write of them.

Residuals and known values at the same positions give an affine map each way, by ridge regression.
Where a residual is a program's, turned in space, its maps come back as they were written; of a
learned network they come back as far as semes tell its residual.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
CUT = 1e-9
"""Of the largest: a size that rounding makes."""
SAME = 1e-6
"""Of the largest: a direction of less spread is none."""


@compared
@dataclass(frozen=True)
class Coordinates:
    """Residuals as semes, and back.

    Shapes:
        encode  seme d   what a seme adds to the residual
        offset  d        the residual where all semes are 0
        decode  d seme   what a residual says of each seme
        base    seme     of a residual of 0
        span    d k      orthonormal: the directions in which residuals vary

    Attributes:
        names: the semes that can be told apart.
        still: those that never vary.
        bound: those that vary only as others do, so that nobody can tell which is read.
    """

    names: tuple[str, ...]
    still: tuple[str, ...]
    bound: tuple[str, ...]
    encode: Array
    offset: Array
    decode: Array
    base: Array
    span: Array

    @classmethod
    def of(
        cls, residuals: Array, semes: Array, names: Sequence[str], ridge: float = 0.0
    ) -> "Coordinates":
        """Of residuals (position d) and the values of semes there (position seme)."""
        centred = semes - semes.mean(axis=0)
        spread = centred.std(axis=0)
        varies = spread > SAME * max(1.0, float(spread.max()))
        scaled = centred[:, varies] / spread[varies]
        _, sizes, across = np.linalg.svd(scaled, full_matrices=False)
        across = across[sizes > SAME * sizes[0]]
        alone = np.flatnonzero(varies)[np.square(across).sum(axis=0) > 1 - SAME]
        every = np.array(names, dtype=object)
        kept = set(alone.tolist())
        encode = np.zeros((len(names), residuals.shape[1]))
        encode[varies] = regressed(scaled, residuals, ridge)[0] / spread[varies, None]
        decode, base = regressed(residuals, semes, ridge)
        return cls(
            tuple(every[alone]), tuple(every[~varies]),
            tuple(names[n] for n in np.flatnonzero(varies).tolist() if n not in kept),
            encode[alone], residuals.mean(axis=0) - semes.mean(axis=0) @ encode,
            decode[:, alone], base[alone], _span(residuals),
        )  # fmt: skip

    def reads(self, weight: Array, bias: Array | None = None) -> tuple[Array, Array]:
        """A map from the residual (d out) as one from semes (seme out), with its bias."""
        return self.encode @ weight, self.offset @ weight + (0.0 if bias is None else bias)

    def writes(self, weight: Array) -> Array:
        """A map to the residual (source d) as one to semes; NaN where residuals never go."""
        found = weight @ self.decode
        beside = np.linalg.norm(weight - weight @ self.span @ self.span.T, axis=1)
        found[beside > SAME * np.maximum(np.linalg.norm(weight, axis=1), SAME)] = np.nan
        return found

    def told(self, residuals: Array) -> Array:
        """The values of semes that residuals tell, position seme."""
        return residuals @ self.decode + self.base


def regressed(given: Array, due: Array, ridge: float = 0.0) -> tuple[Array, Array]:
    """The affine map of least squares, and of the smallest norm: given due, and due.

    Args:
        given: position given.
        due: position due.
        ridge: what the norm counts, in units of the variance of what is given, summed.
    """
    centre, middle = given.mean(axis=0), due.mean(axis=0)
    left, sizes, across = np.linalg.svd(given - centre, full_matrices=False)
    weight = ridge * float(np.square(sizes).sum())
    there = sizes > CUT * sizes.max(initial=0.0)
    factors = np.where(there, sizes / (np.square(sizes) + weight + (~there)), 0.0)
    slopes = across.T @ (factors[:, None] * (left.T @ (due - middle)))
    return slopes, middle - centre @ slopes


def explained(due: Array, found: Array) -> Array:
    """R² of each column: 1 where all of its variance is found; NaN where it has none."""
    whole = np.square(due - due.mean(axis=0)).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, 1 - np.square(due - found).sum(axis=0) / whole, np.nan)


def _span(residuals: Array) -> Array:
    centred = residuals - residuals.mean(axis=0)
    _, sizes, across = np.linalg.svd(centred, full_matrices=False)
    return across[sizes > SAME * sizes[0]].T
