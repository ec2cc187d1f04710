"""Whether weights are all that their layout calls for, and no more: folders may be damaged."""

from collections.abc import Iterator, Mapping

from progtf.weights.layout import DenseLayout, HeadLayout, Layout, Stage
from progtf.weights.maps import Key, Map, Path
from progtf.weights.weights import EXACT, Weights

Sides = tuple[int, int]
"""How many sources and targets a map has."""
RULES = ("mat1", "bias1", "mat2", "bias2")


def check_complete(weights: Weights) -> None:
    """Raises ValueError for a map that is missing, foreign, or not of its layout's size."""
    due = dict(_due(weights.layout, weights.maps))
    for key in {**due, **weights.maps}:
        name, each = " / ".join((*key[0], key[1])), weights.maps.get(key)
        if each is None:
            raise ValueError(f"`{name}` is missing")
        if due.get(key) != (len(each.sources), len(each.targets)):
            raise ValueError(f"`{name}` is not what the layers call for")
        if key[1] == EXACT and ("", "sharpness") not in each.entries:
            raise ValueError(f"`{name}` has no sharpness")


def _due(layout: Layout, maps: Mapping[Key, Map]) -> Iterator[tuple[Key, Sides]]:
    """Every map with its sizes; what only the maps know, such as features, is taken from one."""
    width, marks = layout.width, len(layout.spelling.marks)
    yield (("lexicon",), "vector"), (len(layout.lexicon) + layout.unknown, width)
    if marks:
        yield (("spelling",), "vector"), (marks, width)
    if layout.activation is not None:
        yield from (((("cell",), field), (width, width)) for field in ("input", "recurrent"))
    for _, _, path, stage in layout.stages():
        yield from _of_stage(path, stage, layout, maps)
    for path, count in (("output", len(layout.outputs)), ("classify", len(layout.classes))):
        if count:
            yield ((path,), "score"), (width, count)


def _of_stage(
    path: Path, stage: Stage, layout: Layout, maps: Mapping[Key, Map]
) -> Iterator[tuple[Key, Sides]]:
    width, rules = layout.width, (*path, "feedforward")
    if isinstance(stage, DenseLayout):
        yield (path, "weights"), (width, width)
        yield (path, "bias"), (0, width)
        return
    for head in (*stage.own, *stage.cross):
        yield from _of_head((*path, head.label), head, layout, maps)
    if any((rules, field) in maps for field in RULES):
        units = _targets(maps, (rules, "mat1"))
        sizes = (width, units), (0, units), (units, width), (0, width)
        yield from (((rules, f), size) for f, size in zip(RULES, sizes, strict=True))


def _of_head(
    path: Path, head: HeadLayout, layout: Layout, maps: Mapping[Key, Map]
) -> Iterator[tuple[Key, Sides]]:
    width, learned = layout.width, dict(head.learned)
    features, fillers = (_targets(maps, (path, field)) for field in ("key", "value"))
    roles = _targets(maps, (path, "role")) if layout.binding == "outer" else fillers
    yield from (((path, f), (width, features)) for f in ("query", "key") if f not in learned)
    if not learned:
        yield (path, "value"), (width, fillers)
        if layout.binding != "none":
            yield (path, "role"), (width, roles)
        yield (path, "out"), (fillers * roles if layout.binding == "outer" else fillers, width)
    yield (path, EXACT), (1, 2 + (0 if learned else fillers))


def _targets(maps: Mapping[Key, Map], key: Key) -> int:
    return len(maps[key].targets) if key in maps else 0
