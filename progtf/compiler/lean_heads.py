"""The heads of a written sublayer as they answer: one map reads for all groups, one writes."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from progtf.compiler.lean_maps import Reader, Residual, Writer, wide
from progtf.compiler.lean_patterns import LeanSoftmax, LeanSoftmaxOverReaders
from progtf.nn import (
    HeadGroups,
    KeysValues,
    RoleAttention,
    WrittenSoftmax,
    WrittenSoftmaxOverReaders,
)
from progtf.nn.transformer import Past

Columns = Float[Tensor, "batch pos columns"]
ByHead = Float[Tensor, "batch head pos d"]
Present = Bool[Tensor, "batch src"] | None


class LeanHeads:
    """All groups of a sublayer, which read the same residual."""

    def __init__(self, heads: HeadGroups) -> None:
        groups = list(heads)
        self.groups = [LeanGroup(group) for group in groups]
        self.dst = Reader([group.dst for group in groups])
        self.src = Reader([group.src for group in groups])
        self.out = Writer([group.out for group in groups])
        self.dst_columns = [sum(group.dst_columns) for group in groups]
        self.src_columns = [sum(group.src_columns) for group in groups]

    def keys_values(self, source: Residual) -> Past:
        """Keys and values of every group."""
        columns = self.src(source).split_with_sizes(self.src_columns, dim=-1)
        return tuple(g.keys_values(part) for g, part in zip(self.groups, columns, strict=True))

    def then(self, past: Past, residual: Residual) -> Past:
        """Those of past positions, then those of the residual's."""
        offered = self.keys_values(residual)
        if not past:
            return offered
        return tuple(old.then(new) for old, new in zip(past, offered, strict=True))

    def attend(self, residual: Residual, offered: Past, present: Present) -> None:
        """Adds what the heads write to the residual, in place."""
        columns = self.dst(residual).split_with_sizes(self.dst_columns, dim=-1)
        parts = zip(self.groups, columns, offered, strict=True)
        bound = [group(part, each, present) for group, part, each in parts]
        self.out.add(residual, bound[0] if len(bound) == 1 else torch.cat(bound, dim=-1))


class LeanGroup:
    """A group of heads.

    Shapes:
        columns  batch dst columns          queries and roles of all heads
        returns  batch dst (head d_filler)  fillers, bound to their roles
    """

    def __init__(self, group: RoleAttention) -> None:
        self.n_heads = group.sizes.n_heads
        self.dst_columns, self.src_columns = group.dst_columns, group.src_columns
        self.pattern = _pattern(group)
        self.binds = self.dst_columns[1] > 0

    def keys_values(self, columns: Columns) -> KeysValues:
        """Keys and values of all heads."""
        key, value = columns.split_with_sizes(self.src_columns, dim=-1)
        return KeysValues(self._by_head(key), self._by_head(value))

    def __call__(self, columns: Columns, offered: KeysValues, present: Present) -> Columns:
        query, role = columns.split_with_sizes(self.dst_columns, dim=-1)
        filler = self.pattern(self._by_head(query), offered, present)
        filler = filler.movedim(-3, -2).flatten(-2)
        return filler * role if self.binds else filler

    def _by_head(self, columns: Columns) -> ByHead:
        return columns.unflatten(-1, (self.n_heads, -1)).movedim(-2, -3)


def _pattern(group: RoleAttention) -> LeanSoftmax | LeanSoftmaxOverReaders:
    dtype = wide(group.dst.weight).dtype
    if isinstance(group.pattern, WrittenSoftmax):
        return LeanSoftmax(group.pattern, dtype)
    assert isinstance(group.pattern, WrittenSoftmaxOverReaders)
    return LeanSoftmaxOverReaders(group.pattern, dtype)
