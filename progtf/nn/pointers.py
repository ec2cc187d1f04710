"""The expression-pointer transformer: equations written token by token (Kim et al. 2020).

Each token is three symbols, an operator and two operands; operands are pointed at: numbers where
they stand in the text, constants, and results of earlier tokens. Other than published, START brings
what the text is as a whole.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared
from progtf.nn.affine import Affine
from progtf.nn.decoding import Later
from progtf.nn.expressions import PARTS, leaves_out, operators_next, pointable
from progtf.nn.linear_forms import Forms, says_nothing, then
from progtf.nn.operands import ExpressionInput, Pointers, PointerShape, Triples, Vectors
from progtf.nn.patterns import present
from progtf.nn.pooling import PooledText
from progtf.nn.transformer import Recall, Stack

Source = Int[Tensor, "batch src"]
Target = Int[Tensor, "batch pos"]
Logits = Float[Tensor, "batch pos symbol"]


@compared
class Text(NamedTuple):
    """What the decoder knows of a text.

    Shapes:
        operands  batch operand d_model  as tokens have them, nothing and results with them
        keys      batch value d_model    of constants and numbers, for each operand of a token
        there     batch value            which of these there are
        whole     batch d_model          what the text is as a whole
    """

    recalls: tuple[Recall, ...]
    operands: Float[Tensor, "batch operand d_model"]
    keys: tuple[Float[Tensor, "batch value d_model"], ...]
    there: Bool[Tensor, "batch value"]
    whole: Float[Tensor, "batch d_model"]
    of_question = True


@compared
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


class ExpressionPointers(nn.Module):
    """An encoder of texts, and a decoder that writes equations and points at numbers.

    Shapes:
        source   batch src
        target   batch pos         START, then three symbols a token
        returns  batch pos symbol  logits of the symbol after each target position

    Args:
        shape: sizes and symbols.
        encoder: source symbols, where they are not padding, and what is written of each, if
            anything is, to vectors.
        decoder: a stack of causal blocks with cross-attention.
        reader: source symbols, and where they are not padding, to what is written of each.
        semes: how many numbers the reader gives a word.
    """

    marks: Int[Tensor, " mark"]

    def __init__(
        self,
        shape: PointerShape,
        encoder: nn.Module,
        decoder: Stack,
        reader: nn.Module | None = None,
        semes: int = 0,
    ) -> None:
        super().__init__()
        decoder.check_causal()
        self.shape, self.encoder, self.decoder, self.reader = shape, encoder, decoder, reader
        self.whole = PooledText(shape.d_model, semes, shape.dropout)
        self.input = ExpressionInput(shape)
        self.operator = Affine(shape.d_model, shape.symbols.count)
        self.pointers = Pointers(shape)
        symbols, self.plain = shape.symbols, None
        if shape.pointing == "plain":
            self.plain = nn.Parameter(torch.empty(symbols.numbers + symbols.results, shape.d_model))
            nn.init.normal_(self.plain, std=shape.d_model**-0.5)
        self.register_buffer("marks", torch.tensor(shape.marks), persistent=False)

    def forward(self, source: Source, target: Target) -> Logits:
        """Teacher forcing."""
        triples = target[:, 1:].unflatten(1, (-1, PARTS))
        text = self._read(source)
        inputs = self._begun(self.input(self._with_start(triples), text.operands), text)
        residual, _ = self.decoder.step(inputs, (), text.recalls)
        operators = self._operators(residual, triples)
        keys = self._keys(self._results(residual[:, 1:], 0))
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
            place = written.shape[1]
            inputs = self.input(last, text.operands, place)
            inputs = inputs if begun else self._begun(inputs, text)
            newest, now = self.decoder.step(inputs, pasts.now(), text.recalls, first=place)
            pasts = Later(now)
            if begun:
                results = self._results(newest, written.shape[1] - 1)
                both = zip(keys, self._keys(results), strict=True)
                keys = tuple(torch.cat(pair, dim=1) for pair in both)
                forms = forms and then(self.shape.symbols, forms, last[:, 0])
            logits = self._operators(newest, written)[:, -1]
        else:
            logits = self._operand(part, newest, text, keys, written)[:, -1]
        part = (part + 1) % PARTS
        return logits, PointerState(part, text, pasts, keys, newest, written, forms)

    def refused(self, state: PointerState) -> Bool[Tensor, "batch symbol"] | None:
        """Which symbols behind a step would close an equation that says nothing new.

        And the last one without an unknown. None: none would.
        """
        operators = state.written[:, -1:, 0]
        closes = operators == self.shape.symbols.equals
        if state.forms is None or state.part or not closes.any():
            return None
        symbols, written = self.shape.symbols, state.written
        refused = says_nothing(symbols, state.forms, written[:, -1, 1])
        refused = closes & (refused | leaves_out(symbols, written[..., 0], written[..., 1:]))
        return functional.pad(refused, (symbols.nothing, 0))

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
        semes = self.reader(source, real) if self.reader is not None else None
        memory = self.encoder(source, real, semes)
        numbers, there = self._numbers(source, memory)
        if self.plain is not None:
            numbers = self.plain[: numbers.shape[1]].expand_as(numbers)
        constants = self.input.constants.expand(len(source), -1, -1)
        keys = self._keys(torch.cat([constants, numbers], dim=1))
        there = functional.pad(there, (constants.shape[1], 0), value=True)
        operands = self.input.operands(numbers)
        whole = self.whole(memory, real, semes)
        return Text(self.decoder.recalls(memory, real), operands, keys, there, whole)

    def _begun(self, inputs: Vectors, text: Text) -> Vectors:
        """START, the first input, brings the whole text."""
        return torch.cat([inputs[:, :1] + text.whole[:, None], inputs[:, 1:]], dim=1)

    def _keys(self, options: Vectors) -> tuple[Vectors, ...]:
        """Of what can be pointed at, for each operand of a token."""
        return tuple(key(options) for key in self.pointers.key)

    def _results(self, outputs: Vectors, first: int) -> Vectors:
        """What the results of tokens are pointed at by: the decoder's outputs, or plain vectors."""
        if self.plain is None:
            return outputs
        first += self.shape.symbols.numbers
        return self.plain[first : first + outputs.shape[1]].expand_as(outputs)

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
        newest = triples[:, count - steps :]
        left = self.input.chosen(newest[..., 1], text.operands)
        return self.pointers(part, residual, newest[..., 0], left, options, allowed)
