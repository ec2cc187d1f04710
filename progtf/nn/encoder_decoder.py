"""The encoder-decoder that both learned and compiled sequence-to-sequence models are."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.nn.cache import KeysValues
from progtf.nn.hooks import observed, watched
from progtf.nn.inside import Inside
from progtf.nn.patterns import present
from progtf.nn.transformer import Memory, MemoryPresent, Past, Stack
from progtf.nn.watching import watches

Tokens = Int[Tensor, "batch pos"]
Source = Int[Tensor, "batch src"]
Residual = Float[Tensor, "batch pos d_model"]
Logits = Float[Tensor, "batch pos symbol"]


Output = Callable[[Residual], Logits]
"""Residuals to logits: a layer, or a method of the embedding where they are tied."""


class DecoderState(NamedTuple):
    """Where decoding stands: the next position, past keys and values, the encoder's output.

    ``in_place``: nobody looks at residuals, so that blocks may change them.
    """

    position: int
    pasts: tuple[Past, ...]
    recalls: tuple[Any, ...]
    in_place: bool = False

    def back(self, n_steps: int) -> "DecoderState":
        """Before so many steps; this state is given up."""
        pasts = _back(self.pasts, n_steps)
        return self._replace(position=self.position - n_steps, pasts=pasts)


def _back(past: Any, n_steps: int) -> Any:
    """Keys and values, in loops of every round, without the last positions."""
    if isinstance(past, KeysValues):
        return past.back(n_steps)
    return tuple(_back(each, n_steps) for each in past)


class EncoderDecoder(nn.Module, Inside):
    """An encoder reads the source, a decoder writes the target one symbol at a time.

    Padding stands at the end of rows: the decoder, being causal, needs no mask for it. The parts
    come in through ``__init__``; ``embedding`` is shared by both sides, ``unembed`` maps residuals
    to logits (Eq. 8).
    """

    def __init__(
        self, embedding: nn.Module, encoder: Stack, decoder: Stack, unembed: Output, pad: int = 1
    ) -> None:
        super().__init__()
        decoder.check_causal()
        self.embedding = embedding
        self.encoder = encoder
        self.decoder = decoder
        self.unembed = unembed
        self.pad = pad
        self.register_load_state_dict_pre_hook(_renamed)

    def forward(self, source: Source, target: Tokens) -> Logits:
        """Logits of the symbol after each target position (teacher forcing)."""
        memory, real = self.encode(source)
        return self.unembed(self.decode(target, memory, real))

    def decode(self, target: Tokens, memory: Memory | None, real: MemoryPresent | None) -> Residual:
        """The decoder's residual at each target position, computed at once."""
        there = self._there(target)
        return self.decoder(self.embedding(target), there, memory, real)

    def _there(self, tokens: Tokens) -> Bool[Tensor, "batch pos"] | None:
        """Where a decoder's tokens are not padding, if it has loops: no others need to know."""
        return present(tokens, self.pad) if self.decoder.loops else None

    @property
    def looked_into(self) -> nn.Module:
        return self

    def respond(self, given: Any) -> Logits:
        """Logits, as `forward` gives them, of a pair of source and target.

        Raises:
            TypeError: for anything else.
        """
        if not isinstance(given, tuple):
            raise TypeError("a pair of tensors is due, source and target")
        return self(*given)

    def encode(
        self, source: Source
    ) -> tuple[Float[Tensor, "batch src d_model"], Bool[Tensor, "batch src"] | None]:
        """The encoder's output and where it is not padding, None if nothing is.

        Without a mask, attention has faster kernels; a graph compiler must not ask.
        """
        real = present(source, self.pad)
        if not torch.compiler.is_compiling() and bool(real.all()):
            real = None
        fresh = not watched(self.embedding)
        return self.encoder(self.embedding(source), real, fresh=fresh), real

    def start(self, source: Source) -> DecoderState:
        """One pass over the encoder; what `step` needs."""
        return self.begin(self.decoder.recalls(*self.encode(source)))

    def begin(self, recalls: tuple[Any, ...]) -> DecoderState:
        """Before the first symbol, with what the encoder has to offer."""
        seen = watched(self.embedding) or observed(self.decoder)
        return DecoderState(0, (), recalls, in_place=self.decoder.changeable and not seen)

    def step(
        self, tokens: Int[Tensor, " batch"], state: DecoderState
    ) -> tuple[Float[Tensor, "batch symbol"], DecoderState]:
        """Logits of the next symbol after ``tokens``, one a row."""
        logits, after = self.steps(tokens[:, None], state)
        return logits.squeeze(1), after

    def steps(self, tokens: Tokens, state: DecoderState) -> tuple[Logits, DecoderState]:
        """Logits of the symbols after several ``tokens`` that are known beforehand."""
        residual, after = self.go_on(tokens, state)
        return self.unembed(residual), after

    def go_on(self, tokens: Tokens, state: DecoderState) -> tuple[Residual, DecoderState]:
        """The decoder's residual at several ``tokens``, and where that leaves it."""
        position, pasts, recalls, in_place = state
        residual = self.embedding(tokens, position)
        in_place_now = in_place and not torch.is_grad_enabled() and not watches()
        residual, pasts = self.decoder.step(
            residual, pasts, recalls, self._there(tokens), first=position, in_place=in_place_now
        )
        return residual, DecoderState(position + tokens.shape[1], pasts, recalls, in_place)


def _renamed(_module: nn.Module, state: dict[str, Tensor], prefix: str, *_given: object) -> None:
    """What was kept when `unembed` was still called ``output``."""
    for name in [name for name in state if name.startswith(f"{prefix}output.")]:
        state[f"{prefix}unembed.{name.removeprefix(f'{prefix}output.')}"] = state.pop(name)
