"""The expression-pointer transformer: equations written token by token (Kim et al. 2020).

Each token is three symbols, an operator and two operands; operands are pointed at: numbers where
they stand in the text, constants, and results of earlier tokens. Other than published, an operand
also sees the operator that was chosen for its token.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.affine import Affine
from progtf.nn.embedding import sinusoid
from progtf.nn.expressions import PARTS, ExpressionSymbols, operators_next, pointable
from progtf.nn.patterns import present
from progtf.nn.transformer import Past, Recall, Stack

Source = Int[Tensor, "batch src"]
Target = Int[Tensor, "batch pos"]
Vectors = Float[Tensor, "batch src d_model"]
Triples = Int[Tensor, "batch token 3"]
Logits = Float[Tensor, "batch pos symbol"]
LONGEST = 32
"""Tokens of an answer, START with them."""


class Text(NamedTuple):
    """What the decoder knows of a text.

    Shapes:
        numbers  batch number d_model  the vectors of its numbers
        there    batch number          which of these it has
    """

    recalls: tuple[Recall, ...]
    numbers: Float[Tensor, "batch number d_model"]
    there: Bool[Tensor, "batch number"]


class PointerState(NamedTuple):
    """Where writing stands.

    Attributes:
        part: which part of a token is scored next: 0 its operator, 1 and 2 its operands.
        text: what is written about.
        pasts: keys and values of past tokens.
        results: the decoder's output at each token, START first.
        written: tokens, START left out; parts that are not written yet are padding.
    """

    part: int
    text: Text
    pasts: tuple[Past, ...]
    results: Float[Tensor, "batch step d_model"]
    written: Triples


@dataclass(frozen=True)
class PointerShape:
    """Sizes.

    Attributes:
        marks: the source symbols that stand for numbers.
        rules: whether an answer has as many equations as unknowns, and uses each.
    """

    symbols: ExpressionSymbols
    d_model: int
    marks: tuple[int, ...]
    dropout: float = 0.0
    rules: bool = False
    pad: int = 1
    start: int = 2


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
        self.register_buffer("code", sinusoid(d_model, LONGEST), persistent=False)

    def forward(self, triples: Triples, text: Text, first: int = 0) -> Vectors:
        """``first`` is the place of the first token; START is at 0."""
        step = self.code[first : first + triples.shape[1]]
        operator = self.operator_norm(self.scale[0] * self.operators[triples[..., 0]] + step)
        table = self._operands(text)
        places = (triples[..., 1:].flatten(1) - self.symbols.nothing).clamp(min=0)
        chosen = table.gather(1, places[..., None].expand(-1, -1, table.shape[-1]))
        operands = chosen.unflatten(1, (-1, PARTS - 1)).flatten(2)
        return self.dropout(self.joined(torch.cat([operator, operands], dim=-1)))

    def _operands(self, text: Text) -> Float[Tensor, "batch operand d_model"]:
        """Every operand's vector; nothing is 0."""
        batch, d_model = len(text.numbers), text.numbers.shape[-1]
        source = self.scale[1] * self.sources
        constants = (source[0] + self.constants).expand(batch, -1, -1)
        results = (source[2] + self.code[1 : self.symbols.results + 1]).expand(batch, -1, -1)
        there = self.operand_norm(torch.cat([constants, source[1] + text.numbers, results], dim=1))
        return torch.cat([there.new_zeros(batch, 1, d_model), there], dim=1)


class Pointers(nn.Module):
    """Scores of operands: queries of the decoder's output against keys of what can be meant."""

    def __init__(self, shape: PointerShape) -> None:
        super().__init__()
        self.symbols, d_model = shape.symbols, shape.d_model
        self.query = nn.ModuleList(Affine(d_model, d_model) for _ in range(PARTS - 1))
        self.key = nn.ModuleList(Affine(d_model, d_model) for _ in range(PARTS - 1))
        self.seen = nn.Parameter(torch.zeros(shape.symbols.count, d_model))

    def forward(
        self,
        part: int,
        residual: Vectors,
        operators: Int[Tensor, "batch step"],
        options: Float[Tensor, "batch option d_model"],
        allowed: Bool[Tensor, "batch step option"],
    ) -> Float[Tensor, "batch step symbol"]:
        """Logits of one operand, the ``part``-th from 1, of tokens with these operators.

        Args:
            part: 1 or 2.
            residual: the decoder's output.
            operators: of the tokens that are written.
            options: constants, numbers and results.
            allowed: which of these can be meant.
        """
        query = self.query[part - 1](residual + self.seen[operators])
        scores = query @ self.key[part - 1](options).mT * options.shape[-1] ** -0.5
        has = self.symbols.takes_operands(operators)[..., None]
        scores = scores.masked_fill(~(allowed & has), -torch.inf)
        nothing = torch.zeros_like(scores[..., :1]).masked_fill(has, -torch.inf)
        before = torch.full_like(scores[..., :1], -torch.inf).expand(-1, -1, self.symbols.nothing)
        room = self.symbols.operands - 1 - scores.shape[-1]
        return functional.pad(
            torch.cat([before, nothing, scores], dim=-1), (0, room), value=-torch.inf
        )


class ExpressionPointers(nn.Module):
    """An encoder of texts, and a decoder that writes equations and points at numbers.

    Shapes:
        source   batch src
        target   batch pos         START, then three symbols a token
        returns  batch pos symbol  logits of the symbol after each target position

    Args:
        shape: sizes and symbols.
        encoder: source symbols, and where they are not padding, to vectors.
        decoder: a stack of causal blocks with cross-attention.
    """

    marks: Int[Tensor, " mark"]

    def __init__(self, shape: PointerShape, encoder: nn.Module, decoder: Stack) -> None:
        super().__init__()
        decoder.check_causal()
        self.shape, self.encoder, self.decoder = shape, encoder, decoder
        self.input = ExpressionInput(shape)
        self.operator = Affine(shape.d_model, shape.symbols.count)
        self.pointers = Pointers(shape)
        self.register_buffer("marks", torch.tensor(shape.marks), persistent=False)

    def forward(self, source: Source, target: Target) -> Logits:
        """Teacher forcing."""
        triples = target[:, 1:].unflatten(1, (-1, PARTS))
        text = self._read(source)
        inputs = self.input(self._with_start(triples), text)
        residual, _ = self.decoder.step(inputs, (), text.recalls)
        operators = self._operators(residual, triples)
        operands = self._operands(residual[:, :-1], text, residual[:, 1:], triples)
        room = functional.pad(operands, (0, 0, 0, 0, 0, 1))
        return torch.cat([operators[:, :, None], room], dim=2).flatten(1, 2)[:, : target.shape[1]]

    def start(self, source: Source) -> PointerState:
        """One pass over the encoder."""
        text = self._read(source)
        nothing = source.new_empty(len(source), 0, PARTS)
        return PointerState(0, text, (), text.numbers[:, :0], nothing)

    def step(
        self, tokens: Int[Tensor, " batch"], state: PointerState
    ) -> tuple[Float[Tensor, "batch symbol"], PointerState]:
        """Logits of the next symbol after ``tokens``, one a row."""
        part, text, pasts, results, written = state
        written = self._with_part(part, written, tokens, begun=results.shape[1] > 0)
        if part == 0:
            newest = self._with_start(written)[:, -1:]
            inputs = self.input(newest, text, written.shape[1])
            residual, pasts = self.decoder.step(inputs, pasts, text.recalls)
            results = torch.cat([results, residual], dim=1)
            logits = self._operators(residual, written)[:, -1]
        else:
            operands = self._operands(results[:, -1:], text, results[:, 1:], written)
            logits = operands[:, -1, part - 1]
        return logits, PointerState((part + 1) % PARTS, text, pasts, results, written)

    def _with_part(
        self, part: int, written: Triples, tokens: Int[Tensor, " batch"], *, begun: bool
    ) -> Triples:
        """Tokens with the symbol that was written last: an operator, its left, its right operand.

        Args:
            part: which part of a token comes next.
            written: tokens.
            tokens: the symbols.
            begun: whether START has been read.
        """
        if part == 1:
            newest = written.new_full((len(written), 1, PARTS), self.shape.pad)
            newest[:, 0, 0] = tokens
            return torch.cat([written, newest], dim=1)
        if begun:
            written = written.clone()
            written[:, -1, part - 1] = tokens  # the right one, before part 0, is the last
        return written

    def _read(self, source: Source) -> Text:
        real = present(source, self.shape.pad)
        memory = self.encoder(source, real)
        numbers, there = self._numbers(source, memory)
        return Text(self.decoder.recalls(memory, real), numbers, there)

    def _numbers(
        self, source: Source, memory: Vectors
    ) -> tuple[Float[Tensor, "batch number d_model"], Bool[Tensor, "batch number"]]:
        """The vectors of the numbers of each text, in order."""
        is_number = torch.isin(source, self.marks)
        order = is_number.cumsum(dim=1) - 1
        wanted = torch.arange(self.shape.symbols.numbers, device=source.device)
        at = is_number[:, None] & (order[:, None] == wanted[:, None])
        return at.to(memory.dtype) @ memory, at.any(dim=-1)

    def _with_start(self, triples: Triples) -> Triples:
        start = triples.new_full((len(triples), 1, PARTS), self.shape.symbols.nothing)
        start[..., 0] = self.shape.start
        return torch.cat([start, triples], dim=1)

    def _operators(self, residual: Vectors, triples: Triples) -> Float[Tensor, "batch step symbol"]:
        """Logits of the operators that come next, for the last steps."""
        symbols, rules = self.shape.symbols, self.shape.rules
        allowed = operators_next(symbols, triples[..., 0], triples[..., 1:], rules=rules)
        return self.operator(residual).masked_fill(~allowed[:, -residual.shape[1] :], -torch.inf)

    def _operands(
        self, residual: Vectors, text: Text, results: Vectors, triples: Triples
    ) -> Float[Tensor, "batch step 2 symbol"]:
        """Logits of both operands of the last tokens.

        Args:
            residual: the decoder's output before each of them.
            text: what is written about.
            results: the decoder's output behind each token, as far as there are any.
            triples: all tokens.
        """
        batch, steps, known, count = *residual.shape[:2], results.shape[1], triples.shape[1]
        constants = self.input.constants.expand(batch, -1, -1)
        options = torch.cat([constants, text.numbers, results], dim=1)
        places = torch.arange(count, device=residual.device)
        earlier = places[None, :known] < places[count - steps :, None]
        earlier = pointable(self.shape.symbols, triples[:, :known, 0])[:, None] & earlier
        always = text.there.new_ones(batch, constants.shape[1])
        fixed = torch.cat([always, text.there], dim=1)[:, None].expand(-1, steps, -1)
        allowed, operators = torch.cat([fixed, earlier], dim=-1), triples[:, count - steps :, 0]
        parts = [self.pointers(n, residual, operators, options, allowed) for n in range(1, PARTS)]
        return torch.stack(parts, dim=2)
