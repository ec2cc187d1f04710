"""Layers, heads and hidden units."""

from collections.abc import Iterator, Sequence

from progtf.notation import spell
from progtf.weights.decompile.opening import declarations, wrapped
from progtf.weights.decompile.shown import Found, arrows, complete, field_lines, number
from progtf.weights.layout import DenseLayout, HeadLayout, LayerLayout, Placed
from progtf.weights.maps import Path
from progtf.weights.weights import Weights


def run_lines(run: Sequence[Placed], weights: Weights, found: Found) -> Iterator[str]:
    """A layer by itself, or a loop with its layers."""
    layers = [each for each in run if not weights.only_learned(each.path, each.stage)]
    inside = [["", *_stage_lines(each.stage, each.path, weights, found)] for each in layers]
    lines = [line for each in inside for line in each]
    if (loop := run[0].loop) is None:
        yield from lines
        return
    yield from ("", f"  {loop}:")
    if loop.falls is not None:
        yield f"    falls: {spell.form(loop.falls.coefficients, loop.falls.constant)}"
    if loop.resets:
        yield from ("    semes:", *wrapped(declarations(weights, found, loop), " " * 6))
    yield from (f"  {line}" if line else "" for line in lines)


def _stage_lines(
    stage: LayerLayout | DenseLayout, path: Path, weights: Weights, found: Found
) -> Iterator[str]:
    """A layer or a dense layer."""
    name = stage.name if spell.is_name(stage.name) and "[" not in stage.name else ""
    keyword = "dense" if isinstance(stage, DenseLayout) else "layer"
    yield f"  {keyword} {name}:" if name else f"  {keyword}:"
    if isinstance(stage, DenseLayout):
        yield from field_lines("weights", arrows(found[path, "weights"], weights), 4)
        yield from field_lines("bias", arrows(found[path, "bias"], weights), 4)
        yield f"    relu: {'yes' if stage.relu else 'no'}"
        return
    if stage.repeat > 1:
        yield f"    repeat: {stage.repeat}"
    for heads, source in ((stage.own, "self"), (stage.cross, "encoder")):
        for head in heads:
            yield from _head(head, source, (*path, head.label), weights, found)
    here = (*path, "feedforward")
    if (here, "mat1") in found:
        yield "    feedforward:"
        units = weights.maps[here, "mat1"].targets
        zero = f"{weights.layout.names[0]}>"
        yield from field_lines("mat1", complete(found[here, "mat1"], units, weights, zero), 6)
        for field in ("bias1", "mat2", "bias2"):
            yield from field_lines(field, arrows(found[here, field], weights), 6)


def _head(
    head: HeadLayout, source: str, path: Path, weights: Weights, found: Found
) -> Iterator[str]:
    numbers = found[path, "numbers"]
    yield f"    head {head.name}:" if head.name else "    head:"
    if head.look != "all":
        yield f"      look: {head.look}"
    if source == "encoder":
        yield "      from: encoder"
    if head.normalize != "keys":
        yield f"      normalize: {head.normalize}"
    yield f"      sharpness: {number(numbers['', 'sharpness'], weights)}"
    yield from _address(head, path, weights, found)
    if not head.learned:
        yield from _retrieved(path, weights, found)
    if ("", "below") in numbers:
        filler = spell.vector((name, v) for (kind, name), v in numbers.items() if kind == "else")
        yield f"      else: {filler} below {number(numbers['', 'below'], weights)}"


def _address(head: HeadLayout, path: Path, weights: Weights, found: Found) -> Iterator[str]:
    """Query and key, and what is learned as a whole."""
    learned = dict(head.learned)
    for field in ("query", "key"):
        if field not in learned:
            yield from field_lines(
                field, complete(found[path, field], weights.maps[path, field].targets, weights), 6
            )
    for field, size in learned.items():
        yield f"      {field}: ?{size or ''}"


def _retrieved(path: Path, weights: Weights, found: Found) -> Iterator[str]:
    for field in ("value", "role"):
        if (path, field) in found:
            targets = weights.maps[path, field].targets
            yield from field_lines(field, complete(found[path, field], targets, weights), 6)
    out = arrows(found[path, "out"], weights)
    yield from field_lines("out", out or _no_output(path, weights), 6)


def _no_output(path: Path, weights: Weights) -> list[str]:
    """Without an output map fillers would be semes; a head that writes nothing says so."""
    products, target = weights.maps[path, "out"].sources, weights.layout.names[0]
    arrow = " > " if weights.layout.binding == "outer" else ">"
    return [f"0{products[0]}{arrow}{target}"] if products else []
