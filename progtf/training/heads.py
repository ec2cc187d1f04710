"""Heads of a learned network by the semes of a written program that reads the same questions."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from progtf.analysis.heads import OUT, Decompiled, Maps, Seen, Sides, basis, decompiled, share
from progtf.data.problem import Problem
from progtf.network.model import Model as Written
from progtf.nn.attention import HeadGroups, RoleAttention
from progtf.nn.inside import check_name
from progtf.nn.transformer import Sublayer
from progtf.training.networks import LearnedModel
from progtf.training.states import ENCODER, seen, semes_of

Array = NDArray[np.float64]
RIDGE = 1e-2
BOUND, CROSS = "hook_bound", "cross"


@dataclass(frozen=True)
class Head:
    """A head, and what it is in semes.

    Attributes:
        told: in semes.
        networks: with the head as it is (``original``), with all that it reads told in semes
            (``reads``), with what it writes told in semes, too (``whole``), and with its mean in
            its place (``ablated``).
        explained: of ``reads`` and ``whole`` the share of the variance of what the head writes, on
            questions by which nothing was fitted.
    """

    told: Decompiled
    networks: Mapping[str, LearnedModel]
    explained: Mapping[str, float]

    def recovered(self, losses: Mapping[str, float], form: str) -> float:
        """The share of what is lost without the head that a form wins back: 1 for all of it."""
        lost = losses["ablated"] - losses["original"]
        return (losses["ablated"] - losses[form]) / lost if lost else float("nan")


def decompile_heads(
    model: LearnedModel,
    program: Written,
    problems: Sequence[Problem],
    held_out: Sequence[Problem],
    heads: str,
    draws: int = 40,
) -> tuple[Head, ...]:
    """The heads of a layer in the semes that a program has where its encoder ends, or its decoder.

    Heads of a decoder are looked at while it is given the answers, as in training, and so is the
    program: its semes are those that it has if it answers so.

    Args:
        model: a TP-Transformer or a Transformer.
        program: reads the same questions, character by character.
        problems: questions by which semes are found in the residual, with their answers.
        held_out: others, by which what is explained is counted.
        heads: where they stand, as names of points have it: ``encoder.blocks.0.attn``,
            ``decoder.blocks.1.cross``.
        draws: how often questions are drawn anew, for intervals.

    Raises:
        ValueError: for questions that the program reads otherwise, for a decoder's heads where the
            program has no decoder, and for heads that are none.
    """
    check_name(f"{heads}.{BOUND}", model.hooks())
    sides = _sides(model, program, problems, heads, draws)
    ((_, bound),) = seen(model, [f"{heads}.{BOUND}"], problems)
    found: list[Head] = []
    for number in range(bound.shape[1]):
        maps = _maps(_sublayer(model, heads), number)
        told = decompiled(maps, sides, bound[:, number, : len(maps[OUT][0])])
        networks = {
            name: _with(model, heads, number, form) for name, form in _forms(maps, told).items()
        }
        writes = {form: _update(n, heads, number, held_out) for form, n in networks.items()}
        explained = {form: share(writes["original"], writes[form]) for form in ("reads", "whole")}
        found.append(Head(told, networks, explained))
    return tuple(found)


def _forms(maps: Maps, told: Decompiled) -> dict[str, Maps]:
    """What is put in the place of a head's maps."""
    reads = {field: each for field, each in told.back.items() if field != OUT}
    silent = {OUT: (np.zeros_like(maps[OUT][0]), told.mean)}
    return {"original": {}, "reads": reads, "whole": told.back, "ablated": silent}


def _sides(
    model: LearnedModel, program: Written, problems: Sequence[Problem], heads: str, draws: int
) -> Sides:
    """What residuals and semes say of each other where heads read and write."""
    block, _, kind = heads.rpartition(".")
    ends = ("mid", "mid_cross") if kind == CROSS else ("pre", "mid")
    points = [f"{block}.hook_resid_{end}" for end in ends]
    before, after = (rows for _, rows in seen(model, points, problems))
    own, known = _sublayer(model, heads), _known(program, problems, heads.partition(".")[0])
    read, written = (known(rows) for rows in _free_of_norms(own, before, after))
    source = None
    if kind == CROSS:
        source = _known(program, problems, ENCODER)(_memory(model, problems))
    return Sides.of(read, written, source, draws, RIDGE)


def _known(program: Written, problems: Sequence[Problem], side: str) -> Callable[[Array], Seen]:
    """What puts residuals of an encoder or a decoder beside semes that do not tell each other."""
    number, names, semes = semes_of(program, problems, side)
    kept = basis(semes)
    return lambda rows: Seen(rows, semes[:, kept], number, tuple(names[n] for n in kept))


@torch.no_grad()
def _memory(model: LearnedModel, problems: Sequence[Problem]) -> Array:
    """What heads of a decoder read of an encoder."""
    network: Any = model.network
    last = f"{ENCODER}.blocks.{len(network.encoder.blocks) - 1}.hook_resid_post"
    ((_, rows),) = seen(model, [last], problems)
    return network.encoder.closed(torch.from_numpy(rows).float()).double().numpy()


def _sublayer(model: LearnedModel, heads: str) -> Sublayer[HeadGroups]:
    side, _, number, kind = heads.split(".")
    network: Any = model.network
    block = getattr(network, side).blocks[int(number)]
    return block.cross if kind == CROSS else block.attention


def _attention(own: Sublayer[HeadGroups]) -> RoleAttention:
    (attention,) = own.layer
    return attention


@torch.no_grad()
def _free_of_norms(own: Sublayer[HeadGroups], before: Array, after: Array) -> tuple[Array, Array]:
    """What heads read behind a norm, and what they write before another one's gain and bias."""
    read = own.read(torch.from_numpy(before).float()).double().numpy()
    if not isinstance(own.after, nn.LayerNorm):
        return read, after
    gain, bias = (each.double().numpy() for each in own.after.parameters())
    return read, (after - bias) / gain


def _part(own: Sublayer[HeadGroups], field: str, head: int) -> slice:
    """Where a head stands in the maps of all."""
    (heads,) = _attention(own)
    sizes, binding = heads.sizes, heads.binding
    size = {
        "query": sizes.d_key, "key": sizes.d_key, "value": sizes.d_filler,
        "role": binding.d_role(sizes.d_filler), OUT: binding.d_bound(sizes.d_filler),
    }[field]  # fmt: skip
    return slice(head * size, (head + 1) * size)


def _maps(own: Sublayer[HeadGroups], head: int) -> dict[str, tuple[Array, Array]]:
    found: dict[str, tuple[Array, Array]] = {}
    for field, (weight, bias) in _attention(own).parts().items():
        part = _part(own, field, head)
        each = (weight[part], bias) if field == OUT else (weight[:, part], bias[part])
        if each[0].numel():  # a head may have no role
            found[field] = each[0].double().numpy(), each[1].double().numpy()
    return found


def _with(model: LearnedModel, heads: str, head: int, maps: Maps) -> LearnedModel:
    """The network with other maps of a head; the bias of ``out`` is that of all heads."""
    changed = replace(model, network=deepcopy(model.network))
    own = _sublayer(changed, heads)
    parts = _attention(own).parts()
    for field, (weight, bias) in maps.items():
        part, (there, beside) = _part(own, field, head), parts[field]
        (there[part] if field == OUT else there[:, part]).copy_(torch.from_numpy(weight))
        (beside if field == OUT else beside[part]).copy_(torch.from_numpy(bias))
    return changed


def _update(model: LearnedModel, heads: str, head: int, problems: Sequence[Problem]) -> Array:
    """What a head adds to the residual, with the bias of all heads."""
    ((_, bound),) = seen(model, [f"{heads}.{BOUND}"], problems)
    weight, bias = _maps(_sublayer(model, heads), head)[OUT]
    return bound[:, head, : len(weight)] @ weight + bias
