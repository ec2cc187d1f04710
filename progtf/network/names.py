"""Names of a program for what its network computes: a seme behind a layer, a head's attention."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from progtf.nn.points import Function, Hook, copied, given_by
from progtf.program.changes import CELL, EMBEDDING, layer_names
from progtf.program.loops import by_loop
from progtf.weights.layout import STACKS, Layout, Stage


@dataclass(frozen=True)
class Alias:
    """A part of what stands at a point.

    Attributes:
        point: its name.
        axis: from the end, along which the part is one place; place: which.
        axes: those of the part.
        layer: the name of the layer, as in ``encoder.read``; part: what it is called there.
    """

    point: str
    axis: int
    place: int
    axes: tuple[str, ...]
    layer: str
    part: str

    @property
    def name(self) -> str:
        """``encoder.read.hit``."""
        return f"{self.layer}.{self.part}"

    def read(self, tensor: Tensor) -> Tensor:
        """The part of what stands at the point."""
        return tensor.select(self.axis, self.place)

    def within(self, function: Function) -> Function:
        """A function for the point that shows the part alone to another one."""

        def shown(tensor: Tensor, hook: Hook) -> Tensor:
            part = self.read(tensor)
            own = part.clone() if torch.is_grad_enabled() else copied(part)
            told = replace(hook, name=self.name, axes=self.axes, heads=())
            given = function(own, hook=told)
            after = own if given is None else given_by(told, given, own, number=True)
            place = torch.tensor([self.place], device=tensor.device, dtype=torch.long)
            return tensor.index_copy(self.axis, place, after.expand_as(own).unsqueeze(self.axis))

        return shown


def aliases(layout: Layout, hooks: Mapping[str, Hook]) -> dict[str, Alias]:
    """Every name of the program for a part of what its network computes.

    ``encoder.LAYER.SEME`` is a seme behind a layer (``encoder.embedding.SEME``: before the first),
    ``encoder.LAYER.HEAD`` where a head looks. A layer whose name stands earlier in the stack, too,
    is told by its number, as ``encoder.2 answer``; a head that has the name of a seme by ``head``.
    """
    found: dict[str, Alias] = {}
    for layer in layers(layout):
        semes = _semes(layout, layer)
        heads = (alias for block in layer.blocks[-1:] for alias in _heads(hooks, block, layer.name))
        for alias in (*semes, *heads):
            found.setdefault(alias.name, alias)
    return found


@dataclass(frozen=True)
class Layer:
    """A layer, a loop or an embedding.

    Attributes:
        name: as in ``encoder.read``.
        point: where its residual is seen.
        blocks: of a layer, one for each of its turns.
    """

    name: str
    point: str
    blocks: tuple[str, ...] = ()


def layers(layout: Layout) -> Iterator[Layer]:
    """All layers, loops and embeddings by the names that they have in patches."""
    if layout.activation is not None:
        yield Layer(f"encoder.{EMBEDDING}", "cell.hook_input")
        yield Layer(f"encoder.{CELL}", "cell.hook_state")
    for stack in STACKS:
        stages: tuple[Stage, ...] = getattr(layout, stack)
        names = iter(layer_names([stage.name for stage in stages]))
        if stages and layout.activation is None:
            yield Layer(f"{stack}.{EMBEDDING}", f"{stack}.blocks.0.hook_resid_pre")
        block = 0
        for run in by_loop(stages):
            path, first, loop = f"{stack}.blocks", block, run[0].loop
            if loop is not None:
                path, first = f"{path}.{block}.round.blocks", 0
                yield Layer(f"{stack}.{loop.name}", f"{stack}.blocks.{block}.hook_resid_post")
            for stage in run:
                turns = tuple(f"{path}.{first + turn}" for turn in range(stage.repeat))
                yield Layer(f"{stack}.{next(names)}", f"{turns[-1]}.hook_resid_post", turns)
                first += stage.repeat
            block = first if loop is None else block + 1


def _semes(layout: Layout, layer: Layer) -> Iterator[Alias]:
    for place, name in enumerate(layout.columns):
        yield Alias(layer.point, -1, place, ("batch", "pos"), layer.name, name)


def _heads(hooks: Mapping[str, Hook], block: str, layer: str) -> Iterator[Alias]:
    for side in ("attn", "cross"):
        pattern = f"{block}.{side}.hook_pattern"
        for place, name in enumerate(hooks[pattern].heads if pattern in hooks else ()):
            for called in (name, f"head {name}"):
                yield Alias(pattern, -3, place, ("batch", "dst", "src"), layer, called)
