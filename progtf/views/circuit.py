"""A circuit as a picture: layers from below, and an arrow from who writes to who reads."""

from collections.abc import Iterator
from html import escape

from progtf.views.draw import LINE, MUTED, POSITIVE, svg, text
from progtf.weights.circuit import Circuit, Node

_ROW, _LEFT, _LETTER, _PAD = 64.0, 150.0, 7.3, 10.0
_FEW = 12
Place = tuple[float, float, float]
"""Left end, height, width."""


def draw(circuit: Circuit) -> str:
    """An SVG; every arrow says its semes to who points at it."""
    rows: dict[str, list[Node]] = {}
    for node in circuit.nodes:
        rows.setdefault(node.layer, []).append(node)
    height = _ROW * len(rows) + 20
    places = {
        node.name: place
        for number, nodes in enumerate(rows.values())
        for node, place in _placed(nodes, height - _ROW * (number + 1) + 20)
    }
    width = max((left + size for left, _, size in places.values()), default=_LEFT) + 20
    labels = (
        text(12, height - _ROW * (number + 1) + 37, layer, MUTED)
        for number, layer in enumerate(rows)
    )
    arrows = (_arrow(places[a], places[b], semes) for (a, b), semes in circuit.by_pair().items())
    boxes = (_box(node, places[node.name]) for node in circuit.nodes)
    return svg(width, height, (*labels, *arrows, *boxes), "who writes what whom reads")


def _placed(nodes: list[Node], y: float) -> Iterator[tuple[Node, Place]]:
    x = _LEFT
    for node in nodes:
        size = _LETTER * len(_short(node)) + 2 * _PAD
        yield node, (x, y, size)
        x += size + 16


def _short(node: Node) -> str:
    return (
        node.name.removeprefix(f"{node.layer}.").removeprefix("encoder.").removeprefix("decoder.")
    )


def _box(node: Node, place: Place) -> str:
    x, y, width = place
    corner = 12 if node.kind in ("head", "cross") else 2
    frame = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="26" rx="{corner}" '
        f'fill="#ffffff" stroke="{LINE}"/>'
    )
    return f"<g>{frame}{text(x + _PAD, y + 17, _short(node))}</g>"


def _arrow(start: Place, end: Place, semes: list[str]) -> str:
    """A curve from the top of one box to the foot of another; a way back bends to the side."""
    x, y = start[0] + start[2] / 2, start[1]
    u, v = end[0] + end[2] / 2, end[1] + 26
    bend = _ROW / 2 if v < y else -_ROW
    more = f" and {len(semes) - _FEW} more" if len(semes) > _FEW else ""
    said = escape(", ".join(semes[:_FEW]) + more)
    return (
        f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {y - bend:.1f} {u:.1f} {v + bend:.1f} {u:.1f} {v:.1f}" '
        f'fill="none" stroke="{POSITIVE}" stroke-opacity="0.35"><title>{said}</title></path>'
    )
