"""Words that choose: networks are drawn, each one that can be written, and compared.

A rule passes no gradient where it is exact, and half a word is none that a rule knows. So the
network of every draw has whole words, and what a word chose is judged by the questions it is in: by
how far their loss lies below the mean of the other draws (Williams 1992, with the baseline of Kool
et al. 2019).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.equality import compared
from progtf.network.free import Free, free_tensors
from progtf.network.lay import Held

Losses = Callable[[], tuple[Tensor, Float[Tensor, " batch"]]]
"""What a network as it is now comes to: the mean loss of all symbols, and that of each question."""


@compared
class Drawn(NamedTuple):
    """One network.

    Shapes:
        picked  choice
        each    batch
    """

    picked: Int[Tensor, " choice"]
    mean: Tensor
    each: Float[Tensor, " batch"]


@compared
@dataclass(frozen=True)
class Choices:
    """The choices of a network.

    Attributes:
        free: what puts the chosen ones in their places; scores: of all alternatives.
        draws: networks that are compared.
        temperature: of the softmax by which they are drawn.
        alone: whether nothing else is trained.
    """

    free: Free
    scores: nn.Parameter
    draws: int
    temperature: float
    alone: bool

    @classmethod
    def of(cls, held: list[Held], others: int, draws: int, temperature: float) -> "Choices | None":
        """Those of what a network holds, if there are any; ``others``: learned numbers beside."""
        tensors = list(free_tensors(held))
        total = others + sum(each.parameter.numel() for each in tensors)
        for each in tensors:
            if count := int((each.free.choices >= 0).sum()):
                return cls(each.free, each.parameter, draws, temperature, count == total)
        return None

    def loss(self, has: Bool[Tensor, "batch choice"], losses: Losses) -> Tensor:
        """The mean loss of the draws, with a gradient for what was chosen as well.

        Args:
            has: which questions have which of the words that choose.
            losses: of the network as it is.
        """
        likely = (self.free.scores(self.scores) / self.temperature).log_softmax(dim=-1)
        drawn = [self._drawn(likely.detach().exp(), losses) for _ in range(self.draws)]
        each = torch.stack([draw.each for draw in drawn]).detach()
        worse = (each - each.mean(dim=0)) * self.draws / (self.draws - 1)
        blame = worse @ has.to(worse.dtype) / has.sum(dim=0).clamp(min=1)
        picked = torch.stack([draw.picked for draw in drawn])
        chosen = likely.expand(self.draws, -1, -1).gather(2, picked[..., None])[..., 0]
        judged = (blame * chosen).sum() / self.draws
        return torch.stack([draw.mean for draw in drawn]).mean() + judged - judged.detach()

    def _drawn(self, shares: Float[Tensor, "choice alternative"], losses: Losses) -> Drawn:
        picked = torch.multinomial(shares, 1)[:, 0]
        self.free.drawn = picked
        try:
            with torch.set_grad_enabled(not self.alone):
                return Drawn(picked, *losses())
        finally:
            self.free.drawn = None
