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
from progtf.nn.decoding import Later
from progtf.nn.embedding import sinusoid
from progtf.nn.expressions import PARTS, ExpressionSymbols, operators_next, pointable
from progtf.nn.linear_forms import Forms, says_nothing, then
from progtf.nn.patterns import present
from progtf.nn.transformer import Recall, Stack

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
        operands  batch operand d_model  as tokens have them, nothing and results with them
        keys      batch value d_model    of constants and numbers, for each operand of a token
        there     batch value            which of these there are
    """

    recalls: tuple[Recall, ...]
    operands: Float[Tensor, "batch operand d_model"]
    keys: tuple[Float[Tensor, "batch value d_model"], ...]
    there: Bool[Tensor, "batch value"]
    of_question = True


class PointerState(NamedTuple):
    """Where writing stands.

    Attributes:
        part: which part of a token is scored next: 0 its operator, 1 and 2 its operands.
        text: what is written about.
        pasts: keys and values of past tokens.
        keys: of the results of past tokens, for each operand of a token.
        newest: the decoder's output at the last token; nothing before START.
        written: tokens, START left out; parts that are not written yet are padding.
        forms: what tokens come to, if that matters.
    """

    part: int
    text: Text
    pasts: Later
    keys: tuple[Float[Tensor, "batch step d_model"], ...]
    newest: Float[Tensor, "batch step d_model"]
    written: Triples
    forms: Forms | None


@dataclass(frozen=True)
class PointerShape:
    """Sizes.

    Attributes:
        marks: the source symbols that stand for numbers.
        rules: whether an answer has as many equations as unknowns, uses each, and, as it is
            decoded, has no equation that says nothing new.
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

    def forward(
        self, triples: Triples, table: Float[Tensor, "batch operand d_model"], first: int = 0
    ) -> Vectors:
        """``first`` is the place of the first token; START is at 0."""
        step = self.code[first : first + triples.shape[1]]
        operator = self.operator_norm(self.scale[0] * self.operators[triples[..., 0]] + step)
        places = (triples[..., 1:].flatten(1) - self.symbols.nothing).clamp(min=0)
        chosen = table.gather(1, places[..., None].expand(-1, -1, table.shape[-1]))
        operands = chosen.unflatten(1, (-1, PARTS - 1)).flatten(2)
        return self.dropout(self.joined(torch.cat([operator, operands], dim=-1)))

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
        self.seen = nn.Parameter(torch.zeros(shape.symbols.count, d_model))

    def forward(
        self,
        part: int,
        residual: Vectors,
        operators: Int[Tensor, "batch step"],
        keys: Float[Tensor, "batch option d_model"],
        allowed: Bool[Tensor, "batch step option"],
    ) -> Float[Tensor, "batch step symbol"]:
        """Logits of one operand, the ``part``-th from 1, of tokens with these operators.

        Args:
            part: 1 or 2.
            residual: the decoder's output.
            operators: of the tokens that are written.
            keys: of constants, numbers and results.
            allowed: which of these can be meant.
        """
        query = self.query[part - 1](residual + self.seen[operators])
        scores = query @ keys.mT * keys.shape[-1] ** -0.5
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
        inputs = self.input(self._with_start(triples), text.operands)
        residual, _ = self.decoder.step(inputs, (), text.recalls)
        operators = self._operators(residual, triples)
        keys = self._keys(residual[:, 1:])
        parts = [self._operand(n, residual[:, :-1], text, keys, triples) for n in range(1, PARTS)]
        operands = torch.stack(parts, dim=2)
        room = functional.pad(operands, (0, 0, 0, 0, 0, 1))
        return torch.cat([operators[:, :, None], room], dim=2).flatten(1, 2)[:, : target.shape[1]]

    def start(self, source: Source) -> PointerState:
        """One pass over the encoder."""
        text = self._read(source)
        none = text.operands[:, :0]
        written = source.new_empty(len(source), 0, PARTS)
        forms = Forms.none(len(source), source.device) if self.shape.rules else None
        return PointerState(0, text, Later(()), self._keys(none), none, written, forms)

    def step(
        self, tokens: Int[Tensor, " batch"], state: PointerState
    ) -> tuple[Float[Tensor, "batch symbol"], PointerState]:
        """Logits of the next symbol after ``tokens``, one a row."""
        part, text, pasts, keys, newest, written, forms = state
        begun = newest.shape[1] > 0
        written = self._with_part(part, written, tokens, begun=begun)
        if part == 0:
            last = self._with_start(written)[:, -1:]
            inputs = self.input(last, text.operands, written.shape[1])
            newest, now = self.decoder.step(inputs, pasts.now(), text.recalls)
            pasts = Later(now)
            if begun:
                both = zip(keys, self._keys(newest), strict=True)
                keys = tuple(torch.cat(pair, dim=1) for pair in both)
                forms = forms and then(self.shape.symbols, forms, last[:, 0])
            logits = self._operators(newest, written)[:, -1]
        else:
            logits = self._operand(part, newest, text, keys, written)[:, -1]
        part = (part + 1) % PARTS
        return logits, PointerState(part, text, pasts, keys, newest, written, forms)

    def refused(self, state: PointerState) -> Bool[Tensor, "batch symbol"] | None:
        """Which symbols would make an equation say nothing new, behind a step; None: none would."""
        operators = state.written[:, -1:, 0]
        closes = operators == self.shape.symbols.equals
        if state.forms is None or state.part or not closes.any():
            return None
        left = state.written[:, -1, 1]
        refused = closes & says_nothing(self.shape.symbols, state.forms, left)
        return functional.pad(refused, (self.shape.symbols.nothing, 0))

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
        constants = self.input.constants.expand(len(source), -1, -1)
        keys = self._keys(torch.cat([constants, numbers], dim=1))
        there = functional.pad(there, (constants.shape[1], 0), value=True)
        operands = self.input.operands(numbers)
        return Text(self.decoder.recalls(memory, real), operands, keys, there)

    def _keys(self, options: Vectors) -> tuple[Vectors, ...]:
        """Of what can be pointed at, for each operand of a token."""
        return tuple(key(options) for key in self.pointers.key)

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

    def _operand(
        self,
        part: int,
        residual: Vectors,
        text: Text,
        keys: tuple[Vectors, ...],
        triples: Triples,
    ) -> Float[Tensor, "batch step symbol"]:
        """Logits of one operand of the last tokens.

        Args:
            part: 1 or 2.
            residual: the decoder's output before each of them.
            text: what is written about.
            keys: of the results of tokens, as far as there are any.
            triples: all tokens.
        """
        options = torch.cat([text.keys[part - 1], keys[part - 1]], dim=1)
        steps, count, known = residual.shape[1], triples.shape[1], keys[0].shape[1]
        places = torch.arange(count, device=residual.device)
        earlier = places[None, :known] < places[count - steps :, None]
        earlier = pointable(self.shape.symbols, triples[:, :known, 0])[:, None] & earlier
        values = text.there[:, None].expand(-1, steps, -1)
        allowed = torch.cat([values, earlier], dim=-1)
        return self.pointers(part, residual, triples[:, count - steps :, 0], options, allowed)
