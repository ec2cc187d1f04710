"""A network whose residual is turned, so that no column is a seme: its maps, and what comes back.

Turned are the columns of the residual, by orthonormal rows (seme d); the maps that touch it
are turned with it, so that the network computes the same.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.coordinates import Coordinates
from progtf.analysis.heads import OUT, Maps
from progtf.weights.maps import Map, Path
from progtf.weights.weights import Weights

Array = NDArray[np.float64]
READS, WRITES = ("query", "key", "value", "role", "mat1"), (OUT, "mat2")
HEAD = (*READS[:4], OUT)
RIGHT = 1e-6
"""How far a number may be off, of its size or of 1."""


class Found(NamedTuple):
    """Entries of maps that were brought back.

    Attributes:
        right: written, and found with their numbers.
        wrong: found, and not so written; missed: written, and not so found.
        unseen: written in rows that write where no residual ever went.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    unseen: int = 0

    @property
    def f1(self) -> float:
        """1 where all that was written was found, and nothing else."""
        return 2 * self.right / max(2 * self.right + self.wrong + self.missed, 1)


def comes_back(weights: Weights, told: Coordinates, turn: Array) -> Found:
    """Which entries of all heads and rules are found in coordinates of the turned residual."""
    at = [weights.layout.columns.index(name) for name in told.names]
    counts = np.zeros(len(Found._fields), int)
    for (path, field), each in weights.maps.items():
        if path[0] in ("encoder", "decoder") and field in (*READS, *WRITES):
            counts += _found(each, told, turn, at)
    return Found(*counts.tolist())


def _found(each: Map, told: Coordinates, turn: Array, at: list[int]) -> Array:
    written, _ = each.dense()
    if each.field in READS:
        return _compared(told.reads(turn.T @ written)[0], written[at])
    found, due = told.writes(written @ turn), written[:, at]
    hidden = np.isnan(found).any(axis=1)
    counts = _compared(found[~hidden], due[~hidden])
    counts[Found._fields.index("unseen")] = np.count_nonzero(due[hidden])
    return counts


def _compared(found: Array, due: Array) -> Array:
    near = np.abs(found - due) < RIGHT * np.maximum(1.0, np.abs(due))
    there, written = np.abs(found) > RIGHT, due != 0
    right = written & near & (there | (np.abs(due) <= RIGHT))
    return np.array([right.sum(), (there & ~right).sum(), (written & ~right).sum(), 0])


def head(weights: Weights, path: Path) -> Maps:
    """Query, key, value, role and out of a head."""
    return {field: weights.maps[path, field].dense() for field in HEAD}


def turned(maps: Maps, turn: Array) -> Maps:
    """Maps of a head for the turned residual; those of it, for semes, with ``turn.T``."""
    return {
        field: (weight @ turn, bias @ turn) if field == OUT else (turn.T @ weight, bias)
        for field, (weight, bias) in maps.items()
    }


def with_head(weights: Weights, path: Path, maps: Maps) -> Weights:
    """The network with other maps of a head; what a layer always adds is its first head's."""
    first = next(key for key in weights.maps if key[0][:2] == path[:2] and key[1] == OUT)
    new = {(path, field): pair for field, pair in maps.items()}
    if (path, OUT) in new and first != (path, OUT):
        weight, bias = new[path, OUT]
        there, always = weights.maps[first].dense()
        new[first] = there, always + bias - weights.maps[path, OUT].dense()[1]
        new[path, OUT] = weight, 0 * bias
    return weights.with_maps(weights.maps[key].with_dense(*pair) for key, pair in new.items())
