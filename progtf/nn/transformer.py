"""Sublayers, blocks and stacks: what encoders and decoders are made of, written or learned."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, cast

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared
from progtf.nn.affine import apart
from progtf.nn.attention import HeadGroups
from progtf.nn.bare import Bare, bare
from progtf.nn.cache import KeysValues
from progtf.nn.derived import Derived
from progtf.nn.enclosed import enclosable
from progtf.nn.hooks import observed, state_of, watched
from progtf.nn.points import UNSEEN, Unseen, points_of
from progtf.nn.precision import is_precise

Residual = Float[Tensor, "batch pos d_model"]
Memory = Float[Tensor, "batch src d_model"]
Present = Bool[Tensor, "batch pos"]
MemoryPresent = Bool[Tensor, "batch src"]
AllPresent = Bool[Tensor, "batch past_and_pos"]
Past = tuple[Any, ...]
"""Keys and values by groups of heads; of a loop, of every round those of each of its blocks."""
WHOLE = slice(None)

Layer = TypeVar("Layer", bound=nn.Module)


@compared
class Recall(NamedTuple):
    """What one block's cross-attention may read: computed once from the encoder's output."""

    keys_values: tuple[KeysValues, ...] = ()
    present: MemoryPresent | None = None

    def packed(self) -> "Recall":
        """The same, laid out for many steps."""
        return Recall(tuple(each.packed() for each in self.keys_values), self.present)


@dataclass(slots=True)
class Kept:
    """The keys and values of past positions; who reads on puts those of all positions here.

    Attributes:
        past: those of a block; of a loop, of every round those of each of its blocks.
        first: how many past positions there are.
    """

    past: Any = ()
    first: int = 0

    def then(self, offered: Past) -> Past:
        """Those of past positions, then those offered now, which are all kept."""
        if self.past:
            offered = tuple(old.then(new) for old, new in zip(self.past, offered, strict=True))
        self.past = offered
        return offered


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
        self.before = before
        self.after = after
        self.dropout = dropout

    @property
    def gathers(self) -> bool:
        """Whether nobody keeps the residual as it was: maps copy what they read of it."""
        maps = getattr(self.layer, "readers", lambda: [None])()
        plain = self.before is None and self.after is None
        return plain and all(getattr(each, "reads", None) is not None for each in maps)

    def read(self, residual: Residual) -> Residual:
        """What the layer reads: the residual, normalised if so."""
        return residual if self.before is None else self.before(residual)

    def add(self, residual: Residual, update: Any, *, in_place: bool = False) -> Residual:
        """The residual with the layer's update in it, normalised."""
        if self.training and self.dropout:
            update = _dropped(update, self.dropout)
        residual = self.layer.add_to(residual, update, in_place=in_place)  # type: ignore[operator]
        return residual if self.after is None else self.after(residual)


def _dropped(update: Any, chance: float) -> Any:
    if isinstance(update, tuple):
        return tuple(functional.dropout(part, chance) for part in update)
    return functional.dropout(update, chance)


class Sum(nn.Module):
    """Layers that read the same residual, such as written and learned rules; updates add up."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        if not layers:
            raise ValueError("a sum needs at least 1 layer; got 0")
        self.layers = nn.ModuleList(layers)

    @enclosable
    def forward(self, residual: Residual) -> tuple[Tensor, ...]:
        """The update of every layer."""
        return tuple(layer(residual) for layer in self.layers)

    def add_to(
        self, residual: Residual, update: tuple[Tensor, ...], *, in_place: bool = False
    ) -> Residual:
        """The residual with the updates of all layers."""
        for layer, own in zip(self.layers, update, strict=True):
            residual = layer.add_to(residual, own, in_place=in_place)  # type: ignore[operator]
        return residual


class Block(nn.Module):
    """Self-attention, cross-attention, feed-forward: each may be absent, each adds its update.

    Attributes:
        loops: whether it runs again and again, for which it is told where padding is.
    """

    loops = False

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
        parts = [part for part in (attention, cross, feed_forward) if part is not None]
        self.gathers = bool(parts) and all(part.gathers for part in parts)

    def forward(
        self,
        residual: Residual,
        present: AllPresent | None = None,
        recall: Recall | None = None,
        kept: Kept | None = None,
        *,
        in_place: bool = False,
        points: Unseen = UNSEEN,
        going: Present | None = None,
    ) -> Residual:
        """All positions at once, or the next ones behind those that are ``kept``.

        Args:
            residual: of these positions.
            present: False at padding; of past positions too.
            recall: what cross-attention may read.
            kept: the keys and values of past positions, with these put behind them.
            in_place: whether the residual itself may be changed.
            points: where somebody looks at what is computed.
            going: in a loop, the places of which something becomes; the others stay as they are.
        """
        begun = residual
        if not in_place and self.gathers and points is UNSEEN and not watched(self):
            residual, in_place = residual.clone(), True
        _check_recall(self.cross, recall)
        attention, cross, feed_forward = self.attention, self.cross, self.feed_forward
        residual = points.residual("hook_resid_pre", residual, going)
        if attention is not None:
            read, heads = attention.read(residual), attention.layer
            offered = points.offered("attn", heads.keys_values(read), going)
            offered = offered if kept is None else kept.then(offered)
            update = points.attend("attn", heads, read, offered, present)
            residual = attention.add(residual, update, in_place=in_place)
        residual = points.residual("hook_resid_mid", residual)
        if cross is not None and recall is not None:
            read = cross.read(residual)
            update = points.attend("cross", cross.layer, read, *recall)
            residual = cross.add(residual, update, in_place=in_place)
            residual = points.residual("hook_resid_mid_cross", residual)
        if feed_forward is not None:
            update = points.rules(feed_forward.layer, feed_forward.read(residual))
            residual = feed_forward.add(residual, update, in_place=in_place)
        residual = residual if going is None else residual.where(going[..., None], begun)
        return points.residual("hook_resid_post", residual, going)

    def bare(self, residual: Residual) -> Bare | None:
        """What it multiplies, of such residuals, if nothing else is done in it."""
        if type(self) is not Block or not self.gathers:
            return None
        parts = self.attention, self.cross, self.feed_forward
        attention, cross, rules = (None if part is None else part.layer for part in parts)
        return bare(attention, cross, rules, residual)

    @property
    def causal(self) -> bool:
        """Whether what stands at a place depends on nothing behind it."""
        return self.attention is None or self.attention.layer.cacheable

    def offered(self, residual: Residual) -> Past:
        """Keys and values of self-attention."""
        if self.attention is None:
            return ()
        return self.attention.layer.keys_values(self.attention.read(residual))

    def recall(
        self, memory: Memory, present: MemoryPresent | None, points: Unseen = UNSEEN
    ) -> Recall:
        """The encoder's output as this block's cross-attention reads it."""
        if self.cross is None:
            return Recall()
        return Recall(points.offered("cross", self.cross.layer.keys_values(memory)), present)


def _check_recall(cross: nn.Module | None, recall: Recall | None) -> None:
    if cross is not None and recall is None:
        raise ValueError("a block with cross-attention needs an encoder's output as `memory`")


class Stack(nn.Module):
    """Blocks one after another: an encoder or a decoder.

    Who looks at what it computes is known to the call, and not to the stack (`points_of`).
    """

    def __init__(self, blocks: Sequence[Block], closing: nn.Module | None = None) -> None:
        super().__init__()
        self._bare: Derived[list[tuple[Block, Bare | None]]] = Derived()
        self.blocks = nn.ModuleList(blocks)
        self.closing = closing

    def forward(
        self,
        residual: Residual,
        present: Present | None = None,
        memory: Memory | None = None,
        memory_present: MemoryPresent | None = None,
        part: slice = WHOLE,
        *,
        fresh: bool = False,
    ) -> Residual:
        """All positions at once, with the encoder's output as ``memory`` in a decoder.

        Args:
            residual: at first.
            present: False at padding.
            memory: the encoder's output.
            memory_present: False at its padding.
            part: which of the blocks are run; the last part ends with the closing norm.
            fresh: nobody else looks at the residual, so that it may be changed.
        """
        in_place = self.changeable and not observed(self)
        residual = residual.clone() if in_place and not fresh else residual
        self.go_on(0)
        points = points_of(self)
        blocks = self._known(residual, in_place=in_place)
        stream = None
        for number, (block, own) in list(enumerate(blocks))[part]:
            seen = points.get(number, UNSEEN)
            recall = None if memory is None else block.recall(memory, memory_present, seen)
            stream = None if own is None else stream or own.stream(residual)
            if own is not None and stream is not None:
                own.change(stream, present, recall, None)
                continue
            options = self._options(points, number, in_place=in_place)
            residual = block(residual, present, recall, **options)
        return self.closed(residual) if part.stop is None else residual

    def closed(self, residual: Residual) -> Residual:
        """What the last block leaves, normalised if so."""
        return residual if self.closing is None else self.closing(residual)

    def recalls(self, memory: Memory, present: MemoryPresent | None) -> tuple[Any, ...]:
        """Cross-attention's keys and values, block by block, for many steps."""
        self.go_on(0)
        points = points_of(self)
        recalls: list[Any] = []
        stream = None
        for number, (block, own) in enumerate(self._known(memory, in_place=True)):
            stream = None if own is None else stream or own.stream(memory)
            if own is not None and stream is not None:
                recall = Recall(own.recalled(stream), present)
            else:
                recall = block.recall(memory, present, points.get(number, UNSEEN))
            recalls.append(recall.packed())
        return tuple(recalls)

    def step(
        self,
        residual: Residual,
        pasts: tuple[Past, ...],
        recalls: tuple[Any, ...],
        present: Present | None = None,
        *,
        first: int = 0,
        in_place: bool = False,
    ) -> tuple[Residual, tuple[Past, ...]]:
        """The next positions of a decoder; ``pasts`` is empty at the first.

        Args:
            residual: of these positions.
            pasts: the keys and values of those before, block by block.
            recalls: what cross-attention may read.
            present: False at padding, for which no loop needs to run.
            first: how many positions there were before.
            in_place: the residual may be changed, as nobody else looks at it, or at a block's.
        """
        if not pasts:
            self.check_causal()
        self.go_on(first)
        points = points_of(self)
        every = [Kept(past, first) for past in pasts] or [Kept() for _ in self.blocks]
        blocks = self._known(residual, in_place=in_place)
        steps = zip(blocks, recalls, every, strict=True)
        stream = None
        for number, ((block, own), recall, kept) in enumerate(steps):
            stream = None if own is None else stream or own.stream(residual)
            if own is not None and stream is not None:
                own.change(stream, None, recall, kept)
                continue
            options = self._options(points, number, in_place=in_place)
            shown = present if block.loops else None
            residual = block(residual, shown, recall, kept, **options)
        return self.closed(residual), tuple(kept.past for kept in every)

    def turn(
        self,
        residual: Residual,
        present: Present | None,
        recalls: Sequence[Recall | None],
        every: Sequence[Kept | None],
        going: Present,
    ) -> Residual:
        """All blocks, at the places that are ``going``; what stands at all others is left there."""
        points = points_of(self)
        for number, (block, recall, kept) in enumerate(zip(self, recalls, every, strict=True)):
            options = self._options(points, number, in_place=False)
            residual = block(residual, present, recall, kept, going=going, **options)
        return residual

    def bare(self, residual: Residual) -> Sequence[Bare] | None:
        """What all of its blocks multiply, where that is all that they do; None: it is not."""
        blocks = self._known(residual, in_place=self.changeable and not observed(self))
        own = [each for _, each in blocks if each is not None]
        return own if len(own) == len(blocks) > 0 else None

    def _known(self, residual: Residual, *, in_place: bool) -> Sequence[tuple[Block, Bare | None]]:
        """The blocks, each with what it multiplies where that is all that it does to a residual.

        So it is where they may change it in place, nobody looks, and they are known to be the same.
        """
        plain = in_place and not points_of(self) and state_of(self) is not None
        if plain and apart(residual) and is_precise(residual.device):
            return self._bare.of(self, partial(self._stripped, residual))
        return [(block, None) for block in self]

    def _stripped(self, residual: Residual) -> list[tuple[Block, Bare | None]]:
        return [(block, block.bare(residual)) for block in self]

    @staticmethod
    def _options(points: Mapping[int, Unseen], number: int, *, in_place: bool) -> dict[str, Any]:
        """For a block, what others need not know."""
        options: dict[str, Any] = {"in_place": True} if in_place else {}
        return options | {"points": points[number]} if number in points else options

    def go_on(self, first: int) -> None:
        """Tells those who look where the positions begin that come now."""
        for points in points_of(self).values():
            points.goes_on(first)

    @property
    def changeable(self) -> bool:
        """Whether all blocks can change a residual in place, if nobody looks at it.

        A new one at each update takes several times as long where few of many columns are written.
        """
        return all(isinstance(block, Block) for block in self)

    @property
    def loops(self) -> bool:
        """Whether some block runs again and again."""
        return any(block.loops for block in self)

    def check_causal(self) -> None:
        """Raises ValueError if a block has heads that see the future: no decoder."""
        for number, block in enumerate(self):
            if not block.causal:
                raise ValueError(f"block {number} has heads that are not causal: no decoder")

    def __iter__(self) -> Iterator[Block]:
        return iter(cast("Iterable[Block]", self.blocks))
