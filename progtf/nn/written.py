"""The patterns of written heads: sharp, with looks, null keys and zeros where nothing is."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from einops import einsum, rearrange, reduce
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.masks import Look, causal_look, check_look, look_mask
from progtf.nn.patterns import Filler, Key, Present, Query, Value

Allowed = Bool[Tensor, "#batch head dst src"]
Looks = tuple[Look, ...]


class Null(NamedTuple):
    """What stands behind the sources: its score and filler, and the heads that own it."""

    score: Float[Tensor, " head"]
    filler: Float[Tensor, "head d_filler"]
    owned: Bool[Tensor, " head"]


class WrittenSoftmax(nn.Module):
    """softmax(sharpness · q·k) over what each head may look at.

    One more key, the null key, stands behind the sources. A head that owns one may rest on it
    from everywhere: it scores ``null_score`` before sharpness and its filler is ``null_filler``,
    zero unless set. For the other heads it is open only to a reader with no allowed position,
    which therefore gets exactly zero.

    Args:
        d_filler: size of each head's filler.
        sharpness: one factor a head; a power of two scales scores without rounding.
        looks: where each head may look, relative to its own position.
        null_score: one score a head, None for a head without a null key.
        causal: the group stands in a decoder: ``all`` is ``upto``, ``notself`` is ``before``.
    """

    sharpness: Float[Tensor, " head"]
    null_score: Float[Tensor, " head"]
    null_filler: Float[Tensor, "head d_filler"]
    owns_null: Bool[Tensor, " head"]

    def __init__(
        self,
        d_filler: int,
        sharpness: Sequence[float],
        looks: Sequence[Look],
        null_score: Sequence[float | None] | None = None,
        *,
        causal: bool = False,
    ) -> None:
        super().__init__()
        null_score = [None] * len(looks) if null_score is None else null_score
        _check_lengths(looks=looks, sharpness=sharpness, null_score=null_score)
        self.looks = _resolved(looks, causal=causal)
        self.cacheable = causal
        self.cross = not causal and set(looks) == {"all"}
        scores = [0.0 if score is None else score for score in null_score]
        fillers = torch.zeros(len(looks), d_filler, dtype=torch.float64)
        self.register_buffer("sharpness", torch.tensor(sharpness, dtype=torch.float64))
        self.register_buffer("null_score", torch.tensor(scores, dtype=torch.float64))
        self.register_buffer("null_filler", fillers)
        self.register_buffer("owns_null", torch.tensor([score is not None for score in null_score]))

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many and as wide as the pattern's."""
        if tuple(self.null_filler.shape) != (n_heads, d_filler):
            made = " heads with fillers of ".join(str(size) for size in self.null_filler.shape)
            raise ValueError(f"pattern for {made}; got {n_heads} heads with fillers of {d_filler}")

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        allowed = _allowed(self.looks, query, key, present)
        null = Null(self.null_score, self.null_filler, self.owns_null)
        return _read_or_rest(query, key, value, allowed, null, self.sharpness)


class WrittenSoftmaxOverReaders(nn.Module):
    """softmax of sharpness · q·k over the readers of each source: ``normalize: queries``.

    What a source gives is shared out among those who read it. It needs the whole sequence at
    once: no cache, no decoder, no other sequence. A source that nobody may read gives nothing.

    Args:
        sharpness: one factor a head.
        looks: where each head may look, relative to its own position.
    """

    cacheable = False
    cross = False
    sharpness: Float[Tensor, " head"]

    def __init__(self, sharpness: Sequence[float], looks: Sequence[Look]) -> None:
        super().__init__()
        _check_lengths(looks=looks, sharpness=sharpness)
        self.looks = _resolved(looks, causal=False)
        self.register_buffer("sharpness", torch.tensor(sharpness, dtype=torch.float64))

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many as the pattern's."""
        del d_filler
        _check_lengths(looks=self.looks, heads=range(n_heads))

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        allowed = _allowed(self.looks, query, key, present)
        if present is not None:
            allowed = allowed & rearrange(present, "batch dst -> batch 1 dst 1")
        readers = torch.eye(query.shape[-2], dtype=value.dtype, device=value.device)
        share = _read_or_rest(
            key,
            query,
            readers.expand(*query.shape[:2], -1, -1),
            rearrange(allowed, "batch head dst src -> batch head src dst"),
            _no_null(query),
            self.sharpness,
        )
        return einsum(
            share, value, "batch head src dst, batch head src filler -> batch head dst filler"
        )


def _read_or_rest(
    query: Query,
    key: Key,
    value: Value,
    allowed: Allowed,
    null: Null,
    sharpness: Float[Tensor, " head"],
) -> Filler:
    """Attention with the null key behind the sources.

    Every query gets one more entry, a one, which meets the null score in the null key and zero
    in all others.
    """
    batch = query.shape[0]
    score = rearrange(null.score.to(key), "head -> head 1 1")
    null_key = functional.pad(score, (key.shape[-1], 0)).expand(batch, -1, -1, -1)
    filler = rearrange(null.filler.to(value), "head filler -> head 1 filler")
    empty = ~reduce(allowed, "batch head dst src -> batch head dst 1", "any")
    rest = empty | rearrange(null.owned, "head -> head 1 1")
    factor = rearrange(sharpness.to(query), "head -> head 1 1")
    return functional.scaled_dot_product_attention(
        functional.pad(query, (0, 1), value=1.0) * factor,
        torch.cat([functional.pad(key, (0, 1)), null_key], dim=-2),
        torch.cat([value, filler.expand(batch, -1, -1, -1)], dim=-2),
        attn_mask=torch.cat([allowed, rest], dim=-1),
        scale=1.0,
    )


def _allowed(looks: Looks, query: Query, key: Key, present: Present | None) -> Allowed:
    mask = look_mask(looks, query.shape[-2], key.shape[-2], query.device)
    mask = rearrange(mask, "head dst src -> 1 head dst src")
    if present is None:
        return mask
    return mask & rearrange(present, "batch src -> batch 1 1 src")


def _resolved(looks: Sequence[Look], *, causal: bool) -> Looks:
    return tuple(causal_look(look) if causal else check_look(look) for look in looks)


def _no_null(query: Query) -> Null:
    n_heads, n_dst = query.shape[1], query.shape[2]
    return Null(
        query.new_zeros(n_heads),
        query.new_zeros(n_heads, n_dst),
        torch.zeros(n_heads, dtype=torch.bool, device=query.device),
    )


def _check_lengths(looks: Sequence[object], **others: Sequence[object]) -> None:
    for name, values in others.items():
        if len(values) != len(looks):
            raise ValueError(f"{len(looks)} looks but {len(values)} {name}: one a head is needed")
