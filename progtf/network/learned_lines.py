"""Learned parts in the notation: their largest weights, with names for what has none."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from torch import nn

from progtf.network.learned import HybridScores, LearnedHeads, LearnedRules, MixedHead
from progtf.network.network import Network
from progtf.nn import Affine
from progtf.notation import spell
from progtf.numbers import rounded

Maps = Iterator[tuple[str, Affine, Sequence[str], Sequence[str]]]


def learned_lines(network: Network, above: float) -> Iterator[str]:
    """Every learned weight whose size is above a threshold, the largest of each map first.

    Learned dimensions are called ``learned[0]``, ``learned[1]`` ...; features and hidden units are
    numbered. The constants of roles begin at 1, where a head binds to nothing: how far they are
    from it is what counts.
    """
    layout = network.weights.layout
    learn = layout.learn
    if learn is None:
        return
    own = _numbered("learned", learn.semes)
    read = (*learn.reads, *own)
    semes = () if learn.protect else layout.names[: layout.semes]
    for name, part in network.named_modules():
        for field, affine, sources, targets in _maps(part, read, (*semes, *own)):
            shown = _shown(affine, sources, targets or layout.outputs, above)
            if shown:
                yield f"{_place(name)} / {field}: {', '.join(shown)}"


def _maps(part: nn.Module, read: Sequence[str], written: Sequence[str]) -> Maps:
    """The maps of one learned part: field, weights, sources, targets."""
    match part:
        case LearnedHeads():
            yield from _of_heads(part, read, written)
        case MixedHead():
            yield from _of_mixed(part, read, written)
        case LearnedRules():
            inner, outer = part.inner, part.outer
            units = _numbered("unit", inner.weight.shape[1])
            yield "mat1", inner, read, units
            yield "mat2", outer, units, written
        case HybridScores(learned=Affine() as learned):
            yield "learned score", learned, read, ()
        case _:
            pass


def _of_heads(part: LearnedHeads, read: Sequence[str], written: Sequence[str]) -> Maps:
    (heads,) = part
    dst, src, out = cast("Affine", part.dst), cast("Affine", part.src), part.out
    keys, roles = heads.dst_columns
    asked, fillers = _numbered("key", keys), _numbered("filler", heads.src_columns[1])
    yield "query and role", dst, read, (*asked, *_numbered("role", roles))
    yield "key and value", src, read, (*asked, *fillers)
    yield "out", out, _numbered("filler", out.weight.shape[0]), written


def _of_mixed(part: MixedHead, read: Sequence[str], written: Sequence[str]) -> Maps:
    (heads,) = part
    fillers = _numbered("filler", heads.sizes.d_filler)
    yield "value", part.value, read, fillers
    if part.role is not None:
        yield "role", part.role, read, _numbered("role", len(fillers))
    if part.asks is not None:
        yield "query", part.asks, read, _numbered("key", heads.sizes.d_key)
    yield "out", part.out, fillers, written


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}[{number}]" for number in range(count))


def _shown(
    affine: Affine, sources: Sequence[str], targets: Sequence[str], above: float
) -> list[str]:
    """The large entries of a map, and of its bias, the largest first."""
    parts = affine.weight.detach(), affine.bias.detach()
    numbers = np.vstack([part.double().cpu().numpy() for part in parts])
    size = np.abs(numbers)
    size[-1] = np.abs(numbers[-1] - [float(target.startswith("role[")) for target in targets])
    rows, columns = ((size > above) & (numbers != 0)).nonzero()  # all are 0 before they are drawn
    order = np.argsort(-size[rows, columns], kind="stable")
    shown: list[str] = []
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        value, target = rounded(float(numbers[row, column]), digits=3), str(targets[column])
        bias = row == len(sources)
        shown += [
            spell.term(value, target) if bias else spell.entry(value, str(sources[row]), target)
        ]
    return shown


def _place(name: str) -> str:
    """``encoder.blocks.1.attention...`` as ``encoder / layer 2 / attention``."""
    parts = name.split(".")
    if len(parts) < 4:
        return name
    group = f" {int(parts[6]) + 1}" if len(parts) > 6 and parts[6].isdigit() else ""
    return f"{parts[0]} / layer {int(parts[2]) + 1} / {parts[3]}{group}"
