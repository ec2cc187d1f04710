"""What is added to the scores of written heads: one mask for all of them that look alike.

-inf where a head never looks, `PADDED` at padding. One more column, the null key, stands behind the
sources. A head that owns one may rest on it from everywhere; for the others it scores
`LAST_RESORT`, open to readers with nothing else to read: better than padding, worse than anything
real.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from progtf.nn.patterns import Look, look_mask

Mask = Float[Tensor, "#head #reader wide"]
PerHead = Float[Tensor, " head"]

LAST_RESORT, PADDED = -1e25, -1e35
SHORTEST = 16
"""Columns that a score has at least: torch's softmax takes several times as long over fewer."""
MOST = 1 << 22
"""Numbers in the masks that are kept, of all networks, sizes and looks."""


@dataclass(frozen=True, eq=False)
class Masks:
    """The masks of some heads, by the numbers of readers and of what is read.

    Attributes:
        looks: one a head, or that of all heads.
        rest: what each scores where nothing is read: its null key, or the last resort.
        alike: the same for all heads of which the masks are the same; None: they are not kept.
    """

    looks: tuple[Look, ...]
    rest: PerHead
    alike: Hashable | None

    def of(self, n_readers: int, n_read: int, *, turned: bool = False) -> Mask:
        """Zeros where a head may look, then what it scores to rest, then nothing.

        ``turned``: sources choose among readers.
        """
        if not turned and set(self.looks) == {"all"}:
            n_readers = 1  # whose row is that of all
        make = partial(self._made, n_readers, n_read, turned=turned)
        if self.alike is None:
            return make()
        return _kept.of((self.alike, n_readers, n_read, turned), make)

    def _made(self, n_readers: int, n_read: int, *, turned: bool) -> Mask:
        allowed = look_mask(self.looks, n_readers, n_read, self.rest.device)
        return _mask(allowed.mT if turned else allowed, self.rest)


def masks(looks: tuple[Look, ...], rest: PerHead) -> Masks:
    """Those of some heads: of all that look alike, in any network, they are the same."""
    if torch.compiler.is_compiling():
        return Masks(looks, rest, None)
    scores = rest.tolist()
    if len(set(zip(looks, scores, strict=True))) == 1:
        looks, rest, scores = looks[:1], rest[:1], scores[:1]
    numbers = rest.dtype, rest.device, torch.is_inference_mode_enabled()
    return Masks(looks, rest, (looks, *scores, *numbers))


def _mask(allowed: Bool[Tensor, "head reader read"], rest: PerHead) -> Mask:
    n_heads, n_readers, n_read = allowed.shape
    mask = rest.new_full((n_heads, n_readers, max(SHORTEST, n_read + 1)), -torch.inf)
    mask[..., :n_read].masked_fill_(allowed, 0.0)
    mask[..., n_read] = rest[:, None]
    return mask


class _Kept:
    """Tensors by what they follow from, so many numbers at most; then all are made anew."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Tensor] = {}
        self.numbers = 0

    def of(self, name: Hashable, make: Callable[[], Tensor]) -> Tensor:
        """The one that is known so."""
        found = self.known.get(name)
        if found is None:
            found = make()
            if self.numbers + found.numel() > MOST:
                self.known, self.numbers = {}, 0
            self.known[name] = found
            self.numbers += found.numel()
        return found


_kept = _Kept()
