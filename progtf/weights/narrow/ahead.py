"""Which entries add something where some semes are 0 at every token, layer after layer.

Nothing is taken for granted about what numbers may be: what reads nothing but zeros is 0, and what
hidden units that read the same write to a seme may cancel.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from progtf.weights.layout import LayerLayout, Placed
from progtf.weights.maps import BIAS, Key, Map, Path
from progtf.weights.weights import EXACT, Weights

Mask = NDArray[np.bool_]
Entries = dict[Key, Mask]
TABLES: tuple[Key, Key] = ((("lexicon",), "vector"), (("spelling",), "vector"))


def adding(weights: Weights, zero: Collection[str]) -> Entries:
    """The entries of every map that can add something."""
    ahead = _Ahead(weights, zero)
    memory = ahead.stack("encoder", None)
    ahead.stack("decoder", memory)
    return ahead.entries


@dataclass(frozen=True)
class _Ahead:
    """Goes through the layers with the columns that are surely 0."""

    weights: Weights
    zero: Collection[str]
    entries: Entries = field(default_factory=dict[Key, Mask])

    def stack(self, name: str, memory: Mask | None) -> Mask:
        """The columns that are 0 behind the last layer."""
        zero, held = self._at_first(), self._places() if name == "encoder" else []
        for placed in self.weights.layout.stages():
            if placed.stack == name:
                for _ in range(placed.stage.repeat):
                    self._stage(placed, zero, memory)
                    zero[held] = True
        return zero

    def _at_first(self) -> Mask:
        layout = self.weights.layout
        zero = np.arange(layout.width) < layout.semes
        for key in TABLES:
            if (table := self.weights.maps.get(key)) is not None:
                self.entries[key] = table.numbers != 0
                zero[table.columns[table.numbers != 0]] = False
        return zero

    def _places(self) -> list[int]:
        return [self.weights.layout.columns.index(name) for name in self.zero]

    def _stage(self, placed: Placed, zero: Mask, memory: Mask | None) -> None:
        assert isinstance(placed.stage, LayerLayout)
        for heads, there in ((placed.stage.own, zero), (placed.stage.cross, memory)):
            read = zero.copy()
            for head in heads:
                path = (*placed.path, head.label)
                self._head(path, read, read if there is zero or there is None else there, zero)
        if (rules := self.weights.at((*placed.path, "feedforward"))).get("mat1") is not None:
            self._rules(rules, zero)

    def _head(self, path: Path, here: Mask, there: Mask, zero: Mask) -> None:
        """What is retrieved where something is read, times a role that is not 0 (Eq. 4, 6)."""
        maps = self.weights.at(path)
        for name, read in (("query", here), ("key", there), ("value", there), ("role", here)):
            if name in maps:
                self.entries[path, name] = _nonzero(maps[name], read)
        fillers = _given(maps["value"], self.entries[path, "value"])
        exact = maps[EXACT]
        fillers[exact.columns[(exact.rows != BIAS) & (exact.numbers != 0)] - 2] = True
        products, out = fillers, maps["out"]
        if "role" in maps:
            roles = _given(maps["role"], self.entries[path, "role"])
            outer = self.weights.layout.binding == "outer"
            products = np.outer(fillers, roles).ravel() if outer else fillers & roles
        found = _from(out, products) & (out.numbers != 0)
        self.entries[path, "out"] = found
        zero[out.columns[found]] = False

    def _rules(self, maps: Mapping[str, Map], zero: Mask) -> None:
        """Hidden units that are not surely 0, less what cancels (Eq. 7)."""
        inner, outer, bias, constants = (maps[n] for n in ("mat1", "mat2", "bias2", "bias1"))
        read = _nonzero(inner, zero)
        groups = _alike(inner, read, constants)
        found = (groups[outer.rows] >= 0) & (outer.numbers != 0)
        found[list(_cancelled(outer, groups))] = False
        for each, mask in ((inner, read), (outer, found), (bias, bias.numbers != 0)):
            self.entries[each.key] = mask
        zero[outer.columns[found]] = False
        zero[bias.columns[bias.numbers != 0]] = False


def _nonzero(each: Map, zero: Mask) -> Mask:
    """The entries that add something: of sources that are not 0, or of the bias."""
    return (each.numbers != 0) & ((each.rows == BIAS) | ~zero[each.rows])


def _given(each: Map, entries: Mask) -> Mask:
    """The targets that some entries give."""
    given = np.zeros(len(each.targets), dtype=bool)
    given[each.columns[entries]] = True
    return given


def _from(each: Map, sources: Mask) -> Mask:
    """The entries of some sources, and those of the bias."""
    inside = sources[each.rows] if len(sources) else np.zeros(len(each), dtype=bool)
    return (each.rows == BIAS) | inside


def _alike(inner: Map, read: Mask, constants: Map) -> NDArray[np.int64]:
    """Of every unit its number among those that read otherwise; -1 of one that is surely 0."""
    offsets = np.zeros(len(inner.targets))
    offsets[constants.columns] = constants.numbers
    rows, columns, numbers = inner.rows[read], inner.columns[read], inner.numbers[read]
    ends = np.searchsorted(columns, np.arange(len(offsets) + 1))  # entries are column by column
    seen: dict[object, int] = {}
    found: list[int] = []
    for unit, (begin, end) in enumerate(pairwise(ends)):
        key = rows[begin:end].tobytes(), numbers[begin:end].tobytes(), float(offsets[unit])
        silent = begin == end and offsets[unit] <= 0
        found.append(-1 if silent else seen.setdefault(key, len(seen)))
    return np.array(found, dtype=np.int64)


def _cancelled(outer: Map, groups: NDArray[np.int64]) -> Iterator[int]:
    """The entries of units that read the same which add up to exactly 0."""
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    shared = np.bincount(groups[groups >= 0], minlength=1) > 1
    of = groups[outer.rows]
    for place in np.flatnonzero((of >= 0) & shared[of]).tolist():
        together[int(of[place]), int(outer.columns[place])].append(place)
    for places in together.values():
        if fsum(outer.numbers[places]) == 0:
            yield from places
