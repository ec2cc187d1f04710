"""The entries of maps as a few arrays, one map after another, and back."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.weights.formats import Format, restored, stored, working
from progtf.weights.maps import BIAS, MARKS, Map, MarkCodes, Names, Numbers, Path, Places
from progtf.weights.weights import EXACT, Weights

Tensors = Mapping[str, np.ndarray]
SHORT = np.iinfo(np.int16).max


def told(weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
    """Row, column, number and mark of all entries; marks only where there are any.

    ``numbers`` has every number once, in the format of the weights, and ``which`` of them each
    entry is; ``exact`` has what is never rounded.
    """
    maps = list(weights.maps.values())
    for part in ("rows", "columns"):
        yield part, _short(_joined("int32", (getattr(each, part) for each in maps)))
    marks = _joined("uint8", (each.marks for each in maps))
    yield "marks", marks if marks.any() else marks[:0]
    numbers = _joined("float64", (each.numbers for each in maps if each.field != EXACT))
    once, which = _once(stored(numbers, weights.dtype))
    yield from (("numbers", once), ("which", which))
    exact = _joined("float64", (each.numbers for each in maps if each.field == EXACT))
    yield "exact", stored(exact, working(weights.dtype))


def _joined(kind: str, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *parts])


def _short(places: np.ndarray) -> np.ndarray:
    """Places in as few bytes as hold the largest."""
    return places.astype(np.int16) if places.max(initial=0) <= SHORT else places


def _once(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that differ in a bit, and which of them stands where."""
    bits = numbers.view(f"u{numbers.itemsize}")
    once, which = np.unique(bits, return_inverse=True)
    kind = np.uint16 if len(once) <= np.iinfo(np.uint16).max else np.uint32
    return once.view(numbers.dtype), which.astype(kind)


@dataclass(eq=False)
class Stored:
    """Arrays of entries, of which one map after another takes its part.

    Attributes:
        numbers: by whether they are never rounded.
        first: how many entries were taken; taken: how many numbers of each kind.
    """

    rows: Places
    columns: Places
    marks: MarkCodes
    numbers: Mapping[bool, Numbers]
    first: int = 0
    taken: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})

    @classmethod
    def of(cls, tensors: Tensors, dtype: Format) -> "Stored":
        """What a file holds; before format 6 every entry had its own number and mark.

        Raises:
            KeyError: for a tensor that is missing.
            ValueError: for numbers of another format, or that are not there.
        """
        rows, columns = (tensors[part].astype(np.int32) for part in ("rows", "columns"))
        marks = tensors["marks"].astype(np.uint8)
        numbers = restored(tensors["numbers"], dtype)
        if (which := tensors.get("which")) is not None:
            if which.dtype.kind != "u" or which.max(initial=0) >= max(len(numbers), not len(which)):
                raise ValueError("numbers that are not there")
            numbers = numbers[which]
        exact = restored(tensors["exact"], working(dtype))
        marks = marks if len(marks) else np.zeros(len(rows), np.uint8)
        return cls(rows, columns, marks, {False: numbers, True: exact})

    def map(self, path: Path, name: str, sources: Names, targets: Names, count: int) -> Map:
        """The next map, of so many entries.

        Raises:
            ValueError: for entries that are missing, or stand beside the map.
        """
        exact = name == EXACT
        part, taken = slice(self.first, self.first + count), self.taken[exact]
        numbers = self.numbers[exact][taken : taken + count]
        places = self.rows[part], self.columns[part]
        each = Map(path, name, sources, targets, *places, numbers, self.marks[part])
        _check_places(each, count)
        self.first, self.taken[exact] = self.first + count, taken + count
        return each

    def finish(self) -> None:
        """Raises ValueError if something was not taken."""
        left = any(self.taken[exact] != len(some) for exact, some in self.numbers.items())
        if left or self.first != len(self.rows):
            raise ValueError(f"{len(self.rows)} entries, and {self.first} are described")


def _check_places(each: Map, count: int) -> None:
    sizes = {len(each.rows), len(each.columns), len(each.numbers), len(each.marks)}
    ends = (each.rows, BIAS, len(each.sources)), (each.columns, 0, len(each.targets))
    inside = all(
        low <= at.min(initial=low) and at.max(initial=low - 1) < high for at, low, high in ends
    )
    if sizes != {count} or not inside or each.marks.max(initial=0) >= len(MARKS):
        raise ValueError(f"the entries of {' / '.join((*each.path, each.field))}")
