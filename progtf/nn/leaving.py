"""Texts that leave a loop one by one, while the others go on."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.nn.affine import apart, beside, columns

Residual = Float[Tensor, "batch pos d_model"]
Present = Bool[Tensor, "batch pos"]
Texts = Int[Tensor, " text"]
Column = Int[Tensor, " column"]
MANY = 2
"""One of so many texts must have left before the others go on in a tensor of their own."""


class Leaving:
    """The texts of a loop, each as it is when it leaves.

    A round changes few columns, and takes less time than to copy a batch. So texts that have left
    run on beside the others until they are many; what they were then is put back at the end.

    Args:
        residual: of all texts, as the loop begins.
        writes: the columns that rounds change; None: it may be any, as where somebody looks on, or
            gradients pass. Then the others go on alone as soon as one has left.
    """

    def __init__(self, residual: Residual, writes: Column | None) -> None:
        self.texts = torch.arange(residual.shape[0], device=residual.device)
        self._on, self._n_on = torch.ones_like(self.texts, dtype=torch.bool), len(self.texts)
        every = torch.arange(residual.shape[-1], device=residual.device)
        self._writes = (every if writes is None else writes)[:, None]
        self._many = len(self.texts) if writes is None else MANY
        self._whole: Residual | None = None
        self._left: list[tuple[Texts, Tensor]] = []

    def leave(self, ends: Bool[Tensor, " text"], residual: Residual) -> bool:
        """Keeps those that end of the texts here, as they are now; whether some go on."""
        ends = ends & self._on if self._n_on < len(self.texts) else ends
        n_ends = int(ends.sum())
        if n_ends == self._n_on:
            return False
        if n_ends:
            self._keep(ends, residual)
            self._on, self._n_on = self._on & ~ends, self._n_on - n_ends
        return True

    def others(
        self, residual: Residual, present: Present | None
    ) -> tuple[Float[Tensor, "on pos d_model"], Bool[Tensor, "on pos"] | None]:
        """The texts that go on, alone if many have left."""
        n_left = len(self.texts) - self._n_on
        if not n_left or self._many * n_left < len(self.texts):
            return residual, present
        on = self._on.nonzero()[:, 0]
        self._whole = residual if self._whole is None else self._whole
        self.texts, self._on = self.texts[on], self._on[on]
        return _chosen(residual, on), None if present is None else present[on]

    def all(self, residual: Residual, *, in_place: bool) -> Float[Tensor, "text pos d_model"]:
        """All texts again; ``in_place``: nobody else looks at them."""
        if not self._left:
            return residual
        self._keep(self._on, residual)
        whole = columns(residual if self._whole is None else self._whole)
        whole = whole if in_place else whole.clone()
        texts = torch.cat([each for each, _ in self._left])
        parts = torch.cat([part for _, part in self._left], dim=1)
        whole[self._writes, texts] = parts
        return beside(whole)

    def _keep(self, chosen: Bool[Tensor, " text"], residual: Residual) -> None:
        at, found = chosen.nonzero()[:, 0], columns(residual)
        self._left.append((self.texts[at], found[self._writes, at]))


def _chosen(residual: Residual, texts: Texts) -> Float[Tensor, "text pos d_model"]:
    """Some texts of a batch; columns that lie apart still do."""
    if not apart(residual):
        return residual.index_select(0, texts)
    return beside(columns(residual).index_select(1, texts))
