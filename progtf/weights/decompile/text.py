"""Models to text: a program that compiles to the same weights, bit by bit.

Idioms are gone: heads are printed as queries, keys, values, roles and output maps, rules as the
matrices of the feed-forward layer. What stands behind the layers is written here.
"""

from collections.abc import Iterator

from progtf.mistakes import MistakeError
from progtf.notation import spell
from progtf.program.loops import by_loop
from progtf.weights.decompile.layers import run_lines
from progtf.weights.decompile.opening import (
    declarations,
    lexicon_lines,
    model_lines,
    spelling_lines,
    wrapped,
)
from progtf.weights.decompile.shown import Found, arrows, field_lines, like, scores, with_marks
from progtf.weights.layout import LayerLayout
from progtf.weights.weights import Weights


class UnwritableError(MistakeError):
    """Weights that the notation has no words for."""


def decompile(weights: Weights) -> str:
    """The text of a program with exactly these weights.

    Raises:
        UnwritableError: for weights on dimensions that no seme names, and for infinities or NaN.
    """
    found = {key: with_marks(each) for key, each in weights.maps.items()}
    _check_names(found, weights)
    lines = [f"# Decompiled from {weights.layout.name} ({weights.dtype}).", ""]
    lines += [*model_lines(weights), "", "semes:", *wrapped(declarations(weights, found), "  ")]
    if weights.layout.clocks:
        periods = " ".join(f"/{spell.number(period)}" for period in weights.layout.clocks)
        lines += ["", f"clocks: {periods}"]
    lines += [*spelling_lines(weights, found), "", *lexicon_lines(weights, found)]
    lines += cell_lines(weights, found)
    for stack in ("encoder", "decoder"):
        placed = [each for each in weights.layout.stages() if each.stack == stack]
        shown = [line for run in by_loop(placed) for line in run_lines(run, weights, found)]
        lines += ["", f"{stack}:", *shown] if shown else []
    lines += [*output_lines(weights, found), *classify_lines(weights, found), *learn_lines(weights)]
    lines += examples_lines(weights)
    return "\n".join(lines) + "\n"


def _check_names(found: Found, weights: Weights) -> None:
    """Extra dimensions have no names, and clocks cannot be written."""
    clocks = set(weights.layout.names[weights.layout.semes :])
    for (path, field), entries in found.items():
        for source, target in entries:
            written = field in ("out", "mat2", "bias2", "vector")
            if "extra[" in source + target or (written and target in clocks):
                place = " / ".join(path)
                raise UnwritableError(
                    f"{place}: a weight of `{source}>{target}` has no name in the notation"
                )


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
