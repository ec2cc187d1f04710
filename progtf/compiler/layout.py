"""The shape of a network: what its rows and columns are called, without a single weight.

A layout and a set of weights are a model; both are saved, and neither needs the source text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from progtf.compiler.units import hidden_units
from progtf.program import model as m
from progtf.program.forms import Form, Space, power_of_two_above
from progtf.program.interpret import class_forms
from progtf.program.spelling import MarkTest, Spelling

FORMAT = 2
SMALL = 16


@dataclass(frozen=True)
class HeadLayout:
    """One head: its features and the dimensions of its filler and role, by name.

    ``learned``: the fields that are learned as a whole, with their sizes.
    """

    name: str
    look: m.Look
    null: bool
    features: tuple[str, ...]
    fillers: tuple[str, ...]
    roles: tuple[str, ...]
    learned: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class GroupLayout:
    """Heads of like sizes that run batched."""

    normalize: str
    heads: tuple[HeadLayout, ...]

    @property
    def mixed(self) -> bool:
        """Whether this is one head with a written address and a learned filler."""
        return bool(self.heads[0].learned)

    @property
    def d_key(self) -> int:
        """Size of the largest query/key space; at least 1."""
        return max(1, *(len(head.features) for head in self.heads))

    @property
    def d_filler(self) -> int:
        """Size of the largest filler; at least 1."""
        return max(1, *(len(head.fillers) for head in self.heads))

    @property
    def d_role(self) -> int:
        """Size of the largest role; at least 1."""
        return max(1, *(len(head.roles) for head in self.heads))


@dataclass(frozen=True)
class LayerLayout:
    """One layer; ``units`` is None without a feed-forward block.

    ``learned``: learned heads and hidden units beside the written ones.
    """

    name: str
    own: tuple[GroupLayout, ...]
    cross: tuple[GroupLayout, ...]
    units: tuple[str, ...] | None
    repeat: int
    learned: tuple[int, int] | None = None


@dataclass(frozen=True)
class DenseLayout:
    """A pointwise layer without a residual connection."""

    name: str
    relu: bool


@dataclass(frozen=True)
class SemeLayout:
    """One dimension of the residual and the values it may take."""

    name: str
    low: float
    high: float
    grain: float


@dataclass(frozen=True)
class LearnLayout:
    """What is learned beside what is written.

    Attributes:
        semes: learned dimensions; they stand behind all others.
        reads: the written dimensions that learned parts read, by name.
        scales: what each of them is multiplied with, so that none is far above 2.
        protect: learned parts write to learned dimensions alone.
    """

    semes: int
    reads: tuple[str, ...]
    scales: tuple[float, ...]
    protect: bool


@dataclass(frozen=True)
class MarkLayout:
    """A written entry that is trained, by the names that its table has for it."""

    path: tuple[str, ...]
    field: str
    source: str
    target: str
    mark: m.Mark


@dataclass(frozen=True)
class Layout:
    """Everything about a network that is no weight."""

    name: str
    kind: m.Kind
    tokens: str
    binding: m.Binding
    norm: m.Norm
    width: int
    lengths: tuple[int, int]
    join: str
    space: tuple[SemeLayout, ...]
    semes: int
    clocks: tuple[float, ...]
    lexicon: tuple[str, ...]
    unknown: bool
    encoder: tuple[LayerLayout | DenseLayout, ...]
    decoder: tuple[LayerLayout | DenseLayout, ...]
    activation: str | None
    outputs: tuple[str, ...]
    pool: str | None
    classes: tuple[str, ...]
    number: bool
    spelling: Spelling
    examples: tuple[tuple[str, str], ...]
    learn: LearnLayout | None = None
    marks: tuple[MarkLayout, ...] = ()

    @property
    def d_residual(self) -> int:
        """The width of the whole residual, learned dimensions included."""
        return self.width + (0 if self.learn is None else self.learn.semes)

    @property
    def longest(self) -> int:
        """The longest sequence in tokens; a decoder alone writes on behind its input."""
        return sum(self.lengths) if self.kind == "decoder" else max(self.lengths)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the residual's dimensions, in order."""
        return tuple(seme.name for seme in self.space)


def layout_of(program: m.Program) -> Layout:
    """The layout of a program."""
    ranges = program.space.ranges
    encoder, decoder = (
        tuple(_stages(stages, program, stack))
        for stack, stages in (("encoder", program.encoder), ("decoder", program.decoder))
    )
    return Layout(
        name=program.name, kind=program.kind, tokens=program.tokens, binding=program.binding,
        norm=program.norm, width=program.width, lengths=program.lengths, join=program.join,
        space=tuple(SemeLayout(n, r.low, r.high, r.grain) for n, r in ranges.items()),
        semes=program.semes, clocks=program.clocks, lexicon=tuple(program.lexicon),
        unknown=program.unknown is not None,
        encoder=encoder, decoder=decoder,
        activation=None if program.cell is None else program.cell.activation,
        outputs=tuple(program.outputs),
        pool=None if program.classify is None else program.classify.pool,
        classes=() if program.classify is None else class_forms(program)[0],
        number=program.classify is not None and program.classify.number,
        spelling=program.spelling,
        examples=tuple((e.input, e.output) for e in program.examples),
        learn=None if program.learn is None else _learn(program.learn, program.space),
        marks=(
            *_marks(("lexicon",), program.marks),
            *(() if program.cell is None else _marks(("cell",), program.cell.marks)),
            *_stack_marks("encoder", encoder, program.encoder),
            *_stack_marks("decoder", decoder, program.decoder),
        ),
    )  # fmt: skip


def _learn(learn: m.Learn, space: Space) -> LearnLayout:
    reach = [max(abs(space.ranges[n].low), abs(space.ranges[n].high)) for n in learn.reads]
    scales = tuple(min(1.0, 2.0 / power_of_two_above(max(1.0, size))) for size in reach)
    return LearnLayout(learn.semes, learn.reads, scales, learn.protect)


def _stages(
    stages: Sequence[m.Stage], program: m.Program, stack: str
) -> Iterator[LayerLayout | DenseLayout]:
    """The written layers, those with learned parts beside, and learned ones after them."""
    learned = {} if program.learn is None else dict(getattr(program.learn, stack))
    for number in range(1, max(len(stages), *learned, 0) + 1):
        beside = learned.get(number)
        sizes = None if beside is None else (beside.heads, beside.filter)
        if number <= len(stages):
            stage = _stage(stages[number - 1], program.binding)
            yield replace(stage, learned=sizes) if isinstance(stage, LayerLayout) else stage
        else:
            yield LayerLayout(f"learned {number}", (), (), None, 1, sizes)


def _marks(path: tuple[str, ...], marks: m.Marks) -> Iterator[MarkLayout]:
    for (field, source, target), mark in marks.items():
        yield MarkLayout(path, field, source, target, mark)


def _stack_marks(
    stack: str, layouts: Sequence[LayerLayout | DenseLayout], stages: Sequence[m.Stage]
) -> Iterator[MarkLayout]:
    for number, (layout, stage) in enumerate(zip(layouts, stages, strict=False), start=1):
        path = (stack, f"{number} {layout.name}")
        if isinstance(stage, m.Dense) or isinstance(layout, DenseLayout):
            yield from _marks(path, stage.marks if isinstance(stage, m.Dense) else {})
            continue
        heads = [head for own in (stage.heads, stage.cross) for g in grouped(own) for head in g]
        for head, label in zip(heads, head_labels(layout), strict=True):
            yield from _marks((*path, label), head.marks)
        if stage.feedforward is not None:
            yield from _marks((*path, "feedforward"), stage.feedforward.marks)


def head_labels(layer: LayerLayout) -> Iterator[str]:
    """A label for every head of a layer, own ones first; heads of one name are numbered."""
    seen: dict[str, int] = {}
    for group in (*layer.own, *layer.cross):
        for head in group.heads:
            seen[head.name] = seen.get(head.name, 0) + 1
            number = f" {seen[head.name]}" if seen[head.name] > 1 else ""
            yield f"head {head.name}".strip() + number


def _stage(stage: m.Stage, binding: m.Binding) -> LayerLayout | DenseLayout:
    match stage:
        case m.Dense():
            return DenseLayout(stage.name, stage.relu)
        case m.Layer():
            block = stage.feedforward
            hidden = None if block is None else hidden_units(block)
            units = None if hidden is None else tuple(unit.name for unit in hidden.units)
            if hidden is not None and not hidden.units and not hidden.bias:
                units = None  # its rules come to nothing
            own, cross = _groups(stage.heads, binding), _groups(stage.cross, binding)
            return LayerLayout(stage.name, own, cross, units, stage.repeat)


def grouped(heads: Sequence[m.Head]) -> list[list[m.Head]]:
    """Heads that share a batched group: those with few features, with few channels, with many."""
    groups: dict[tuple[str, bool, bool, int], list[m.Head]] = {}
    for number, head in enumerate(heads):
        many = len(head.features) > SMALL, len(head.channels) > SMALL
        alone = number + 1 if head.learned else 0
        groups.setdefault((head.normalize, *many, alone), []).append(head)
    return list(groups.values())


def _groups(heads: Sequence[m.Head], binding: m.Binding) -> tuple[GroupLayout, ...]:
    return tuple(
        GroupLayout(group[0].normalize, tuple(_head(head, binding) for head in group))
        for group in grouped(heads)
    )


def _head(head: m.Head, binding: m.Binding) -> HeadLayout:
    features = tuple(_unique(feature.name for feature in head.features))
    names = tuple(_unique(channel.name for channel in head.channels))
    if head.learned:
        learned = tuple(head.learned.items())
        null = head.null is not None
        return HeadLayout(head.name, head.look, null, features, (), (), learned)
    if binding != "outer":
        return HeadLayout(head.name, head.look, head.null is not None, features, names, names)
    fillers, roles = distinct_parts(head)
    return HeadLayout(
        head.name, head.look, head.null is not None, features,
        tuple(f"filler{i}" for i in range(len(fillers))),
        tuple(f"role{i}" for i in range(len(roles))),
    )  # fmt: skip


def distinct_parts(head: m.Head) -> tuple[list[tuple[Form, float]], list[Form]]:
    """Fillers (with what the null key fills in) and roles of a head, each once."""
    nulls = (0.0,) * len(head.channels) if head.null is None else head.null.filler
    fillers = [(c.filler, null) for c, null in zip(head.channels, nulls, strict=True)]
    distinct: list[tuple[Form, float]] = []
    roles: list[Form] = []
    for filler, channel in zip(fillers, head.channels, strict=True):
        if filler not in distinct:
            distinct.append(filler)
        if channel.role not in roles:
            roles.append(channel.role)
    return distinct, roles


def _unique(names: Iterator[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        base, bracket, index = name.partition("[")
        yield name if seen[name] == 1 else f"{base}.x{seen[name]}{bracket}{index}"


# ------------------------------------------------------------------ to JSON and back


def to_json(layout: Layout) -> dict[str, Any]:
    """A layout as JSON values."""
    return {"format": FORMAT, **asdict(layout)}


def from_json(data: dict[str, Any]) -> Layout:
    """The layout that ``to_json`` wrote.

    Raises:
        ValueError: for anything else.
    """
    if data.get("format") != FORMAT:
        raise ValueError(f"format {data.get('format')!r} is not {FORMAT}")
    try:
        fields = {key: value for key, value in data.items() if key != "format"}
        fields["space"] = tuple(SemeLayout(**seme) for seme in fields["space"])
        for stack in ("encoder", "decoder"):
            fields[stack] = tuple(_stage_from(stage) for stage in fields[stack])
        fields["examples"] = tuple((a, b) for a, b in fields["examples"])
        for key in ("lengths", "clocks", "lexicon", "outputs", "classes"):
            fields[key] = tuple(fields[key])
        if fields["learn"] is not None:
            fields["learn"] = _learn_from(fields["learn"])
        fields["marks"] = tuple(_mark_from(mark) for mark in fields["marks"])
        spelling = fields["spelling"]
        marks = tuple(MarkTest(**mark) for mark in spelling["marks"])
        separate = tuple(spelling["separate"])
        fields["spelling"] = Spelling(**{**spelling, "marks": marks, "separate": separate})
        return Layout(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a layout: {error}") from None


def _stage_from(data: dict[str, Any]) -> LayerLayout | DenseLayout:
    if "relu" in data:
        return DenseLayout(**data)
    own, cross = ([_group_from(g) for g in data[key]] for key in ("own", "cross"))
    units = None if data["units"] is None else tuple(data["units"])
    learned = None if data["learned"] is None else (data["learned"][0], data["learned"][1])
    return LayerLayout(data["name"], tuple(own), tuple(cross), units, data["repeat"], learned)


def _learn_from(data: dict[str, Any]) -> LearnLayout:
    return LearnLayout(data["semes"], tuple(data["reads"]), tuple(data["scales"]), data["protect"])


def _mark_from(data: dict[str, Any]) -> MarkLayout:
    return MarkLayout(**{**data, "path": tuple(data["path"])})


def _group_from(data: dict[str, Any]) -> GroupLayout:
    heads = tuple(_head_from(head) for head in data["heads"])
    return GroupLayout(data["normalize"], heads)


def _head_from(data: dict[str, Any]) -> HeadLayout:
    features, fillers, roles = (tuple(data[part]) for part in ("features", "fillers", "roles"))
    learned = tuple((field, size) for field, size in data["learned"])
    name, look, null = data["name"], data["look"], data["null"]
    return HeadLayout(name, look, null, features, fillers, roles, learned)
