"""Encoder and decoder: which layers stand in which, in which order."""

from collections.abc import Iterable

from progtf.building.context import Context, Place
from progtf.building.dense import build_dense
from progtf.building.layers import build_layer
from progtf.building.schedule import scheduled
from progtf.building.sections import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.program.model import Stage

Stages = tuple[Stage, ...]


def build_stacks(sections: Sections, context: Context) -> tuple[Stages, Stages]:
    """The layers of encoder and decoder; those outside of both belong to the only or first one."""
    loose = sections.blocks("layer", "dense")
    encoding = [s for s in sections.children("encoder") if isinstance(s, f.Block)]
    decoding = [s for s in sections.children("decoder") if isinstance(s, f.Block)]
    if context.settings.kind == "decoder":
        decoding = [*loose, *decoding]
    else:
        encoding = [*loose, *encoding]
    return _stack(encoding, context, "encoder"), _stack(decoding, context, "decoder")


def _stack(blocks: Iterable[f.Block], context: Context, stack: str) -> Stages:
    stages: list[Stage] = []
    try:
        blocks = scheduled(blocks, context, stack)
    except Mistake as mistake:
        context.report(mistake.diagnostic)
    for number, block in enumerate(blocks, start=1):
        place = Place(block.name or f"{block.keyword} {number}", stack, block.span)
        build = build_dense if block.keyword == "dense" else build_layer
        try:
            stages.append(build(block, context, place))
        except Mistake as mistake:
            context.report(mistake.diagnostic)
    return tuple(stages)
