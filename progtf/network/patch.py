"""A network with some changes to what it computes, by the names of its program."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from progtf.network.names import Layer, layers
from progtf.nn.points import Function, Hook
from progtf.numbers import plain
from progtf.program.answering import Answering, Asked, Input
from progtf.program.answers import Answer, Readout
from progtf.program.arrays import Array
from progtf.program.changes import CELL, Named, Patch, named
from progtf.program.formats import lost
from progtf.program.outcome import Proof
from progtf.program.tokens import InputError
from progtf.running.override import check_places

if TYPE_CHECKING:
    from progtf.network.model import Model
    from progtf.nn.inside import FwdHooks


class Patched(Answering):
    """What answers as a model does, with changes.

    Attributes:
        model: whose answers are changed.
        changes: what becomes of what it computes; hooks: that do it.
    """

    def __init__(self, model: "Model", patch: Patch, before: tuple[Named, ...] = ()) -> None:
        self.model, self.reader, self.speaker = model, model.reader, model.speaker
        every = {layer.name: layer for layer in layers(model.layout)}
        points = model.hooks()
        heads = {name: _heads(layer, points) for name, layer in every.items()}
        self.changes = (*before, *named(patch, model.layout.columns, heads))
        _check_numbers(self.changes, model.at_work.weights.dtype)
        in_order = sorted(self.changes, key=lambda each: each.change.how != "ablate")
        self.hooks: FwdHooks = [  # what a layer does not write first, then what becomes of it
            hook for each in in_order for hook in _hooks(model, every[each.layer], each)
        ]

    def patch(self, patch: Patch) -> "Patched":
        """The same with more changes, which come behind those that there are.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        return Patched(self.model, patch, self.changes)

    @property
    def proof(self) -> Proof:
        """What is changed is proven to be nothing."""
        with self.model.hooked(self.hooks):
            return self.model.proof

    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """As ``Model.readouts``."""
        with self.model.hooked(self.hooks):
            return self.model.readouts(inputs)

    def batches(self, inputs: list[Input]) -> Iterator[tuple[list[int], Iterator[Readout]]]:
        """As ``Model.batches``; between two of them nothing is changed."""
        every = self.model.batches(inputs)
        while True:
            with self.model.hooked(self.hooks):
                some = next(every, None)
            if some is None:
                return
            yield some

    def _answered(self, asked: Asked) -> list[Answer | InputError]:
        """All in one call of the model, which is seen as it is then."""
        with self.model.hooked(self.hooks):
            own = asked._replace(read=asked.read or self._read)
            return self.model._answered(own)  # noqa: SLF001  a call of its own

    def run_with_cache(
        self, given: Any, names_filter: Any = None, **options: Any
    ) -> tuple[Any, Any]:
        """As ``Model.run_with_cache``."""
        if isinstance(given, (str, list)):
            self.read([given] if isinstance(given, str) else given)
        return self.model.run_with_cache(given, names_filter, self.hooks, **options)

    def _read(self, text: str) -> Input:
        given = super()._read(text)
        for change in self.changes:
            check_places(change, len(given))
        return given


def _check_numbers(changes: tuple[Named, ...], dtype: str) -> None:
    """Refuses a number that the network would round."""
    for each in changes:
        if (number := lost({each.name: each.change.amount}, dtype)) is not None:
            why = "the network computes in float32, which has no number"
            raise ValueError(f"{each.whole}: {why} {plain(number)}; a model in float64 has it")


def _heads(layer: Layer, points: dict[str, Hook]) -> list[str]:
    asked = (f"{block}.{side}.hook_bound" for block in layer.blocks[-1:] for side in _SIDES)
    return [head for point in asked if point in points for head in points[point].heads]


_SIDES = ("attn", "cross")


def _hooks(model: "Model", layer: Layer, change: Named) -> Iterator[tuple[str, Function]]:
    if change.change.how != "ablate":
        yield f"{change.layer}.{change.name}", _changing(change, _source(model, change))
    elif change.head:
        points = model.hooks()
        for point in (f"{block}.{side}.hook_bound" for block in layer.blocks for side in _SIDES):
            if point in points and change.name in points[point].heads:
                yield point, _silencing(points[point].heads.index(change.name))
    else:
        for block in layer.blocks:
            yield from _unwriting(model, block, model.layout.places[change.name])


def _changing(change: Named, source: Array | None) -> Function:
    def changed(values: Tensor, hook: Hook) -> Tensor:
        if hook.first == 0 and not change.layer.endswith(f".{CELL}"):  # which goes step by step
            check_places(change, values.shape[1])
        factors = change.change.factors(hook.first, values.shape[1], source)
        factor, added = (torch.from_numpy(each).to(values) for each in factors)
        return values * factor + added

    return changed


def _source(model: "Model", change: Named) -> Array | None:
    """Of a swap, the values in the other text."""
    if change.change.how != "swap":
        return None
    name = f"{change.layer}.{change.name}"
    _, cache = model.run_with_cache(change.change.source, [name])
    if cache[name].dim() > len(("batch", "pos")):
        raise ValueError(f"{name}: in a loop there is one value a round; swap it behind the loop")
    return cache[name][0].double().cpu().numpy()


def _silencing(head: int) -> Function:
    def silenced(bound: Tensor, hook: Hook) -> Tensor:
        del hook
        return bound.index_fill(2, torch.tensor([head], device=bound.device, dtype=torch.long), 0.0)

    return silenced


def _unwriting(model: "Model", block: str, column: int) -> Iterator[tuple[str, Function]]:
    """A seme behind the rules of a block is what it was before them."""
    points, before = model.hooks(), list[Tensor]()
    names = (f"{block}.hook_resid_mid_cross", f"{block}.hook_resid_mid")
    mid = next((name for name in names if name in points), None)
    if mid is None or f"{block}.mlp.hook_post" not in points:
        return

    def seen(residual: Tensor, hook: Hook) -> None:
        del hook
        before[:] = [residual[..., column].clone()]

    def put_back(residual: Tensor, hook: Hook) -> Tensor:
        del hook
        place = torch.tensor([column], device=residual.device, dtype=torch.long)
        return residual.index_copy(-1, place, before[0][..., None])

    yield mid, seen
    yield f"{block}.hook_resid_post", put_back
