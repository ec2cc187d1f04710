"""One vector, or one class, for a whole sequence."""

from typing import Literal, get_args

import torch
from einops import rearrange, reduce
from jaxtyping import Bool, Float
from torch import Tensor, nn

from progtf.nn.affine import Affine
from progtf.nn.precision import Precision, follow_autocast

Residual = Float[Tensor, "batch pos d_model"]
Present = Bool[Tensor, "batch pos"]
Pooled = Float[Tensor, "batch d_model"]
Pooling = Literal["max", "mean", "first", "last", "sum"]


def pool(residual: Residual, present: Present, how: Pooling) -> Pooled:
    """Pools over the positions that are present; zeros where a row has none."""
    real = rearrange(present, "batch pos -> batch pos 1")
    match how:
        case "max":
            lowest = residual.masked_fill(~real, -torch.inf)
            highest = reduce(lowest, "batch pos d_model -> batch d_model", "max")
            return highest.masked_fill(highest == -torch.inf, 0.0)
        case "mean":
            total = _sum(residual.masked_fill(~real, 0.0))
            count = reduce(real.to(residual.dtype), "batch pos 1 -> batch 1", "sum")
            return total / count.clamp(min=1)
        case "sum":
            return _sum(residual.masked_fill(~real, 0.0))
        case "first":
            return _sum(residual.masked_fill(~(real & (_rank(real) == 1)), 0.0))
        case "last":
            n_real = reduce(real.long(), "batch pos 1 -> batch 1 1", "sum")
            return _sum(residual.masked_fill(~(real & (_rank(real) == n_real)), 0.0))


class PoolClassifier(nn.Module):
    """Class scores of the pooled sequence, of which only what ``score`` reads is pooled.

    Shapes:
        residual  batch pos d_model
        present   batch pos          False at padding
        returns   batch class
    """

    def __init__(self, score: Affine, how: Pooling, precision: Precision = follow_autocast) -> None:
        super().__init__()
        if how not in get_args(Pooling):
            raise ValueError(f"pooling {how!r} is none of {', '.join(get_args(Pooling))}")
        self.how: Pooling = how
        self.precision = precision
        self.score = score

    def forward(self, residual: Residual, present: Present) -> Float[Tensor, "batch class"]:
        """The scores of every sequence."""
        with self.precision(residual.device):
            read = self.score.read(residual)
            return self.score(pool(read, present, self.how), was_read=True)


class PooledText(nn.Module):
    """What the words of a text are together: a map of their mean and of their greatest entries.

    What is written of words enters by a map of its own: of which semes there are, and how often. So
    a text of few words that training has seen is still known by their classes.

    Shapes:
        vectors  batch pos d_model
        real     batch pos          False at padding
        semes    batch pos seme
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
        vectors: Residual,
        real: Present,
        semes: Float[Tensor, "batch pos seme"] | None = None,
    ) -> Pooled:
        """Over all words of a text."""
        both = [pool(vectors, real, "mean"), pool(vectors, real, "max")]
        found = self.learned(torch.cat(both, dim=-1))
        if self.written is None or semes is None:
            return found
        both = [pool(semes, real, "max"), pool(semes, real, "sum")]
        return found + self.written(self.dropout(torch.cat(both, dim=-1)))


def _rank(real: Bool[Tensor, "batch pos 1"]) -> Tensor:
    """1 at the first present position, 2 at the second, and so on."""
    return real.long().cumsum(dim=1)


def _sum(residual: Residual) -> Pooled:
    return reduce(residual, "batch pos d_model -> batch d_model", "sum")
