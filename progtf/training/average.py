"""The mean of the weights over the last steps, which is tested and kept in place of the last ones.

A constant learning rate lets single steps swing by many percent; their mean does not (Polyak and
Juditsky 1992; decayed exponentially here).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from progtf.training.parallel import divided_as, full


@dataclass(eq=False)
class Average:
    """Means of parameters, each with ``decay`` of itself and the rest of the newest weights.

    With a decay of 0 there is nothing to keep: the means are the parameters.
    """

    decay: float
    parameters: Sequence[Tensor]
    means: list[Tensor]

    @classmethod
    def of(cls, parameters: Sequence[Tensor], decay: float) -> "Average":
        """The means at the beginning: what the parameters are."""
        kept = parameters if decay else ()
        return cls(decay, kept, [p.detach().clone() for p in kept])

    @torch.no_grad()
    def update(self, step: int) -> None:
        """After a step; the first steps are forgotten faster."""
        share = 1.0 - min(self.decay, (1.0 + step) / (10.0 + step))
        for mean, parameter in zip(self.means, self.parameters, strict=True):
            mean.lerp_(parameter.detach(), share)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within, the parameters are their means."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for number, parameter in enumerate(self.parameters):
            newest = parameter.detach().clone()
            parameter.copy_(self.means[number])
            self.means[number] = newest

    def tensors(self) -> dict[str, Tensor]:
        """What a checkpoint needs beside its weights, which are the means: both, by number."""
        pairs = enumerate(zip(self.parameters, self.means, strict=True))
        return {
            f"{kind}.{number}": full(tensor)
            for number, pair in pairs for kind, tensor in zip(("newest", "mean"), pair, strict=True)
        }  # fmt: skip

    @torch.no_grad()
    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Puts back what ``tensors`` took."""
        for number, parameter in enumerate(self.parameters):
            parameter.copy_(divided_as(tensors[f"newest.{number}"], parameter))
            self.means[number].copy_(divided_as(tensors[f"mean.{number}"], parameter))
