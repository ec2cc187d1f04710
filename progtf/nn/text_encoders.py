"""Encoders of texts word by word, with what is written of each word beside what is learned."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.nn.affine import Affine
from progtf.nn.cells import TorchCells
from progtf.nn.embedding import look_up, sinusoid
from progtf.nn.transformer import Stack

Source = Int[Tensor, "batch src"]
Real = Bool[Tensor, "batch src"]
Vectors = Float[Tensor, "batch src d_model"]
Semes = Float[Tensor, "batch src seme"]
UNKNOWN = 0


class TextEncoder(nn.Module):
    """Words to vectors, and these to vectors in their context.

    Two learned maps add what is written of the words to their vectors and to the result.

    Shapes:
        source   batch src
        real     batch src          False at padding
        semes    batch src seme     what is written of each word
        returns  batch src d_model

    Args:
        table: words' vectors, symbol by d_model; symbols behind its end are unknown words.
        context: what sees the words around each, positions and all.
        dropout: of entries of the words' vectors; of what the context gives.
        forgetful: the share of words that training takes for unknown ones.
        semes: how many are written of a word; 0: nothing is.
        beside: what else gives vectors of the words, which are added to those of the table.
    """

    def __init__(
        self,
        table: nn.Parameter,
        context: nn.Module,
        dropout: float = 0.0,
        forgetful: float = 0.0,
        semes: int = 0,
        beside: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.table, self.context, self.beside = table, context, beside
        self.dropout, self.forgetful = nn.Dropout(dropout), forgetful
        d_model = table.shape[1]
        if semes:
            self.enter, self.leave = Affine(semes, d_model), Affine(semes, d_model)

    def forward(self, source: Source, real: Real, semes: Semes | None = None) -> Vectors:
        """Every word in its context."""
        known = source.masked_fill(source >= len(self.table), UNKNOWN)
        if self.training and self.forgetful:
            forgotten = (
                torch.rand(source.shape, device=source.device, dtype=torch.float32) < self.forgetful
            )
            known = known.masked_fill(forgotten, UNKNOWN)
        vectors = look_up(known, self.table)
        if self.beside is not None:
            vectors = vectors + self.beside(source, real)
        if semes is None:
            return self.dropout(self.context(self.dropout(vectors), real))
        inner = self.context(self.dropout(vectors + self.enter(semes)), real)
        return self.dropout(inner + self.leave(semes))


class RecurrentContext(nn.Module):
    """Recurrent layers of both directions, side by side as wide as words.

    Packed sequences would do the same, and take several times as long backwards.

    Args:
        layers: of each a recurrence from left to right, and one from right to left.
        dropout: between layers.
    """

    def __init__(self, layers: Sequence[tuple[TorchCells, TorchCells]], dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.ModuleList(pair) for pair in layers)
        self.dropout = nn.Dropout(dropout)

    @classmethod
    def sized(cls, d_model: int, n_layers: int, dropout: float = 0.0) -> "RecurrentContext":
        """LSTMs.

        Raises:
            ValueError: for a width that two directions cannot share.
        """
        if d_model % 2:
            raise ValueError(f"two directions do not share a width of {d_model}")

        def cells() -> TorchCells:
            return TorchCells(nn.LSTM(d_model, d_model // 2, batch_first=True))

        return cls([(cells(), cells()) for _ in range(n_layers)], dropout)

    def forward(self, vectors: Vectors, real: Real) -> Float[Tensor, "batch src d_context"]:
        """Every word in its context; at padding, anything."""
        turn = turned(real)
        for number, (rightwards, leftwards) in enumerate(self.layers):  # type: ignore[misc]
            given = self.dropout(vectors) if number else vectors
            there, _ = rightwards(given)
            back, _ = leftwards(moved(given, turn))
            vectors = torch.cat([there, moved(back, turn)], dim=-1)
        return vectors


def turned(real: Real) -> Int[Tensor, "batch src"]:
    """The place of each position if the words of a row stood in reverse; padding stays."""
    place = torch.arange(real.shape[1], device=real.device).expand_as(real)
    return torch.where(real, real.sum(dim=1, keepdim=True) - 1 - place, place)


def moved(vectors: Vectors, places: Int[Tensor, "batch src"]) -> Vectors:
    """At each position the vector that stands at a place."""
    return vectors.gather(1, places[..., None].expand_as(vectors))


class AttentiveContext(nn.Module):
    """What a transformer makes of words and their places."""

    code: Float[Tensor, "position d_model"]

    def __init__(self, stack: Stack, d_model: int, longest: int) -> None:
        super().__init__()
        self.stack = stack
        device = next((each.device for each in stack.parameters()), torch.device("cpu"))
        code = sinusoid(d_model, longest).to(device)
        self.register_buffer("code", code, persistent=False)

    def forward(self, vectors: Vectors, real: Real) -> Vectors:
        """Every word in its context.

        Raises:
            ValueError: if there are more words than places.
        """
        if (length := vectors.shape[1]) > len(self.code):
            raise ValueError(f"{length} words are past the maximum length of {len(self.code)}")
        scaled = vectors * vectors.shape[-1] ** 0.5
        return self.stack(scaled + self.code[:length], real)
