"""The maps and the layout of a network of which only some entries are left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from progtf.equality import compared
from progtf.program.model import Loop
from progtf.weights.layout import STACKS, HeadLayout, LayerLayout, Layout, Placed, Stage
from progtf.weights.maps import BIAS, Map, Path, Places
from progtf.weights.narrow.ahead import TABLES, Mask
from progtf.weights.narrow.back import SCORES, Back, factors, sources
from progtf.weights.weights import EXACT, Weights


@dataclass(frozen=True)
class Cut:
    """Leaves what matters; sources and targets that lose all of their entries go."""

    back: Back

    def weights(self) -> Weights:
        """What is left."""
        whole, layout, columns = self.back.weights, self._layout, self._columns
        maps = [self._left(whole.maps[key], None, columns) for key in TABLES if key in whole.maps]
        for placed in layout.stages():
            maps += self._rules(whole.at((*placed.path, "feedforward")))
            for head in _heads(placed):
                maps += self._head((*placed.path, head.label))
        scores = [key for key in SCORES if key in self.back.entries]
        maps += [self._left(whole.maps[key], columns, None) for key in scores]
        return Weights(layout, whole.dtype, {each.key: each for each in maps})

    @cached_property
    def _columns(self) -> "_Names":
        """The columns that stay: those that are read, and the clocks, which stand together."""
        layout, number = self.back.weights.layout, np.arange(len(self.back.used))
        stay = self.back.used | (layout.semes <= number) & (number < len(layout.space))
        return _Names(stay, layout.columns)

    @cached_property
    def _layout(self) -> Layout:
        layout, stays = self.back.weights.layout, self._columns.stay
        stages: dict[str, list[Stage]] = {stack: [] for stack in STACKS}
        for placed in layout.stages():
            stages[placed.stack].append(self._stage(placed))
        return replace(
            layout,
            space=tuple(d for d, stay in zip(layout.space, stays, strict=False) if stay),
            semes=int(stays[: layout.semes].sum()), width=int(stays.sum()), held=(),
            encoder=tuple(stages["encoder"]), decoder=tuple(stages["decoder"]),
            loops=tuple(left for loop in layout.loops if (left := self._loop(loop))),
        )  # fmt: skip

    def _stage(self, placed: Placed) -> Stage:
        """A layer with the heads of which something matters."""
        stage, entries = placed.stage, self.back.entries
        assert isinstance(stage, LayerLayout)
        own, cross = (
            tuple(h for h in heads if entries[(*placed.path, h.label), "out"].any())
            for heads in (stage.own, stage.cross)
        )
        return replace(stage, own=own, cross=cross, loop=stage.loop and self._loop(stage.loop))

    def _loop(self, loop: Loop) -> Loop | None:
        """A loop without the semes that nobody reads, if it matters."""
        if loop.name not in self.back.loops:
            return None
        return replace(loop, resets=tuple(filter(self._columns.among.__contains__, loop.resets)))

    def _left(self, each: Map, rows: "_Names | None", columns: "_Names | None") -> Map:
        """The entries of a map that matter, between the sources and targets that stay."""
        rows, columns = rows or _all(each.sources), columns or _all(each.targets)
        kept = self.back.entries.get(each.key, np.ones(len(each), dtype=bool))
        kept = kept & columns.stay[each.columns] & rows.keeps[each.rows]
        return Map(
            each.path, each.field, rows.left, columns.left,
            rows.places[each.rows[kept]], columns.places[each.columns[kept]],
            self.back.adding.numbers.get(each.key, each.numbers)[kept], each.marks[kept],
        )  # fmt: skip

    def _head(self, path: Path) -> Iterator[Map]:
        maps, columns = self.back.weights.at(path), self._columns
        out = maps["out"]
        products = sources(out, self.back.entries[out.key])
        products[0] |= not products.any()  # a head that adds the same everywhere keeps one
        fillers, roles = factors(maps, products)
        if roles is not fillers:
            products = np.outer(fillers, roles).ravel()
        features = self._compared(maps)
        inside: dict[str, Mask] = {
            "query": features, "key": features, "value": fillers, "role": roles,
            EXACT: np.append([True, True], fillers),
        }  # fmt: skip
        for name in inside.keys() & maps.keys():
            if name == "role" and self._one(maps[name], roles):
                continue  # products with 1 are what they were
            targets = _Names(inside[name], maps[name].targets)
            yield self._left(maps[name], None if name == EXACT else columns, targets)
        yield self._left(out, _Names(products, out.sources), columns)

    def _one(self, role: Map, roles: Mask) -> bool:
        """Whether all of some roles are 1 everywhere, product by product (Eq. 6)."""
        kept = self.back.entries[role.key] & roles[role.columns]
        alone = bool((role.rows[kept] == BIAS).all() and (role.numbers[kept] == 1).all())
        return self._layout.binding == "hadamard" and alone and int(kept.sum()) == int(roles.sum())

    def _compared(self, maps: Mapping[str, Map]) -> Mask:
        """The features that both queries and keys have."""
        both = np.ones(len(maps["query"].targets), dtype=bool)
        for each in (maps["query"], maps["key"]):
            given = np.zeros_like(both)
            given[each.columns[self.back.entries[each.key]]] = True
            both &= given
        return both

    def _rules(self, rules: Mapping[str, Map]) -> Iterator[Map]:
        """The maps of a feed-forward block; none if nothing that it adds matters."""
        if "mat1" not in rules:
            return
        entries, columns = self.back.entries, self._columns
        outer, bias = rules["mat2"], rules["bias2"]
        units = sources(outer, entries[outer.key])
        if not units.any() and not entries[bias.key].any():
            return
        hidden = _Names(units, outer.sources)
        for each, before, behind in (
            (rules["mat1"], columns, hidden), (rules["bias1"], None, hidden),
            (outer, hidden, columns), (bias, None, columns),
        ):  # fmt: skip
            yield self._left(each, before, behind)


@compared
@dataclass(frozen=True)
class _Names:
    """Which of some names stay."""

    stay: Mask
    names: tuple[str, ...]

    @cached_property
    def left(self) -> tuple[str, ...]:
        """Those that stay."""
        return tuple(compress(self.names, self.stay.tolist()))

    @cached_property
    def among(self) -> frozenset[str]:
        """The same, to be asked for one of them."""
        return frozenset(self.left)

    @cached_property
    def keeps(self) -> Mask:
        """Whether entries of a row stay: those of the bias, which is row -1, do."""
        return np.append(self.stay, [True])

    @cached_property
    def places(self) -> Places:
        """The numbers that they get; that of the bias stays."""
        return np.append(np.cumsum(self.stay) - 1, BIAS).astype(np.int32)


def _all(names: tuple[str, ...]) -> _Names:
    return _Names(np.ones(len(names), dtype=bool), names)


def _heads(placed: Placed) -> tuple[HeadLayout, ...]:
    assert isinstance(placed.stage, LayerLayout)
    return (*placed.stage.own, *placed.stage.cross)
