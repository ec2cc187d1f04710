"""Which positions may read which: True = may be read, as in torch's attention."""

from operator import eq, gt, le, lt, ne
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Int
from torch import Tensor

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
