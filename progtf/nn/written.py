"""The patterns of written heads: sharp, with looks, null keys and zeros where nothing is.

Masks are added to scores: -inf where a head never looks, `PADDED` at padding. One more column, the
null key, stands behind the sources. A head that owns one may rest on it from everywhere; for the
others it scores `LAST_RESORT`, open to readers with nothing else to read: better than padding,
worse than anything real.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.affine import full_precision
from progtf.nn.masks import Look, causal_look, check_look, look_mask
from progtf.nn.patterns import Filler, Key, Present, Query, Value

Score = Float[Tensor, "batch head reader wide"]
Mask = Float[Tensor, "head reader wide"]
PerHead = Float[Tensor, " head"]

LAST_RESORT, PADDED = -1e25, -1e35
SHORTEST = 16
"""Columns that a score has at least: torch's softmax takes several times as long over fewer."""


class WrittenSoftmax(nn.Module):
    """softmax(sharpness · q·k) over what each head may look at.

    The null key scores ``null_score`` before sharpness and its filler is ``null_filler``, zero
    unless set. A reader with no allowed position, of a head without one, gets exactly zero.

    Shapes:
        share  batch head dst wide   sources, then the null key, then nothing; rows sum to 1

    Args:
        d_filler: size of each head's filler.
        sharpness: one factor a head; a power of two scales scores without rounding.
        looks: where each head may look, relative to its own position.
        null_score: one score a head, None for a head without a null key.
        causal: the group stands in a decoder: ``all`` is ``upto``, ``notself`` is ``before``.
    """

    sharpness: PerHead
    null_score: PerHead
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
        self.masks = Masks(looks, causal=causal)
        self.looks = self.masks.looks
        self.cacheable = causal
        self.cross = not causal and set(looks) == {"all"}
        scores = [0.0 if score is None else score for score in null_score]
        fillers = torch.zeros(len(looks), d_filler, dtype=torch.float64)
        self.register_buffer("sharpness", torch.tensor(sharpness, dtype=torch.float64))
        self.register_buffer("null_score", torch.tensor(scores, dtype=torch.float64))
        self.register_buffer("null_filler", fillers)
        self.register_buffer("owns_null", torch.tensor([score is not None for score in null_score]))
        self.alone = set(self.looks) == {"self"} and all(s is None for s in null_score)

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many and as wide as the pattern's."""
        if tuple(self.null_filler.shape) != (n_heads, d_filler):
            made = " heads with fillers of ".join(str(size) for size in self.null_filler.shape)
            raise ValueError(f"pattern for {made}; got {n_heads} heads with fillers of {d_filler}")

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        n_dst, n_src = query.shape[-2], key.shape[-2]
        if self.alone:
            return value[..., n_src - n_dst :, :]
        with full_precision(query.device):
            mask = self.masks.mask(n_dst, n_src, self._null(query))
            share = _shares(query * _column(self.sharpness, query), key, mask, present)
            null = self.null_filler.to(value)[:, None, :].expand(len(value), -1, -1, -1)
            spare = mask.shape[-1] - n_src - 1
            return share @ functional.pad(torch.cat([value, null], dim=-2), (0, 0, 0, spare))

    def _null(self, query: Query) -> PerHead:
        return torch.where(self.owns_null, self.sharpness * self.null_score, LAST_RESORT).to(query)


class WrittenSoftmaxOverReaders(nn.Module):
    """softmax of sharpness · q·k over the readers of each source: ``normalize: queries``.

    What a source gives is shared out among those who read it. It needs the whole sequence at
    once: no cache, no decoder, no other sequence. A source that nobody may read gives nothing.

    Shapes:
        share  batch head src wide   readers, then a place to rest, then nothing; rows sum to 1

    Args:
        sharpness: one factor a head.
        looks: where each head may look, relative to its own position.
    """

    cacheable = False
    cross = False
    sharpness: PerHead

    def __init__(self, sharpness: Sequence[float], looks: Sequence[Look]) -> None:
        super().__init__()
        _check_lengths(looks=looks, sharpness=sharpness)
        self.masks = Masks(looks, turned=True)
        self.looks = self.masks.looks
        self.register_buffer("sharpness", torch.tensor(sharpness, dtype=torch.float64))

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many as the pattern's."""
        del d_filler
        _check_lengths(looks=self.looks, heads=range(n_heads))

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        n_dst, n_src = query.shape[-2], key.shape[-2]
        with full_precision(query.device):
            rest = torch.full_like(self.sharpness, LAST_RESORT).to(query)
            mask = self.masks.mask(n_src, n_dst, rest)
            share = _shares(key * _column(self.sharpness, key), query, mask, present)
            if present is not None:
                value = value * present[:, None, :, None].to(value)
            return share[..., :n_dst].mT @ value


class Masks:
    """Where each head of a group may look, and what is added to its scores.

    Args:
        looks: one a head.
        causal: nobody looks at what comes later.
        turned: sources choose among readers.
    """

    def __init__(
        self, looks: Sequence[Look], *, causal: bool = False, turned: bool = False
    ) -> None:
        found: list[Look] = [causal_look(look) if causal else check_look(look) for look in looks]
        self.looks: tuple[Look, ...] = tuple(found)
        self.turned = turned
        self._last: tuple[tuple[int, int], Mask] | None = None

    def mask(self, n_readers: int, n_read: int, null: PerHead) -> Mask:
        """What is added to scores, the null key's behind the others."""
        if torch.compiler.is_compiling():
            mask = self._made(n_readers, n_read, null)
        else:
            if self._last is None or not self._fits((n_readers, n_read), null):
                self._last = (n_readers, n_read), self._made(n_readers, n_read, null)
            mask = self._last[1].clone()
        mask[..., n_read] = null[:, None]
        return mask

    def _fits(self, sizes: tuple[int, int], null: PerHead) -> bool:
        """Whether the last mask will do: those of one length are many."""
        assert self._last is not None
        known, mask = self._last
        return (known, mask.dtype, mask.device) == (sizes, null.dtype, null.device)

    def _made(self, n_readers: int, n_read: int, null: PerHead) -> Mask:
        sides = (n_read, n_readers) if self.turned else (n_readers, n_read)
        allowed = look_mask(self.looks, *sides, null.device)
        mask = null.new_full((len(null), n_readers, max(SHORTEST, n_read + 1)), -torch.inf)
        mask[..., :n_read].masked_fill_(allowed.mT if self.turned else allowed, 0.0)
        return mask


def _shares(query: Query, key: Key, mask: Mask, present: Present | None) -> Score:
    """The softmax of scores and null; keys of zero stand behind those of the sources."""
    n_read, wide = key.shape[-2], mask.shape[-1]
    score = query @ functional.pad(key, (0, 0, 0, wide - n_read)).mT
    score += mask
    if present is not None:
        padding = torch.zeros_like(present, dtype=score.dtype).masked_fill_(~present, PADDED)
        score[..., :n_read] += padding[:, None, None, :]
    return score.softmax(dim=-1)


def _column(factor: PerHead, like: Tensor) -> Float[Tensor, "head 1 1"]:
    return factor.to(like)[:, None, None]


def _check_lengths(looks: Sequence[object], **others: Sequence[object]) -> None:
    for name, values in others.items():
        if len(values) != len(looks):
            raise ValueError(f"{len(looks)} looks but {len(values)} {name}: one a head is needed")
