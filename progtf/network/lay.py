"""Maps to tensors: the one place where a name becomes the number of a row or column.

A tensor holds the entries of one or several maps. Where each entry is, is noted beside it, so that
reading a network is looking at the same places.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from progtf.nn import Affine, SharedSums
from progtf.weights.maps import BIAS, Key, Map

Ints = NDArray[np.int64]
NOWHERE = -1


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
        rows, columns = np.arange(len(each.sources)), np.arange(len(each.targets))
        return cls(each, rows + row, columns + column, bias)

    def places(self, n_rows: int, n_columns: int) -> Ints:
        """Where the entries are in the flattened matrix of so many rows, and the bias behind it."""
        inside = self.rows[self.map.rows] if len(self.rows) else np.zeros(len(self.map), np.int64)
        rows = np.where(self.map.rows == BIAS, n_rows, inside)
        return rows * n_columns + self.columns[self.map.columns]

    def moved(self, rows: Ints | None, columns: Ints | None) -> "Piece":
        """The same in a matrix of which only some rows or columns are left."""
        return Piece(
            self.map,
            self.rows if rows is None else _found(rows, self.rows),
            self.columns if columns is None else _found(columns, self.columns),
            self.bias,
        )


def _found(kept: Ints, wanted: Ints) -> Ints:
    """The place of each wanted number among those kept, `NOWHERE` if it is not there."""
    places = np.searchsorted(kept, wanted)
    there = np.append(kept, -2)[np.minimum(places, len(kept))] == wanted
    return np.where(there, places, NOWHERE)


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
    inside = [piece.moved(reads, None) for piece in pieces]
    return laid(inside, len(reads), n_columns, reads=reads)


def shared(matrix: Map, bias: Map) -> Laid:
    """The same where targets that read alike share a sum; those that are trained do not."""
    reads = np.unique(matrix.rows[matrix.rows != BIAS].astype(np.int64))
    of = _alike(matrix)
    inside = Piece(matrix, np.arange(len(matrix.sources)), of, bias=False).moved(reads, None)
    beside = Piece.at(bias)
    places = _tensor(of)
    assert places is not None
    affine = SharedSums(len(reads), places, _tensor(reads))
    columns = affine.weight.shape[1]
    affine.weight = nn.Parameter(filled([inside], len(reads), columns)[:-1].clone())
    affine.bias = nn.Parameter(filled([beside], 0, len(of))[-1].clone())
    return affine, Held.of(affine, ("weight", "bias"), [inside, beside])


def _alike(matrix: Map) -> Ints:
    """Of every target the number of its column among those that differ."""
    order = np.argsort(matrix.columns, kind="stable")
    ends = np.searchsorted(matrix.columns[order], np.arange(len(matrix.targets) + 1))
    seen: dict[object, int] = {}
    found: list[int] = []
    for target in range(len(matrix.targets)):
        chosen = order[ends[target] : ends[target + 1]]
        key = matrix.rows[chosen].tobytes(), matrix.numbers[chosen].tobytes()
        trained = bool(matrix.marks[chosen].any())
        found.append(seen.setdefault((target, "") if trained else key, len(seen)))
    return np.array(found, dtype=np.int64)


def scattered(pieces: Sequence[Piece], n_rows: int) -> Laid:
    """A map whose image is added where it writes to the residual."""
    writes = _with_company(_used(piece.columns[piece.map.columns] for piece in pieces), pieces)
    inside = [piece.moved(None, writes) for piece in pieces]
    return laid(inside, n_rows, len(writes), writes=writes)


def _with_company(writes: Ints, pieces: Sequence[Piece]) -> Ints:
    """Two columns at least: a product with one is summed in parts, in which units do not cancel."""
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *(p.columns for p in pieces)]))
    if len(writes) != 1 or len(every) < 2:
        return writes
    return np.unique(np.append(writes, every[every != writes[0]][:1]))


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
    matrix = filled(pieces, n_rows, n_columns)
    affine.weight, affine.bias = nn.Parameter(matrix[:-1].clone()), nn.Parameter(matrix[-1].clone())
    return affine, Held.of(affine, ("weight", "bias"), pieces)


def filled(pieces: Sequence[Piece], n_rows: int, n_columns: int) -> Tensor:
    """The matrix of some pieces with the bias as its last row, in float64."""
    flat = np.zeros((n_rows + 1) * n_columns)
    for piece in pieces:
        if not piece.bias and (piece.map.rows == BIAS).any():
            what = "what a layer adds everywhere is one sum, that of its first head"
            raise ValueError(f"{piece.map.name}: {what}")
        flat[piece.places(n_rows, n_columns)] = piece.map.numbers
    return torch.from_numpy(flat).view(n_rows + 1, n_columns)


def _used(places: Iterator[Ints]) -> Ints:
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *places]))


def _tensor(places: Ints | None) -> Tensor | None:
    return None if places is None else torch.from_numpy(places.astype(np.int64))
