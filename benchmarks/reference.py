"""What our models are measured against: ``torch.nn.Transformer`` of equal size, pre-norm."""

import warnings
from contextlib import nullcontext

import torch
from torch import nn

from progtf.nn import Shape, sinusoid

SMALL = Shape(73, d_model=256, d_ff=1024, n_encoder=3, n_decoder=3)
PAPER = Shape(73)


class TorchTransformer(nn.Module):
    """Torch's own layers, with the same embedding and tied output as ours."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.n_symbols, shape.d_model)
        nn.init.normal_(self.embedding.weight, std=shape.d_model**-0.5)
        self.register_buffer("code", sinusoid(shape.d_model, shape.max_length))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.transformer = nn.Transformer(
                shape.d_model,
                shape.n_heads,
                shape.n_encoder,
                shape.n_decoder,
                shape.d_ff,
                dropout=0.0,
                batch_first=True,
                norm_first=True,
            )

    def embed(self, tokens):
        scaled = self.embedding(tokens) * self.shape.d_model**0.5
        return scaled + self.code[: tokens.shape[1]]

    def encode(self, source):
        padded = source == self.shape.pad
        return self.transformer.encoder(self.embed(source), src_key_padding_mask=padded), padded

    def decode(self, target, memory, padded):
        """Padding stands at the end of targets: the causal mask alone keeps it out."""
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        residual = self.transformer.decoder(
            self.embed(target),
            memory,
            tgt_mask=causal,
            tgt_is_causal=True,
            memory_key_padding_mask=padded,
        )
        return residual @ self.embedding.weight.T

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))

    @torch.no_grad()
    def greedy(self, source, n_steps, start=2):
        """The whole prefix anew at each step: torch's layers keep no keys and values."""
        memory, padded = self.encode(source)
        tokens = source.new_full((source.shape[0], 1), start)
        for _ in range(n_steps):
            following = self.decode(tokens, memory, padded)[:, -1].argmax(dim=-1)
            tokens = torch.cat([tokens, following[:, None]], dim=1)
        return tokens[:, 1:]


def ragged(batch, length, n_symbols=73, pad=1, seed=0):
    """Random rows of between half and all of ``length``, the first of them full."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(4, n_symbols, (batch, length), generator=generator)
    real = torch.randint(length // 2, length + 1, (batch,), generator=generator)
    real[0] = length
    return tokens.masked_fill(torch.arange(length) >= real[:, None], pad)


def train_step(model, optimiser, source, target, around=None):
    """Forward (within ``around``), loss over unpadded symbols, backward, clip, Adam."""
    optimiser.zero_grad()
    with around or nullcontext():
        logits = model(source, target[:, :-1])
    loss = nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), target[:, 1:].flatten(), ignore_index=1
    )
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimiser.step()
    return loss
