"""Sublayers, blocks and stacks: what encoders and decoders are made of, written or learned."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Generic, NamedTuple, TypeVar, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.attention import HeadGroups
from progtf.nn.cache import KeysValues

Residual = Float[Tensor, "batch pos d_model"]
Memory = Float[Tensor, "batch src d_model"]
Present = Bool[Tensor, "batch pos"]
MemoryPresent = Bool[Tensor, "batch src"]
AllPresent = Bool[Tensor, "batch past_and_pos"]
Past = tuple[KeysValues, ...]

Layer = TypeVar("Layer", bound=nn.Module)


class Recall(NamedTuple):
    """What one block's cross-attention may read: computed once from the encoder's output."""

    keys_values: tuple[KeysValues, ...] = ()
    present: MemoryPresent | None = None

    def packed(self) -> "Recall":
        """The same, laid out for many steps."""
        return Recall(tuple(each.packed() for each in self.keys_values), self.present)


class Sublayer(nn.Module, Generic[Layer]):
    """A layer with its norms: after(residual + dropout(layer(before(residual)))).

    Pre-norm has its norm ``before``, post-norm ``after``; the published models have one more
    ``after`` the last sublayer of each block.
    """

    def __init__(
        self,
        layer: Layer,
        before: nn.Module | None = None,
        after: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.layer = layer
        self.before = before or nn.Identity()
        self.after = after
        self.dropout = dropout

    def add(self, residual: Residual, update: Residual) -> Residual:
        """The residual with the update in it, normalised."""
        if self.training and self.dropout:
            update = functional.dropout(update, self.dropout)
        residual = residual + update
        return residual if self.after is None else self.after(residual)


class Sum(nn.Module):
    """Layers that read the same residual, such as written and learned rules; updates add up."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        if not layers:
            raise ValueError("a sum needs at least 1 layer; got 0")
        self.layers = nn.ModuleList(layers)

    def forward(self, residual: Residual) -> Residual:
        return reduce(torch.add, [layer(residual) for layer in self.layers])


class Block(nn.Module):
    """Self-attention, cross-attention, feed-forward: each may be absent, each adds its update."""

    def __init__(
        self,
        attention: Sublayer[HeadGroups] | None = None,
        cross: Sublayer[HeadGroups] | None = None,
        feed_forward: Sublayer[nn.Module] | None = None,
    ) -> None:
        super().__init__()
        if cross is not None and not cross.layer.cross:
            raise ValueError("cross-attention looks at `all` and normalises over keys alone")
        self.attention = attention
        self.cross = cross
        self.feed_forward = feed_forward

    def forward(
        self, residual: Residual, present: Present | None = None, recall: Recall | None = None
    ) -> Residual:
        """All positions at once; ``present`` is False at padding."""
        return self.proceed(residual, (), present, recall)[0]

    def proceed(
        self,
        residual: Residual,
        past: Past,
        present: AllPresent | None = None,
        recall: Recall | None = None,
    ) -> tuple[Residual, Past]:
        """The next positions, given the keys and values of past ones; and those of all."""
        if self.attention is not None:
            residual, past = _attend_to_self(self.attention, residual, past, present)
        if self.cross is not None:
            residual = _attend_to_memory(self.cross, residual, recall)
        if self.feed_forward is not None:
            update = self.feed_forward.layer(self.feed_forward.before(residual))
            residual = self.feed_forward.add(residual, update)
        return residual, past

    def recall(self, memory: Memory, present: MemoryPresent | None) -> Recall:
        """The encoder's output as this block's cross-attention reads it."""
        if self.cross is None:
            return Recall()
        return Recall(self.cross.layer.keys_values(memory), present)


class Stack(nn.Module):
    """Blocks one after another: an encoder or a decoder."""

    def __init__(self, blocks: Sequence[Block], closing: nn.Module | None = None) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.closing = closing or nn.Identity()

    def forward(
        self,
        residual: Residual,
        present: Present | None = None,
        memory: Memory | None = None,
        memory_present: MemoryPresent | None = None,
    ) -> Residual:
        """All positions at once, with the encoder's output as ``memory`` in a decoder."""
        for block in self:
            recall = None if memory is None else block.recall(memory, memory_present)
            residual = block(residual, present, recall)
        return self.closing(residual)

    def recalls(self, memory: Memory, present: MemoryPresent | None) -> tuple[Recall, ...]:
        """Cross-attention's keys and values, block by block, for many steps."""
        return tuple(block.recall(memory, present).packed() for block in self)

    def step(
        self, residual: Residual, pasts: tuple[Past, ...], recalls: tuple[Recall, ...]
    ) -> tuple[Residual, tuple[Past, ...]]:
        """The next positions of a decoder; ``pasts`` is empty at the first."""
        if not pasts:
            self.check_causal()
        seen: list[Past] = []
        for number, block in enumerate(self):
            past = pasts[number] if pasts else ()
            residual, past = block.proceed(residual, past, recall=recalls[number])
            seen.append(past)
        return self.closing(residual), tuple(seen)

    def check_causal(self) -> None:
        """Raises ValueError if a block has heads that see the future: no decoder."""
        for number, block in enumerate(self):
            if block.attention is not None and not block.attention.layer.cacheable:
                raise ValueError(f"block {number} has heads that are not causal: no decoder")

    def __iter__(self) -> Iterator[Block]:
        return iter(cast("Iterable[Block]", self.blocks))


def _attend_to_self(
    sublayer: Sublayer[HeadGroups], residual: Residual, past: Past, present: AllPresent | None
) -> tuple[Residual, Past]:
    read = sublayer.before(residual)
    offered = sublayer.layer.keys_values(read)
    if past:
        offered = tuple(old.then(new) for old, new in zip(past, offered, strict=True))
    return sublayer.add(residual, sublayer.layer(read, offered, present)), offered


def _attend_to_memory(
    sublayer: Sublayer[HeadGroups], residual: Residual, recall: Recall | None
) -> Residual:
    if recall is None:
        raise ValueError("a block with cross-attention needs an encoder's output as `memory`")
    update = sublayer.layer(sublayer.before(residual), recall.keys_values, recall.present)
    return sublayer.add(residual, update)
