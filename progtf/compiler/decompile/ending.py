"""What stands behind the layers: cell, output, classes, what is learned, examples."""

from collections.abc import Iterator

from progtf.compiler.decompile.marked import Found, like
from progtf.compiler.decompile.shown import arrows, field_lines, scores
from progtf.compiler.layout import LayerLayout
from progtf.compiler.model import Model
from progtf.notation import spell


def cell_lines(model: Model, found: Found) -> Iterator[str]:
    """The section ``cell:`` of a recurrent network."""
    if model.layout.activation is None:
        return
    inputs = found[("cell",), "input"]
    yield from ("", "cell:", f"  activation: {model.layout.activation}")
    given = like(inputs, {k: v for k, v in inputs.items() if k[0]})
    yield from field_lines("input", arrows(given, model) or ["0"], 2)
    yield from field_lines("recurrent", arrows(found[("cell",), "recurrent"], model), 2)
    bias = like(inputs, {k: v for k, v in inputs.items() if not k[0]})
    yield from field_lines("bias", arrows(bias, model), 2)


def output_lines(model: Model, found: Found) -> Iterator[str]:
    """The section ``output:``."""
    if not model.layout.outputs:
        return
    yield from ("", "output:")
    for token, score in scores(found[("output",), "score"], model.layout.outputs, model):
        yield f"  {spell.token(token)}: {score}"


def classify_lines(model: Model, found: Found) -> Iterator[str]:
    """The section ``classify:`` or ``score:``."""
    if not model.layout.classes:
        return
    section = "score" if model.layout.number else "classify"
    yield from ("", f"{section}:", f"  pool: {model.layout.pool}")
    if model.layout.number:
        ((_, score),) = scores(found[("classify",), "score"], model.layout.classes, model)
        yield f"  value: {score}"
        return
    for label, score in scores(found[("classify",), "score"], model.layout.classes, model):
        yield f"  {label if spell.is_name(label) else spell.quoted(label)}: {score}"


def learn_lines(model: Model) -> Iterator[str]:
    """The section ``learn:``."""
    layout = model.layout
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


def examples_lines(model: Model) -> Iterator[str]:
    """The section ``examples:``."""
    if model.layout.examples:
        yield from ("", "examples:")
    for given, expected in model.layout.examples:
        yield f"  {_raw(given)} -> {_raw(expected)}"


def _raw(text: str) -> str:
    plain = "->" not in text and "→" not in text and text == text.strip() and "#" not in text
    return text if plain and text[:1] not in "\"'" else spell.quoted(text)
