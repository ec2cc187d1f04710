"""Programs to weights. The one place where a name becomes the number of a row or column."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from progtf.compiler.hybrid import has_rules, written_groups, written_rules
from progtf.compiler.layout import distinct_parts, grouped
from progtf.compiler.network import CarryClocks, Network, Replace
from progtf.compiler.units import hidden_units
from progtf.nn import (
    Affine,
    Block,
    FeedForward,
    HeadGroups,
    Pattern,
    RoleAttention,
    Stack,
    WrittenSoftmax,
)
from progtf.program import model as m
from progtf.program.forms import Form, Space
from progtf.program.interpret import class_forms


def write_weights(network: Network, program: m.Program) -> None:
    """Puts the weights of a program into a network of its layout (float64)."""
    with torch.no_grad():
        _write_embedding(network, program)
        _write_stack(network.encoder, program.encoder, program)
        _write_stack(network.decoder, program.decoder, program)
        if network.cell is not None and program.cell is not None:
            _fill(network.cell.inputs, *_square(program.cell.input, program))
            network.cell.recurrent.copy_(_square(program.cell.recurrent, program)[0])
        if network.output is not None:
            _fill(network.output, *columns(program, list(program.outputs.values())))
        if network.classifier is not None:
            _fill(network.classifier.score, *columns(program, class_forms(program)[1]))


def columns(program: m.Program, forms: Sequence[Form]) -> tuple[Tensor, Tensor]:
    """Forms as an affine map: weight (width, forms) and bias (forms,), float64."""
    weight, bias = program.space.columns(forms)
    full = torch.zeros(program.width, len(forms), dtype=torch.float64)
    full[: len(program.space)] = torch.from_numpy(weight)
    return full, torch.from_numpy(bias)


def rows(space: Space, written: Sequence[Mapping[str, float]], width: int) -> Tensor:
    """What each of several sources writes: weight (sources, width), float64."""
    weight = np.zeros((len(written), width))
    for row, writes in enumerate(written):
        for name, value in writes.items():
            weight[row, space.index[name]] = value
    return torch.from_numpy(weight)


def _fill(affine: Affine, weight: Tensor, bias: Tensor) -> None:
    affine.weight.copy_(weight)
    affine.bias.copy_(bias)


def _square(weights: Mapping[str, Form], program: m.Program) -> tuple[Tensor, Tensor]:
    """Forms by target as a map from the residual to itself."""
    weight, bias = columns(program, list(weights.values()))
    places = [program.space.index[name] for name in weights]
    full = torch.zeros(program.width, program.width, dtype=torch.float64)
    constant = torch.zeros(program.width, dtype=torch.float64)
    full[:, places], constant[places] = weight, bias
    return full, constant


def _write_embedding(network: Network, program: m.Program) -> None:
    vectors = [*program.lexicon.values(), program.unknown or {}, {}]
    network.embedding.vectors.copy_(rows(program.space, vectors, program.width))
    network.embedding.spelled.copy_(rows(program.space, program.spelled, program.width))


def _write_stack(stack: Stack, stages: Sequence[m.Stage], program: m.Program) -> None:
    for block, stage in _first_rounds(stack, stages):
        match stage:
            case m.Dense():
                assert isinstance(block, Replace)
                assert isinstance(block.layer, CarryClocks)
                _fill(block.layer.dense.affine, *_square(stage.weights, program))
            case m.Layer():
                assert isinstance(block, Block)
                _write_block(block, stage, program)


def _first_rounds(stack: Stack, stages: Sequence[m.Stage]) -> Iterator[tuple[nn.Module, m.Stage]]:
    """Every stage with its block; a repeated layer is one block, written once."""
    blocks = iter(stack.blocks)
    for stage in stages:
        yield next(blocks), stage
        for _ in range(stage.repeat - 1 if isinstance(stage, m.Layer) else 0):
            next(blocks)


def _write_block(block: Block, layer: m.Layer, program: m.Program) -> None:
    for sublayer, heads in ((block.attention, layer.heads), (block.cross, layer.cross)):
        if sublayer is not None:
            _write_heads(sublayer.layer, heads, program)
    if has_rules(block) and layer.feedforward is not None:
        _write_feedforward(written_rules(block), layer.feedforward, program)


def _write_feedforward(layer: FeedForward, block: m.FeedForward, program: m.Program) -> None:
    hidden = hidden_units(block)
    _fill(layer.inner, *columns(program, [unit.reads for unit in hidden.units]))
    bias = rows(program.space, [hidden.bias], program.width)[0]
    _fill(layer.outer, rows(program.space, [u.writes for u in hidden.units], program.width), bias)


# ------------------------------------------------------------------ heads


def _write_heads(groups: HeadGroups, heads: Sequence[m.Head], program: m.Program) -> None:
    for group, members in zip(written_groups(groups), grouped(heads), strict=True):
        _write_group(group, members, program)


def _write_group(group: RoleAttention, heads: list[m.Head], program: m.Program) -> None:
    sharpness = group.pattern.sharpness  # type: ignore[attr-defined]
    for number, head in enumerate(heads):
        sharpness[number] = head.sharpness
        first = number * group.sizes.d_key
        if "query" not in head.learned:
            _write_part(group, "query", [f.query for f in head.features], first, program)
        _write_part(group, "key", [f.key for f in head.features], first, program)
        if head.learned:
            _write_rest(group, number, head)
            continue
        write = _write_outer if program.binding == "outer" else _write_channels
        write(group, head, number, program)
        group.out.bias.add_(rows(program.space, [head.bias], program.width)[0])


def _write_rest(group: RoleAttention, number: int, head: m.Head) -> None:
    """The null key of a head with a learned filler: it fills in nothing."""
    if head.null is not None:
        _write_null(group.pattern, number, head.null.score, ())


def _write_channels(group: RoleAttention, head: m.Head, number: int, program: m.Program) -> None:
    first = number * group.sizes.d_filler
    _write_part(group, "value", [channel.filler for channel in head.channels], first, program)
    if program.binding == "hadamard":
        _write_part(group, "role", [channel.role for channel in head.channels], first, program)
    written = rows(program.space, [channel.writes for channel in head.channels], program.width)
    group.out.weight[first : first + len(written)] = written
    if head.null is not None:
        _write_null(group.pattern, number, head.null.score, head.null.filler)


def _write_outer(group: RoleAttention, head: m.Head, number: int, program: m.Program) -> None:
    """Every filler times every role; the output map picks the products that are written."""
    fillers, roles = distinct_parts(head)
    d_filler = group.sizes.d_filler
    d_role = group.binding.d_role(d_filler)
    forms = [form for form, _ in fillers]
    _write_part(group, "value", forms, number * d_filler, program)
    _write_part(group, "role", roles, number * d_role, program)
    nulls = (0.0,) * len(head.channels) if head.null is None else head.null.filler
    for channel, null in zip(head.channels, nulls, strict=True):
        filler = number * d_filler + fillers.index((channel.filler, null))
        product = filler * d_role + roles.index(channel.role)
        group.out.weight[product] += rows(program.space, [channel.writes], program.width)[0]
    if head.null is not None:
        _write_null(group.pattern, number, head.null.score, tuple(null for _, null in fillers))


def _write_part(
    group: RoleAttention, part: str, forms: Sequence[Form], first: int, program: m.Program
) -> None:
    weight, bias = group.parts()[part]
    written, constant = columns(program, forms)
    weight[:, first : first + len(forms)] = written
    bias[first : first + len(forms)] = constant


def _write_null(pattern: Pattern, number: int, score: float, filler: tuple[float, ...]) -> None:
    assert isinstance(pattern, WrittenSoftmax)
    pattern.null_score[number] = score
    pattern.null_filler[number, : len(filler)] = torch.tensor(filler, dtype=torch.float64)
