"""Role attention: one path for learned and written heads (Schlag et al. 2019, Eq. 3-6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn.affine import Affine, apart, beside, side_by_side
from progtf.nn.bindings import Binding
from progtf.nn.cache import KeysValues
from progtf.nn.enclosed import enclosable
from progtf.nn.patterns import Pattern
from progtf.nn.precision import Precision, follow_autocast

Residual = Float[Tensor, "batch dst d_model"]
Update = Float[Tensor, "batch dst d_out"]
Source = Float[Tensor, "batch src d_source"]
Present = Bool[Tensor, "batch src"]
Columns = Float[Tensor, "batch pos columns"]
Bound = Float[Tensor, "batch pos bound"]
Query = Float[Tensor, "batch head pos d_key"]
Role = Float[Tensor, "batch head pos d_role"]
Filler = Float[Tensor, "batch head pos d_filler"]


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


class Heads(nn.Module):
    """Heads of like sizes, between the maps that give them queries and those that take fillers.

    Shapes:
        columns  batch dst (head d_key + head d_role)    queries, then roles
        key      batch head src d_key
        pattern  batch head dst src                      rows sum to 1
        filler   batch head dst d_filler                 what each head read
        role     batch head dst d_role                   computed where the filler lands
        returns  batch dst (head d_bound)

    Attributes:
        names: of the heads, if they have some.
    """

    def __init__(
        self, sizes: HeadSizes, pattern: Pattern, binding: Binding, names: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.names = names
        pattern.check(sizes.n_heads, sizes.d_filler)
        self.sizes, self.pattern, self.binding = sizes, pattern, binding
        n_heads, d_filler = sizes.n_heads, sizes.d_filler
        self.dst_columns = [n_heads * sizes.d_key, n_heads * binding.d_role(d_filler)]
        self.src_columns = [n_heads * sizes.d_key, n_heads * d_filler]
        self.d_bound = n_heads * binding.d_bound(d_filler)

    def keys_values(self, columns: Columns) -> KeysValues:
        """Keys and values of all heads, from columns of keys and then of values (Eq. 3)."""
        key, value = columns.split_with_sizes(self.src_columns, dim=-1)
        return KeysValues(self._by_head(key), self._by_head(value))

    @enclosable
    def forward(
        self, columns: Columns, keys_values: KeysValues, present: Present | None = None
    ) -> Bound:
        """What the heads read, bound to their roles (Eq. 4-6)."""
        query, role = self.asked(columns)
        bound = self.binding(self.found(query, keys_values, present), role)
        return self.beside(bound, apart=apart(columns))

    def asked(self, columns: Columns) -> tuple[Query, Role]:
        """Queries and roles of all heads, from columns of queries and then of roles."""
        query, role = columns.split_with_sizes(self.dst_columns, dim=-1)
        return self._by_head(query), self._by_head(role)

    def found(self, query: Query, keys_values: KeysValues, present: Present | None) -> Filler:
        """What the heads retrieve (Eq. 4)."""
        key, value, _ = keys_values
        return self.pattern(query.to(key.dtype), key, value, present)

    def beside(self, bound: Float[Tensor, "batch head pos d_bound"], *, apart: bool) -> Bound:
        """What heads bound side by side, every column in one piece of memory or every row."""
        if apart:
            return beside(bound.permute(1, 3, 0, 2).flatten(0, 1))
        return bound.movedim(-3, -2).flatten(-2)

    def _by_head(self, columns: Columns) -> Float[Tensor, "batch head pos d"]:
        """Batch head pos d: torch's own calls, for einops takes a tenth of a decoding step."""
        return torch.unflatten(columns, -1, (self.sizes.n_heads, -1)).transpose(-2, -3)


class RoleAttention(nn.Module):
    """Attention that binds what each head reads to a role (Eq. 3-6).

    Heads of unlike sizes stand side by side: one map gives all their queries and roles, one all
    keys and values, one takes all that they bound.

    Shapes:
        residual  batch dst d_model  the readers: queries and roles come from here
        returns   batch dst d_out    an update; `add_to` adds it

    Args:
        heads: groups of like sizes.
        dst: d_model -> queries and roles, group by group.
        src: d_model -> keys and values, group by group.
        out: what is bound, group by group -> d_model; it knows where its update is added.
        precision: the number format of all of it.
    """

    def __init__(
        self,
        heads: Sequence[Heads],
        dst: nn.Module,
        src: nn.Module,
        out: Affine,
        precision: Precision = follow_autocast,
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)
        self.dst, self.src, self.out = dst, src, out
        self.precision = precision
        self.dst_columns = [sum(group.dst_columns) for group in heads]
        self.src_columns = [sum(group.src_columns) for group in heads]

    @classmethod
    def sized(
        cls,
        sizes: HeadSizes,
        pattern: Pattern,
        binding: Binding,
        precision: Precision = follow_autocast,
    ) -> "RoleAttention":
        """Heads of one size with maps of their own, which read and write the whole residual.

        Weights, source = row, target = column, heads side by side; `parts` has views:
            dst  d_model (head d_key + head d_role)   queries, then roles
            src  d_model (head d_key + head d_filler) keys, then values
            out  (head d_bound) d_model
        """
        heads = Heads(sizes, pattern, binding)
        dst = Affine(sizes.d_model, sum(heads.dst_columns))
        src = Affine(sizes.d_model, sum(heads.src_columns))
        return cls([heads], dst, src, Affine(heads.d_bound, sizes.d_model), precision)

    def keys_values(self, source: Source) -> tuple[KeysValues, ...]:
        """Keys and values at the source positions, group by group (Eq. 3)."""
        with self.precision(source.device):
            parts = self._with_columns(self.src(source), self.src_columns)
            return tuple(heads.keys_values(part) for heads, part in parts)

    @enclosable
    def forward(
        self,
        residual: Residual,
        keys_values: tuple[KeysValues, ...],
        present: Present | None = None,
    ) -> Update:
        """The update at the readers; ``present`` is False where the source is padding."""
        with self.precision(residual.device):
            given = zip(self.asked(residual), keys_values, strict=True)
            bound = [heads(part, offered, present) for (heads, part), offered in given]
            return self.written(bound)

    def asked(self, residual: Residual) -> Iterable[tuple[Heads, Columns]]:
        """Each group with the queries and roles of its heads at the readers."""
        return self._with_columns(self.dst(residual), self.dst_columns)

    def written(self, bound: Sequence[Tensor]) -> Update:
        """The update of what the groups bound."""
        return self.out(side_by_side(bound))

    def _with_columns(self, columns: Columns, sizes: list[int]) -> Iterable[tuple[Heads, Columns]]:
        """Each group with its columns."""
        parts = (columns,) if len(sizes) == 1 else columns.split_with_sizes(sizes, dim=-1)
        return zip(self, parts, strict=True)

    def add_to(self, residual: Residual, update: Update, *, in_place: bool = False) -> Residual:
        """The residual with an update of these heads."""
        return self.out.add_to(residual, update, in_place=in_place)

    def parts(self) -> dict[str, tuple[Tensor, Tensor]]:
        """Weight and bias by part (query, role, key, value, out) of heads of one size.

        They are views to read and ``copy_`` into. A weight is ``d_model (head size)``, that of
        ``out`` is ``(head d_bound) d_model``.
        """
        (heads,) = self
        dst, src, out = cast("Affine", self.dst), cast("Affine", self.src), self.out
        query, role = _views(dst, heads.dst_columns)
        key, value = _views(src, heads.src_columns)
        written = (out.weight.detach(), out.bias.detach())
        return {"query": query, "role": role, "key": key, "value": value, "out": written}

    def __iter__(self) -> Iterator[Heads]:
        return iter(self.heads)  # type: ignore[arg-type]


class HeadGroups(nn.Module):
    """Attentions that read the same residual, such as written and learned ones; updates add up."""

    def __init__(self, groups: Sequence[RoleAttention]) -> None:
        super().__init__()
        if not groups:
            raise ValueError("a layer of heads needs at least 1 group; got 0")
        self.groups = nn.ModuleList(groups)
        self.counts = [len(group.heads) for group in groups]

    @property
    def cacheable(self) -> bool:
        """Whether a step with cached keys gives what the whole sequence would."""
        return all(heads.pattern.cacheable for group in self for heads in group)

    @property
    def cross(self) -> bool:
        """Whether every head may read another sequence than its own."""
        return all(heads.pattern.cross for group in self for heads in group)

    def readers(self) -> list[nn.Module]:
        """The maps that read the residual."""
        return [each for group in self for each in (group.dst, group.src)]

    def keys_values(self, source: Source) -> tuple[KeysValues, ...]:
        """The keys and values of all groups, one after another."""
        return tuple(offered for group in self for offered in group.keys_values(source))

    @enclosable
    def forward(
        self,
        residual: Residual,
        keys_values: tuple[KeysValues, ...],
        present: Present | None = None,
    ) -> tuple[Update, ...]:
        """The update of every group."""
        first, updates = 0, []
        for group, count in zip(self, self.counts, strict=True):
            updates.append(group(residual, keys_values[first : first + count], present))
            first += count
        return tuple(updates)

    def add_to(
        self, residual: Residual, update: tuple[Tensor, ...], *, in_place: bool = False
    ) -> Residual:
        """The residual with the updates of all groups."""
        for group, own in zip(self, update, strict=True):
            residual = group.add_to(residual, own, in_place=in_place)
        return residual

    def __iter__(self) -> Iterator[RoleAttention]:
        return iter(self.groups)  # type: ignore[arg-type]


def _views(affine: Affine, columns: list[int]) -> list[tuple[Tensor, Tensor]]:
    weights = affine.weight.detach().split(columns, dim=-1)
    return list(zip(weights, affine.bias.detach().split(columns, dim=-1), strict=True))
