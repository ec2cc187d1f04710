"""Which written entries are trained: the marks of a program, and those that modes stand for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from progtf.equality import compared
from progtf.weights.maps import MARKS, Key, Map, MarkCodes, Path
from progtf.weights.weights import EXACT, Weights

VALUES = ("value", "role", "out", "mat1", "bias1", "mat2", "bias2")
"""The fields of mode ``values``: all but addresses; gradients vanish where heads are sharp."""
_NEVER = (EXACT, "score")
INITIALISED = MARKS.index("~")


@compared
@dataclass(frozen=True)
class FreeGroup:
    """Entries that are trained, and how fast.

    Attributes:
        path: of the layer, or whatever they are below; () for those that the program marks.
        marks: of each map, the mark of each entry; 0: it is not trained.
    """

    path: Path
    marks: Mapping[Key, MarkCodes]
    learning_rate: float

    @property
    def count(self) -> int:
        """How many entries it trains."""
        return sum(int((codes != 0).sum()) for codes in self.marks.values())


def marked_group(weights: Weights, learning_rate: float) -> FreeGroup:
    """The entries that the program marks."""
    marks = {key: each.marks for key, each in weights.maps.items() if each.marks.any()}
    return FreeGroup((), marks, learning_rate)


def group_of_mode(weights: Weights, path: Path, mode: str, learning_rate: float) -> FreeGroup:
    """The written entries below ``path`` that a mode trains, as if each were marked ``~``."""
    fields = VALUES if mode == "values" else None
    marks = {
        each.key: np.where(trainable_entries(each), INITIALISED, 0).astype(np.uint8)
        for each in weights.below(path).values()
        if fields is None or each.field in fields
    }
    return FreeGroup(
        path, {key: codes for key, codes in marks.items() if codes.any()}, learning_rate
    )


def trainable_entries(each: Map) -> np.ndarray:
    """Whether each entry of a map can be trained: no score, and no product of an outer product."""
    if each.field in _NEVER:
        return np.zeros(len(each), dtype=bool)
    products = np.array([*("*" in source for source in each.sources), False])
    return ~products[each.rows]


def with_groups(weights: Weights, groups: Iterable[FreeGroup]) -> Weights:
    """The weights with these entries marked, and no others; the first mark of an entry counts."""
    marks = {key: np.zeros(len(each), np.uint8) for key, each in weights.maps.items()}
    for group in groups:
        for key, codes in group.marks.items():
            marks[key] = np.where(marks[key] == 0, codes, marks[key])
    return _marked(weights, marks)


def with_marks_of(weights: Weights, other: Weights) -> Weights:
    """The weights with the marks that another one of the same entries has."""
    return _marked(weights, {key: each.marks for key, each in other.maps.items()})


def _marked(weights: Weights, marks: Mapping[Key, MarkCodes]) -> Weights:
    return replace(
        weights, maps={k: replace(each, marks=marks[k]) for k, each in weights.maps.items()}
    )
