"""From queries and keys to fillers: which positions may read which, and the learned pattern.

In masks True = may be read, as in torch's attention.
"""

from operator import eq, gt, le, lt, ne
from typing import Literal, NamedTuple, Protocol, get_args, runtime_checkable

import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared

Look = Literal["all", "before", "upto", "after", "self", "notself"]
LOOKS: tuple[Look, ...] = get_args(Look)

_ALLOWED = {"before": lt, "upto": le, "after": gt, "self": eq, "notself": ne}
_CAUSAL: dict[str, Look] = {
    "all": "upto",
    "upto": "upto",
    "before": "before",
    "notself": "before",
    "self": "self",
}


def present(tokens: Int[Tensor, "batch pos"], pad: int) -> Bool[Tensor, "batch pos"]:
    """True where a token stands, False at padding."""
    return tokens != pad


def causal_look(look: Look) -> Look:
    """What ``look`` leaves of itself where the future is not there yet: ``all`` is ``upto``."""
    if check_look(look) not in _CAUSAL:
        raise ValueError(f"look {look!r} reads the future; a decoder has {sorted(_CAUSAL)}")
    return _CAUSAL[look]


def check_look(look: str) -> Look:
    """The look itself, or ValueError for a word that is none."""
    if look not in LOOKS:
        raise ValueError(f"look {look!r} is none of {', '.join(LOOKS)}")
    return look


def look_mask(
    looks: tuple[Look, ...], n_dst: int, n_src: int, device: torch.device | None = None
) -> Bool[Tensor, "head dst src"]:
    """Where each head may look; the reading positions are the last ``n_dst`` of the ``n_src``."""
    dst = torch.arange(n_src - n_dst, n_src, device=device)
    src = torch.arange(n_src, device=device)
    distance = src[None, :] - dst[:, None]
    each = {look: _allowed(look, distance) for look in looks}
    return torch.stack([each[look] for look in looks])


def _allowed(look: Look, distance: Int[Tensor, "dst src"]) -> Bool[Tensor, "dst src"]:
    """``distance`` is positive where the source stands after the reader."""
    if look == "all":
        return torch.ones_like(distance, dtype=torch.bool)
    return _ALLOWED[look](distance, 0)


Query = Float[Tensor, "batch head dst d_key"]
Key = Float[Tensor, "batch head src d_key"]
Value = Float[Tensor, "batch head src d_filler"]
Filler = Float[Tensor, "batch head dst d_filler"]
Present = Bool[Tensor, "batch src"]


@compared
class Shares(NamedTuple):
    """How readers divide their attention: among sources, and on the null key."""

    pattern: Float[Tensor, "batch head dst src"]
    rest: Float[Tensor, "batch head dst"]


@runtime_checkable
class Pattern(Protocol):
    """Retrieves fillers (Eq. 4) by the match of queries with keys (Eq. 5).

    ``present`` is False where the source is padding, which stands at the end. The readers are
    the last of the source positions, so that a decoder's next step is the same call with one
    query.

    Attributes:
        cacheable: a step with cached keys gives what the whole sequence would.
        cross: may read another sequence than its own.
    """

    cacheable: bool
    cross: bool

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the pattern is made for heads of this number and size."""

    def __call__(self, query: Query, key: Key, value: Value, present: Present | None) -> Filler: ...

    def shares(self, query: Query, key: Key, present: Present | None) -> Shares:
        """How attention is divided, for who looks at it: calls need not compute it openly."""
        ...

    def retrieved(self, shares: Shares, value: Value, present: Present | None) -> Filler:
        """What is found where attention is divided so."""
        ...


class ScaledSoftmax(nn.Module):
    """The learned pattern, softmax(q·k / √d_key) of Eq. 5, over all positions or up to one's own.

    Causal reading needs no padding mask: no real position stands after padding. What a row of
    padding alone yields is not defined. Dropout falls on the pattern.
    """

    def __init__(self, *, causal: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.causal = causal
        self.cacheable = causal
        self.cross = not causal
        self.dropout = dropout

    def check(self, n_heads: int, d_filler: int) -> None:
        """Fits heads of any number and size."""

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        """What each reader finds."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        mask = None
        if self.causal and n_dst < n_src and n_dst > 1:
            mask = look_mask(("upto",), n_dst, n_src, query.device)
        elif present is not None and not self.causal:
            mask = rearrange(present, "batch src -> batch 1 1 src")
        chance = self.dropout if self.training else 0.0
        graph = torch.compiler.is_compiling()  # which is for any length, one with them
        whole = self.causal and bool(n_dst == n_src) and (graph or n_src > 1)
        attend = functional.scaled_dot_product_attention
        return attend(query, key, value, mask, dropout_p=chance, is_causal=whole)

    def shares(self, query: Query, key: Key, present: Present | None = None) -> Shares:
        """The softmax by itself, without dropout; torch's own attention does not tell it."""
        score = query @ key.mT * query.shape[-1] ** -0.5
        if self.causal:
            allowed = look_mask(("upto",), query.shape[-2], key.shape[-2], query.device)
            score = score.masked_fill(~allowed, -torch.inf)
        elif present is not None:
            score = score.masked_fill(~present[:, None, None, :], -torch.inf)
        return Shares(score.softmax(dim=-1), score.new_zeros(score.shape[:-1]))

    def retrieved(self, shares: Shares, value: Value, present: Present | None = None) -> Filler:
        """What is found where attention is divided so; there is no null key."""
        del present
        return shares.pattern @ value
