"""Models to text: a program that compiles to the same weights, bit by bit.

Idioms are gone: heads are printed as queries, keys, values, roles and output maps, rules as the
matrices of the feed-forward layer.
"""

from progtf.notation import spell
from progtf.weights.decompile.ending import (
    cell_lines,
    classify_lines,
    examples_lines,
    learn_lines,
    output_lines,
)
from progtf.weights.decompile.layers import stage_lines
from progtf.weights.decompile.marked import Found, with_marks
from progtf.weights.decompile.opening import (
    declarations,
    lexicon_lines,
    model_lines,
    spelling_lines,
    wrapped,
)
from progtf.weights.weights import Weights


class UnwritableError(ValueError):
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
        shown = [
            line
            for name, _, path, stage in weights.layout.stages()
            if name == stack and not weights.only_learned(path, stage)
            for line in ("", *stage_lines(stage, path, weights, found))
        ]
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
