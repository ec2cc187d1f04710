"""Role attention: one path for learned and written heads (Schlag et al. 2019, Eq. 3-6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn.affine import Affine, Precision, follow_autocast
from progtf.nn.bindings import Binding
from progtf.nn.cache import KeysValues
from progtf.nn.patterns import Pattern

Residual = Float[Tensor, "batch dst d_model"]
Update = Float[Tensor, "batch dst d_out"]
Source = Float[Tensor, "batch src d_source"]
Present = Bool[Tensor, "batch src"]


@dataclass(frozen=True, slots=True)
class HeadSizes:
    """The sizes that the heads of one group share."""

    d_model: int
    n_heads: int
    d_key: int
    d_filler: int

    @classmethod
    def split(cls, d_model: int, n_heads: int) -> "HeadSizes":
        """Heads that share the width evenly, as in the published models."""
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"{n_heads} heads do not divide a width of {d_model}")
        return cls(d_model, n_heads, d_model // n_heads, d_model // n_heads)


class RoleAttention(nn.Module):
    """Attention that binds what each head reads to a role (Eq. 3-6).

    Shapes, with ``d_role`` and ``d_bound`` as the binding makes them of ``d_filler``:
        residual  batch dst d_model        the readers: queries and roles come from here
        key       batch head src d_key
        pattern   batch head dst src       rows sum to 1
        filler    batch head dst d_filler  what each head read
        role      batch head dst d_role    computed where the filler lands
        returns   batch dst d_out          an update, as wide as the output map makes it

    Weights, source = row, target = column, heads side by side; `parts` has views:
        dst  d_model (head d_key + head d_role)   queries, then roles
        src  d_model (head d_key + head d_filler) keys, then values
        out  (head d_bound) d_model
    """

    def __init__(
        self,
        sizes: HeadSizes,
        pattern: Pattern,
        binding: Binding,
        precision: Precision = follow_autocast,
    ) -> None:
        super().__init__()
        pattern.check(sizes.n_heads, sizes.d_filler)
        self.sizes = sizes
        self.pattern = pattern
        self.binding = binding
        self.precision = precision
        n_heads, d_filler = sizes.n_heads, sizes.d_filler
        self.dst_columns = [n_heads * sizes.d_key, n_heads * binding.d_role(d_filler)]
        self.src_columns = [n_heads * sizes.d_key, n_heads * d_filler]
        self.dst = Affine(sizes.d_model, sum(self.dst_columns))
        self.src = Affine(sizes.d_model, sum(self.src_columns))
        self.out = Affine(n_heads * binding.d_bound(d_filler), sizes.d_model)

    @property
    def d_residual(self) -> int:
        """The width of the residual that the layer stands in; a part of it may be all it reads."""
        return self.sizes.d_model

    def keys_values(self, source: Source) -> KeysValues:
        """Keys and values at the source positions (Eq. 3)."""
        with self.precision(source.device):
            key, value = self.src(source).split_with_sizes(self.src_columns, dim=-1)
            return KeysValues(self._by_head(key), self._by_head(value))

    def forward(
        self, residual: Residual, keys_values: KeysValues, present: Present | None = None
    ) -> Update:
        """The update at the readers; ``present`` is False where the source is padding."""
        with self.precision(residual.device):
            query, role = self.dst(residual).split_with_sizes(self.dst_columns, dim=-1)
            key, value, _ = keys_values
            filler = self.pattern(self._by_head(query), key, value, present)
            bound = self.binding(filler, self._by_head(role))
            return self.out(bound.movedim(-3, -2).flatten(-2))

    def parts(self) -> dict[str, tuple[Tensor, Tensor]]:
        """Weight and bias by part (query, role, key, value, out): views to read and ``copy_`` into.

        A weight is ``d_model (head size)``, that of ``out`` is ``(head d_bound) d_model``.
        """
        query, role = _views(self.dst, self.dst_columns)
        key, value = _views(self.src, self.src_columns)
        out = (self.out.weight.detach(), self.out.bias.detach())
        return {"query": query, "role": role, "key": key, "value": value, "out": out}

    def _by_head(self, columns: Float[Tensor, "batch pos columns"]) -> Float[Tensor, "..."]:
        """Batch head pos d: torch's own calls, for einops takes a tenth of a decoding step."""
        return columns.unflatten(-1, (self.sizes.n_heads, -1)).movedim(-2, -3)


class HeadGroups(nn.Module):
    """Groups of unlike heads that read the same residual; their updates add up.

    So written and learned heads share a layer.
    """

    def __init__(self, groups: Sequence[RoleAttention]) -> None:
        super().__init__()
        if not groups:
            raise ValueError("a layer of heads needs at least 1 group; got 0")
        widths = sorted({group.d_residual for group in groups})
        if len(widths) > 1:
            raise ValueError(f"groups of one layer read one residual; got widths {widths}")
        self.groups = nn.ModuleList(groups)

    @property
    def cacheable(self) -> bool:
        """Whether a step with cached keys gives what the whole sequence would."""
        return all(group.pattern.cacheable for group in self)

    @property
    def cross(self) -> bool:
        """Whether every group may read another sequence than its own."""
        return all(group.pattern.cross for group in self)

    def keys_values(self, source: Source) -> tuple[KeysValues, ...]:
        """One set of keys and values a group."""
        return tuple(group.keys_values(source) for group in self)

    def forward(
        self,
        residual: Residual,
        keys_values: tuple[KeysValues, ...],
        present: Present | None = None,
    ) -> Residual:
        """The sum of the groups' updates."""
        if len(self.groups) == len(keys_values) == 1:
            return self.groups[0](residual, keys_values[0], present)
        pairs = zip(self, keys_values, strict=True)
        return reduce(torch.add, [group(residual, offered, present) for group, offered in pairs])

    def __iter__(self) -> Iterator[RoleAttention]:
        return iter(cast("Iterable[RoleAttention]", self.groups))


def _views(affine: Affine, columns: list[int]) -> list[tuple[Tensor, Tensor]]:
    weights = affine.weight.detach().split(columns, dim=-1)
    return list(zip(weights, affine.bias.detach().split(columns, dim=-1), strict=True))
