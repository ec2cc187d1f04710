"""Sizes and recipes of the models that were published."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn

Norms = Literal["published", "pre", "post"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What there is to choose about an encoder-decoder.

    Attributes:
        norms: ``pre`` norms what each sublayer reads and closes each stack with a norm; ``post``
            norms the residual after each; ``published`` norms what each reads and the output of
            each block.
        tied: the output map is the symbol table.
        role_embedding: Eq. 2's role in the embedding; only a TP-Transformer has one.
        embedding_dropout: of the embedding, where it is not ``dropout``.
        first: symbols below this number are never there, and have no weights: with 1, `<unk>`.
    """

    n_symbols: int
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    n_encoder: int = 6
    n_decoder: int = 6
    max_length: int = 200
    dropout: float = 0.0
    embedding_dropout: float | None = None
    norms: Norms = "published"
    tied: bool = True
    role_embedding: bool = True
    pad: int = 1
    first: int = 0


def report(n_symbols: int = 58, dropout: float = 0.0) -> Shape:
    """The three-module report's: post-norm, 3 + 3 blocks, an output layer of its own.

    Its plain Transformer had a dropout of 0.3, but for the embedding; its TP-Transformer had none.
    """
    return Shape(
        n_symbols,
        d_model=256,
        d_ff=512,
        n_encoder=3,
        n_decoder=3,
        dropout=dropout,
        embedding_dropout=0.0 if dropout else None,
        norms="post",
        tied=False,
        role_embedding=False,
    )


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model was trained: Adam at a constant rate, gradients clipped by global norm."""

    learning_rate: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.995)
    clip: float = 0.1
    batch_size: int = 1024

    def optimiser(self, model: nn.Module) -> torch.optim.Adam:
        """Adam without warm-up, decay or weight decay, in torch's fused form: the same sums."""
        return torch.optim.Adam(
            model.parameters(), lr=self.learning_rate, betas=self.betas, fused=True
        )


PUBLISHED_RECIPE = Recipe()
REPORT_RECIPE = Recipe(clip=0.5, batch_size=128)
