"""The patterns of written heads: sharp, with looks, null keys and zeros where nothing is.

Masks are added to scores: -inf where a head never looks, `PADDED` at padding. One more column, the
null key, stands behind the sources. A head that owns one may rest on it from everywhere; for the
others it scores `LAST_RESORT`, open to readers with nothing else to read: better than padding,
worse than anything real.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.masks import Look, causal_look, check_look, look_mask
from progtf.nn.patterns import Filler, Key, Present, Query, Value
from progtf.nn.precision import full_precision

Score = Float[Tensor, "batch head reader wide"]
Mask = Float[Tensor, "head reader wide"]
PerHead = Float[Tensor, " head"]

LAST_RESORT, PADDED = -1e25, -1e35
AT_ONCE = 1 << 21
"""Numbers that the scores of some texts may be; more take longer, too."""
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
        self._filling: tuple[tuple[int, int], bool] | None = None
        self.alone = set(self.looks) == {"self"} and all(s is None for s in null_score)

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many and as wide as the pattern's."""
        if tuple(self.null_filler.shape) != (n_heads, d_filler):
            made = " heads with fillers of ".join(str(size) for size in self.null_filler.shape)
            raise ValueError(f"pattern for {made}; got {n_heads} heads with fillers of {d_filler}")

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        """What each reader finds at sources, and in its null key."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        if self.alone:
            return value[..., n_src - n_dst :, :]
        with full_precision(query.device):
            mask = self.masks.mask(n_dst, n_src, query, self)
            sharp = query * _column(self.sharpness, query)
            null = self.null_filler.to(value)[:, None, :] if self._fills() else None
            return _in_parts(partial(_read, mask, null), sharp, key, value, present)

    def _fills(self) -> bool:
        """Whether null keys fill in anything."""
        if torch.compiler.is_compiling():
            return True
        version = _version(self.null_filler)
        known = self._filling
        if known is None or known[0] != version:
            known = self._filling = version, bool(self.null_filler.any())
        return known[1]

    def null_column(self, query: Query) -> PerHead:
        """What the null key of each head scores."""
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
        """What each reader is given by the sources."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        with full_precision(query.device):
            mask = self.masks.mask(n_src, n_dst, query, self)
            sharp = key * _column(self.sharpness, key)
            if present is not None:
                value = value * present[:, None, :, None].to(value)
            return _in_parts(partial(_share_out, mask), sharp, query, value, present)

    def null_column(self, query: Query) -> PerHead:
        """What a source that nobody reads rests on."""
        return torch.full_like(self.sharpness, LAST_RESORT).to(query)


@runtime_checkable
class Resting(Protocol):
    """Heads whose null key has a score."""

    sharpness: PerHead

    def null_column(self, query: Query) -> PerHead: ...


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
        self._last: tuple[object, Mask] | None = None

    def mask(self, n_readers: int, n_read: int, query: Query, heads: Resting) -> Mask:
        """What is added to scores, the null key's behind the others.

        The last one is kept: texts of one length are many.
        """
        if torch.compiler.is_compiling():
            return self._made(n_readers, n_read, heads.null_column(query))
        buffers = (heads.sharpness, getattr(heads, "null_score", heads.sharpness))
        wanted = n_readers, n_read, query.dtype, query.device, *map(_version, buffers)
        last = self._last  # threads may share it
        if last is None or last[0] != wanted:
            last = self._last = wanted, self._made(n_readers, n_read, heads.null_column(query))
        return last[1]

    def _made(self, n_readers: int, n_read: int, null: PerHead) -> Mask:
        sides = (n_read, n_readers) if self.turned else (n_readers, n_read)
        allowed = look_mask(self.looks, *sides, null.device)
        mask = null.new_full((len(null), n_readers, max(SHORTEST, n_read + 1)), -torch.inf)
        mask[..., :n_read].masked_fill_(allowed.mT if self.turned else allowed, 0.0)
        mask[..., n_read] = null[:, None]
        return mask


def _version(tensor: Tensor) -> tuple[int, int]:
    """What changes when a tensor, or what it holds, does."""
    return tensor.data_ptr(), 0 if tensor.is_inference() else tensor._version  # noqa: SLF001


def _in_parts(
    compute: Callable[..., Filler],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    present: Present | None,
) -> Filler:
    """Some texts at a time, where no gradient needs them all: scores of many fill the memory."""
    per_text = query[0].numel() // max(query.shape[-1], 1) * value.shape[-2]
    most = max(1, AT_ONCE // max(per_text, 1))
    if len(query) <= most or torch.is_grad_enabled() or torch.compiler.is_compiling():
        return compute(query, key, value, present)
    parts = (each.split(most) for each in (query, key, value))
    real = [None] * len(query) if present is None else present.split(most)
    return torch.cat([compute(*part) for part in zip(*parts, real, strict=False)])


def _read(
    mask: Mask, null: Tensor | None, query: Query, key: Key, value: Value, present: Present | None
) -> Filler:
    """What readers find at sources, and in null keys."""
    n_src = key.shape[-2]
    share = _shares(query, key, mask, present)
    filler = share[..., :n_src] @ value
    return filler if null is None else filler + share[..., n_src, None] * null


def _share_out(mask: Mask, key: Key, query: Query, value: Value, present: Present | None) -> Filler:
    """What sources give to readers."""
    return _shares(key, query, mask, present)[..., : query.shape[-2]].mT @ value


def _shares(query: Query, key: Key, mask: Mask, present: Present | None) -> Score:
    """The softmax of scores and null, which stands behind the sources."""
    n_read, spare = key.shape[-2], mask.shape[-1] - key.shape[-2]
    if query.shape[-2] > key.shape[-1]:  # keys of zero are fewer numbers than scores
        score = query @ functional.pad(key, (0, 0, 0, spare)).mT
    else:
        score = functional.pad(query @ key.mT, (0, spare))
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
