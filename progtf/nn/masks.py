"""What is added to the scores of written heads: one mask for all of them that look alike.

-inf where a head never looks, `PADDED` at padding. One more column, the null key, stands behind the
sources. A head that owns one may rest on it from everywhere; for the others it scores
`LAST_RESORT`, open to readers with nothing else to read: better than padding, worse than anything
real.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from progtf.nn.hooks import overridden
from progtf.nn.patterns import Look, look_mask

Mask = Float[Tensor, "#head #reader wide"]
PerHead = Float[Tensor, " head"]
Sizes = tuple[bool, int, int, bool]
Alike = tuple[tuple[Look, ...], tuple[float, ...], torch.dtype, torch.device]
"""What masks follow from but for their sizes: looks, and rest with its format."""

LAST_RESORT, PADDED = -1e25, -1e35
SHORTEST = 16
"""Columns that a score has at least: torch's softmax takes several times as long over fewer."""
MOST = 128
"""Masks that heads share, of all networks, sizes and looks: 32 MiB of float64."""
LARGE = 1 << 15
"""Numbers of a mask that is not shared: it goes with its heads."""


@dataclass(frozen=True, eq=False)
class Masks:
    """The masks of some heads, by the numbers of readers and of what is read.

    Attributes:
        looks: one a head, or that of all heads.
        rest: what each scores where nothing is read: its null key, or the last resort.
        alike: the same for all heads of which the masks are the same; None: they are not kept.
        last: that of the last sizes, inside of inference mode or not.
    """

    looks: tuple[Look, ...]
    rest: PerHead
    alike: Alike | None
    last: dict[Sizes, Mask]

    def of(self, n_readers: int, n_read: int, *, turned: bool = False) -> Mask:
        """Zeros where a head may look, then what it scores to rest, then nothing.

        ``turned``: sources choose among readers.
        """
        if not turned and set(self.looks) == {"all"}:
            n_readers = 1  # whose row is that of all
        sizes = n_readers, n_read, turned
        if self.alike is None:
            return _mask(self.looks, self.rest, *sizes)
        key = torch.is_inference_mode_enabled(), *sizes
        found = self.last.get(key)
        if found is None:
            if overridden():  # it may be a shape and no numbers
                return _mask(self.looks, self.rest, *sizes)
            large = len(self.looks) * (n_readers + 1) * (n_read + 1) > LARGE
            found = _mask(self.looks, self.rest, *sizes) if large else _shared(*self.alike, *key)
            self.last.clear()
            self.last[key] = found
        return found


def masks(looks: tuple[Look, ...], rest: PerHead) -> Masks:
    """Those of some heads: of all that look alike, in any network, they are the same."""
    if torch.compiler.is_compiling() or not _has_numbers(rest):
        return Masks(looks, rest, None, {})
    scores = rest.tolist()
    if len(set(zip(looks, scores, strict=True))) == 1:
        looks, rest, scores = looks[:1], rest[:1], scores[:1]
    return Masks(looks, rest, (looks, tuple(scores), rest.dtype, rest.device), {})


def _has_numbers(rest: Tensor) -> bool:
    """Whether a tensor is numbers and nothing else: no graph, and not their shape alone."""
    return type(rest) is Tensor and not rest.is_meta and not rest.requires_grad


@lru_cache(MOST)
def _shared(
    looks: tuple[Look, ...],
    rest: tuple[float, ...],
    dtype: torch.dtype,
    device: torch.device,
    inference: bool,
    n_readers: int,
    n_read: int,
    turned: bool,
) -> Mask:
    del inference  # of that mode it is another tensor
    made = torch.tensor(rest, dtype=dtype, device=device)
    return _mask(looks, made, n_readers, n_read, turned)


def _mask(
    looks: tuple[Look, ...], rest: PerHead, n_readers: int, n_read: int, turned: bool
) -> Mask:
    allowed = look_mask(looks, n_readers, n_read, rest.device)
    allowed = allowed.mT if turned else allowed
    n_heads, n_readers, n_read = allowed.shape
    wide: Any = torch.sym_max(SHORTEST, n_read + 1)  # `max` would fix the length of a graph
    mask = rest.new_full((n_heads, n_readers, wide), -torch.inf)
    mask[..., :n_read].masked_fill_(allowed, 0.0)
    mask[..., n_read : n_read + 1] = rest[:, None, None]
    return mask
