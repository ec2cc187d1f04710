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
from progtf.equality import compared

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Maps = Mapping[str, tuple[Array, Array]]
"""Weight (source target) and bias by field."""
SRC, OUT = ("key", "value"), "out"
SURE = 1.96
"""Standard deviations on both sides hold 95 % of what is normal."""
LEAST = 0.02
"""Of a seme's variance: what other semes do not tell."""


@compared
@dataclass(frozen=True)
class Seen:
    """What was seen at the same positions, a row each.

    Shapes:
        residuals  position d
        semes      position seme
        question   position    the number of the question

    Attributes:
        names: of the semes.
    """

    residuals: Array
    semes: Array
    question: Labels
    names: tuple[str, ...]


@compared
@dataclass(frozen=True)
class Told:
    """A map between semes and features of a head.

    Attributes:
        names: of the semes.
        spread: of each seme where it was seen.
        numbers: seme by feature; of ``out`` feature by seme.
        half: of each interval of 95 %.
    """

    names: tuple[str, ...]
    spread: Array
    numbers: Array
    half: Array

    @property
    def sure(self) -> Array:
        """The numbers whose interval does not hold 0; 0 in the place of all others."""
        least = SAME * np.abs(self.numbers).max(initial=0.0)
        return np.where(np.abs(self.numbers) > np.maximum(self.half, least), self.numbers, 0.0)

    def lines(self, field: str, most: int) -> list[str]:
        """The entries that count most, an entry a line with its interval."""
        sure = self.sure
        counts = np.abs(sure) / self.spread if field == OUT else np.abs(sure.T * self.spread).T
        order = np.argsort(-counts, axis=None)[: np.count_nonzero(sure)]
        lines = [f"{field}:  # {len(order)} entries"]
        for row, column in zip(*np.unravel_index(order[:most], sure.shape), strict=True):
            ends = (f"feature{row}", self.names[column])
            if field != OUT:
                ends = (self.names[row], f"feature{column}")
            half = f"{self.half[row, column]:.2g}"
            lines.append(f"  ~{sure[row, column]:.2f}{ends[0]}>{ends[1]}  # ± {half}")
        return lines


@compared
@dataclass(frozen=True)
class Decompiled:
    """A head in semes.

    Attributes:
        maps: by field.
        back: the same head for its residuals, as far as it is told.
        mean: what it writes in the mean, with the bias of ``out``.
    """

    maps: Mapping[str, Told]
    back: Maps
    mean: Array

    def notation(self, most: int = 4) -> str:
        """Every map by the entries that count most, an entry a line with its interval."""
        return "\n".join(
            line for field, each in self.maps.items() for line in each.lines(field, most)
        )


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


def decompiled(maps: Maps, sides: "Sides", bound: Array) -> Decompiled:
    """A head by what its maps mean to semes.

    Args:
        maps: query, key, value, role if it has one (d feature), and out (feature d).
        sides: what heads read and write.
        bound: position feature; what the head wrote from, for its mean.
    """
    told, back = dict[str, Told](), dict[str, tuple[Array, Array]]()
    for field, pair in maps.items():
        if field == OUT:
            told[field], back[field] = sides.written.written(pair, bound)
        else:
            side = sides.source if field in SRC else sides.read
            told[field], back[field] = side.read(pair)
    weight, bias = maps[OUT]
    return Decompiled(told, back, bias + bound.mean(axis=0) @ weight)


@compared
@dataclass(frozen=True)
class Side:
    """A residual with its semes: decode and encode, by all questions, then by some drawn anew."""

    seen: Seen
    drawn: Sequence[tuple[Array, Array]]

    @classmethod
    def of(cls, seen: Seen, draws: int, ridge: float) -> "Side":
        count = seen.semes.shape[1]
        return cls(seen, [_slopes(each, count, ridge) for each in _drawn(seen, draws)])

    def read(self, pair: tuple[Array, Array]) -> tuple[Told, tuple[Array, Array]]:
        """A map from the residual as one from semes, and the same for the residual."""
        weight, bias = pair
        told = self._told([encode @ weight for _, encode in self.drawn])
        after = self.drawn[0][0] @ told.sure
        return told, (after, bias + self.seen.residuals.mean(axis=0) @ (weight - after))

    def written(self, pair: tuple[Array, Array], bound: Array) -> tuple[Told, tuple[Array, Array]]:
        """A map to the residual as one to semes, and the same for the residual."""
        weight, bias = pair
        told = self._told([weight @ decode for decode, _ in self.drawn])
        after = told.sure @ self.drawn[0][1]
        return told, (after, bias + bound.mean(axis=0) @ (weight - after))

    def _told(self, every: Sequence[Array]) -> Told:
        half = SURE * np.std(every[1:], axis=0)
        return Told(self.seen.names, self.seen.semes.std(axis=0), every[0], half)


@dataclass(frozen=True)
class Sides:
    """What heads of one layer read and write.

    Attributes:
        read: by queries and roles; source: by keys and values.
        written: behind them.
    """

    read: Side
    source: Side
    written: Side

    @classmethod
    def of(
        cls, read: Seen, written: Seen, source: Seen | None = None, draws: int = 40,
        ridge: float = 0.0,
    ) -> "Sides":  # fmt: skip
        """From what was seen there.

        Args:
            read: the residual that heads read, with semes that do not tell each other (`basis`).
            written: the residual behind them, without the norm's gain and bias.
            source: what keys and values read, if they read another residual.
            draws: how often questions are drawn anew.
            ridge: of the regressions, in units of the mean variance of what is given.
        """
        one = Side.of(read, draws, ridge)
        other = one if source is None else Side.of(source, draws, ridge)
        return cls(one, other, one if written is read else Side.of(written, draws, ridge))


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


def _drawn(seen: Seen, draws: int) -> list[Array]:
    """Moments of all questions, then of questions drawn anew: of all sides the same ones."""
    one = _moments(seen)
    draw, count = np.random.default_rng(1), len(one)
    weights = [np.ones(count)]
    for _ in range(draws):
        weights.append(np.bincount(draw.integers(0, count, count), minlength=count).astype(float))
    return [np.tensordot(each, one, 1) for each in weights]


def _moments(seen: Seen) -> Array:
    """Question by (seme, d, 1) by the same."""
    rows = np.column_stack([seen.semes, seen.residuals, np.ones(len(seen.semes))])
    starts = np.flatnonzero(np.diff(seen.question, prepend=-1))
    return np.stack([part.T @ part for part in np.split(rows, starts[1:])])


def share(due: Array, found: Array) -> float:
    """The share of the variance of all columns together that is found."""
    spread = due.var(axis=0)
    return float(np.nansum(explained(due, found) * spread) / spread.sum())
