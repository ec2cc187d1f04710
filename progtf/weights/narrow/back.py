"""Which of the entries that add something the answer depends on, from the last layer back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from progtf.equality import compared
from progtf.program.loops import by_loop
from progtf.program.model import Loop
from progtf.weights.layout import STACKS, HeadLayout, LayerLayout, Placed
from progtf.weights.maps import BIAS, Key, Map, Path
from progtf.weights.narrow.ahead import Adding, Entries, Mask
from progtf.weights.weights import Weights

SCORES: tuple[Key, Key] = ((("output",), "score"), (("classify",), "score"))


@compared
@dataclass(frozen=True)
class Back:
    """Goes back through the layers with the columns that somebody reads.

    Attributes:
        adding: what can add something.
        entries: the entries of every map that do, and matter.
        needed: of every feed-forward block the columns that somebody reads behind it.
        loops: the loops that run and matter.
        memory: the columns that are read behind the encoder.
        used: all columns that are read anywhere.
    """

    weights: Weights
    adding: Adding
    memory: Mask
    used: Mask
    entries: Entries = field(default_factory=dict[Key, Mask])
    needed: dict[Path, Mask] = field(default_factory=dict[Path, Mask])
    loops: set[str] = field(default_factory=set[str])

    @classmethod
    def through(cls, weights: Weights, adding: Adding, wanted: Collection[str] = ()) -> "Back":
        """All layers, from what is ``wanted`` of the encoder; without that from all scores."""
        layout = weights.layout
        ends = [loop.unfinished for loop in layout.loops if loop.name not in adding.idle]
        memory = np.isin(layout.columns, list(wanted or ends))
        read = np.isin(layout.columns, [] if wanted else ends)
        back = cls(weights, adding, memory, memory | read)
        for key in () if wanted else SCORES:
            if (score := weights.maps.get(key)) is not None:
                back._reads(score, score.numbers != 0, read if layout.writes else memory)
        for name in reversed(STACKS):
            needed = memory if name == "encoder" else read
            runs = list(by_loop(each for each in layout.stages() if each.stack == name))
            for run in reversed(runs):
                if run[0].loop is None:
                    back._once(run, needed)
                else:
                    back._loop(run, run[0].loop, needed)
        return back

    def _once(self, run: Sequence[Placed], needed: Mask) -> None:
        for placed in reversed(run):
            for _ in range(placed.stage.repeat):
                self._stage(placed, needed)

    def _loop(self, run: Sequence[Placed], loop: Loop, needed: Mask) -> None:
        """What matters in some round, and when there is one; a loop that adds nothing is none."""
        places = self.weights.layout.places
        adds = needed[places[loop.unfinished]] or any(
            bool((self.adding.entries[key] & needed[self.weights.maps[key].columns]).any())
            for placed in run
            for key in self.weights.below(placed.path)
            if key[1] in ("out", "mat2", "bias2")
        )
        if adds and loop.name not in self.adding.idle:
            self.loops.add(loop.name)
            read = [places[name] for name in (loop.until, loop.unfinished, *loop.asked)]
            needed[read] = self.used[read] = True
        before = None
        while before is None or (needed != before).any():
            before = needed.copy()
            self._once(run, needed)

    def _reads(self, each: Map, kept: Mask, columns: Mask) -> None:
        """Notes the entries of a map that are kept, and the columns that they read."""
        self.entries[each.key] = kept
        rows = each.rows[kept & (each.rows != BIAS)]
        columns[rows] = self.used[rows] = True

    def _stage(self, placed: Placed, needed: Mask) -> None:
        """What a layer adds to columns that are needed; what it reads for that is needed, too."""
        assert isinstance(placed.stage, LayerLayout)
        self._rules((*placed.path, "feedforward"), needed)
        self._heads(placed.path, placed.stage.cross, needed, self.memory)
        self._heads(placed.path, placed.stage.own, needed, needed)

    def _rules(self, path: Path, needed: Mask) -> None:
        rules = self.weights.at(path)
        if "mat1" not in rules:
            return
        self.needed[path] = needed.copy()
        inner, outer = rules["mat1"], rules["mat2"]
        for each in (outer, rules["bias2"]):
            self.entries[each.key] = self.adding.entries[each.key] & needed[each.columns]
        units = sources(outer, self.entries[outer.key])
        self._reads(inner, self.adding.entries[inner.key] & units[inner.columns], needed)

    def _heads(self, path: Path, heads: Sequence[HeadLayout], needed: Mask, there: Mask) -> None:
        """Heads read the same residual: what one of them reads is no target of the others."""
        here = needed.copy()
        for head in heads:
            self._head((*path, head.label), needed, here, here if there is needed else there)
        needed |= here

    def _head(self, path: Path, needed: Mask, here: Mask, there: Mask) -> None:
        maps, out = self.weights.at(path), self.weights.at(path)["out"]
        self.entries[out.key] = self.adding.entries[out.key] & needed[out.columns]
        fillers, roles = factors(maps, sources(out, self.entries[out.key]))
        features = np.full(len(maps["query"].targets), bool(self.entries[out.key].any()))
        for name, targets, read in (
            ("query", features, here), ("key", features, there),
            ("value", fillers, there), ("role", roles, here),
        ):  # fmt: skip
            if (each := maps.get(name)) is not None:
                self._reads(each, self.adding.entries[each.key] & targets[each.columns], read)


def factors(maps: Mapping[str, Map], products: Mask) -> tuple[Mask, Mask]:
    """The fillers and the roles of some products."""
    roles = len(maps["role"].targets) if "role" in maps else len(products)
    if roles == len(products) == len(maps["value"].targets):  # product by product (Eq. 6)
        return products, products
    square = products.reshape(-1, roles)  # each with each (appendix A)
    return np.asarray(square.any(axis=1)), np.asarray(square.any(axis=0))


def sources(each: Map, kept: Mask) -> Mask:
    """The sources of the entries that are kept."""
    found = np.zeros(len(each.sources), dtype=bool)
    found[each.rows[kept & (each.rows != BIAS)]] = True
    return found
