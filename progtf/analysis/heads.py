"""A learned head in the coordinates of semes, with intervals, and back in those of its residual.

Every map of a head is a regression away from one between semes and its features; questions drawn
anew say how sure each number is. What is not surely there is left out, and what is left out counts
by its mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.coordinates import SAME, explained

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Maps = Mapping[str, tuple[Array, Array]]
"""Weight (source target) and bias by field."""
DST, SRC, OUT = ("query", "role"), ("key", "value"), "out"
SURE = 1.96
"""Standard deviations on both sides hold 95 % of what is normal."""
LEAST = 0.02
"""Of a seme's variance: what other semes do not tell."""


@dataclass(frozen=True)
class Seen:
    """What was seen at the same positions, a row each.

    Shapes:
        residuals  position d
        semes      position seme
        question   position    the number of the question
    """

    residuals: Array
    semes: Array
    question: Labels


@dataclass(frozen=True)
class Told:
    """A map between semes and features of a head: numbers, and half of each interval of 95 %."""

    numbers: Array
    half: Array

    @property
    def sure(self) -> Array:
        """The numbers whose interval does not hold 0; 0 in the place of all others."""
        least = SAME * np.abs(self.numbers).max(initial=0.0)
        return np.where(np.abs(self.numbers) > np.maximum(self.half, least), self.numbers, 0.0)


@dataclass(frozen=True)
class Decompiled:
    """A head in semes.

    Attributes:
        names: of the semes.
        maps: by field; what reads is seme by feature, ``out`` is feature by seme.
        back: the same head for its residual, as far as it is told.
        mean: what it writes in the mean, with the bias of ``out``.
        spread: of each seme where it was seen.
    """

    names: tuple[str, ...]
    maps: Mapping[str, Told]
    back: Maps
    mean: Array
    spread: Array

    def notation(self, most: int = 4) -> str:
        """Every map by the entries that count most, an entry a line with its interval."""
        return "\n".join(line for field in self.maps for line in self._lines(field, most))

    def _lines(self, field: str, most: int) -> list[str]:
        told, sure = self.maps[field], self.maps[field].sure
        counts = np.abs(sure) / self.spread if field == OUT else np.abs(sure.T * self.spread).T
        order = np.argsort(-counts, axis=None)[: np.count_nonzero(sure)]
        lines = [f"{field}:  # {len(order)} entries"]
        for row, column in zip(*np.unravel_index(order[:most], sure.shape), strict=True):
            ends = (f"feature{row}", self.names[column])
            if field != OUT:
                ends = (self.names[row], f"feature{column}")
            half = f"{told.half[row, column]:.2g}"
            lines.append(f"  ~{sure[row, column]:.2f}{ends[0]}>{ends[1]}  # ± {half}")
        return lines


def basis(semes: Array, least: float = LEAST) -> list[int]:
    """Semes that vary, and of which none is told by those before it.

    Args:
        semes: position seme.
        least: the share of a seme's variance that others must leave untold.
    """
    centred = semes - semes.mean(axis=0)
    kept, across = list[int](), np.zeros((len(semes), 0))
    for column, values in enumerate(centred.T):
        rest = values - across @ (across.T @ values)
        rest -= across @ (across.T @ rest)
        size = float(values @ values)
        if size > SAME and float(rest @ rest) > least * size:
            kept.append(column)
            across = np.column_stack([across, rest / np.linalg.norm(rest)])
    return kept


def decompiled(  # noqa: PLR0913  each is told apart
    maps: Maps, read: Seen, written: Seen, bound: Array, names: Sequence[str],
    draws: int = 40, ridge: float = 0.0,
) -> Decompiled:  # fmt: skip
    """A head by what its maps mean to semes.

    Args:
        maps: query, key, value, role if it has one (d feature), and out (feature d).
        read: the residual that the head reads, with semes that do not tell each other (`basis`).
        written: the residual behind it, without the norm's gain and bias.
        bound: position feature; what the head wrote from, for its mean.
        names: of the semes.
        draws: how often questions are drawn anew.
        ridge: of the regressions, in units of the mean variance of what is given.
    """
    count = read.semes.shape[1]
    coordinates = [_both(*pair, count, ridge) for pair in _drawn(read, written, draws)]
    maps_told, back = dict[str, Told](), dict[str, tuple[Array, Array]]()
    for field, (weight, bias) in maps.items():
        if field == OUT:
            every = [weight @ decode for _, _, decode, _ in coordinates]
        else:
            every = [encode @ weight for encode, *_ in coordinates]
        told = Told(every[0], SURE * np.std(every[1:], axis=0))
        maps_told[field] = told
        if field == OUT:
            after = told.sure @ coordinates[0][3]
            back[field] = after, bias + bound.mean(axis=0) @ (weight - after)
        else:
            after = coordinates[0][1] @ told.sure
            back[field] = after, bias + read.residuals.mean(axis=0) @ (weight - after)
    weight, bias = maps[OUT]
    mean, spread = bias + bound.mean(axis=0) @ weight, read.semes.std(axis=0)
    return Decompiled(tuple(names), maps_told, back, mean, spread)


def _both(read: Array, written: Array, count: int, ridge: float) -> tuple[Array, ...]:
    """Of moments of semes and residual: encode and decode where it is read, and where written."""
    decode, encode = _slopes(written, count, ridge)
    return *_slopes(read, count, ridge)[::-1], decode, encode


def _slopes(moments: Array, count: int, ridge: float) -> tuple[Array, Array]:
    """Decode (d seme) and encode (seme d) by moments of semes, residual and 1, multiplied."""
    mean = moments[-1, :-1] / moments[-1, -1]
    across = moments[:-1, :-1] / moments[-1, -1] - np.outer(mean, mean)
    semes, both, residual = across[:count, :count], across[:count, count:], across[count:, count:]
    return _inverse(residual, ridge) @ both.T, _inverse(semes, ridge) @ both


def _inverse(across: Array, ridge: float) -> Array:
    scale = np.sqrt(np.maximum(np.diag(across), SAME * np.diag(across).max()))
    alike = across / np.outer(scale, scale) + ridge * np.eye(len(across))
    return np.linalg.pinv(alike, rcond=SAME**1.5, hermitian=True) / np.outer(scale, scale)


def _drawn(read: Seen, written: Seen, draws: int) -> list[tuple[Array, Array]]:
    """Moments of all questions, then of questions drawn anew."""
    one, other = _moments(read), _moments(written)
    draw, count = np.random.default_rng(1), len(one)
    weights = [np.ones(count)]
    for _ in range(draws):
        weights.append(np.bincount(draw.integers(0, count, count), minlength=count).astype(float))
    return [(np.tensordot(each, one, 1), np.tensordot(each, other, 1)) for each in weights]


def _moments(seen: Seen) -> Array:
    """Question by (seme, d, 1) by the same."""
    rows = np.column_stack([seen.semes, seen.residuals, np.ones(len(seen.semes))])
    starts = np.flatnonzero(np.diff(seen.question, prepend=-1))
    return np.stack([part.T @ part for part in np.split(rows, starts[1:])])


def share(due: Array, found: Array) -> float:
    """The share of the variance of all columns together that is found."""
    spread = due.var(axis=0)
    return float(np.nansum(explained(due, found) * spread) / spread.sum())
