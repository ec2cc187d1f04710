"""What is learned of words, kept within the ranges of its semes."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from progtf.equality import compared
from progtf.network.free import FreeTensor, free_tensors
from progtf.network.lay import Held
from progtf.weights.layout import Layout

LEXICON = ("lexicon",), "vector"


@compared
@dataclass(frozen=True)
class Bounds:
    """Learned numbers of words, and between which numbers they stay.

    Shapes:
        words  free
        low    free
        high   free
    """

    words: nn.Parameter
    low: Float[Tensor, " free"]
    high: Float[Tensor, " free"]

    @classmethod
    def of(cls, held: Iterable[Held], layout: Layout) -> "Bounds | None":
        """Those of what a network holds, if words are learned there."""
        every = list(held)
        maps = {piece.map.key: piece.map for each in every for piece in each.pieces}
        ends = {seme.name: (seme.low, seme.high) for seme in layout.space}
        for free in free_tensors(every):
            if any(key == LEXICON for key, _ in free.entries):
                lexicon = maps[LEXICON]
                semes = [lexicon.targets[lexicon.columns[place]] for _, place in free.entries]
                return cls._between(free, [ends[seme] for seme in semes])
        return None

    @classmethod
    def _between(cls, free: FreeTensor, ends: list[tuple[float, float]]) -> "Bounds":
        low, high = torch.tensor(ends, dtype=torch.float32, device="cpu").to(free.parameter).T
        return cls(free.parameter, low, high)

    @torch.no_grad()
    def keep(self) -> None:
        """Puts what lies outside its range at the nearer end."""
        self.words.clamp_(self.low.to(self.words.device), self.high.to(self.words.device))
