"""The maps and the layout of a network of which only some entries are left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from progtf.program.model import Loop
from progtf.weights.layout import STACKS, HeadLayout, LayerLayout, Layout, Placed, Stage
from progtf.weights.maps import BIAS, Map, Path
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
    def _columns(self) -> Mask:
        """The columns that stay: those that are read, and the clocks, which stand together."""
        layout, number = self.back.weights.layout, np.arange(len(self.back.used))
        return self.back.used | (layout.semes <= number) & (number < len(layout.space))

    @cached_property
    def _layout(self) -> Layout:
        layout, stays = self.back.weights.layout, self._columns
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
        stay = {*_named(self.back.weights.layout.columns, self._columns)}
        resets = tuple(name for name in loop.resets if name in stay)
        return replace(loop, resets=resets) if loop.name in self.back.loops else None

    def _left(self, each: Map, rows: Mask | None, columns: Mask | None) -> Map:
        """The entries of a map that matter, between the sources and targets that stay."""
        rows = np.ones(len(each.sources), dtype=bool) if rows is None else rows
        columns = np.ones(len(each.targets), dtype=bool) if columns is None else columns
        kept = self.back.entries.get(each.key, np.ones(len(each), dtype=bool))
        kept = kept & columns[each.columns] & np.append(rows, [True])[each.rows]  # a bias is -1
        row, column = np.append(np.cumsum(rows) - 1, BIAS), np.cumsum(columns) - 1
        return Map(
            each.path, each.field, _named(each.sources, rows), _named(each.targets, columns),
            row[each.rows[kept]].astype(np.int32), column[each.columns[kept]].astype(np.int32),
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
        sides: dict[str, tuple[Mask | None, Mask]] = {
            "query": (columns, features), "key": (columns, features), "value": (columns, fillers),
            "role": (columns, roles), "out": (products, columns),
            EXACT: (None, np.append([True, True], fillers)),
        }  # fmt: skip
        for name in sides.keys() & maps.keys():
            yield self._left(maps[name], *sides[name])

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
        for each, before, behind in (
            (rules["mat1"], columns, units), (rules["bias1"], None, units),
            (outer, units, columns), (bias, None, columns),
        ):  # fmt: skip
            yield self._left(each, before, behind)


def _heads(placed: Placed) -> tuple[HeadLayout, ...]:
    assert isinstance(placed.stage, LayerLayout)
    return (*placed.stage.own, *placed.stage.cross)


def _named(names: tuple[str, ...], stay: Mask) -> tuple[str, ...]:
    return tuple(name for name, stays in zip(names, stay, strict=True) if stays)
