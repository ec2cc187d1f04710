"""Heads of a learned network by the semes of a written program that reads the same questions."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from progtf.analysis.heads import OUT, Decompiled, Maps, Seen, basis, decompiled, share
from progtf.network.model import Model as Written
from progtf.nn.attention import RoleAttention
from progtf.nn.inside import Inside
from progtf.nn.transformer import Block
from progtf.training.networks import LearnedModel

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
RIDGE = 1e-2
BOUND = "attn.hook_bound"


@dataclass(frozen=True)
class Head:
    """A head of an encoder, and what it is in semes.

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


def decompile_head(  # noqa: PLR0913  each is told apart
    model: LearnedModel,
    program: Written,
    questions: Sequence[str],
    held_out: Sequence[str],
    block: int,
    head: int,
    draws: int = 40,
) -> Head:
    """A head of the encoder in the semes that a program has where its encoder ends.

    Args:
        model: a TP-Transformer or a Transformer.
        program: reads the same questions, character by character.
        questions: by which semes are found in the residual.
        held_out: others, by which what is explained is counted.
        block: of the encoder, from 0 on.
        head: of the block, from 0 on.
        draws: how often questions are drawn anew, for intervals.

    Raises:
        ValueError: for questions that the program reads otherwise.
    """
    path, own = f"encoder.blocks.{block}", _block(model, block)
    points = [f"{path}.{point}" for point in ("hook_resid_pre", "hook_resid_mid", BOUND)]
    before, after, bound = (rows for _, rows in seen(model, points, questions))
    number, names, semes = semes_of(program, questions)
    kept, maps = basis(semes), _maps(own, head)
    read, written = (Seen(e, semes[:, kept], number) for e in _free_of_norms(own, before, after))
    known = [names[n] for n in kept]
    told = decompiled(maps, read, written, bound[:, head], known, draws, RIDGE)
    reads = {field: each for field, each in told.back.items() if field != OUT}
    silent = {OUT: (np.zeros_like(maps[OUT][0]), told.mean)}
    forms = {"original": {}, "reads": reads, "whole": told.back, "ablated": silent}
    networks = {name: _with(model, block, head, form) for name, form in forms.items()}
    writes = {name: _update(network, block, head, held_out) for name, network in networks.items()}
    explained = {name: share(writes["original"], writes[name]) for name in ("reads", "whole")}
    return Head(told, networks, explained)


def seen(
    model: Inside, points: Sequence[str], questions: Sequence[str]
) -> list[tuple[Numbers, Array]]:
    """What stands at points, and of which question: at its characters, and at both its ends."""
    _, cache = model.run_with_cache(list(questions), list(points))
    sizes = [len(text) + 2 for text in questions]
    number, found = np.repeat(np.arange(len(questions)), sizes), list[tuple[Numbers, Array]]()
    for point in points:
        rows = cache[point].double().numpy()
        parts = [each[:size] for each, size in zip(rows, sizes, strict=True)]
        found.append((number, np.concatenate(parts)))
    return found


def semes_of(program: Written, questions: Sequence[str]) -> tuple[Numbers, list[str], Array]:
    """What is known at the same positions as `seen`: of which question, names, and their values.

    These are the semes where a program's encoder ends, and every character, as ``"7"``.

    Raises:
        ValueError: for questions that are not read by characters between two ends.
    """
    read = [["<bos>", *text, "<eos>"] for text in questions]
    for text, due in zip(questions, read, strict=True):
        if program.reader.read(text) != due:
            raise ValueError(f"the program does not read {text!r} by characters")
    blocks = [name for name in program.hooks() if name.startswith("encoder.blocks.")]
    last = max(int(name.split(".")[2]) for name in blocks)
    ((number, rows),) = seen(program, [f"encoder.blocks.{last}.hook_resid_post"], questions)
    tokens = np.array([token for text in read for token in text])
    characters = sorted({*"".join(questions)})
    each = [rows[:, : len(program.semes)], *((tokens == one)[:, None] for one in characters)]
    names = [*program.semes, *(f'"{one}"' for one in characters)]
    return number, names, np.concatenate(each, axis=1, dtype=float)


def _block(model: LearnedModel, block: int) -> Block:
    network: Any = model.network
    return network.encoder.blocks[block]


def _attention(block: Block) -> RoleAttention:
    assert block.attention is not None
    (attention,) = block.attention.layer
    return attention


@torch.no_grad()
def _free_of_norms(block: Block, before: Array, after: Array) -> tuple[Array, Array]:
    """What heads read behind a norm, and what they write before another one's gain and bias."""
    assert block.attention is not None
    read = block.attention.before(torch.from_numpy(before).float()).double().numpy()
    if not isinstance(block.attention.after, nn.LayerNorm):
        return read, after
    gain, bias = (each.double().numpy() for each in block.attention.after.parameters())
    return read, (after - bias) / gain


def _part(block: Block, field: str, head: int) -> slice:
    """Where a head stands in the maps of all."""
    (heads,) = _attention(block)
    sizes, binding = heads.sizes, heads.binding
    size = {
        "query": sizes.d_key, "key": sizes.d_key, "value": sizes.d_filler,
        "role": binding.d_role(sizes.d_filler), OUT: binding.d_bound(sizes.d_filler),
    }[field]  # fmt: skip
    return slice(head * size, (head + 1) * size)


def _maps(block: Block, head: int) -> dict[str, tuple[Array, Array]]:
    found: dict[str, tuple[Array, Array]] = {}
    for field, (weight, bias) in _attention(block).parts().items():
        part = _part(block, field, head)
        own = (weight[part], bias) if field == OUT else (weight[:, part], bias[part])
        if own[0].numel():  # a head may have no role
            found[field] = own[0].double().numpy(), own[1].double().numpy()
    return found


def _with(model: LearnedModel, block: int, head: int, maps: Maps) -> LearnedModel:
    """The network with other maps of a head; the bias of ``out`` is that of all heads."""
    network: Any = deepcopy(model.network)
    changed = replace(model, network=network)
    own = _block(changed, block)
    parts = _attention(own).parts()
    for field, (weight, bias) in maps.items():
        part, (there, beside) = _part(own, field, head), parts[field]
        (there[part] if field == OUT else there[:, part]).copy_(torch.from_numpy(weight))
        (beside if field == OUT else beside[part]).copy_(torch.from_numpy(bias))
    return changed


def _update(model: LearnedModel, block: int, head: int, questions: Sequence[str]) -> Array:
    """What a head adds to the residual, with the bias of all heads."""
    ((_, bound),) = seen(model, [f"encoder.blocks.{block}.{BOUND}"], questions)
    weight, bias = _maps(_block(model, block), head)[OUT]
    return bound[:, head, : len(weight)] @ weight + bias
