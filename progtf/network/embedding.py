"""Tokens to residuals: lexicon vectors, what spelling gives, clocks."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.network.learned import LearnedEmbedding
from progtf.nn import clock, full_precision
from progtf.nn.affine import beside
from progtf.nn.derived import Derived
from progtf.nn.hooks import state_of
from progtf.weights.layout import Layout

Tokens = Int[Tensor, "batch pos"]
Residual = Float[Tensor, "batch pos d_model"]

MOST_KEPT = 65_538
"""Positions whose clocks are kept; those of longer texts are computed as they are read."""


class Embedding(nn.Module):
    """Lexicon vectors, what spelling gives, clocks; the last row is padding, all zeros.

    A token's id is its row plus the number of rows times its marks, which are the digits of a
    number in the mixed base ``bases``.

    Args:
        layout: of the network.
        vectors: a row for every token of the lexicon, for unknown ones and for padding.
        spelled: a row for every mark of spelling.

    Shapes:
        vectors  row d_written
        spelled  mark d_written
        tokens   batch pos
        returns  batch pos d_model
    """

    hands: Float[Tensor, "pos d_clock"]

    def __init__(self, layout: Layout, vectors: Tensor, spelled: Tensor) -> None:
        super().__init__()
        self.vectors = nn.Parameter(vectors)
        if len(spelled):
            self.spelled = nn.Parameter(spelled)
        else:
            self.register_buffer("spelled", spelled)
        self.first = layout.semes
        n_positions, learn = layout.longest + 2, layout.learn
        self.n_rows = len(vectors)
        self.learned = learn and LearnedEmbedding(self.n_rows, learn.semes, n_positions)
        self.unknown = layout.unknown
        self.bases = [mark.values for mark in layout.spelling.marks]
        self.clocks, self.n_positions = layout.clocks, n_positions
        hands = clock(layout.clocks, min(n_positions, MOST_KEPT), torch.float64)
        self.register_buffer("hands", hands, persistent=False)
        self._given: Derived[tuple[Tensor, Tensor]] = Derived()

    def forward(self, tokens: Tokens, first: int = 0) -> Residual:
        """The vectors of tokens, the first of which stands at position ``first``."""
        residual = self._rows(tokens % self.n_rows if self.bases else tokens)
        if self.bases:
            values = torch.stack(list(digits(tokens // self.n_rows, self.bases)), dim=-1)
            with full_precision(residual.device):
                residual = residual + values.to(residual.dtype) @ self.spelled.to(residual.dtype)
        hands = self._hands(first, tokens.shape[1]).to(residual.dtype)
        residual[:, :, self.first : self.first + hands.shape[1]] += hands
        if self.learned is None:
            return residual
        learned = self.learned(tokens % self.n_rows, first).to(residual.dtype)
        return torch.cat([residual, learned], dim=-1)

    def _hands(self, first: int, count: int) -> Float[Tensor, "pos d_clock"]:
        """The clocks at some positions; those of very long texts are not kept."""
        if self.n_positions <= MOST_KEPT or first + count <= MOST_KEPT:
            return self.hands[first : first + count]
        return clock(self.clocks, count, torch.float64, first).to(self.hands.device)

    def _rows(self, rows: Tokens) -> Residual:
        """The vectors of rows; without gradients every column in one piece of memory."""
        wide = torch.promote_types(self.vectors.dtype, torch.float32)
        graph = torch.is_grad_enabled() or torch.compiler.is_compiling()  # of texts of any size
        if graph or self.learned is not None:
            given = self._said(rows)
            vectors = functional.embedding(given, self.vectors, padding_idx=self.n_rows - 1)
            return vectors.to(wide)
        if rows.numel() < self.n_rows and state_of(self) is None:  # fewer than the lexicon's own
            picked = self.vectors.index_select(0, self._said(rows).flatten()).to(wide)
            return beside(picked.t().contiguous().unflatten(1, rows.shape))
        written, given = self._given.of(self, self._made)
        residual = given.new_zeros(self.vectors.shape[-1], rows.numel())
        residual.index_copy_(0, written, given.index_select(1, rows.flatten()))
        return beside(residual.unflatten(1, rows.shape))

    def _said(self, rows: Tokens) -> Tokens:
        """What is only written is as padding, which is never trained, where no token is unknown."""
        if self.unknown:
            return rows
        return torch.where(rows == self.n_rows - 2, self.n_rows - 1, rows)

    def _made(self) -> tuple[Int[Tensor, " column"], Float[Tensor, "column row"]]:
        """Which columns the lexicon gives, and what it gives them: they are few."""
        rows = self._said(torch.arange(self.n_rows, device=self.vectors.device))
        written = self.vectors.any(dim=0).nonzero().squeeze(-1)
        wide = torch.promote_types(self.vectors.dtype, torch.float32)
        given = self.vectors.index_select(-1, written).index_select(0, rows).to(wide)
        return written, given.t().contiguous()


def digits(numbers: Tokens, bases: Sequence[int]) -> Iterator[Tokens]:
    """The digits of numbers in a mixed base, the lowest first."""
    for base in bases:
        yield numbers % base
        numbers = numbers // base


def number_of(values: Sequence[int], bases: Sequence[int]) -> int:
    """The number with these digits, the lowest first."""
    number = 0
    for value, base in reversed(list(zip(values, bases, strict=True))):
        number = number * base + value
    return number
