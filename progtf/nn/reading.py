"""The bidirectional attention flow network: where in a passage the answer to a question stands.

BiDAF (Seo et al. 2017, arXiv 1611.01603), as its published code computes it, which reads more in
the last recurrent layer than the paper says. The phrase layer is a part that can be exchanged: an
LSTM, a narrower one, or cells that bind symbols to roles (`progtf.nn.tensor_products`).
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.equality import compared
from progtf.nn.cells import TorchCells
from progtf.nn.tensor_products import (
    Penalty,
    TensorProducts,
    TPRCell,
    TPRLSTMCell,
    Written,
    sparsity,
)
from progtf.nn.text_encoders import RecurrentContext
from progtf.nn.word_vectors import WordVectors

Symbols = Int[Tensor, "batch pos"]
Real = Bool[Tensor, "batch pos"]
Passage = Float[Tensor, "batch pos d_phrase"]
Asked = Float[Tensor, "batch word d_phrase"]
Logits = Float[Tensor, "batch pos"]


def both_ways(d_in: int, d_hidden: int, layers: int = 1, dropout: float = 0.0) -> RecurrentContext:
    """LSTMs of both directions, each so wide."""

    def cells(width: int) -> TorchCells:
        return TorchCells(nn.LSTM(width, d_hidden, batch_first=True))

    widths = [d_in] + [2 * d_hidden] * (layers - 1)
    return RecurrentContext([(cells(width), cells(width)) for width in widths], dropout)


class TextDropout(nn.Module):
    """Dropout of the same numbers of all words of a text (Gal and Ghahramani 2016): one draw each.

    Draws for each word would take a fifth of a step.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Float[Tensor, "batch pos d"]) -> Float[Tensor, "batch pos d"]:
        if not self.training or not self.share:
            return vectors
        kept = vectors.new_empty(len(vectors), 1, vectors.shape[-1]).bernoulli_(1 - self.share)
        return vectors * kept.div_(1 - self.share)


class LSTMPhrases(nn.Module):
    """LSTMs as a phrase layer; narrower ones are projected, direction by direction.

    Shapes:
        inputs   batch pos d_in
        returns  outputs: batch pos 2·width; no symbols and no roles
    """

    def __init__(self, d_in: int, width: int, narrow: int = 0) -> None:
        super().__init__()
        self.context = both_ways(d_in, narrow or width)
        self.projections = nn.ModuleList(
            nn.Linear(narrow, width) for _ in range(2 if narrow else 0)
        )

    def forward(
        self, inputs: Float[Tensor, "batch pos d_in"], real: Real, written: Written | None = None
    ) -> TensorProducts:
        """``written`` is not read."""
        del written
        outputs = self.context(inputs, real)
        if self.projections:
            halves = zip(self.projections, outputs.chunk(2, dim=-1), strict=True)
            outputs = torch.cat([project(half) for project, half in halves], dim=-1)
        nothing = outputs.new_zeros(*real.shape, 2, 0)
        return TensorProducts(outputs, nothing, nothing)


Phrases = LSTMPhrases | TPRCell | TPRLSTMCell


class AttentionFlow(nn.Module):
    """What a question says to each word of a passage, and the passage to itself through it.

    S_tj = w·[h_t; u_j; h_t∘u_j]; ũ_t = Σ_j softmax_j(S_t)_j u_j; h̃ = Σ_t softmax_t(max_j S_tj) h_t;
    G = [h; ũ; h∘ũ + e v; h∘h̃]. e_t is 1 where a word of the question stands (published: no e v).
    Outputs of a layer that has learned nothing have most in common, whatever the word, so that h∘ũ
    shows like words only after a thousand steps and more; such an e is in Weissenborn et al. 2017
    (arXiv 1703.04816).

    Shapes:
        passage  batch pos d_phrase
        asked    batch word d_phrase
        alike    batch pos 1           e
        returns  batch pos 4·d_phrase
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.passage, self.asked = nn.Linear(width, 1), nn.Linear(width, 1, bias=False)
        self.product, self.alike = (nn.Parameter(torch.ones(width)) for _ in range(2))

    def forward(
        self,
        passage: Passage,
        asked: Asked,
        real: Real,
        real_asked: Bool[Tensor, "batch word"],
        alike: Bool[Tensor, "batch pos 1"],
    ) -> Float[Tensor, "batch pos d_flow"]:
        score = einsum(passage * self.product, asked, "batch pos d, batch word d -> batch pos word")
        score = score + self.passage(passage) + rearrange(self.asked(asked), "b word 1 -> b 1 word")
        score = score.masked_fill(~real_asked[:, None], -torch.inf)
        seen = score.softmax(dim=-1) @ asked
        most = score.amax(dim=-1).masked_fill(~real, -torch.inf).softmax(dim=-1)
        whole = einsum(most, passage, "batch pos, batch pos d -> batch d")[:, None]
        product = passage * seen + alike * self.alike
        return torch.cat([passage, seen, product, passage * whole], dim=-1)


@dataclass(frozen=True)
class ReaderShape:
    """What a reader has to know of its symbols.

    Attributes:
        width: of every recurrent layer and direction; published: 100.
        dropout: of what recurrent layers read.
        sparsity: what far-from-one-hot attentions cost: C^F, of symbols, and C^R, of roles.
        form: of that cost.
        divider: the symbol between question and passage.
        pad: the symbol of padding.
    """

    width: int = 100
    dropout: float = 0.2
    sparsity: tuple[float, float] = (1e-5, 1e-5)
    form: Penalty = "published"
    divider: int = 4
    pad: int = 1


@compared
class Spans(NamedTuple):
    """Where answers begin and end.

    Shapes:
        start    batch pos     logits; -inf at padding
        end      batch pos
        penalty  batch         what attentions cost, in question and passage
        phrases  what the phrase layer gives of the passage
    """

    start: Logits
    end: Logits
    penalty: Float[Tensor, " batch"]
    phrases: TensorProducts


class SpanReader(nn.Module):
    """Questions with their passages to the words where answers begin and end.

    Shapes:
        source   batch src     start, question, divider, passage, end, padding
        returns  of each word of the passages whether answers begin there, whether they end there

    Args:
        words: vectors of words.
        phrases: sees words in their context, in question and passage alike; 2·width wide.
        shape: widths, costs, symbols.
        reader: symbols to the roles that are written of each, or None.
    """

    def __init__(
        self,
        words: WordVectors,
        phrases: Phrases,
        shape: ReaderShape,
        reader: nn.Module | None = None,
    ) -> None:
        super().__init__()
        width = shape.width
        self.words, self.phrases, self.shape, self.reader = words, phrases, shape, reader
        self.dropout = TextDropout(shape.dropout)
        self.flow = AttentionFlow(2 * width)
        self.modelling = both_ways(8 * width, width, 2, shape.dropout)
        self.ending = both_ways(14 * width, width)
        self.start, self.end = nn.Linear(10 * width, 1), nn.Linear(10 * width, 1)

    def forward(self, source: Int[Tensor, "batch src"]) -> Spans:
        (asked, asked_real), (passage, real) = self.apart(source)
        question, said = self.phrased(asked, asked_real), self.phrased(passage, real)
        alike = (passage[..., None] == asked[:, None]).any(dim=-1, keepdim=True)
        flow = self.flow(said.outputs, question.outputs, real, asked_real, alike)
        model = self.modelling(self.dropout(flow), real)
        start = self._logits(self.start, flow, model, real)
        there = einsum(start.softmax(dim=-1), model, "batch pos, batch pos d -> batch d")
        begun = there[:, None].expand_as(model)
        read = torch.cat([flow, model, begun, model * begun], dim=-1)
        end = self._logits(self.end, flow, self.ending(self.dropout(read), real), real)
        return Spans(start, end, self._cost(question, asked_real) + self._cost(said, real), said)

    def apart(self, source: Int[Tensor, "batch src"]) -> list[tuple[Symbols, Real]]:
        """Questions, and passages, each with where its words are."""
        divider = (source == self.shape.divider).int().argmax(dim=1)
        last = (source != self.shape.pad).sum(dim=1) - 1
        return [
            self._cut(source, source.new_ones(()), divider),
            self._cut(source, divider + 1, last),
        ]

    def _cut(self, source: Tensor, first: Tensor, behind: Tensor) -> tuple[Symbols, Real]:
        places = torch.arange(int((behind - first).max()), device=source.device) + first[..., None]
        real = places.expand(len(source), -1) < behind[:, None]
        places = places.expand(len(source), -1).clamp(max=source.shape[1] - 1)
        return source.gather(1, places).masked_fill(~real, self.shape.pad), real

    def phrased(self, symbols: Symbols, real: Real) -> TensorProducts:
        """Words in their context."""
        written = None if self.reader is None else self.reader(symbols, real)
        return self.phrases(self.dropout(self.words(symbols)), real, written)

    def _logits(self, score: nn.Linear, flow: Tensor, model: Tensor, real: Real) -> Logits:
        rows = self.dropout(torch.cat([flow, model], dim=-1))
        return score(rows)[..., 0].masked_fill(~real, -torch.inf)

    def _cost(self, phrases: TensorProducts, real: Real) -> Float[Tensor, " batch"]:
        """What its attentions cost; nothing where there are none."""
        total = phrases.outputs.new_zeros(len(real))
        if not phrases.symbols.shape[-1]:
            return total
        for much, each in zip(self.shape.sparsity, (phrases.symbols, phrases.roles), strict=True):
            if much:
                total = total + much * sparsity(each, real, self.shape.form)
        return total


def likeliest(start: Logits, end: Logits) -> Int[Tensor, "batch 2"]:
    """The first and the last word whose logits together are highest, the first not behind."""
    best, first = start.cummax(dim=-1)
    last = (best + end).argmax(dim=-1)
    return torch.stack([first.gather(1, last[:, None])[:, 0], last], dim=-1)
