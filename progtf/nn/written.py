"""The patterns of written heads: sharp, with looks, null keys and zeros where nothing is."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared
from progtf.nn.derived import Derived
from progtf.nn.masks import LAST_RESORT, PADDED, Mask, Masks, PerHead, masks
from progtf.nn.patterns import (
    Filler,
    Key,
    Look,
    Present,
    Query,
    Shares,
    Value,
    causal_look,
    check_look,
)
from progtf.nn.precision import full_precision

Score = Float[Tensor, "batch head reader wide"]

AT_ONCE = 1 << 21
"""Numbers that the scores of some texts may be; more take longer, too."""
COPIED = 1 << 14
"""Numbers of a head that take longer to copy than it takes to multiply each head by itself."""


@compared
class Ready(NamedTuple):
    """What a group of heads makes of its numbers in one format.

    Attributes:
        sharp: the factors, in the shape of queries.
        null: what null keys fill in, if they do.
        masks: what is added to scores.
        places: where queries and keys of one text led, by the number of places.
    """

    sharp: Float[Tensor, "head 1 1"]
    null: Float[Tensor, "head 1 d_filler"] | None
    masks: Masks
    places: dict[int, "Led"]


@compared
class Led(NamedTuple):
    """Where each head looks with some queries and keys; None: not all at one distance."""

    query: Query
    key: Key
    sources: Int[Tensor, "head dst"] | None


class Written(nn.Module):
    """Written heads of like sizes: one sharpness and one look a head.

    Args:
        sharpness: one factor a head; a power of two scales scores without rounding.
        looks: where each head may look, relative to its own position.
        causal: nobody looks at what comes later.
    """

    sharpness: PerHead

    def __init__(
        self, sharpness: Sequence[float], looks: Sequence[Look], *, causal: bool = False
    ) -> None:
        super().__init__()
        _check_lengths(looks=looks, sharpness=sharpness)
        found: list[Look] = [causal_look(look) if causal else check_look(look) for look in looks]
        self.looks: tuple[Look, ...] = tuple(found)
        self.register_buffer("sharpness", torch.tensor(sharpness, dtype=torch.float64))
        self._ready: Derived[Ready] = Derived(small=True)

    def ready(self, like: Tensor) -> Ready:
        """The numbers of these heads as queries need them; they are kept until they change."""
        return self._ready.of(self, partial(self._made, like), like.dtype, like.device)

    def reader(self, like: Tensor) -> Callable[..., Filler]:
        """What reads as these heads do, as long as nothing changes: with queries of a format."""
        return partial(self.read, self.ready(like))

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        """What each reader finds at sources, and in its null key."""
        with full_precision(query.device):
            return self.read(self.ready(query), query, key, value, present)

    def read(
        self, ready: Ready, query: Query, key: Key, value: Value, present: Present | None
    ) -> Filler:
        """What each reader finds, with numbers that are ready, in the format of its queries."""
        raise NotImplementedError

    def _made(self, like: Tensor) -> Ready:
        rest = torch.full_like(self.sharpness, LAST_RESORT)
        return self._with(like, rest, None)

    def _with(self, like: Tensor, rest: PerHead, null: Tensor | None) -> Ready:
        sharp = self.sharpness.to(like)[:, None, None]
        return Ready(sharp, null, masks(self.looks, rest.to(like)), {})


class WrittenSoftmax(Written):
    """softmax(sharpness · q·k) over what each head may look at.

    The null key scores ``null_score`` before sharpness and its filler is ``null_filler``, zero
    unless set. A reader with no allowed position, of a head without one, gets exactly zero.

    Shapes:
        share  batch head dst wide   sources, then the null key, then nothing; rows sum to 1

    Args:
        d_filler: size of each head's filler.
        sharpness, looks: as of all written heads.
        null_score: one score a head, None for a head without a null key.
        causal: the group stands in a decoder: ``all`` is ``upto``, ``notself`` is ``before``.
    """

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
        super().__init__(sharpness, looks, causal=causal)
        null_score = [None] * len(looks) if null_score is None else null_score
        _check_lengths(looks=looks, null_score=null_score)
        self.cacheable = causal
        self.cross = not causal and set(looks) == {"all"}
        scores = [0.0 if score is None else score for score in null_score]
        fillers = torch.zeros(len(looks), d_filler, dtype=torch.float64)
        self.register_buffer("null_score", torch.tensor(scores, dtype=torch.float64))
        self.register_buffer("null_filler", fillers)
        self.register_buffer("owns_null", torch.tensor([score is not None for score in null_score]))
        self.alone = set(self.looks) == {"self"} and all(s is None for s in null_score)

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many and as wide as the pattern's."""
        if tuple(self.null_filler.shape) != (n_heads, d_filler):
            made = " heads with fillers of ".join(str(size) for size in self.null_filler.shape)
            raise ValueError(f"pattern for {made}; got {n_heads} heads with fillers of {d_filler}")

    def read(
        self, ready: Ready, query: Query, key: Key, value: Value, present: Present | None
    ) -> Filler:
        """What each reader finds at sources, and in its null key."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        if self.alone:
            return value if n_src == n_dst else value[..., n_src - n_dst :, :]
        compute = partial(_read, ready.masks.of(n_dst, n_src), ready.null)
        return _in_parts(compute, query * ready.sharp, key, value, present)

    def shares(self, query: Query, key: Key, present: Present | None = None) -> Shares:
        """How readers divide their attention."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        if self.alone:
            own = torch.eye(n_src, dtype=query.dtype, device=query.device)[n_src - n_dst :]
            pattern = own.expand(*query.shape[:2], -1, -1)
            return Shares(pattern, pattern.new_zeros(pattern.shape[:-1]))
        with full_precision(query.device):
            ready = self.ready(query)
            mask = ready.masks.of(n_dst, n_src)
            share = _shares(query * ready.sharp, key, mask, present)
        return Shares(share[..., :n_src], share[..., n_src])

    def retrieved(self, shares: Shares, value: Value, present: Present | None = None) -> Filler:
        """What is found where attention is divided so."""
        del present
        with full_precision(value.device):
            return (
                shares.pattern @ value
                + shares.rest[..., None] * self.null_filler.to(value)[:, None]
            )

    def _made(self, like: Tensor) -> Ready:
        there = self.null_filler.any()
        known = type(there) is Tensor and not torch.compiler.is_compiling()  # and no shape alone
        filled = not known or bool(there)
        null = self.null_filler.to(like)[:, None, :] if filled else None
        rest = torch.where(self.owns_null, self.sharpness * self.null_score, LAST_RESORT)
        return self._with(like, rest, null)


class WrittenSoftmaxOverReaders(Written):
    """softmax of sharpness · q·k over the readers of each source: ``normalize: queries``.

    What a source gives is shared out among those who read it. It needs the whole sequence at
    once: no cache, no decoder, no other sequence. A source that nobody may read gives nothing.

    Shapes:
        share  batch head src wide   readers, then a place to rest, then nothing; rows sum to 1
    """

    cacheable = False
    cross = False

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the heads are as many as the pattern's."""
        del d_filler
        _check_lengths(looks=self.looks, heads=range(n_heads))

    def read(
        self, ready: Ready, query: Query, key: Key, value: Value, present: Present | None
    ) -> Filler:
        """What each reader is given by the sources."""
        mask = ready.masks.of(query.shape[-2], key.shape[-2], turned=True)
        if present is not None:
            value = value * present[:, None, :, None].to(value)
        compute = partial(_share_out, mask)
        return _in_parts(compute, key * ready.sharp, query, value, present)

    def shares(self, query: Query, key: Key, present: Present | None = None) -> Shares:
        """How each source is shared out: columns sum to 1, or to 0."""
        with full_precision(query.device):
            ready, n_dst = self.ready(key), query.shape[-2]
            mask = ready.masks.of(n_dst, key.shape[-2], turned=True)
            share = _shares(key * ready.sharp, query, mask, present)[..., :n_dst].mT
        return Shares(share, share.new_zeros(share.shape[:-1]))

    def retrieved(self, shares: Shares, value: Value, present: Present | None = None) -> Filler:
        """What readers are given where sources are shared out so."""
        with full_precision(value.device):
            if present is not None:
                value = value * present[:, None, :, None].to(value)
            return shares.pattern @ value


def _in_parts(
    compute: Callable[..., Filler],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    present: Present | None,
) -> Filler:
    """Some texts at a time, where no gradient needs them all: scores of many fill the memory."""
    if torch.compiler.is_compiling() or torch.is_grad_enabled() or len(query) == 1:
        return compute(query, key, value, present)
    _, n_heads, n_readers, _ = query.shape
    most = max(1, AT_ONCE // max(1, n_heads * n_readers * value.shape[-2]))
    parts = (each.split(most) for each in (query, key, value))
    real = [None] * len(query) if present is None else present.split(most)
    return torch.cat([compute(*part) for part in zip(*parts, real, strict=False)])


def _read(
    mask: Mask, null: Tensor | None, query: Query, key: Key, value: Value, present: Present | None
) -> Filler:
    """What readers find at sources, and in null keys."""
    n_src = key.shape[-2]
    share = _shares(query, key, mask, present)
    filler = _found(share[..., :n_src], value)
    return filler if null is None else filler + share[..., n_src : n_src + 1] * null


def _found(share: Score, value: Value) -> Filler:
    """What is found where attention is divided so.

    Head by head where values of all of them would be copied first, to be multiplied at once.
    """
    if torch.compiler.is_compiling() or torch.is_grad_enabled():
        return share @ value
    batch, n_heads = value.shape[:2]
    beside = batch == 1 or n_heads == 1 or value.stride(0) == n_heads * value.stride(1)
    if beside or value.numel() < COPIED * n_heads:
        return share @ value
    found = value.new_empty(n_heads, batch, share.shape[-2], value.shape[-1])
    for head in range(n_heads):
        torch.bmm(share[:, head], value[:, head], out=found[head])
    return found.transpose(0, 1)


def _share_out(mask: Mask, key: Key, query: Query, value: Value, present: Present | None) -> Filler:
    """What sources give to readers."""
    return _shares(key, query, mask, present)[..., : query.shape[-2]].mT @ value


def _shares(query: Query, key: Key, mask: Mask, present: Present | None) -> Score:
    """The softmax of scores and null, which stands behind the sources."""
    return scores_of(query, key, mask, present).softmax(dim=-1)


def scores_of(query: Query, key: Key, mask: Mask, present: Present | None) -> Score:
    """The scores of sources, of the null key, and of nothing."""
    n_read, spare = key.shape[-2], mask.shape[-1] - key.shape[-2]
    fewer = not torch.compiler.is_compiling() and query.shape[-2] > key.shape[-1]
    if fewer:  # keys of zero are fewer numbers than scores; a graph is of any length
        score = query @ functional.pad(key, (0, 0, 0, spare)).mT
    else:
        score = functional.pad(query @ key.mT, (0, spare))
    score += mask
    if present is not None:
        padding = torch.zeros_like(present, dtype=score.dtype).masked_fill_(~present, PADDED)
        score[..., :n_read].add_(padding[:, None, None, :])
    return score


def _check_lengths(looks: Sequence[object], **others: Sequence[object]) -> None:
    for name, values in others.items():
        if len(values) != len(looks):
            raise ValueError(f"{len(looks)} looks but {len(values)} {name}: one a head is needed")
