"""Names of a program for what its network computes: a seme behind a layer, a head's attention."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from progtf.nn.points import Function, Hook
from progtf.program.loops import by_loop
from progtf.weights.layout import STACKS, Layout, Stage

EMBEDDING = "embedding"


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
            own = self.read(tensor).clone()
            told = Hook(self.name, self.axes, (), hook.first, hook.texts, hook.batch, hook.turn)
            given = function(own, hook=told)
            after = own if given is None else torch.as_tensor(given).to(own)
            if after.shape != own.shape and after.dim():
                due = f"{tuple(own.shape)}: {', '.join(self.axes)}"
                raise ValueError(f"{self.name}: a hook gave {tuple(after.shape)}, due is {due}")
            place = torch.tensor([self.place], device=tensor.device)
            return tensor.index_copy(self.axis, place, after.expand_as(own).unsqueeze(self.axis))

        return shown


def aliases(layout: Layout, hooks: Mapping[str, Hook]) -> dict[str, Alias]:
    """Every name of the program for a part of what its network computes.

    ``encoder.LAYER.SEME`` is a seme behind a layer (``encoder.embedding.SEME``: before the first),
    ``encoder.LAYER.HEAD`` where a head looks. A layer whose name stands earlier in the stack, too,
    is told by its number, as ``encoder.2 answer``; a head that has the name of a seme by ``head``.
    """
    found: dict[str, Alias] = {}
    for stack in STACKS:
        stages: tuple[Stage, ...] = getattr(layout, stack)
        for block, layer in _places(stack, stages):
            for alias in (*_semes(layout, block, layer), *_heads(hooks, block, layer)):
                found.setdefault(alias.name, alias)
    return found


def _places(stack: str, stages: tuple[Stage, ...]) -> Iterator[tuple[str, str]]:
    """The point behind every layer, and the names of the layer."""
    if stages:
        yield f"{stack}.blocks.0.hook_resid_pre", f"{stack}.{EMBEDDING}"
    block, seen = 0, [EMBEDDING]
    for run in by_loop(stages):
        loop, path = run[0].loop, f"{stack}.blocks"
        inside, block = (block, block + 1) if loop is None else (0, block + 1)
        if loop is not None:
            path = f"{stack}.blocks.{block - 1}.round.blocks"
            yield f"{stack}.blocks.{block - 1}.hook_resid_post", f"{stack}.{loop.name}"
        for stage in run:
            last = inside + stage.repeat - 1
            inside, block = last + 1, last + 1 if loop is None else block
            name = f"{len(seen)} {stage.name}" if stage.name in seen else stage.name
            yield f"{path}.{last}.hook_resid_post", f"{stack}.{name}"
            seen.append(stage.name)


def _semes(layout: Layout, point: str, layer: str) -> Iterator[Alias]:
    for place, name in enumerate(layout.columns):
        yield Alias(point, -1, place, ("batch", "pos"), layer, name)


def _heads(hooks: Mapping[str, Hook], point: str, layer: str) -> Iterator[Alias]:
    block, _, end = point.rpartition(".")
    for side in ("attn", "cross") if end == "hook_resid_post" else ():
        pattern = f"{block}.{side}.hook_pattern"
        for place, name in enumerate(hooks[pattern].heads if pattern in hooks else ()):
            for called in (name, f"head {name}"):
                yield Alias(pattern, -3, place, ("batch", "dst", "src"), layer, called)
