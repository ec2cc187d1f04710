"""The shape of a network: its layers and heads by name, without a single weight."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Literal, NamedTuple

from progtf.program import model as m
from progtf.program.changes import called, head_labels
from progtf.program.forms import Space, power_of_two_above
from progtf.program.interface import Interface, interface_of
from progtf.program.loops import by_loop

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, Stack] = ("encoder", "decoder")


@dataclass(frozen=True)
class HeadLayout:
    """One head.

    Attributes:
        label: what its path ends in: its name, numbered where several have it.
        null: whether it has a null key.
        learned: the fields that are learned as a whole, with their sizes; 0 is the usual size.
    """

    name: str
    label: str
    look: m.Look
    normalize: m.Normalize
    null: bool
    learned: tuple[tuple[str, int], ...] = ()

    @property
    def called(self) -> str:
        """Its label as a name: ``end``, ``end 2``; ``head`` if it has none."""
        return called(self.label)


@dataclass(frozen=True)
class LayerLayout:
    """One layer.

    Attributes:
        own, cross: heads on the own sequence, and on the encoder's.
        learned: learned heads and hidden units beside the written ones.
        loop: the loop that it stands in.
    """

    name: str
    own: tuple[HeadLayout, ...]
    cross: tuple[HeadLayout, ...]
    repeat: int
    learned: tuple[int, int] | None = None
    loop: m.Loop | None = None


@dataclass(frozen=True)
class DenseLayout:
    """A pointwise layer without a residual connection."""

    name: str
    relu: bool
    repeat: Literal[1] = 1
    loop: None = None


Stage = LayerLayout | DenseLayout


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
class Layout(Interface):
    """Everything about a network that is no weight.

    Attributes:
        width: of the written residual; columns past the named ones are called extra.
        clocks: periods in tokens.
        activation: of the cell of a recurrent network.
        held: the flags by which ``use ... when`` holds back what files write.
    """

    binding: m.Binding
    norm: m.Norm
    width: int
    clocks: tuple[float, ...]
    encoder: tuple[Stage, ...]
    decoder: tuple[Stage, ...]
    activation: Literal["relu", "tanh", "clip", "none"] | None
    learn: LearnLayout | None = None
    held: tuple[str, ...] = field(default=(), compare=False)

    def all_loops(self) -> Iterator[m.Loop]:
        """Every loop."""
        for run in by_loop(self.stages()):
            if run[0].loop is not None:
                yield run[0].loop

    @property
    def d_residual(self) -> int:
        """The width of the whole residual, learned dimensions included."""
        return self.width + (0 if self.learn is None else self.learn.semes)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """A name for every column of the written residual."""
        return (*self.names, *(f"extra[{i}]" for i in range(self.width - len(self.space))))

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of every column by its name."""
        return {name: number for number, name in enumerate(self.columns)}

    def stages(self) -> Iterator["Placed"]:
        """Every layer with its place, encoder first."""
        for stack in STACKS:
            for number, stage in enumerate(getattr(self, stack), start=1):
                yield Placed(stack, number, (stack, f"{number} {stage.name}"), stage)


class Placed(NamedTuple):
    """A layer: its stack, its number in it, from 1, and its path."""

    stack: Stack
    number: int
    path: tuple[str, str]
    stage: Stage

    @property
    def loop(self) -> m.Loop | None:
        """The loop that it stands in."""
        return self.stage.loop


def layout_of(program: m.Program) -> Layout:
    """The layout of a program."""
    interface = interface_of(program)
    encoder, decoder = (tuple(_stages(getattr(program, s), program, s)) for s in STACKS)
    return Layout(
        **{each.name: getattr(interface, each.name) for each in fields(interface)},
        binding=program.binding, norm=program.norm, width=program.width, clocks=program.clocks,
        encoder=encoder, decoder=decoder,
        activation=None if program.cell is None else program.cell.activation,
        learn=None if program.learn is None else _learn(program.learn, program.space),
        held=tuple(dict.fromkeys(_held(program))),
    )  # fmt: skip


def _held(program: m.Program) -> Iterator[str]:
    for stage in (*program.encoder, *program.decoder):
        if isinstance(stage, m.Layer) and stage.feedforward is not None:
            yield from (rule.line.held for rule in stage.feedforward.rules if rule.line.held)


def _learn(learn: m.Learn, space: Space) -> LearnLayout:
    reach = [max(abs(space.ranges[n].low), abs(space.ranges[n].high)) for n in learn.reads]
    scales = tuple(min(1.0, 2.0 / power_of_two_above(max(1.0, size))) for size in reach)
    return LearnLayout(learn.semes, learn.reads, scales, learn.protect)


def _stages(stages: Sequence[m.Stage], program: m.Program, stack: Stack) -> Iterator[Stage]:
    """The written layers, those with learned parts beside, and learned ones after them."""
    learned = {} if program.learn is None else dict(getattr(program.learn, stack))
    for number in range(1, max(len(stages), *learned, 0) + 1):
        beside = learned.get(number)
        sizes = None if beside is None else (beside.heads, beside.filter)
        if number <= len(stages):
            yield _stage(stages[number - 1], sizes)
        else:
            yield LayerLayout(f"learned {number}", (), (), 1, sizes)


def _stage(stage: m.Stage, learned: tuple[int, int] | None) -> Stage:
    match stage:
        case m.Dense():
            return DenseLayout(stage.name, stage.relu)
        case m.Layer():
            heads = list(_heads((*stage.heads, *stage.cross)))
            own, cross = heads[: len(stage.heads)], heads[len(stage.heads) :]
            return LayerLayout(
                stage.name, tuple(own), tuple(cross), stage.repeat, learned, stage.loop
            )


def _heads(heads: Sequence[m.Head]) -> Iterator[HeadLayout]:
    """Heads with their labels; those of one name are numbered."""
    for head, label in zip(heads, head_labels([head.name for head in heads]), strict=True):
        null, learned = head.null is not None, tuple(head.learned.items())
        yield HeadLayout(head.name, label, head.look, head.normalize, null, learned)
