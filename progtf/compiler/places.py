"""Where the entries that tables name are stored: which tensor of which module, and which number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from progtf.compiler.entries import CONSTANT, marks_of, names_of
from progtf.compiler.hybrid import MixedHead, has_rules, written_groups, written_rules
from progtf.compiler.layout import DenseLayout, GroupLayout, LayerLayout, head_labels
from progtf.compiler.model import Model
from progtf.nn import Affine, Block, RoleAttention
from progtf.notation import spell

Path = tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """A field of a program in a tensor: rows are sources, columns targets; a bias has no rows.

    ``first_row`` and ``first_column`` are where the field begins in the tensor.
    """

    path: Path
    field: str
    module: nn.Module
    name: str
    sources: tuple[str, ...] | None
    targets: tuple[str, ...]
    first_row: int = 0
    first_column: int = 0

    @property
    def tensor(self) -> Tensor:
        """The tensor that the field is a part of."""
        return getattr(self.module, self.name)

    def number(self, source: str, target: str) -> int:
        """The place of an entry in the flattened tensor."""
        column = self.first_column + self.targets.index(target)
        if self.sources is None:
            return column
        row = self.first_row + self.sources.index(source)
        return row * self.tensor.shape[-1] + column


def find(slots: dict[tuple[Path, str], list[Slot]], path: Path, field: str, source: str) -> Slot:
    """The slot of an entry: weights and bias of a field are two.

    Raises:
        KeyError: if the model has no such field.
    """
    wanted = source == CONSTANT
    for slot in slots[path, field]:
        if (slot.sources is None) == wanted:
            return slot
    raise KeyError((path, field))


def slots_of(model: Model) -> dict[tuple[Path, str], list[Slot]]:
    """The slots of all fields by path and field."""
    found: dict[tuple[Path, str], list[Slot]] = {}
    for slot in _slots(model):
        found.setdefault((slot.path, slot.field), []).append(slot)
    return found


def _slots(model: Model) -> Iterator[Slot]:
    names, network = names_of(model), model.network
    tokens = [spell.token(token) for token in model.layout.lexicon]
    tokens += ["unknown"] * model.layout.unknown
    yield Slot(("lexicon",), "vector", network.embedding, "vectors", tuple(tokens), names)
    yield Slot(("spelling",), "vector", network.embedding, "spelled", marks_of(model), names)
    if network.cell is not None:
        yield from _affine(("cell",), ("input", "input"), network.cell.inputs, names, names)
        yield Slot(("cell",), "recurrent", network.cell, "recurrent", names, names)
    for stack in ("encoder", "decoder"):
        yield from _stack(model, stack)


def _affine(
    path: Path,
    fields: tuple[str, str],
    affine: Affine,
    sources: Sequence[str],
    targets: Sequence[str],
) -> Iterator[Slot]:
    yield Slot(path, fields[0], affine, "weight", tuple(sources), tuple(targets))
    yield Slot(path, fields[1], affine, "bias", None, tuple(targets))


def _stack(model: Model, stack: str) -> Iterator[Slot]:
    stages = model.layout.encoder if stack == "encoder" else model.layout.decoder
    blocks, names = iter(getattr(model.network, stack).blocks), names_of(model)
    for number, stage in enumerate(stages, start=1):
        block, path = next(blocks), (stack, f"{number} {stage.name}")
        if isinstance(stage, DenseLayout):
            yield from _affine(path, ("weights", "bias"), block.layer.dense.affine, names, names)
            continue
        for _ in range(stage.repeat - 1):
            next(blocks)
        yield from _layer(block, stage, path, model)


def _layer(block: Block, layer: LayerLayout, path: Path, model: Model) -> Iterator[Slot]:
    labels, names = head_labels(layer), names_of(model)
    for sublayer, groups in ((block.attention, layer.own), (block.cross, layer.cross)):
        if sublayer is not None:
            for group, shape in zip(written_groups(sublayer.layer), groups, strict=True):
                yield from _group(group, shape, path, labels, model)
    if has_rules(block) and layer.units is not None:
        rules, here = written_rules(block), (*path, "feedforward")
        yield from _affine(here, ("mat1", "bias1"), rules.inner, names, layer.units)
        yield from _affine(here, ("mat2", "bias2"), rules.outer, layer.units, names)


def _group(
    group: RoleAttention, shape: GroupLayout, path: Path, labels: Iterator[str], model: Model
) -> Iterator[Slot]:
    names = names_of(model)
    for number, head in enumerate(shape.heads):
        here = (*path, next(labels))
        learned = dict(head.learned)
        parts = [("query", group.dst, 0, shape.d_key, head.features)]
        parts += [("key", group.src, 0, shape.d_key, head.features)]
        if not isinstance(group, MixedHead):
            parts += [("value", group.src, group.src_columns[0], shape.d_filler, head.fillers)]
            parts += [("role", group.dst, group.dst_columns[0], shape.d_role, head.roles)]
        for field, affine, offset, size, targets in parts:
            if field in learned:
                continue
            column = offset + number * size
            yield Slot(here, field, affine, "weight", names, targets, 0, column)
            yield Slot(here, field, affine, "bias", None, targets, 0, column)
        if not shape.mixed:
            yield Slot(here, "out", group.out, "bias", None, names)
        if not shape.mixed and model.layout.binding != "outer":
            row = number * shape.d_filler
            yield Slot(here, "out", group.out, "weight", head.fillers, names, row)
