"""Encoder and decoder: which layers stand in which, in which order."""

from collections.abc import Iterable

from progtf.building.context import Context, Place
from progtf.building.dense import build_dense
from progtf.building.layers import build_layer
from progtf.building.schedule import scheduled
from progtf.building.settings import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import reporting
from progtf.program.model import Stage

Stages = tuple[Stage, ...]


def layers_of(sections: Sections, kind: str) -> dict[str, list[f.Block]]:
    """The layers of each stack; those outside of both belong to the only or first one."""
    found = {
        stack: [s for s in sections.children(stack) if isinstance(s, f.Block)]
        for stack in ("encoder", "decoder")
    }
    first = "decoder" if kind == "decoder" else "encoder"
    found[first] = [*sections.blocks("layer", "dense"), *found[first]]
    return found


def build_stack(blocks: Iterable[f.Block], context: Context, stack: str) -> Stages:
    """The layers of encoder or decoder, in the order in which they run."""
    stages: list[Stage] = []
    with reporting(context.report):
        blocks = scheduled(blocks, context, stack)
    for number, block in enumerate(blocks, start=1):
        place = Place(block.name or f"{block.keyword} {number}", stack, block.span)
        build = build_dense if block.keyword == "dense" else build_layer
        with reporting(context.report):
            stages.append(build(block, context, place))
    return tuple(stages)
