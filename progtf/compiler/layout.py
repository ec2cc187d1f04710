"""The shape of a network: what its rows and columns are called, without a single weight.

A layout and a set of weights are a model; both are saved, and neither needs the source text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from progtf.compiler.units import hidden_units
from progtf.program import model as m
from progtf.program.forms import Form
from progtf.program.interpret import class_forms

FORMAT = 1
SMALL = 16


@dataclass(frozen=True)
class HeadLayout:
    """One head: its features and the dimensions of its filler and role, by name."""

    name: str
    look: m.Look
    null: bool
    features: tuple[str, ...]
    fillers: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True)
class GroupLayout:
    """Heads of like sizes that run batched."""

    normalize: str
    heads: tuple[HeadLayout, ...]

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
    """One layer; ``units`` is None without a feed-forward block."""

    name: str
    own: tuple[GroupLayout, ...]
    cross: tuple[GroupLayout, ...]
    units: tuple[str, ...] | None
    repeat: int


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
class Layout:
    """Everything about a network that is no weight."""

    name: str
    kind: m.Kind
    tokens: str
    binding: m.Binding
    norm: m.Norm
    width: int
    lengths: tuple[int, int]
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
    examples: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the residual's dimensions, in order."""
        return tuple(seme.name for seme in self.space)


def layout_of(program: m.Program) -> Layout:
    """The layout of a program."""
    ranges = program.space.ranges
    return Layout(
        name=program.name, kind=program.kind, tokens=program.tokens, binding=program.binding,
        norm=program.norm, width=program.width, lengths=program.lengths,
        space=tuple(SemeLayout(n, r.low, r.high, r.grain) for n, r in ranges.items()),
        semes=program.semes, clocks=program.clocks, lexicon=tuple(program.lexicon),
        unknown=program.unknown is not None,
        encoder=tuple(_stage(stage, program.binding) for stage in program.encoder),
        decoder=tuple(_stage(stage, program.binding) for stage in program.decoder),
        activation=None if program.cell is None else program.cell.activation,
        outputs=tuple(program.outputs),
        pool=None if program.classify is None else program.classify.pool,
        classes=() if program.classify is None else class_forms(program)[0],
        examples=tuple((e.input, e.output) for e in program.examples),
    )  # fmt: skip


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
    """Heads that share a batched group: small ones together, large ones together."""
    groups: dict[tuple[str, bool], list[m.Head]] = {}
    for head in heads:
        large = max(len(head.features), len(head.channels)) > SMALL
        groups.setdefault((head.normalize, large), []).append(head)
    return list(groups.values())


def _groups(heads: Sequence[m.Head], binding: m.Binding) -> tuple[GroupLayout, ...]:
    return tuple(
        GroupLayout(group[0].normalize, tuple(_head(head, binding) for head in group))
        for group in grouped(heads)
    )


def _head(head: m.Head, binding: m.Binding) -> HeadLayout:
    features = tuple(_unique(feature.name for feature in head.features))
    names = tuple(_unique(channel.name for channel in head.channels))
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
        return Layout(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a layout: {error}") from None


def _stage_from(data: dict[str, Any]) -> LayerLayout | DenseLayout:
    if "relu" in data:
        return DenseLayout(**data)
    own, cross = ([_group_from(g) for g in data[key]] for key in ("own", "cross"))
    units = None if data["units"] is None else tuple(data["units"])
    return LayerLayout(data["name"], tuple(own), tuple(cross), units, data["repeat"])


def _group_from(data: dict[str, Any]) -> GroupLayout:
    heads = tuple(_head_from(head) for head in data["heads"])
    return GroupLayout(data["normalize"], heads)


def _head_from(data: dict[str, Any]) -> HeadLayout:
    parts = (tuple(data[part]) for part in ("features", "fillers", "roles"))
    return HeadLayout(data["name"], data["look"], data["null"], *parts)
