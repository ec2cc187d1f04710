"""A whole text as one vector."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn.affine import Affine


class Whole(nn.Module):
    """What the words of a text are together: a map of their mean and of their greatest entries.

    What is written of words enters by a map of its own: of which semes there are, and how often. So
    a text of few words that training has seen is still known by their classes.

    Shapes:
        vectors  batch src d_model
        real     batch src          False at padding
        semes    batch src seme     0 at padding
        returns  batch d_model

    Args:
        d_model: of the words' vectors, and of the result.
        semes: how many are written of each word; 0: nothing is.
        dropout: of entries of what is written.
    """

    def __init__(self, d_model: int, semes: int = 0, dropout: float = 0.0) -> None:
        super().__init__()
        self.learned, self.dropout = Affine(2 * d_model, d_model), nn.Dropout(dropout)
        self.written = Affine(2 * semes, d_model) if semes else None

    def forward(
        self,
        vectors: Float[Tensor, "batch src d_model"],
        real: Bool[Tensor, "batch src"],
        semes: Float[Tensor, "batch src seme"] | None = None,
    ) -> Float[Tensor, "batch d_model"]:
        """Over all words of a text; there is at least one."""
        there = real[..., None]
        mean = (vectors * there).sum(dim=1) / there.sum(dim=1)
        most = vectors.masked_fill(~there, -torch.inf).amax(dim=1)
        found = self.learned(torch.cat([mean, most], dim=-1))
        if self.written is None or semes is None:
            return found
        pooled = torch.cat([semes.amax(dim=1), semes.sum(dim=1)], dim=-1)
        return found + self.written(self.dropout(pooled))
