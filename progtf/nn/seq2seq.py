"""The recurrent baselines of the three-module report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from einops import rearrange, repeat
from jaxtyping import Float, Int
from torch import Tensor, nn

from progtf.equality import compared
from progtf.nn.affine import Affine
from progtf.nn.cells import Cells, Recurrence, ResetInsideGRU, TorchCells
from progtf.nn.embedding import look_up
from progtf.nn.patterns import present

Source = Int[Tensor, "batch src"]
Tokens = Int[Tensor, "batch pos"]
Row = Int[Tensor, " batch"]
Context = Float[Tensor, "batch d_hidden"]
Logits = Float[Tensor, "batch pos symbol"]


@dataclass(frozen=True, slots=True)
class RecurrentShape:
    """Sizes of a recurrent baseline; those of the report unless given.

    Attributes:
        forcing: the share of target symbols among those fed to the decoder in training; the
            others are its own last answers.
        masked: whether the encoder passes over padding. Without it padding is read, so that what
            a question is answered depends on the batch it is in.
    """

    n_symbols: int
    d_embedding: int = 128
    d_hidden: int = 128
    n_layers: int = 2
    dropout: float = 0.0
    forcing: float = 0.5
    pad: int = 1
    masked: bool = True


@compared
class RecurrentState(NamedTuple):
    """Where decoding stands: the cells' state, and the encoder's last state."""

    cells: Cells
    context: Context


class RecurrentSeq2Seq(nn.Module):
    """The encoder's state starts the decoder; its last layer's stands beside each symbol fed in.

    The head is two affine maps with relu and dropout between.

    Shapes:
        source   batch src
        target   batch pos
        returns  batch pos symbol  logits of the symbol after each target position
    """

    def __init__(self, shape: RecurrentShape, encoder: Recurrence, decoder: Recurrence) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.n_symbols, shape.d_embedding)
        self.encoder = encoder
        self.decoder = decoder
        self.head = nn.Sequential(
            Affine(shape.d_hidden, shape.d_hidden),
            nn.ReLU(),
            nn.Dropout(shape.dropout),
            Affine(shape.d_hidden, shape.n_symbols),
        )

    def forward(self, source: Source, target: Tokens) -> Logits:
        """Teacher forcing; in training mode with the model's own answers strewn in."""
        state = self.start(source)
        if self.training and self.shape.forcing < 1:
            return self._forced_now_and_then(state, target)
        return self._proceed(target, state)[0]

    def start(self, source: Source) -> RecurrentState:
        """One pass over the encoder."""
        real = present(source, self.shape.pad) if self.shape.masked else None
        _, cells = self.encoder(self._embed(source), None, real)
        return RecurrentState(cells, cells[0][:, -1])

    def step(
        self, tokens: Row, state: RecurrentState
    ) -> tuple[Float[Tensor, "batch symbol"], RecurrentState]:
        """Logits of the next symbol after ``tokens``, one a row."""
        logits, state = self._proceed(rearrange(tokens, "batch -> batch 1"), state)
        return rearrange(logits, "batch 1 symbol -> batch symbol"), state

    def _proceed(self, tokens: Tokens, state: RecurrentState) -> tuple[Logits, RecurrentState]:
        context = repeat(state.context, "batch d -> batch pos d", pos=tokens.shape[1])
        inputs = torch.cat([self._embed(tokens), context], dim=-1)
        outputs, cells = self.decoder(inputs, state.cells)
        return self.head(outputs), RecurrentState(cells, state.context)

    def _forced_now_and_then(self, state: RecurrentState, target: Tokens) -> Logits:
        logits, state = self.step(target[:, 0], state)
        steps = [logits]
        for given in target[:, 1:].unbind(dim=1):
            forced = (
                torch.rand(given.shape, device=given.device, dtype=torch.float32)
                < self.shape.forcing
            )
            fed = torch.where(forced, given, steps[-1].argmax(dim=-1))
            logits, state = self.step(fed, state)
            steps.append(logits)
        return torch.stack(steps, dim=1)

    def _embed(self, tokens: Tokens) -> Float[Tensor, "batch pos d_embedding"]:
        return look_up(tokens, self.embedding.weight)


class LSTM(RecurrentSeq2Seq):
    """The report's LSTM baseline, on torch's own cells."""

    def __init__(self, shape: RecurrentShape) -> None:
        super().__init__(shape, *_torch(nn.LSTM, shape))


class GRU(RecurrentSeq2Seq):
    """The report's GRU baseline, on torch's own cells."""

    def __init__(self, shape: RecurrentShape) -> None:
        super().__init__(shape, *_torch(nn.GRU, shape))


class ReportGRU(RecurrentSeq2Seq):
    """The report's GRU baseline on the report's own cells: reset inside the product."""

    def __init__(self, shape: RecurrentShape) -> None:
        sizes = (shape.d_hidden, shape.n_layers, shape.dropout)
        super().__init__(shape, *(ResetInsideGRU(d_in, *sizes) for d_in in _widths(shape)))


def _widths(shape: RecurrentShape) -> tuple[int, int]:
    """What encoder and decoder read."""
    return shape.d_embedding, shape.d_embedding + shape.d_hidden


def _torch(kind: type[nn.LSTM] | type[nn.GRU], shape: RecurrentShape) -> Iterator[TorchCells]:
    between = shape.dropout if shape.n_layers > 1 else 0.0
    sizes = (shape.d_hidden, shape.n_layers)
    for d_in in _widths(shape):
        yield TorchCells(kind(d_in, *sizes, batch_first=True, dropout=between))
