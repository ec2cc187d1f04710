"""Symbols to residuals and back: positions, scaled table, Eq. 2's role, tied output."""

from collections.abc import Sequence

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.affine import Affine

Code = Float[Tensor, "pos d_clock"]


def clock(
    periods: Sequence[float], n_positions: int, dtype: torch.dtype = torch.float32, first: int = 0
) -> Code:
    """(cos, sin) of the angle at each position, pair by pair; a period is a number of tokens.

    ``first``: the first of so many positions.

    Shapes:
        returns  pos (period 2)  cos and sin side by side, periods in the given order
    """
    period = torch.tensor(list(periods), dtype=torch.float64, device="cpu")
    if (period <= 0).any():
        raise ValueError(f"a clock's period is a positive number of tokens; got {list(periods)}")
    position = rearrange(
        torch.arange(first, first + n_positions, dtype=torch.float64, device="cpu"),
        "pos -> pos 1",
    )
    return _hands(position % period / period * 2 * torch.pi, first="cos").to(dtype)


def sinusoid(d_model: int, n_positions: int, dtype: torch.dtype = torch.float32) -> Code:
    """The position code of Vaswani et al. (2017): sin on even, cos on odd dimensions.

    Shapes:
        returns  pos d_model
    """
    if d_model % 2:
        raise ValueError(f"the sinusoid pairs dimensions; a width of {d_model} is odd")
    exponent = torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu") / d_model
    position = rearrange(
        torch.arange(n_positions, dtype=torch.float64, device="cpu"), "pos -> pos 1"
    )
    return _hands(position * 10000.0**-exponent, first="sin").to(dtype)


def _hands(angle: Float[Tensor, "pos period"], *, first: str) -> Code:
    pair = [angle.cos(), angle.sin()] if first == "cos" else [angle.sin(), angle.cos()]
    return rearrange(pair, "hand pos period -> pos (period hand)")


Tokens = Int[Tensor, "batch pos"]
Residual = Float[Tensor, "batch pos d_model"]
Logits = Float[Tensor, "batch pos symbol"]


class SymbolEmbedding(nn.Module):
    """√d_model · E[symbol] + sinusoidal position code.

    Shapes:
        table    symbol d_model      E
        code     position d_model
        tokens   batch pos
        returns  batch pos d_model

    Symbols below ``first`` are never there, and have no row.
    """

    code: Float[Tensor, "position d_model"]

    def __init__(
        self,
        n_symbols: int,
        d_model: int,
        max_length: int,
        dropout: float = 0.0,
        *,
        first: int = 0,
    ) -> None:
        super().__init__()
        self.first = first
        self.table = nn.Parameter(torch.empty(n_symbols - first, d_model))
        nn.init.normal_(self.table, std=d_model**-0.5)
        self.register_buffer("code", sinusoid(d_model, max_length).to(self.table.device))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tokens, first: int = 0) -> Residual:
        """``first`` is the position of the first token."""
        longest, length = self.code.shape[0], first + tokens.shape[1]
        if length > longest:
            raise ValueError(f"{length} positions are past the maximum length of {longest}")
        rows = tokens - self.first if self.first else tokens
        scaled = look_up(rows, self.table) * self.table.shape[1] ** 0.5
        return self.dropout(scaled + self.code[first:length])

    def logits(self, residual: Residual) -> Logits:
        """Logits residual · Eᵀ, the table tied and unscaled (Eq. 8)."""
        return ruled_out(functional.linear(residual, self.table), self.first)


def ruled_out(logits: Logits, first: int) -> Float[Tensor, "batch pos all_symbols"]:
    """The same with so many symbols before them that are never there."""
    return functional.pad(logits, (first, 0), value=float("-inf")) if first else logits


class RoleEmbedding(nn.Module):
    """x · role with role = x · W + b + 1: each symbol bound to its place (Eq. 2)."""

    def __init__(self, symbols: SymbolEmbedding, dropout: float = 0.0) -> None:
        super().__init__()
        self.symbols = symbols
        d_model = symbols.table.shape[1]
        self.role = Affine(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tokens, first: int = 0) -> Residual:
        """``first`` is the position of the first token."""
        symbol = self.symbols(tokens, first)
        return self.dropout(symbol * (self.role(symbol) + 1))


def look_up(tokens: Tokens, table: Float[Tensor, "symbol d_model"]) -> Residual:
    """The rows of the table; on the CPU, ValueError for an id outside the vocabulary."""
    try:
        return functional.embedding(tokens, table)
    except IndexError:
        low, high = int(tokens.min()), int(tokens.max())
        wrong = low if low < 0 else high
        raise ValueError(f"symbol {wrong} of a vocabulary of {table.shape[0]}") from None
