"""What tokens of expressions are as vectors, and how their operands are pointed at.

Kim et al. 2020; other than published, an operand also sees what was chosen before it: its token's
operator, and of two the second sees the first.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.affine import Affine
from progtf.nn.embedding import sinusoid
from progtf.nn.expressions import PARTS, ExpressionSymbols

Vectors = Float[Tensor, "batch src d_model"]
Triples = Int[Tensor, "batch token 3"]
Pointing = Literal["chained", "published", "plain"]
LONGEST = 32
"""Tokens of an answer, START with them."""


@dataclass(frozen=True)
class PointerShape:
    """Sizes.

    Attributes:
        marks: the source symbols that stand for numbers.
        rules: whether an answer has as many equations as unknowns, and, as it is decoded, points at
            each unknown and has no equation that says nothing new.
        pointing: ``chained``: an operand sees its token's operator, and of two the second sees the
            first; ``published``: it sees neither; ``plain``: as published, and numbers and results
            are symbols with vectors of their own, whatever stands in the text.
    """

    symbols: ExpressionSymbols
    d_model: int
    marks: tuple[int, ...]
    dropout: float = 0.0
    rules: bool = False
    pad: int = 1
    start: int = 2
    pointing: Pointing = "chained"


class ExpressionInput(nn.Module):
    """Tokens as vectors: v = W [f; a_1; a_2], f the operator at its place, a_j operands."""

    code: Float[Tensor, "step d_model"]

    def __init__(self, shape: PointerShape) -> None:
        super().__init__()
        symbols, d_model = shape.symbols, shape.d_model
        self.symbols = symbols
        self.operators = nn.Parameter(torch.empty(symbols.count, d_model))
        self.constants = nn.Parameter(torch.empty(symbols.constants, d_model))
        self.sources = nn.Parameter(torch.empty(3, d_model))
        for table in (self.operators, self.constants, self.sources):
            nn.init.normal_(table, std=d_model**-0.5)
        self.scale = nn.Parameter(torch.tensor([d_model**0.5] * 2))
        self.operator_norm, self.operand_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.joined = Affine(PARTS * d_model, d_model)
        self.dropout = nn.Dropout(shape.dropout)
        code = sinusoid(d_model, LONGEST).to(self.operators.device)
        self.register_buffer("code", code, persistent=False)

    def forward(
        self, triples: Triples, table: Float[Tensor, "batch operand d_model"], first: int = 0
    ) -> Vectors:
        """``first`` is the place of the first token; START is at 0."""
        step = self.code[first : first + triples.shape[1]]
        operator = self.operator_norm(self.scale[0] * self.operators[triples[..., 0]] + step)
        chosen = self.chosen(triples[..., 1:].flatten(1), table)
        operands = chosen.unflatten(1, (-1, PARTS - 1)).flatten(2)
        return self.dropout(self.joined(torch.cat([operator, operands], dim=-1)))

    def chosen(
        self, operands: Int[Tensor, "batch step"], table: Float[Tensor, "batch operand d_model"]
    ) -> Vectors:
        """The vectors of operands; of what is not written yet, that of nothing."""
        places = (operands - self.symbols.nothing).clamp(min=0)
        return table.gather(1, places[..., None].expand(-1, -1, table.shape[-1]))

    def operands(self, numbers: Vectors) -> Float[Tensor, "batch operand d_model"]:
        """Every operand's vector, with those of a text's numbers; nothing is 0."""
        batch, d_model = len(numbers), numbers.shape[-1]
        source = self.scale[1] * self.sources
        constants = (source[0] + self.constants).expand(batch, -1, -1)
        results = (source[2] + self.code[1 : self.symbols.results + 1]).expand(batch, -1, -1)
        there = self.operand_norm(torch.cat([constants, source[1] + numbers, results], dim=1))
        return torch.cat([there.new_zeros(batch, 1, d_model), there], dim=1)


class Pointers(nn.Module):
    """Scores of operands: queries of the decoder's output against keys of what can be meant."""

    def __init__(self, shape: PointerShape) -> None:
        super().__init__()
        self.symbols, d_model = shape.symbols, shape.d_model
        self.query = nn.ModuleList(Affine(d_model, d_model) for _ in range(PARTS - 1))
        self.key = nn.ModuleList(Affine(d_model, d_model) for _ in range(PARTS - 1))
        self.chained = shape.pointing == "chained"
        if self.chained:
            self.seen = nn.Parameter(torch.zeros(shape.symbols.count, d_model))
            self.left = Affine(d_model, d_model)

    def forward(
        self,
        part: int,
        residual: Vectors,
        operators: Int[Tensor, "batch step"],
        left: Vectors,
        keys: Float[Tensor, "batch option d_model"],
        allowed: Bool[Tensor, "batch step option"],
    ) -> Float[Tensor, "batch step symbol"]:
        """Logits of one operand, the ``part``-th from 1, of tokens with these operators.

        Args:
            part: 1 or 2.
            residual: the decoder's output.
            operators: of the tokens that are written.
            left: the vectors of their first operands.
            keys: of constants, numbers and results.
            allowed: which of these can be meant.
        """
        known = residual + self.seen[operators] if self.chained else residual
        known = known + self.left(left) if self.chained and part > 1 else known
        query = self.query[part - 1](known)
        scores = query @ keys.mT * keys.shape[-1] ** -0.5
        has = self.symbols.takes_operands(operators)[..., None]
        scores = scores.masked_fill(~(allowed & has), -torch.inf)
        nothing = torch.zeros_like(scores[..., :1]).masked_fill(has, -torch.inf)
        before = torch.full_like(scores[..., :1], -torch.inf).expand(-1, -1, self.symbols.nothing)
        room = self.symbols.operands - 1 - scores.shape[-1]
        return functional.pad(
            torch.cat([before, nothing, scores], dim=-1), (0, room), value=-torch.inf
        )
