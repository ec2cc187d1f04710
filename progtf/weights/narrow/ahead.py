"""Which entries add something where some semes are 0 at every token, layer after layer.

Nothing is taken for granted about what numbers may be: what reads nothing but zeros is 0, and what
hidden units that read the same write to a seme is one number, which may be 0.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared
from progtf.program.loops import by_loop
from progtf.program.model import Loop
from progtf.weights.layout import LayerLayout, Placed
from progtf.weights.maps import BIAS, Key, Map, Numbers, Path
from progtf.weights.weights import EXACT, Weights

Mask = NDArray[np.bool_]
Entries = dict[Key, Mask]
TABLES: tuple[Key, Key] = ((("lexicon",), "vector"), (("spelling",), "vector"))


@compared
@dataclass(frozen=True)
class Adding:
    """What can add something.

    Attributes:
        entries: of every map.
        zero: of every feed-forward block the columns that are surely 0 where it reads.
        numbers: of the maps whose entries are not as they were: what units that read the same write
            to a seme, as one.
        idle: the loops that run no round.
    """

    entries: Entries = field(default_factory=dict[Key, Mask])
    zero: dict[Path, Mask] = field(default_factory=dict[Path, Mask])
    numbers: dict[Key, Numbers] = field(default_factory=dict[Key, Numbers])
    idle: set[str] = field(default_factory=set[str])


def adding(weights: Weights, zero: Collection[str]) -> Adding:
    """What can add something where some semes are 0."""
    ahead = _Ahead(weights, zero, Adding())
    memory = ahead.stack("encoder", None)
    ahead.stack("decoder", memory)
    return ahead.found


@dataclass(frozen=True)
class _Ahead:
    """Goes through the layers with the columns that are surely 0."""

    weights: Weights
    zero: Collection[str]
    found: Adding

    @property
    def entries(self) -> Entries:
        """Those that add something, as far as it has come."""
        return self.found.entries

    def stack(self, name: str, memory: Mask | None) -> Mask:
        """The columns that are 0 behind the last layer."""
        zero, held = self._at_first(), self._places(self.zero) if name == "encoder" else []
        for run in by_loop(p for p in self.weights.layout.stages() if p.stack == name):
            if run[0].loop is None:
                self._once(run, zero, memory, held)
            else:
                self._loop(run, run[0].loop, zero, memory, held)
        return zero

    def _once(
        self, run: Iterable[Placed], zero: Mask, memory: Mask | None, held: list[int]
    ) -> None:
        for placed in run:
            for _ in range(placed.stage.repeat):
                self._stage(placed, zero, memory)
                zero[held] = True

    def _loop(
        self, run: Sequence[Placed], loop: Loop, zero: Mask, memory: Mask | None, held: list[int]
    ) -> None:
        """Rounds until nothing becomes more than 0: the last of them finds what any may find."""
        if zero[self._places(loop.asked)].any():
            self.found.idle.add(loop.name)
            for key in (key for placed in run for key in self.weights.below(placed.path)):
                self.entries[key] = np.zeros(len(self.weights.maps[key]), dtype=bool)
            return
        before = None
        while before is None or (zero != before).any():
            before = zero.copy()
            self._once(run, zero, memory, held)
        zero[self._places([loop.unfinished])] = False

    def _at_first(self) -> Mask:
        layout = self.weights.layout
        zero = np.arange(layout.width) < layout.semes
        for key in TABLES:
            if (table := self.weights.maps.get(key)) is not None:
                self.entries[key] = table.numbers != 0
                zero[table.columns[table.numbers != 0]] = False
        return zero

    def _places(self, names: Iterable[str]) -> list[int]:
        return [self.weights.layout.places[name] for name in names]

    def _stage(self, placed: Placed, zero: Mask, memory: Mask | None) -> None:
        assert isinstance(placed.stage, LayerLayout)
        for heads, there in ((placed.stage.own, zero), (placed.stage.cross, memory)):
            read = zero.copy()
            for head in heads:
                path = (*placed.path, head.label)
                self._head(path, read, read if there is zero or there is None else there, zero)
        path = (*placed.path, "feedforward")
        if (rules := self.weights.at(path)).get("mat1") is not None:
            self.found.zero[path] = zero.copy()
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
        found, numbers = (groups[outer.rows] >= 0) & (outer.numbers != 0), outer.numbers.copy()
        for first, rest, total in _together(outer, groups):
            numbers[first], found[rest] = total, False
            found[first] = total != 0
        self.found.numbers[outer.key] = numbers
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
    sounding = np.flatnonzero((np.diff(ends) > 0) | (offsets > 0)).tolist()
    found, seen = np.full(len(offsets), -1, dtype=np.int64), dict[object, int]()
    for unit in sounding:
        own = slice(ends[unit], ends[unit + 1])
        key = rows[own].tobytes(), numbers[own].tobytes(), float(offsets[unit])
        found[unit] = seen.setdefault(key, len(seen))
    return found


def _together(outer: Map, groups: NDArray[np.int64]) -> Iterator[tuple[int, list[int], float]]:
    """Entries of units that read the same: the first, the rest, and what they add up to exactly."""
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    shared = np.bincount(groups[groups >= 0], minlength=1) > 1
    of = groups[outer.rows]
    for place in np.flatnonzero((of >= 0) & shared[of]).tolist():
        together[int(of[place]), int(outer.columns[place])].append(place)
    for first, *rest in together.values():
        parts = outer.numbers[[first, *rest]]
        total = fsum(parts)
        if rest and fsum([*parts, -total]) == 0:
            yield first, rest, total
