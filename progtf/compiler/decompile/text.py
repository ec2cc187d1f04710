"""Models to text: a program that compiles to the same weights, bit by bit.

Idioms are gone: heads are printed as queries, keys, values, roles and output maps, rules as the
matrices of the feed-forward layer.
"""

from progtf.compiler.decompile.ending import (
    cell_lines,
    classify_lines,
    examples_lines,
    learn_lines,
    output_lines,
)
from progtf.compiler.decompile.layers import all_learned, stage_lines
from progtf.compiler.decompile.marked import Found, with_marks
from progtf.compiler.decompile.opening import (
    declarations,
    lexicon_lines,
    model_lines,
    spelling_lines,
    wrapped,
)
from progtf.compiler.entries import tables
from progtf.compiler.folder import stored_dtype
from progtf.compiler.model import Model
from progtf.notation import spell


class UnwritableError(ValueError):
    """Weights that the notation has no words for."""


def decompile(model: Model) -> str:
    """The text of a program with exactly these weights.

    Raises:
        UnwritableError: for weights on dimensions that no seme names, and for infinities or NaN.
    """
    found = {(table.path, table.field): table.entries for table in tables(model)}
    _check_names(found, model)
    found = with_marks(found, model)
    lines = [f"# Decompiled from {model.layout.name} ({stored_dtype(model)}).", ""]
    lines += [*model_lines(model), "", "semes:", *wrapped(declarations(model, found), "  ")]
    if model.layout.clocks:
        periods = " ".join(f"/{spell.number(period)}" for period in model.layout.clocks)
        lines += ["", f"clocks: {periods}"]
    lines += [*spelling_lines(model, found), "", *lexicon_lines(model, found)]
    lines += cell_lines(model, found)
    for stack in ("encoder", "decoder"):
        stages = model.layout.encoder if stack == "encoder" else model.layout.decoder
        stages = tuple(stage for stage in stages if not all_learned(stage))
        lines += ["", f"{stack}:"] if stages else []
        for number, stage in enumerate(stages, start=1):
            lines += ["", *stage_lines(stage, (stack, f"{number} {stage.name}"), model, found)]
    lines += [*output_lines(model, found), *classify_lines(model, found), *learn_lines(model)]
    lines += examples_lines(model)
    return "\n".join(lines) + "\n"


def _check_names(found: Found, model: Model) -> None:
    """Extra dimensions have no names, and clocks cannot be written."""
    clocks = set(model.layout.names[model.layout.semes :])
    for (path, field), entries in found.items():
        for source, target in entries:
            written = field in ("out", "out bias", "mat2", "bias2", "vector")
            if "extra[" in source + target or (written and target in clocks):
                place = " / ".join(path)
                raise UnwritableError(
                    f"{place}: a weight of `{source}>{target}` has no name in the notation"
                )
