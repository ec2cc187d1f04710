"""Which of the entries that add something the answer depends on, from the last layer back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from progtf.weights.layout import STACKS, HeadLayout, LayerLayout, Placed
from progtf.weights.maps import BIAS, Key, Map, Path
from progtf.weights.narrow.ahead import Entries, Mask
from progtf.weights.weights import Weights

SCORES: tuple[Key, Key] = ((("output",), "score"), (("classify",), "score"))


@dataclass(frozen=True)
class Back:
    """Goes back through the layers with the columns that somebody reads.

    Attributes:
        adding: the entries of every map that can add something.
        entries: those of them that matter.
        memory: the columns that are read behind the encoder.
        used: all columns that are read anywhere.
    """

    weights: Weights
    adding: Entries
    memory: Mask
    used: Mask
    entries: Entries = field(default_factory=dict[Key, Mask])

    @classmethod
    def through(cls, weights: Weights, adding: Entries, wanted: Collection[str]) -> "Back":
        """All layers, from what is ``wanted`` of the encoder; without that from all scores."""
        layout = weights.layout
        memory = np.isin(layout.columns, list(wanted))
        back, read = cls(weights, adding, memory, memory.copy()), np.zeros_like(memory)
        for key in () if wanted else SCORES:
            if (score := weights.maps.get(key)) is not None:
                back._reads(score, score.numbers != 0, read if layout.writes else memory)
        for name in reversed(STACKS):
            needed = memory if name == "encoder" else read
            for placed in reversed([each for each in layout.stages() if each.stack == name]):
                for _ in range(placed.stage.repeat):
                    back._stage(placed, needed)
        return back

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
        inner, outer = rules["mat1"], rules["mat2"]
        for each in (outer, rules["bias2"]):
            self.entries[each.key] = self.adding[each.key] & needed[each.columns]
        units = sources(outer, self.entries[outer.key])
        self._reads(inner, self.adding[inner.key] & units[inner.columns], needed)

    def _heads(self, path: Path, heads: Sequence[HeadLayout], needed: Mask, there: Mask) -> None:
        """Heads read the same residual: what one of them reads is no target of the others."""
        here = needed.copy()
        for head in heads:
            self._head((*path, head.label), needed, here, here if there is needed else there)
        needed |= here

    def _head(self, path: Path, needed: Mask, here: Mask, there: Mask) -> None:
        maps, out = self.weights.at(path), self.weights.at(path)["out"]
        self.entries[out.key] = self.adding[out.key] & needed[out.columns]
        fillers, roles = factors(maps, sources(out, self.entries[out.key]))
        features = np.full(len(maps["query"].targets), bool(self.entries[out.key].any()))
        for name, targets, read in (
            ("query", features, here), ("key", features, there),
            ("value", fillers, there), ("role", roles, here),
        ):  # fmt: skip
            if (each := maps.get(name)) is not None:
                self._reads(each, self.adding[each.key] & targets[each.columns], read)


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
