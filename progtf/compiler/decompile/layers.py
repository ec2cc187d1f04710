"""Layers, heads and hidden units."""

from collections.abc import Iterator

from progtf.compiler.decompile.marked import Found, Marked, like, marks_of, number
from progtf.compiler.decompile.shown import arrows, complete, field_lines
from progtf.compiler.entries import Entries, head_labels
from progtf.compiler.layout import DenseLayout, GroupLayout, HeadLayout, LayerLayout
from progtf.compiler.model import Model
from progtf.notation import spell


def all_learned(stage: LayerLayout | DenseLayout) -> bool:
    """Whether a layer is only there because ``learn:`` asks for it."""
    if isinstance(stage, DenseLayout) or stage.learned is None:
        return False
    return stage.units is None and not stage.own and not stage.cross


def stage_lines(
    stage: LayerLayout | DenseLayout, path: tuple[str, ...], model: Model, found: Found
) -> Iterator[str]:
    """A layer or a dense layer."""
    name = stage.name if spell.is_name(stage.name) and "[" not in stage.name else ""
    keyword = "dense" if isinstance(stage, DenseLayout) else "layer"
    yield f"  {keyword} {name}:" if name else f"  {keyword}:"
    if isinstance(stage, DenseLayout):
        yield from field_lines("weights", arrows(found[path, "weights"], model), 4)
        yield from field_lines("bias", arrows(found[path, "bias"], model), 4)
        yield f"    relu: {'yes' if stage.relu else 'no'}"
        return
    if stage.repeat > 1:
        yield f"    repeat: {stage.repeat}"
    labels = head_labels(stage)
    for groups, source in ((stage.own, "self"), (stage.cross, "encoder")):
        for group in groups:
            for head in group.heads:
                yield from _head(head, group, source, (*path, next(labels)), model, found)
    if stage.units is not None:
        yield "    feedforward:"
        here = (*path, "feedforward")
        yield from field_lines("mat1", _reads(found[here, "mat1"], stage.units, model), 6)
        for field in ("bias1", "mat2", "bias2"):
            yield from field_lines(field, arrows(found[here, field], model), 6)


def _head(
    head: HeadLayout,
    group: GroupLayout,
    source: str,
    path: tuple[str, ...],
    model: Model,
    found: Found,
) -> Iterator[str]:
    numbers = found[path, "numbers"]
    yield f"    head {head.name}:" if head.name else "    head:"
    if head.look != "all":
        yield f"      look: {head.look}"
    if source == "encoder":
        yield "      from: encoder"
    if group.normalize != "keys":
        yield f"      normalize: {group.normalize}"
    yield f"      sharpness: {number(numbers['', 'sharpness'], model)}"
    yield from _address(head, path, model, found)
    if not head.learned:
        yield from _retrieved(head, path, model, found)
    if ("", "below") in numbers:
        filler = spell.vector((name, v) for (kind, name), v in numbers.items() if kind == "else")
        yield f"      else: {filler} below {number(numbers['', 'below'], model)}"


def _address(head: HeadLayout, path: tuple[str, ...], model: Model, found: Found) -> Iterator[str]:
    """Query and key, and what is learned as a whole."""
    learned = dict(head.learned)
    for field in ("query", "key"):
        if field not in learned:
            yield from field_lines(field, complete(found[path, field], head.features, model), 6)
    for field, size in learned.items():
        yield f"      {field}: ?{size or ''}"


def _retrieved(
    head: HeadLayout, path: tuple[str, ...], model: Model, found: Found
) -> Iterator[str]:
    """Value, role and output map."""
    yield from field_lines("value", complete(found[path, "value"], head.fillers, model), 6)
    if (path, "role") in found:
        yield from field_lines("role", complete(found[path, "role"], head.roles, model), 6)
    entries, bias = found[path, "out"], found.get((path, "out bias"), {})
    out = Marked({**entries, **bias})
    out.marks = {**marks_of(entries), **marks_of(bias)}
    yield from field_lines("out", arrows(out, model) or _no_output(head, model), 6)


def _reads(entries: Entries, units: tuple[str, ...], model: Model) -> list[str]:
    """What hidden units read; one that reads nothing reads 0 of a seme, to keep its place."""
    shown: list[str] = []
    for unit in units:
        here = like(entries, {key: value for key, value in entries.items() if key[1] == unit})
        shown += arrows(here, model) or [f"0{model.layout.names[0]}>{unit}"]
    return shown


def _no_output(head: HeadLayout, model: Model) -> list[str]:
    """Without an output map fillers would be semes; a head that writes nothing says so."""
    if model.layout.binding == "outer":
        return [f"0{head.fillers[0]}*{head.roles[0]} > {model.layout.names[0]}"]
    return [f"0{head.fillers[0]}>{model.layout.names[0]}"] if head.fillers else []
