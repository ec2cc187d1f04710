"""What of the written part takes notice of a weight: what is answered, or sharp addresses alone.

A sharp head looks at one token or at another and at nothing between, so that what it is asked by
tells a learned weight nothing: its gradient is noise, however large.
"""

from collections.abc import Iterable, Iterator

from progtf.weights.layout import LayerLayout
from progtf.weights.maps import CONSTANT, Map
from progtf.weights.weights import EXACT, Weights

SHARP = 32.0
"""Nats for a difference of 1 in the score; heads that are written sharpen themselves further."""
_INSIDE = "value", "role", "mat1", "bias1"
_OUTSIDE = "out", "mat2"
_ADDRESS = "query", "key"
Node = tuple[tuple[str, ...], str]
"""A column of the residual (path ()), or a filler or hidden unit of a head or block."""


def unheard(weights: Weights) -> frozenset[Node]:
    """What sharp addresses are asked by, and from which nothing else comes to an answer."""
    layout, maps = weights.layout, list(weights.maps.values())
    answers = [each for each in maps if each.path in (("output",), ("classify",))]
    stages = [stage for *_, stage in layout.stages() if isinstance(stage, LayerLayout)]
    learned = any(head.learned for stage in stages for head in (*stage.own, *stage.cross))
    if learned or not answers or layout.binding == "outer":  # whatever there is may be read
        return frozenset()
    sharp = {
        each.path for each in maps
        if each.field == EXACT and each.entries[CONSTANT, "sharpness"] >= SHARP
    }  # fmt: skip
    addresses = [each for each in maps if each.field in _ADDRESS]
    asked = _columns(each for each in addresses if each.path in sharp)
    told = _columns([*answers, *(each for each in addresses if each.path not in sharp)])
    told |= {((), name) for name in (() if layout.learn is None else layout.learn.reads)}
    return frozenset(_before(maps, asked) - _before(maps, told))


def written_by(each: Map, number: int) -> Node:
    """What an entry writes to."""
    return (each.path if each.field in _INSIDE else ()), each.targets[each.columns[number]]


def _columns(maps: Iterable[Map]) -> set[Node]:
    return {((), source) for each in maps for source, _ in each.names if source != CONSTANT}


def _before(maps: Iterable[Map], ends: set[Node]) -> set[Node]:
    """Some ends, and all from which they are computed by values, roles and hidden units."""
    sources: dict[Node, set[Node]] = {}
    for source, target in _links(maps):
        sources.setdefault(target, set()).add(source)
    found, left = set(ends), list(ends)
    while left:
        new = sources.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _links(maps: Iterable[Map]) -> Iterator[tuple[Node, Node]]:
    for each in maps:
        if each.field in (*_ADDRESS, EXACT):
            continue
        before = each.path if each.field in _OUTSIDE else ()
        behind = each.path if each.field in _INSIDE else ()
        yield from (((before, s), (behind, t)) for s, t in each.names if s != CONSTANT)
