"""Tiny models that the tests share."""

import torch
from torch import nn

from progtf.nn import (
    Block,
    EncoderDecoder,
    FeedForward,
    Hadamard,
    HeadGroups,
    HeadSizes,
    RoleAttention,
    ScaledSoftmax,
    Stack,
    Sublayer,
    Unbound,
    WrittenSoftmax,
    full_precision,
    sinusoid,
)

D_MODEL, N_SYMBOLS, MAX_LENGTH = 6, 9, 12


class TinyEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(N_SYMBOLS, D_MODEL))
        self.register_buffer("code", sinusoid(D_MODEL, MAX_LENGTH, torch.float64))

    def forward(self, tokens, first=0):
        return self.table[tokens] + self.code[first : first + tokens.shape[1]]


class TiedOutput(nn.Module):
    def __init__(self, embedding):
        super().__init__()
        self.embedding = embedding

    def forward(self, residual):
        return residual @ self.embedding.table.T


def mixed_heads(*, causal=False, cross=False):
    """A learned and a written group of unlike sizes; the written ones use every kind of look."""
    looks = ["all", "all"] if cross else ["before", "upto", "self", "all", "notself"]
    null_score = [0.25, None] if cross else [None, 0.25, None, -0.5, None]
    pattern = WrittenSoftmax(3, [2.0] * len(looks), looks, null_score, causal=causal)
    written = RoleAttention.sized(
        HeadSizes(D_MODEL, len(looks), 2, 3), pattern, Hadamard(), full_precision
    )
    sizes = HeadSizes.split(D_MODEL, 2)
    learned = RoleAttention.sized(sizes, ScaledSoftmax(causal=causal), Unbound())
    return HeadGroups([written, learned])


def block(*, decoder):
    return Block(
        Sublayer(mixed_heads(causal=decoder), nn.LayerNorm(D_MODEL)),
        Sublayer(mixed_heads(cross=True), nn.LayerNorm(D_MODEL)) if decoder else None,
        Sublayer(FeedForward.sized(D_MODEL, 7), nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)),
    )


def tiny_model(n_blocks=1):
    embedding = TinyEmbedding()
    encoder = Stack([block(decoder=False) for _ in range(n_blocks)])
    decoder = Stack([block(decoder=True) for _ in range(n_blocks)], nn.LayerNorm(D_MODEL))
    return EncoderDecoder(embedding, encoder, decoder, TiedOutput(embedding)).double().eval()
