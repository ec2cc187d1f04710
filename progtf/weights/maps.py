"""Maps by name: which numbers stand between which semes, features and units."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from progtf.notation.did_you_mean import nearest
from progtf.program.model import Mark

Path = tuple[str, ...]
Names = tuple[str, ...]
Key = tuple[Path, str]
Entry = tuple[str, str]
Entries = Mapping[Entry, float]
Place = tuple[int, int]
Places = NDArray[np.int32]
Numbers = NDArray[np.float64]
MarkCodes = NDArray[np.uint8]

CONSTANT = ""
BIAS = -1
"""The row of an entry without a source."""
MARKS: tuple[Mark | None, ...] = (None, "~", "?", "one of")
"""What a mark's code says of an entry: fixed, trained from its number, trained from random, one of
those of its row that are marked so, of which training chooses."""
CHOICE = MARKS.index("one of")


@dataclass(frozen=True, eq=False)
class Map:
    """One field of a program as entries, those of its matrix column by column, then its bias.

    What is written is an entry, be it 0; what is not written is none.

    Attributes:
        path: where it stands: stack, layer, head.
        field: of that: ``query``, ``mat1`` ...
        sources: the names of rows; targets: of columns.
        rows, columns: of each entry; an entry of the bias has row ``BIAS``.
        numbers: of each entry, in float64; each is a number of the format that it is stored in.
        marks: of each entry, as its place in ``MARKS``.
    """

    path: Path
    field: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    rows: Places
    columns: Places
    numbers: Numbers
    marks: MarkCodes

    @classmethod
    def of(
        cls, key: Key, sources: Iterable[str], targets: Iterable[str],
        entries: Mapping[Place, float], marks: Mapping[Place, int] | None = None,
    ) -> "Map":  # fmt: skip
        """A map of entries by place; a marked place without an entry gets one of 0."""
        marked = marks or {}
        every = {**dict.fromkeys(marked, 0.0), **entries}
        rows, columns = np.array(list(every), dtype=np.int32).reshape(-1, 2).T
        order = np.lexsort((rows, columns, rows == BIAS))
        numbers = np.array(list(every.values()), dtype=np.float64)[order]
        codes = np.zeros(len(every), dtype=np.uint8)
        if marked:
            codes = np.array([marked.get(place, 0) for place in every], dtype=np.uint8)[order]
        names = tuple(sources), tuple(targets)
        return cls(*key, *names, rows[order], columns[order], numbers, codes)

    def __post_init__(self) -> None:
        for array in (self.rows, self.columns, self.numbers, self.marks):
            array.setflags(write=False)

    @property
    def key(self) -> Key:
        """Path and field."""
        return self.path, self.field

    @property
    def name(self) -> str:
        """Path and field as one word: ``encoder / 1 read / head end / query``."""
        return " / ".join((*self.path, self.field))

    @property
    def names(self) -> list[Entry]:
        """Source and target of every entry."""
        sources = (*self.sources, CONSTANT)
        pairs = zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        return [(sources[row], self.targets[column]) for row, column in pairs]

    @property
    def entries(self) -> dict[Entry, float]:
        """(source, target) -> number; the source of the bias is "" (`CONSTANT`)."""
        return dict(zip(self.names, self.numbers.tolist(), strict=True))

    @property
    def marked(self) -> dict[Entry, Mark]:
        """(source, target) -> mark, of entries that are trained."""
        codes: list[int] = self.marks.tolist()
        marks: list[Mark | None] = [MARKS[code] for code in codes]
        found = zip(self.names, marks, strict=True)
        return {name: mark for name, mark in found if mark is not None}

    def place(self, source: str, target: str) -> Place:
        """The row and the column of names.

        Raises:
            KeyError: with the name that the map does not have.
        """
        for what, name, known in (
            ("source", source, (*self.sources, CONSTANT)), ("target", target, self.targets),
        ):  # fmt: skip
            if name not in known:
                hint = nearest(name, known)
                raise KeyError(
                    f"{self.name}: no {what} is called `{name}`" + (hint and f"; {hint}")
                )
        row = BIAS if source == CONSTANT else self.sources.index(source)
        return row, self.targets.index(target)

    def with_entries(self, entries: Mapping[Entry, float]) -> "Map":
        """The map with some entries added, or with other numbers.

        Raises:
            KeyError: with the name that the map does not have.
        """
        placed = {self.place(*names): float(number) for names, number in entries.items()}
        return self.with_places(placed)

    def with_places(self, entries: Mapping[Place, float]) -> "Map":
        """The same, of entries by row and column."""
        placed = zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        places: list[Place] = list(placed)
        codes = {p: code for p, code in zip(places, self.marks.tolist(), strict=True) if code}
        every = dict(zip(places, self.numbers.tolist(), strict=True))
        return Map.of(self.key, self.sources, self.targets, {**every, **entries}, codes)

    def with_numbers(self, numbers: Numbers) -> "Map":
        """The same entries with other numbers."""
        return replace(self, numbers=numbers)

    def dense(self) -> tuple[Numbers, Numbers]:
        """Weight (source target) and bias (target), 0 where nothing is written."""
        found = np.zeros((len(self.sources) + 1, len(self.targets)))
        found[self.rows, self.columns] = self.numbers  # `BIAS` is the last row
        return found[:-1], found[-1]

    def with_dense(self, weight: Numbers, bias: Numbers) -> "Map":
        """The map with these numbers, and entries where they are not 0; nothing is marked."""
        places = {(r, c): float(weight[r, c]) for r, c in np.argwhere(weight).tolist()}
        places |= {(BIAS, c): float(bias[c]) for c in np.flatnonzero(bias).tolist()}
        return Map.of(self.key, self.sources, self.targets, places)

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        """Whether names, places, marks and the bits of all numbers are the same."""
        return isinstance(other, Map) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<Map {self.name}: {len(self):,} {'entry' if len(self) == 1 else 'entries'}>"

    def _all(self) -> tuple[object, ...]:
        arrays = (self.rows, self.columns, self.numbers, self.marks)
        return self.key, self.sources, self.targets, *(array.tobytes() for array in arrays)
