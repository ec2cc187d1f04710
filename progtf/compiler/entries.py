"""The weights of a model by name: what decompiling prints and comparing compares."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from progtf.compiler.hybrid import written_groups, written_rules
from progtf.compiler.layout import (
    DenseLayout,
    GroupLayout,
    HeadLayout,
    LayerLayout,
    head_labels,
)
from progtf.compiler.model import Model
from progtf.compiler.network import Replace
from progtf.nn import Affine, Block, RoleAttention, WrittenSoftmax
from progtf.notation import spell

Entries = Mapping[tuple[str, str], float]
CONSTANT = ""


@dataclass(frozen=True)
class Table:
    """The entries of one field: (source, target) -> weight; source "" is the bias.

    ``path`` is where it stands: stack, layer, head.
    """

    path: tuple[str, ...]
    field: str
    entries: Entries


def tables(model: Model) -> Iterator[Table]:
    """All weights of a model that are not zero, field by field, in the order of the text."""
    yield from lexicon_tables(model)
    if model.network.cell is not None:
        yield Table(
            ("cell",),
            "input",
            affine_entries(model.network.cell.inputs, names_of(model), names_of(model)),
        )
        recurrent = matrix_entries(model.network.cell.recurrent, names_of(model), names_of(model))
        yield Table(("cell",), "recurrent", recurrent)
    for stack in ("encoder", "decoder"):
        yield from stack_tables(model, stack)
    if model.network.output is not None:
        yield Table(
            ("output",),
            "score",
            affine_entries(model.network.output, names_of(model), model.layout.outputs),
        )
    if model.network.classifier is not None:
        scores = affine_entries(
            model.network.classifier.score, names_of(model), model.layout.classes
        )
        yield Table(("classify",), "score", scores)


def names_of(model: Model) -> tuple[str, ...]:
    """A name for every dimension of the residual; those past the space are called extra."""
    extra = range(model.layout.width - len(model.layout.space))
    return (*model.layout.names, *(f"extra[{i}]" for i in extra))


def lexicon_tables(model: Model) -> Iterator[Table]:
    """One table of (token, seme) entries; the unknown token is ``unknown``."""
    tokens = [spell.token(token) for token in model.layout.lexicon]
    tokens += ["unknown"] * model.layout.unknown
    vectors = model.network.embedding.vectors[: len(tokens)]
    yield Table(("lexicon",), "vector", matrix_entries(vectors, tokens, names_of(model)))
    if marks := marks_of(model):
        given = matrix_entries(model.network.embedding.spelled, marks, names_of(model))
        yield Table(("spelling",), "vector", given)


def marks_of(model: Model) -> tuple[str, ...]:
    """A name for each row of what spelling gives: `contains "n't"`."""
    return tuple(f"{mark.test} {spell.quoted(mark.text)}" for mark in model.layout.spelling.marks)


def stack_tables(model: Model, stack: str) -> Iterator[Table]:
    """The tables of all layers of a stack; a repeated layer comes once."""
    stages = model.layout.encoder if stack == "encoder" else model.layout.decoder
    blocks = iter(getattr(model.network, stack).blocks)
    for number, stage in enumerate(stages, start=1):
        block = next(blocks)
        path = (stack, f"{number} {stage.name}")
        if isinstance(stage, DenseLayout):
            yield from dense_tables(block, path, model)
            continue
        for _ in range(stage.repeat - 1):
            next(blocks)
        yield from layer_tables(block, stage, path, model)


def dense_tables(block: Replace, path: tuple[str, ...], model: Model) -> Iterator[Table]:
    """Weights and bias of a dense layer."""
    names = names_of(model)
    entries = affine_entries(block.layer.dense.affine, names, names)
    yield Table(path, "weights", {key: v for key, v in entries.items() if key[0]})
    yield Table(path, "bias", {key: v for key, v in entries.items() if not key[0]})


def layer_tables(
    block: Block, layer: LayerLayout, path: tuple[str, ...], model: Model
) -> Iterator[Table]:
    """Heads, then the feed-forward block."""
    labels = head_labels(layer)
    for sublayer, groups in ((block.attention, layer.own), (block.cross, layer.cross)):
        if sublayer is not None:
            for group, shape in zip(written_groups(sublayer.layer), groups, strict=True):
                yield from group_tables(group, shape, path, labels, model)
    if block.feed_forward is not None and layer.units is not None:
        rules = written_rules(block)
        inner = affine_entries(rules.inner, names_of(model), layer.units)
        outer = affine_entries(rules.outer, layer.units, names_of(model))
        here = (*path, "feedforward")
        yield Table(here, "mat1", {key: v for key, v in inner.items() if key[0]})
        yield Table(here, "bias1", {key: v for key, v in inner.items() if not key[0]})
        yield Table(here, "mat2", {key: v for key, v in outer.items() if key[0]})
        yield Table(here, "bias2", {key: v for key, v in outer.items() if not key[0]})


def group_tables(
    group: RoleAttention,
    shape: GroupLayout,
    path: tuple[str, ...],
    labels: Iterator[str],
    model: Model,
) -> Iterator[Table]:
    """The maps of all heads of a group; the output bias of a group goes to its first head."""
    for number, head in enumerate(shape.heads):
        here = (*path, next(labels))
        yield from _head_tables(group, shape, number, head, here, model)
        if number == 0 and not shape.mixed:
            bias = vector_entries(group.out.bias, names_of(model))
            yield Table(here, "out bias", {(CONSTANT, name): v for name, v in bias.items()})


def _head_tables(
    group: RoleAttention, shape: GroupLayout, number: int, head: HeadLayout,
    path: tuple[str, ...], model: Model,
) -> Iterator[Table]:  # fmt: skip
    names = names_of(model)
    parts = group.parts()
    learned = dict(head.learned)
    for field, size, targets in (
        ("query", shape.d_key, head.features),
        ("key", shape.d_key, head.features),
        ("value", shape.d_filler, head.fillers),
        ("role", shape.d_role, head.roles),
    ):
        if field in learned or (shape.mixed and field == "role"):
            continue
        weight, bias = parts[field]
        if weight.shape[1]:
            yield Table(path, field, _columns(weight, bias, number * size, names, targets))
    outer = model.layout.binding == "outer"
    if not shape.mixed:
        yield Table(path, "out", _out_entries(group, shape, number, head, names, outer=outer))
    yield Table(path, "numbers", _numbers(group, number, head))


def _out_entries(
    group: RoleAttention,
    shape: GroupLayout,
    number: int,
    head: HeadLayout,
    names: Sequence[str],
    *,
    outer: bool,
) -> Entries:
    """(filler, target) -> weight, or (filler*role, target) for the outer product."""
    weight = group.out.weight
    if not outer:
        first = number * shape.d_filler
        return matrix_entries(weight[first : first + len(head.fillers)], head.fillers, names)
    entries: dict[tuple[str, str], float] = {}
    for i, filler in enumerate(head.fillers):
        row = (number * shape.d_filler + i) * shape.d_role
        pairs = [f"{filler}*{role}" for role in head.roles]
        entries |= matrix_entries(weight[row : row + len(pairs)], pairs, names)
    return entries


def _numbers(group: RoleAttention, number: int, head: HeadLayout) -> Entries:
    """Sharpness, the null key's score and what it fills in."""
    pattern = group.pattern
    numbers = {("", "sharpness"): float(pattern.sharpness[number])}  # type: ignore[attr-defined]
    if head.null and isinstance(pattern, WrittenSoftmax):
        numbers["", "below"] = float(pattern.null_score[number])
        for name, value in zip(head.fillers, pattern.null_filler[number].tolist(), strict=False):
            if value:
                numbers["else", name] = value
    return numbers


# ------------------------------------------------------------------ tensors to entries


def affine_entries(affine: Affine, sources: Sequence[str], targets: Sequence[str]) -> Entries:
    """Weights and bias of an affine map by name."""
    return _columns(affine.weight, affine.bias, 0, sources, targets)


def _columns(
    weight: Tensor, bias: Tensor, first: int, sources: Sequence[str], targets: Sequence[str]
) -> Entries:
    last = first + len(targets)
    entries = dict(matrix_entries(weight[:, first:last], sources, targets))
    entries |= {
        (CONSTANT, name): v for name, v in vector_entries(bias[first:last], targets).items()
    }
    return entries


def matrix_entries(
    weight: Tensor, sources: Sequence[str], targets: Sequence[str]
) -> dict[tuple[str, str], float]:
    """The entries of a matrix that are not +0.0, column by column."""
    columns = weight.detach().double().cpu().T
    kept: list[list[int]] = ((columns != 0) | columns.signbit()).nonzero().tolist()
    return {(sources[row], targets[column]): float(columns[column, row]) for column, row in kept}


def vector_entries(vector: Tensor, names: Sequence[str]) -> Mapping[str, float]:
    """The entries of a vector that are not +0.0."""
    values = vector.detach().double().cpu()
    kept: list[int] = ((values != 0) | values.signbit()).nonzero().flatten().tolist()
    return {names[place]: float(values[place]) for place in kept}
