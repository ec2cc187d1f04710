"""What stands behind the layers: cell, output, classes, what is learned, examples."""

from collections.abc import Iterator

from progtf.notation import spell
from progtf.weights.decompile.marked import Found, like
from progtf.weights.decompile.shown import arrows, field_lines, scores
from progtf.weights.layout import LayerLayout
from progtf.weights.weights import Weights


def cell_lines(weights: Weights, found: Found) -> Iterator[str]:
    """The section ``cell:`` of a recurrent network."""
    if weights.layout.activation is None:
        return
    inputs = found[("cell",), "input"]
    yield from ("", "cell:", f"  activation: {weights.layout.activation}")
    given = like(inputs, {k: v for k, v in inputs.items() if k[0]})
    yield from field_lines("input", arrows(given, weights) or ["0"], 2)
    yield from field_lines("recurrent", arrows(found[("cell",), "recurrent"], weights), 2)
    bias = like(inputs, {k: v for k, v in inputs.items() if not k[0]})
    yield from field_lines("bias", arrows(bias, weights), 2)


def output_lines(weights: Weights, found: Found) -> Iterator[str]:
    """The section ``output:``."""
    if not weights.layout.outputs:
        return
    yield from ("", "output:")
    for token, score in scores(found[("output",), "score"], weights.layout.outputs, weights):
        yield f"  {spell.token(token)}: {score}"


def classify_lines(weights: Weights, found: Found) -> Iterator[str]:
    """The section ``classify:`` or ``score:``."""
    if not weights.layout.classes:
        return
    section = "score" if weights.layout.number else "classify"
    yield from ("", f"{section}:", f"  pool: {weights.layout.pool}")
    if weights.layout.number:
        ((_, score),) = scores(found[("classify",), "score"], weights.layout.classes, weights)
        yield f"  value: {score}"
        return
    for label, score in scores(found[("classify",), "score"], weights.layout.classes, weights):
        yield f"  {label if spell.is_name(label) else spell.quoted(label)}: {score}"


def learn_lines(weights: Weights) -> Iterator[str]:
    """The section ``learn:``."""
    layout = weights.layout
    if layout.learn is None:
        return
    yield from ("", "learn:", f"  semes: {layout.learn.semes}")
    yield from field_lines("reads", list(layout.learn.reads) or ["0"], 2)
    for stack, stages in (("encoder", layout.encoder), ("decoder", layout.decoder)):
        for place, stage in enumerate(stages, start=1):
            if isinstance(stage, LayerLayout) and stage.learned is not None:
                heads, units = stage.learned
                yield f"  {stack}: layers {place} heads {heads} filter {units}"
    if not layout.learn.protect:
        yield "  protect: no"


def examples_lines(weights: Weights) -> Iterator[str]:
    """The section ``examples:``."""
    if weights.layout.examples:
        yield from ("", "examples:")
    for given, expected in weights.layout.examples:
        yield f"  {_raw(given)} -> {_raw(expected)}"


def _raw(text: str) -> str:
    plain = "->" not in text and "→" not in text and text == text.strip() and "#" not in text
    return text if plain and text[:1] not in "\"'" else spell.quoted(text)
