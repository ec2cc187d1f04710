"""Written blocks while nobody looks on: their maps and heads at hand, without asking modules.

A small product takes less time than to call a module that multiplies, and to look up its tensors.
So as long as a network is known to be the same, its blocks keep what they multiply, and change the
residual column by column. The products, the patterns and their order are those of the modules; on
some processors dense products are added up in another order where numbers lie otherwise.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.equality import compared
from progtf.nn.affine import Affine, SharedSums, columns
from progtf.nn.attention import HeadGroups, HeadSizes, RoleAttention
from progtf.nn.bindings import Binding
from progtf.nn.cache import KeysValues
from progtf.nn.feedforward import FeedForward
from progtf.nn.precision import follow_autocast, full_precision
from progtf.nn.products import Multiply, Places, add, stacked

Residual = Float[Tensor, "batch pos d_model"]
Image = Float[Tensor, "column row"]
Present = Bool[Tensor, "batch src"]
ByHead = Float[Tensor, "batch head pos d"]
PLAIN = Affine, SharedSums


@compared
class Stream(NamedTuple):
    """The columns of a residual, each of all positions of all texts, side by side."""

    columns: Float[Tensor, "d_model row"]
    n_texts: int
    n_pos: int


class BareHeads(NamedTuple):
    """Heads of like sizes; ``query``, ``role``, ``key`` and ``value`` say where columns begin."""

    read: Callable[..., ByHead]
    binding: Binding
    sizes: HeadSizes
    d_role: int
    d_bound: int
    query: int
    role: int
    key: int
    value: int


@compared
class BareAttention(NamedTuple):
    """Written heads of one sublayer, with their three maps.

    Attributes:
        both: ``dst``, then ``src``, for readers that read themselves, where that is one product.
        n_asked: how many columns ``dst`` gives.
    """

    heads: tuple[BareHeads, ...]
    dst: Multiply
    src: Multiply
    both: Multiply | None
    n_asked: int
    out: Multiply
    writes: Places | None

    def change(
        self,
        stream: Stream,
        then: Callable[[tuple[KeysValues, ...]], tuple[KeysValues, ...]],
        present: Present | None,
    ) -> None:
        """Adds what the heads bind to the stream that they read; ``then``: behind what they did."""
        if self.both is None:
            asked = self.dst(stream.columns)
            offered = self.offered(stream, self.src(stream.columns), 0)
        else:
            asked = self.both(stream.columns)
            offered = self.offered(stream, asked, self.n_asked)
        self.add(stream, asked, then(offered), present)

    def offered(self, stream: Stream, given: Image, first: int) -> tuple[KeysValues, ...]:
        """Keys and values, group by group, of columns that begin with the first one."""
        offered: list[KeysValues] = []
        for each in self.heads:
            sizes = each.sizes
            key = _by_head(stream, given, first + each.key, sizes.n_heads, sizes.d_key)
            value = _by_head(stream, given, first + each.value, sizes.n_heads, sizes.d_filler)
            offered.append(KeysValues(key, value))
        return tuple(offered)

    def add(
        self,
        stream: Stream,
        asked: Image,
        offered: Sequence[KeysValues],
        present: Present | None,
    ) -> None:
        """Adds to a stream what the heads bind that ask so."""
        bound: list[Tensor] = []
        for each, (key, value, _) in zip(self.heads, offered, strict=True):
            sizes = each.sizes
            query = _by_head(stream, asked, each.query, sizes.n_heads, sizes.d_key)
            filler = each.read(query, key, value, present)
            role = _by_head(stream, asked, each.role, sizes.n_heads, each.d_role)
            found = each.binding(filler, role).permute(1, 3, 0, 2)
            bound.append(found.reshape(each.d_bound, -1))
        update = self.out(bound[0] if len(bound) == 1 else torch.cat(bound))
        add(stream.columns, self.writes, update)


@compared
class BareRules(NamedTuple):
    """Hidden units, with their two maps."""

    inner: Multiply
    outer: Multiply
    writes: Places | None

    def change(self, stream: Stream) -> None:
        """Adds to the stream what the units come to."""
        add(stream.columns, self.writes, self.outer(self.inner(stream.columns).relu_()))


class Bare(NamedTuple):
    """A block of written layers.

    Attributes:
        dtype, width: of the residuals that it changes.
    """

    dtype: torch.dtype
    width: int
    attention: BareAttention | None
    cross: BareAttention | None
    rules: BareRules | None

    @property
    def writes(self) -> list[Places | None]:
        """Which columns each layer adds to; None: all."""
        layers = self.attention, self.cross, self.rules
        return [layer.writes for layer in layers if layer is not None]

    def stream(self, residual: Residual) -> Stream | None:
        """The columns of a residual that such blocks can change; None: they cannot."""
        given = columns(residual)
        if residual.dtype != self.dtype or len(given) != self.width or not given.is_contiguous():
            return None
        return Stream(given.flatten(1), *residual.shape[:2])

    def change(self, stream: Stream, present: Present | None, recall: Any, kept: Any) -> None:
        """Adds the update of every layer.

        Args:
            stream: of some positions.
            present: False at padding.
            recall: keys and values that cross-attention may read, and where they are no padding.
            kept: if there are past positions, or later ones, their keys and values.
        """
        if self.attention is not None:
            self.attention.change(stream, _alone if kept is None else kept.then, present)
        if self.cross is not None:
            self.cross.add(stream, self.cross.dst(stream.columns), *recall)
        if self.rules is not None:
            self.rules.change(stream)

    def recalled(self, memory: Stream) -> tuple[KeysValues, ...]:
        """Keys and values of an encoder's output for cross-attention."""
        if self.cross is None:
            return ()
        return self.cross.offered(memory, self.cross.src(memory.columns), 0)


def bare(
    attention: nn.Module | None, cross: nn.Module | None, rules: nn.Module | None, residual: Tensor
) -> Bare | None:
    """The layers of a block, for such residuals; None if one of them is not written."""
    layers, width = (attention, cross, rules), residual.shape[-1]
    if not all(layer is None or _is_written(layer, residual.dtype) for layer in layers):
        return None
    heads = [
        None if each is None else _attention(cast("HeadGroups", each), residual)
        for each in (attention, cross)
    ]
    units = None if rules is None else _rules(cast("FeedForward", rules), width)
    return Bare(residual.dtype, width, heads[0], heads[1], units)


def _is_written(layer: nn.Module, dtype: torch.dtype) -> bool:
    """Whether a layer is one of written maps, which multiply residuals of a format as they are."""
    if isinstance(layer, HeadGroups):
        layer = layer.groups[0] if len(layer.groups) == 1 else layer
    match layer:
        case RoleAttention():
            maps: list[nn.Module] = [layer.dst, layer.src, layer.out]
        case FeedForward() if not layer.dropout:
            maps = [layer.inner, layer.outer]
        case _:
            return False
    plain = all(type(each) in PLAIN for each in maps)
    return plain and layer.precision is full_precision and all(_takes(each, dtype) for each in maps)


def _takes(affine: Any, dtype: torch.dtype) -> bool:
    """Whether a map multiplies a format as it is; narrow weights are not kept in a wide one."""
    return affine.precision is follow_autocast and affine.weight.dtype == dtype


def _attention(layer: HeadGroups, residual: Residual) -> BareAttention:
    (group,) = layer
    heads: list[BareHeads] = []
    width = residual.shape[-1]
    asked = offered = 0
    for each in group:
        (d_query, d_role), (d_key, d_value) = each.dst_columns, each.src_columns
        begin = asked, asked + d_query, offered, offered + d_key
        size = d_role // each.sizes.n_heads
        read = each.pattern.reader(residual)  # type: ignore[operator]
        heads.append(BareHeads(read, each.binding, each.sizes, size, each.d_bound, *begin))
        asked, offered = asked + d_query + d_role, offered + d_key + d_value
    dst, src, out = (cast("Affine", each) for each in (group.dst, group.src, group.out))
    own = dst.product(width), src.product(width)
    both = stacked(*own)
    maps = own[0].bare, own[1].bare, None if both is None else both.bare
    return BareAttention(tuple(heads), *maps, asked, out.product(0).bare, out.writes)


def _rules(layer: FeedForward, width: int) -> BareRules:
    inner, outer = layer.inner, layer.outer
    return BareRules(inner.product(width).bare, outer.product(0).bare, outer.writes)


def _alone(offered: tuple[KeysValues, ...]) -> tuple[KeysValues, ...]:
    return offered


def _by_head(stream: Stream, given: Image, first: int, heads: int, size: int) -> ByHead:
    """Some columns, head by head; a view."""
    _, n_texts, n_pos = stream
    rows = n_texts * n_pos
    shape, strides = (n_texts, heads, n_pos, size), (n_pos, size * rows, 1, rows)
    return given.as_strided(shape, strides, first * rows)
