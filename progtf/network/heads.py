"""Written heads as modules: those of like sizes together, all of a layer on the same three maps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from progtf.network.lay import Held, Ints, Laid, Piece, gathered, in_order, scattered
from progtf.nn import (
    Binding,
    Hadamard,
    Heads,
    HeadSizes,
    Look,
    Outer,
    RoleAttention,
    Unbound,
    WrittenByPlace,
    WrittenForAll,
    WrittenSoftmax,
    WrittenSoftmaxOverReaders,
    full_precision,
)
from progtf.weights.layout import HeadLayout, Layout
from progtf.weights.maps import BIAS, Map
from progtf.weights.weights import EXACT, Weights

SMALL = 16
"""Heads with more features, or fillers, than that are no company for those with fewer."""


@dataclass(frozen=True)
class Head:
    """One head with its maps.

    Attributes:
        layout: of the head.
        maps: by field.
    """

    layout: HeadLayout
    maps: Mapping[str, Map]

    def size(self, field: str) -> int:
        """How many features, fillers or roles a map gives."""
        return len(self.maps[field].targets) if field in self.maps else 0

    def tells_places(self, layout: Layout) -> bool:
        """Whether its queries and keys read clocks alone, whatever their numbers are."""
        if self.layout.normalize == "queries" or self.layout.learned or not self.size("key"):
            return False
        clocks = layout.columns[layout.semes : layout.semes + 2 * len(layout.clocks)]
        maps = self.maps["query"], self.maps["key"]
        return {each.sources[row] for each in maps for row in each.rows if row != BIAS} <= {*clocks}

    @property
    def asks_alike(self) -> bool:
        """Whether it asks the same at every place, and of all places, whatever its numbers are."""
        layout = self.layout
        plain = layout.normalize == "keys" and layout.look == "all" and not layout.learned
        return plain and "query" in self.maps and bool((self.maps["query"].rows == BIAS).all())

    def kind(self, layout: Layout, *, causal: bool) -> type[WrittenSoftmax]:
        """How it computes its pattern."""
        if not causal and self.tells_places(layout):
            return WrittenByPlace
        return WrittenForAll if not causal and self.asks_alike else WrittenSoftmax


def alike(heads: Sequence[Head], layout: Layout, *, causal: bool) -> list[list[Head]]:
    """Heads that are batched: of one kind, all with roles or none, with few features or many, with
    few fillers or many.
    """
    groups: dict[tuple[object, ...], list[Head]] = {}
    for head in heads:
        many = head.size("key") > SMALL, head.size("value") > SMALL
        kind = head.layout.normalize, head.kind(layout, causal=causal), "role" in head.maps
        groups.setdefault((*kind, *many), []).append(head)
    return list(groups.values())


@dataclass(frozen=True)
class Group:
    """Heads of like sizes and where their columns begin.

    Attributes:
        query, role, key, value, out: the first column (of ``out``: row) of the group.
    """

    heads: list[Head]
    module: Heads
    query: int
    role: int
    key: int
    value: int
    out: int


def written_attention(
    weights: Weights, heads: Sequence[Head], *, causal: bool
) -> tuple[RoleAttention, list[Held]]:
    """All written heads of a sublayer, on one map for queries and roles, and two others."""
    groups, held = _groups(weights, heads, causal=causal)
    last = groups[-1].module
    n_dst = groups[-1].query + sum(last.dst_columns)
    n_src = groups[-1].key + sum(last.src_columns)
    pieces = [_pieces(group) for group in groups]
    dst, src, out = ([p for each in pieces for p in each[place]] for place in range(3))
    laid: list[Laid] = [
        gathered(dst, n_dst), gathered(src, n_src), scattered(out, groups[-1].out + last.d_bound),
    ]  # fmt: skip
    modules = [affine for affine, _ in laid]
    attention = RoleAttention([g.module for g in groups], *modules, precision=full_precision)
    return attention, [*held, *(each for _, each in laid)]


def _groups(
    weights: Weights, heads: Sequence[Head], *, causal: bool
) -> tuple[list[Group], list[Held]]:
    groups: list[Group] = []
    held: list[Held] = []
    dst = src = out = 0
    for some in alike(heads, weights.layout, causal=causal):
        module, each = _module(weights, some, causal=causal)
        role, value = dst + module.dst_columns[0], src + module.src_columns[0]
        groups.append(Group(some, module, dst, role, src, value, out))
        held.append(each)
        dst, src = dst + sum(module.dst_columns), src + sum(module.src_columns)
        out += module.d_bound
    return groups, held


def _module(weights: Weights, heads: list[Head], *, causal: bool) -> tuple[Heads, Held]:
    d_key = max(1, *(head.size("key") for head in heads))
    d_filler = max(1, *(head.size("value") for head in heads))
    d_role = max(1, *(head.size("role") for head in heads))
    sizes = HeadSizes(weights.layout.width, len(heads), d_key, d_filler)
    bindings: dict[str, Binding] = {"hadamard": Hadamard(), "outer": Outer(d_role)}
    kind = heads[0].kind(weights.layout, causal=causal)
    pattern, held = pattern_of(heads, d_filler, kind, causal=causal)
    bound = weights.layout.binding if "role" in heads[0].maps else "none"
    binding = bindings.get(bound, Unbound())
    return Heads(sizes, pattern, binding, tuple(head.layout.called for head in heads)), held


def pattern_of(
    heads: Sequence[Head],
    d_filler: int,
    kind: type[WrittenSoftmax] = WrittenSoftmax,
    *,
    causal: bool,
) -> tuple[WrittenSoftmax | WrittenSoftmaxOverReaders, Held]:
    """The pattern of like heads, and where it holds sharpness, null scores and null fillers."""
    numbers = [head.maps[EXACT] for head in heads]
    looks: list[Look] = [head.layout.look for head in heads]
    sharpness = [each.entries["", "sharpness"] for each in numbers]
    places = {
        each.key: _place_of_numbers(each, number, len(heads), d_filler)
        for number, each in enumerate(numbers)
    }
    if heads[0].layout.normalize == "queries":
        pattern = WrittenSoftmaxOverReaders(sharpness, looks)
        return pattern, Held(pattern, ("sharpness",), places)
    nulls = [each.entries.get(("", "below")) for each in numbers]
    softmax = kind(d_filler, sharpness, looks, nulls, causal=causal)
    for number, each in enumerate(numbers):
        chosen = each.rows != BIAS
        columns = each.columns[chosen] - 2
        softmax.null_filler.numpy()[number, columns] = each.numbers[chosen]
    return softmax, Held(softmax, ("sharpness", "null_score", "null_filler"), places)


def _place_of_numbers(each: Map, number: int, n_heads: int, d_filler: int) -> Ints:
    """Of sharpness, then null scores, then null fillers, head by head."""
    fillers = 2 * n_heads + number * d_filler + each.columns - 2
    return np.where(each.rows == BIAS, each.columns * n_heads + number, fillers).astype(np.int64)


def _pieces(group: Group) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """The pieces of the maps to queries and roles, to keys and values, and to the residual."""
    sizes, binding = group.module.sizes, group.module.binding
    d_role, d_bound = binding.d_role(sizes.d_filler), binding.d_bound(sizes.d_filler)
    dst: list[Piece] = []
    src: list[Piece] = []
    out: list[Piece] = []
    for number, head in enumerate(group.heads):
        maps = head.maps
        dst.append(Piece.at(maps["query"], 0, group.query + number * sizes.d_key))
        src.append(Piece.at(maps["key"], 0, group.key + number * sizes.d_key))
        src.append(Piece.at(maps["value"], 0, group.value + number * sizes.d_filler))
        if "role" in maps and d_role:
            dst.append(Piece.at(maps["role"], 0, group.role + number * d_role))
        rows = (
            group.out + number * d_bound + _products(head, d_role, outer=d_bound != sizes.d_filler)
        )
        every = in_order(len(maps["out"].targets))
        first = number == 0 and group.out == 0
        out.append(Piece(maps["out"], rows, every, bias=first))
    return dst, src, out


def _products(head: Head, d_role: int, *, outer: bool) -> Ints:
    """The row of each thing that a head writes among those it binds."""
    if not outer:
        return np.arange(head.size("value"))
    filler, role = np.divmod(
        np.arange(head.size("value") * head.size("role")), max(1, head.size("role"))
    )
    return filler * d_role + role


def address_of(head: Head) -> list[Laid]:
    """The written query, if it is written, and the key of a head whose filler is learned."""
    size = max(1, head.size("key"))
    fields = [field for field in ("query", "key") if field in head.maps]
    return [gathered([Piece.at(head.maps[field])], size) for field in fields]
