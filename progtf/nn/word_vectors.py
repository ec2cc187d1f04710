"""Vectors of words from their letters and from a table, mixed by highway layers.

As BiDAF has them (Seo et al. 2017, arXiv 1611.01603, layers 1 and 2). A word's vector depends on
the word alone: each of a batch is computed once, however often it stands there.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Symbols = Int[Tensor, "batch pos"]
LETTERS = 16
"""Bytes of a word that are read."""


class Highway(nn.Module):
    """g · relu(W x + b) + (1 − g) · x with g = sigmoid(V x + c) (Srivastava et al. 2015)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.both = nn.Linear(width, 2 * width)

    def forward(self, rows: Float[Tensor, "*rows d"]) -> Float[Tensor, "*rows d"]:
        changed, gate = self.both(rows).chunk(2, dim=-1)
        return torch.lerp(rows, changed.relu(), gate.sigmoid())


class LetterFilters(nn.Module):
    """A convolution over the bytes of a word, the most of each filter (Kim 2014).

    Shapes:
        letters  word LETTERS      0: none, else a byte and 1
        returns  word filter
    """

    def __init__(self, filters: int, dropout: float, d_letter: int = 8, width: int = 5) -> None:
        super().__init__()
        self.table = nn.Embedding(257, d_letter)
        self.dropout = nn.Dropout(dropout)
        self.filters = nn.Conv1d(d_letter, filters, width)

    def forward(self, letters: Int[Tensor, "word letter"]) -> Float[Tensor, "word filter"]:
        rows = self.dropout(self.table(letters))
        return self.filters(rows.mT).relu().amax(dim=-1)


class WordVectors(nn.Module):
    """The vector of every word of a batch.

    Shapes:
        symbols  batch pos
        returns  batch pos d_word     filters and the table's columns

    Args:
        letters: symbol by LETTERS, as `LetterFilters` reads them.
        rows: symbol -> row of the table; row 0 is that of words that it lacks.
        table: word vectors; they are learned if it is a parameter.
        filters: over letters.
        dropout: of what is known of letters.
    """

    letters: Int[Tensor, "symbol letter"]
    rows: Int[Tensor, " symbol"]
    table: Float[Tensor, "row d_table"]

    def __init__(
        self, letters: Tensor, rows: Tensor, table: Tensor, filters: int, dropout: float
    ) -> None:
        super().__init__()
        self.know(letters, rows)
        if isinstance(table, nn.Parameter):
            self.table = table
        else:
            self.register_buffer("table", table)
        self.spelt = LetterFilters(filters, dropout)
        self.d_word = filters + table.shape[1]
        self.mix = nn.Sequential(Highway(self.d_word), Highway(self.d_word))

    def know(self, letters: Tensor, rows: Tensor) -> None:
        """Reads these symbols from now on."""
        self.register_buffer("letters", letters, persistent=False)
        self.register_buffer("rows", rows)

    def forward(self, symbols: Symbols) -> Float[Tensor, "batch pos d_word"]:
        each, places = torch.unique(symbols, return_inverse=True)
        told = nn.functional.embedding(self.rows[each], self.table)
        return self.mix(torch.cat([self.spelt(self.letters[each]), told], dim=-1))[places]
