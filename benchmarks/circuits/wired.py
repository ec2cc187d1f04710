"""A model whose nodes stand at points, run on some texts while one writer is changed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from progtf.network.model import Model
from progtf.network.names import layers
from progtf.nn import present
from progtf.weights.circuit import Circuit

Place = tuple[str, int | None]
"""A point, and the head there; None: all of it."""
Change = Callable[[Tensor], Tensor]
"""From what a writer computes to what is put in its place."""


class Wired:
    """A model whose nodes stand at points, run on some texts.

    Args:
        model: which one.
        circuit: its nodes.
        texts: what it is given.
        said: the answers of a decoder; its own, if there are none.

    Attributes:
        writes: of each node that computes, where what it computes is seen.
        reads: and where what it reads.
        clean: what stands at all these points.
    """

    def __init__(
        self, model: Model, circuit: Circuit, texts: list[str], said: list[str] | None = None
    ) -> None:
        self.model, points = model, model.hooks()
        self.writes: dict[str, Place] = {}
        self.reads: dict[str, list[Place]] = {}
        blocks = {layer.name: layer.blocks for layer in layers(model.layout)}
        for node in circuit.nodes:
            for block in blocks.get(node.layer, ())[-1:]:
                self._wire(node.name, node.kind, block, points)
        self.given = self._ids(texts, said or [answer.text for answer in model.answers(texts)])
        self._at = {place: name for name, places in self.reads.items() for place in places}
        self._points = {p for p, _ in self.writes.values()} | {p for p, _ in self._at}
        self.clean = self._cached()

    def _wire(self, name: str, kind: str, block: str, points: Mapping[str, Any]) -> None:
        if kind == "rules":
            if f"{block}.mlp.hook_post" in points:
                self.writes[name] = (f"{block}.mlp.hook_post", None)
                self.reads[name] = [self.writes[name]]
            return
        side = "cross" if kind == "cross" else "attn"
        place = points[f"{block}.{side}.hook_bound"].heads.index(name.rpartition(".head ")[2])
        self.writes[name] = (f"{block}.{side}.hook_bound", place)
        fields = (f"{block}.{side}.hook_{field}" for field in ("q", "k", "v", "role"))
        self.reads[name] = [(field, place) for field in fields if field in points]

    def _ids(self, texts: list[str], answers: list[str]) -> tuple[Tensor, ...]:
        source = self.model.batch([self.model.reader.read(text) for text in texts])
        if not self.model.layout.writes:
            return (source,)
        return source, self.model.batch([["<bos>", *answer] for answer in answers])

    def _cached(self, hooks: Any = ()) -> dict[str, Tensor]:
        with torch.no_grad():
            _, cache = self.model.run_with_cache(self.given, sorted(self._points), hooks)
        return {point: cache[point] for point in self._points}

    # ------------------------------------------------------------------ changes

    def part(self, tensors: Mapping[str, Tensor], place: Place) -> Tensor:
        """What stands at a place."""
        point, head = place
        return tensors[point] if head is None else tensors[point][:, :, head]

    def moved(self, writer: str, change: Change) -> Tensor:
        """By how much a change moves what a writer computes."""
        clean = self.part(self.clean, self.writes[writer])
        return change(clean) - clean

    def direct(self, writer: str, change: Change, without: str = "") -> dict[str, Tensor]:
        """What readers have when one writer is changed, and all others compute what they did.

        Args:
            writer: which one.
            change: to what.
            without: another writer that writes nothing all the while.
        """
        fixed = {point: tensor.clone() for point, tensor in self.clean.items()}
        if without:
            self.part(fixed, self.writes[without]).zero_()
        own = self.part(fixed, self.writes[writer])
        own.copy_(change(own.clone()))
        writing = {point for point, _ in self.writes.values()}

        def freeze(tensor: Tensor, hook: Any) -> Tensor:
            del tensor
            return fixed[hook.name]

        seen = dict[str, Tensor]()

        def look(tensor: Tensor, hook: Any) -> None:
            seen[hook.name] = tensor.clone()

        reading = [(point, look) for point in sorted({point for point, _ in self._at})]
        with torch.no_grad():
            hooks = [*reading, *((point, freeze) for point in sorted(writing))]
            self.model.run_with_hooks(self.given, hooks)
        return seen

    def total(self, writer: str, change: Change) -> dict[str, Tensor]:
        """What readers have when one writer is changed, and all that follows from it."""
        point, head = self.writes[writer]

        def put(tensor: Tensor, hook: Any) -> Tensor:
            del hook
            if head is None:
                return change(tensor)
            tensor[:, :, head] = change(tensor[:, :, head].clone())
            return tensor

        return self._cached([(point, put)])

    def effects(self, seen: Mapping[str, Tensor]) -> dict[str, float]:
        """How far each reader is at most from what it has in a clean run."""
        found: dict[str, float] = {}
        for name, places in self.reads.items():
            moved = (self.part(seen, p) - self.part(self.clean, p) for p in places)
            found[name] = max(float(each.abs().max()) for each in moved)
        return found

    # ------------------------------------------------------------------ answers

    def lead(self) -> Tensor:
        """By how much the best score leads the second, summed over all places."""
        scores = self.model.run_with_hooks(self.given, ())
        network, source = self.model.network, self.given[0]
        real = present(source, self.model.pad)
        if len(self.given) > 1:
            real = present(self.given[1], self.model.pad)
        elif network.classifier is not None:
            scores, real = network.classifier(scores, real), real[:, :1]
        elif network.unembed is not None:
            scores = network.unembed(scores)
        best = scores.flatten(0, -2)[real.flatten() if scores.dim() > 2 else slice(None)]
        first, second = best.topk(2, dim=-1).values.unbind(-1)
        return (first - second).sum()

    def gradients(self) -> dict[str, Tensor]:
        """How the lead changes with what readers have, to first order."""
        kept = dict[str, Tensor]()

        def keep(tensor: Tensor, hook: Any) -> Tensor:
            kept[hook.name] = (tensor + 0).requires_grad_()
            return kept[hook.name]

        hooks = [(point, keep) for point in sorted({point for point, _ in self._at})]
        with torch.enable_grad(), self.model.hooked(hooks):
            lead = self.lead()
            names = list(kept)
            found = torch.autograd.grad(lead, [kept[n] for n in names], allow_unused=True)
        return {
            n: torch.zeros_like(kept[n]) if g is None else g
            for n, g in zip(names, found, strict=True)
        }

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs of which the one runs before the other."""
        order = list(self.writes)
        for number, writer in enumerate(order):
            for reader in order[number + 1 :]:
                yield writer, reader
