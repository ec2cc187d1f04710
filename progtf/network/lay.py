"""Maps to tensors: the one place where a name becomes the number of a row or column.

A tensor holds the entries of one or several maps. Where each entry is, is noted beside it, so that
reading a network is looking at the same places.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from progtf.nn import Affine, SharedSums
from progtf.weights.maps import BIAS, Key, Map

Ints = NDArray[np.int64]
NOWHERE = -1
ALIGNED = 64
"""Bytes that tensors of torch begin at a multiple of."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A map as a part of a matrix, below which there may be a bias.

    Attributes:
        rows: of each source, the row of the matrix; columns: of each target. Or `NOWHERE`.
        bias: whether the bias below these columns is of this map.
    """

    map: Map
    rows: Ints
    columns: Ints
    bias: bool = True

    @classmethod
    def at(cls, each: Map, row: int = 0, column: int = 0, *, bias: bool = True) -> "Piece":
        """A map that begins at a row and a column."""
        rows, columns = in_order(len(each.sources)), in_order(len(each.targets))
        return cls(each, rows + row if row else rows, columns + column if column else columns, bias)

    def places(self, n_rows: int, n_columns: int) -> Ints:
        """Where the entries are in the flattened matrix of so many rows, and the bias behind it."""
        inside = self.rows[self.map.rows] if len(self.rows) else np.zeros(len(self.map), np.int64)
        rows = np.where(self.map.rows == BIAS, n_rows, inside)
        return rows * n_columns + self.columns[self.map.columns]


@lru_cache(maxsize=256)
def in_order(count: int) -> Ints:
    """The first whole numbers, one array for all who ask."""
    places = np.arange(count)
    places.setflags(write=False)
    return places


def _left(kept: Ints, numbers: Sequence[Ints]) -> Iterator[Ints]:
    """Of every number its place among those kept, `NOWHERE` if it is not there.

    Pieces of one residual share an array, before and after.
    """
    apart = {id(each): each for each in numbers}
    last = max(int(each.max(initial=NOWHERE)) for each in (kept, *apart.values()))
    places = np.full(last + 2, NOWHERE)  # the last is that of `NOWHERE` itself
    places[kept] = np.arange(len(kept))
    found = {name: places[each] for name, each in apart.items()}
    return (found[id(each)] for each in numbers)


@dataclass(frozen=True, eq=False)
class Held:
    """Tensors of a module that hold maps.

    Attributes:
        names: of the tensors: of a matrix, and of the bias below it.
        places: of each map, where its entries are in the tensors, flattened one after another.
        pieces: what is in the matrix; none where the tensors are no matrix.
    """

    module: nn.Module
    names: tuple[str, ...]
    places: dict[Key, Ints]
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, module: nn.Module, names: tuple[str, ...], pieces: Sequence[Piece]) -> "Held":
        """The holder of a matrix, after which there may be a bias."""
        n_rows, n_columns = getattr(module, names[0]).shape
        places = {piece.map.key: piece.places(n_rows, n_columns) for piece in pieces}
        return cls(module, names, places, tuple(pieces))

    def tensors(self) -> Iterator[Tensor]:
        """The tensors, with entries that are trained in their places."""
        return (getattr(self.module, name).detach() for name in self.names)


Laid = tuple[Affine, Held]


def gathered(pieces: Sequence[Piece], n_columns: int) -> Laid:
    """A map that gathers what it reads of the residual, and multiplies a small block."""
    reads = _used(piece.rows[piece.map.rows[piece.map.rows != BIAS]] for piece in pieces)
    rows = _left(reads, [piece.rows for piece in pieces])
    inside = [replace(piece, rows=some) for piece, some in zip(pieces, rows, strict=True)]
    return laid(inside, len(reads), n_columns, reads=reads)


def shared(matrix: Map, bias: Map) -> Laid:
    """The same where targets that read alike share a sum; those that are trained do not."""
    of, reads = _alike(matrix), _used([matrix.rows[matrix.rows != BIAS]])
    (rows,) = _left(reads, [in_order(len(matrix.sources))])
    inside = Piece(matrix, rows, of, bias=False)
    beside = Piece.at(bias)
    places = _tensor(of)
    assert places is not None
    affine = SharedSums(0, places, _tensor(reads))
    affine.weight = nn.Parameter(filled([inside], len(reads), affine.weight.shape[1])[0])
    affine.bias = nn.Parameter(filled([beside], 0, len(of))[1])
    return affine, Held.of(affine, ("weight", "bias"), [inside, beside])


def _alike(matrix: Map) -> Ints:
    """Of every target the number of its column among those that differ."""
    order, targets = np.argsort(matrix.columns, kind="stable"), np.arange(len(matrix.targets))
    ends = np.searchsorted(matrix.columns[order], np.append(targets, len(targets))).tolist()
    rows, numbers = matrix.rows[order], matrix.numbers[order]
    trained = np.isin(targets, matrix.columns[matrix.marks != 0]).tolist()
    seen: dict[object, int] = {}
    found: list[int] = []
    for target, (begin, end) in enumerate(pairwise(ends)):
        key = rows[begin:end].tobytes(), numbers[begin:end].tobytes()
        found.append(seen.setdefault((target, "") if trained[target] else key, len(seen)))
    return np.array(found, dtype=np.int64)


def scattered(pieces: Sequence[Piece], n_rows: int) -> Laid:
    """A map whose image is added where it writes to the residual."""
    writes = _with_company(_used(piece.columns[piece.map.columns] for piece in pieces), pieces)
    columns = _left(writes, [piece.columns for piece in pieces])
    inside = [replace(piece, columns=some) for piece, some in zip(pieces, columns, strict=True)]
    return laid(inside, n_rows, len(writes), writes=writes)


def _with_company(writes: Ints, pieces: Sequence[Piece]) -> Ints:
    """Two columns at least: a product with one is summed in parts, in which units do not cancel."""
    if len(writes) != 1:
        return writes
    every = _used(piece.columns for piece in pieces)
    if len(every) < 2:
        return writes
    return np.sort(np.append(writes, every[every != writes[0]][:1]))


def laid(
    pieces: Sequence[Piece],
    n_rows: int,
    n_columns: int,
    *,
    reads: Ints | None = None,
    writes: Ints | None = None,
) -> Laid:
    """A map between the whole residual, or those columns of it that are read and written."""
    affine = Affine(0, 0, _tensor(reads), _tensor(writes))
    affine.weight, affine.bias = map(nn.Parameter, filled(pieces, n_rows, n_columns))
    return affine, Held.of(affine, ("weight", "bias"), pieces)


def filled(pieces: Sequence[Piece], n_rows: int, n_columns: int) -> tuple[Tensor, Tensor]:
    """The matrix of some pieces, and the bias below it, in float64."""
    matrix, below = _zeros(n_rows * n_columns), _zeros(n_columns)
    for piece in pieces:
        if not piece.bias and (piece.map.rows == BIAS).any():
            what = "what a layer adds everywhere is one sum, that of its first head"
            raise ValueError(f"{piece.map.name}: {what}")
        places = piece.places(n_rows, n_columns)
        inside = places < len(matrix)
        matrix[places[inside]] = piece.map.numbers[inside]
        below[places[~inside] - len(matrix)] = piece.map.numbers[~inside]
    return torch.from_numpy(matrix).view(n_rows, n_columns), torch.from_numpy(below)


def _zeros(count: int) -> NDArray[np.float64]:
    """Zeros that begin where torch's own tensors do; what is never written takes no memory."""
    room = np.zeros(count + ALIGNED // 8)
    first = -room.ctypes.data % ALIGNED // 8
    return room[first : first + count]


def _used(places: Iterable[NDArray[np.integer]]) -> Ints:
    """Every place once, in order."""
    return np.flatnonzero(np.bincount(np.concatenate([np.zeros(0, dtype=np.int64), *places])))


def _tensor(places: Ints | None) -> Tensor | None:
    return None if places is None else torch.from_numpy(places.astype(np.int64))
