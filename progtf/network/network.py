"""The network of some weights: torch computes with the numbers, and `read` gives them back."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from progtf.network.build import Builder
from progtf.network.free import fix
from progtf.network.lay import NOWHERE, Held, Piece
from progtf.network.learned import LearnedReader
from progtf.nn import Affine, EncoderDecoder, present, store_weights
from progtf.nn.hooks import notes, watched
from progtf.nn.making import making
from progtf.weights.formats import working
from progtf.weights.maps import BIAS, Map, Numbers
from progtf.weights.weights import Weights

TORCH = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


COMPUTED = "computed"
"""Among what is noted of an answer: where a call of its network puts its residuals."""


class Network(nn.Module):
    """The torch module of some weights.

    Of a hybrid what is written is fixed: its numbers are buffers, and those of them that are
    marked are parameters, put in their places at every step. Of any other program every block of
    numbers is a parameter.

    Attributes:
        weights: as the network was made from them.
        held: where their maps are.
        drawn: the names of the parameters that are learned as a whole.
    """

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        with making(0 if weights.hybrid else None):  # where all that is drawn is put in later
            self._make(weights)

    def _make(self, weights: Weights) -> None:
        builder = Builder(weights)
        self.weights = weights
        self.embedding = builder.embedding()
        self.cell = builder.cell()
        self.encoder, self.decoder = builder.stack("encoder"), builder.stack("decoder")
        self.unembed, self.classifier = builder.unembed(), builder.classifier()
        self.held = builder.held
        written = {id(held.module) for held in self.held}
        self.drawn = [
            f"{path}.{name}".removeprefix(".")
            for path, part in self.named_modules()
            if id(part) not in written
            for name, _ in part.named_parameters(recurse=False)
        ]
        self._begin(weights)
        if weights.hybrid:
            fix(self.held)

    @torch.no_grad()
    def _begin(self, weights: Weights) -> None:
        """Puts every tensor into its format, and the learned ones in their places."""
        if foreign := weights.learned.keys() - {*self.drawn}:
            raise ValueError(f"`{min(foreign)}` is learned, and the network has no such tensor")
        for name in self.drawn:
            tensor, learned = self.get_parameter(name), weights.learned.get(name)
            if learned is not None and (learned.shape, learned.dtype.kind) != (tensor.shape, "f"):
                raise ValueError(f"`{name}` is not of shape {tuple(tensor.shape)}")
            if learned is None:
                tensor.fill_(_begins_at(name))
            else:
                tensor.data = torch.from_numpy(learned.copy())
        self.to(TORCH[working(weights.dtype)])
        store_weights(self, TORCH[weights.dtype])
        for table in (self.embedding.vectors, self.embedding.spelled):
            table.data = table.data.to(TORCH[weights.dtype])

    def __deepcopy__(self, memo: dict[int, Any]) -> "Network":
        """A copy with tensors of its own, which hold the same maps."""
        again = self.__class__.__new__(self.__class__)
        memo[id(self)], memo[id(self.held)] = again, []
        again.__dict__.update(deepcopy(self.__dict__, memo))
        again.held = [replace(each, module=memo[id(each.module)]) for each in self.held]
        return again

    def forward(
        self,
        source: Int[Tensor, "batch src"] | Float[Tensor, "batch src d_model"],
        target: Int[Tensor, "batch dst"] | None = None,
    ) -> Tensor:
        """Scores for every position of ``target``, else the residual after the encoder.

        Args:
            source: rows of the embedding, padded at the end, or residuals in their place.
            target: rows of the embedding, what is written so far.
        """
        known, pad = notes(), len(self.weights.layout.lexicon) + 1
        told = None if known is None else known.pop(COMPUTED, None)
        if target is None:
            return self.encode(source, pad)
        parts = self.encoder_decoder(pad)
        memory, real = parts.encode(source)
        residual = parts.decode(target, memory, real)
        if told is not None:
            told += memory, residual
        return parts.unembed(residual)

    def encoder_decoder(self, pad: int) -> EncoderDecoder:
        """The same parts as a sequence-to-sequence model that can be decoded step by step."""
        assert self.unembed is not None
        return EncoderDecoder(self.embedding, self.encoder, self.decoder, self.unembed, pad)

    def encode(
        self, tokens: Int[Tensor, "batch pos"] | Float[Tensor, "batch pos d_model"], pad: int
    ) -> Float[Tensor, "batch pos d_model"]:
        """The residual after the encoder's last layer."""
        if tokens.is_floating_point():
            return self.encoder(tokens)
        real = present(tokens, pad)
        masked = None if not torch.compiler.is_compiling() and bool(real.all()) else real
        residual = self.embedding(tokens)
        if self.cell is not None:
            residual = self.cell(residual, masked)
        return self.encoder(residual, masked, fresh=not watched(self.embedding))

    def let_gradients_pass(self, *, passing: bool) -> None:
        """Whether gradients pass through written parts, which costs time and is needed if
        something before them is trained.
        """
        written = {id(held.module) for held in self.held}
        for module in self.modules():
            if isinstance(module, LearnedReader) or (
                isinstance(module, Affine) and id(module) in written
            ):
                module.frozen = not passing


def _begins_at(name: str) -> float:
    """Learned weights are 0 before they are drawn; factors of norms are 1."""
    return 1.0 if name.endswith("norm.weight") else 0.0


def read(network: Network) -> Weights:
    """The weights that a network has now: `read(Network(weights)) == weights`, bit by bit."""
    maps = dict(network.weights.maps)
    for held in network.held:
        for each in _read(held, network.weights):
            maps[each.key] = each
    learned: dict[str, np.ndarray] = {}
    for name in network.drawn:
        tensor = network.get_parameter(name).detach()
        if bool((tensor != _begins_at(name)).any()):
            learned[name] = _numbers(tensor, torch.promote_types(tensor.dtype, torch.float32))
    again = replace(network.weights, maps=maps, learned=learned)
    return network.weights if again == network.weights else again


def _read(held: Held, weights: Weights) -> Iterable[Map]:
    tensors = [_numbers(tensor) for tensor in held.tensors()]
    flat = np.concatenate([tensor.ravel() for tensor in tensors])
    for key, places in held.places.items():
        yield weights.maps[key].with_numbers(flat[places])
    if weights.hybrid:
        return
    for piece in held.pieces:  # a block of weights that was trained may have got new entries
        numbers = flat[held.places[piece.map.key]]
        yield _grown(piece, numbers, *tensors)


def _grown(piece: Piece, numbers: Numbers, matrix: Numbers, bias: Numbers | None = None) -> Map:
    """A map with the entries that it has now."""
    known = piece.map.with_numbers(numbers)
    rows, columns = np.flatnonzero(piece.rows != NOWHERE), np.flatnonzero(piece.columns != NOWHERE)
    block = matrix[piece.rows[rows]][:, piece.columns[columns] if len(rows) else slice(0)]
    below = np.zeros(0) if bias is None or not piece.bias else bias[piece.columns[columns]]
    r, c = _there(block).nonzero()
    b = _there(below).nonzero()[0]
    found = np.stack([np.append(rows[r], np.full(len(b), BIAS)), columns[np.append(c, b)]], axis=1)
    codes = (found[:, 0] + 1) * len(known.targets) + found[:, 1]
    new = ~np.isin(codes, (known.rows + 1) * len(known.targets) + known.columns)
    if not new.any():
        return known
    grown = zip(found[new].tolist(), np.append(block[r, c], below[b])[new].tolist(), strict=True)
    return known.with_places({(row, column): number for (row, column), number in grown})


def _there(numbers: Numbers) -> np.ndarray:
    return (numbers != 0) | np.signbit(numbers)


def _numbers(tensor: Tensor, dtype: torch.dtype = torch.float64) -> np.ndarray:
    return tensor.detach().to(dtype, copy=True).cpu().numpy()  # numpy holds on to what it is given
