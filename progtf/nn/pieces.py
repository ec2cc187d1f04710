"""Vectors of words that are read in pieces."""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.nn.affine import Affine
from progtf.nn.bert import Bert

NONE = -1
"""In place of a piece, behind the last one of a word."""


class PieceVectors(nn.Module):
    """A word's vector is a map of the mean of its pieces' vectors in the context of the whole text.

    Shapes:
        source   batch src
        real     batch src          False at padding
        returns  batch src d_model

    Args:
        bert: reads pieces.
        pieces: of each symbol its pieces, then NONE.
        d_model: of the result.
    """

    pieces: Int[Tensor, "symbol piece"]

    def __init__(self, bert: Bert, pieces: Int[Tensor, "symbol piece"], d_model: int) -> None:
        super().__init__()
        self.bert = bert
        self.know(pieces)
        self.out = Affine(bert.table.shape[1], d_model)

    def know(self, pieces: Int[Tensor, "symbol piece"]) -> None:
        """Reads other symbols from now on."""
        self.register_buffer("pieces", pieces, persistent=False)

    def forward(
        self, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"]
    ) -> Float[Tensor, "batch src d_model"]:
        """Raises ValueError for more pieces than the encoder has places for."""
        cut = self.pieces[source]
        there = (cut != NONE) & real[..., None]
        places, given, is_piece = _in_a_row(cut, there)
        found = self.bert(given, is_piece) * is_piece[..., None]
        word = (places // cut.shape[-1])[..., None].expand_as(found)
        total = found.new_zeros(*source.shape, found.shape[-1]).scatter_add(1, word, found)
        return self.out(total / there.sum(dim=-1).clamp(min=1)[..., None])


def _in_a_row(
    cut: Int[Tensor, "batch src piece"], there: Bool[Tensor, "batch src piece"]
) -> tuple[Int[Tensor, "batch pos"], Int[Tensor, "batch pos"], Bool[Tensor, "batch pos"]]:
    """The places of a text's pieces without gaps, these pieces, and where there are some."""
    is_piece = there.flatten(1)
    order = is_piece.logical_not().long().argsort(dim=1, stable=True)
    places = order[:, : int(is_piece.sum(dim=1).max())]
    return places, cut.flatten(1).gather(1, places).clamp(min=0), is_piece.gather(1, places)
