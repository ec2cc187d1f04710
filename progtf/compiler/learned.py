"""Learned parts in the notation: their largest weights, with names for what has none."""

from collections.abc import Iterator, Sequence

from torch import nn

from progtf.compiler.entries import CONSTANT, affine_entries
from progtf.compiler.hybrid import HybridOutput, LearnedHeads, LearnedRules, MixedHead
from progtf.compiler.model import Model
from progtf.nn import Affine
from progtf.notation import spell


def learned_lines(model: Model, above: float) -> Iterator[str]:
    """Every learned weight whose size is above a threshold, the largest of each map first.

    Learned dimensions are called ``learned[0]``, ``learned[1]`` ...; features and hidden units are
    numbered. The constants of roles begin at 1, where a head binds to nothing: how far they are
    from it is what counts.
    """
    learn = model.layout.learn
    if learn is None:
        return
    own = tuple(f"learned[{number}]" for number in range(learn.semes))
    read = (*learn.reads, *own)
    semes = () if learn.protect else model.layout.names[: model.layout.semes]
    for name, part in model.network.named_modules():
        for field, affine, sources, targets in _maps(part, read, (*semes, *own)):
            shown = _shown(affine, sources, targets or model.layout.outputs, above)
            if shown:
                yield f"{_place(name)} / {field}: {', '.join(shown)}"


def _maps(
    part: nn.Module, read: Sequence[str], written: Sequence[str]
) -> Iterator[tuple[str, Affine, Sequence[str], Sequence[str]]]:
    """The maps of one learned part: field, weights, sources, targets."""
    match part:
        case LearnedHeads():
            keys, roles = part.dst_columns
            fillers = part.src_columns[1]
            asked, bound = _numbered("key", keys), _numbered("role", roles)
            yield "query and role", part.dst, read, (*asked, *bound)
            yield "key and value", part.src, read, (*asked, *_numbered("filler", fillers))
            yield "out", part.out, _numbered("filler", part.out.weight.shape[0]), written
        case MixedHead():
            fillers = _numbered("filler", part.sizes.d_filler)
            yield "value", part.value, read, fillers
            if part.role is not None:
                yield "role", part.role, read, _numbered("role", len(fillers))
            if part.asks is not None:
                yield "query", part.asks, read, _numbered("key", part.sizes.d_key)
            yield "out", part.out, fillers, written
        case LearnedRules():
            units = _numbered("unit", part.inner.weight.shape[1])
            yield "mat1", part.inner, read, units
            yield "mat2", part.outer, units, written
        case HybridOutput():
            yield "learned score", part.learned, read, ()
        case _:
            pass


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}[{number}]" for number in range(count))


def _shown(
    affine: Affine, sources: Sequence[str], targets: Sequence[str], above: float
) -> list[str]:
    entries = affine_entries(affine, sources, targets)
    sizes = {entry: abs(value - _start(*entry)) for entry, value in entries.items()}
    large = sorted(
        ((entry, value) for entry, value in entries.items() if sizes[entry] > above),
        key=lambda item: -sizes[item[0]],
    )
    return [
        spell.term(round(value, 3), target)
        if source == CONSTANT
        else spell.entry(round(value, 3), source, target)
        for (source, target), value in large
    ]


def _start(source: str, target: str) -> float:
    return 1.0 if source == CONSTANT and target.startswith("role[") else 0.0


def _place(name: str) -> str:
    """``encoder.blocks.1.attention...`` as ``encoder / layer 2 / attention``."""
    parts = name.split(".")
    if len(parts) < 4:
        return name
    group = f" {int(parts[6]) + 1}" if len(parts) > 6 and parts[6].isdigit() else ""
    return f"{parts[0]} / layer {int(parts[2]) + 1} / {parts[3]}{group}"
