"""BERT's encoder (Devlin et al. 2019) with weights that were learned elsewhere."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from progtf.bounded import read_bytes
from progtf.nn.attention import HeadGroups, HeadSizes, RoleAttention
from progtf.nn.bindings import Unbound
from progtf.nn.embedding import look_up
from progtf.nn.feedforward import FeedForward, Hidden, Residual
from progtf.nn.kept_texts import KeptTexts
from progtf.nn.patterns import ScaledSoftmax
from progtf.nn.transformer import Block, Layer, Stack, Sublayer

Pieces = Int[Tensor, "batch pos"]
Real = Bool[Tensor, "batch pos"]
SETTINGS, WEIGHTS = "config.json", "model.safetensors"
_KINDS = "embeddings.token_type_embeddings.weight"
_INNER = ".intermediate.dense.weight"


@dataclass(frozen=True, slots=True)
class BertShape:
    """Sizes.

    Attributes:
        n_places: the longest text.
        dropout: of what each layer adds, of attention, and of the first residual.
    """

    n_pieces: int
    d_model: int
    d_ff: int
    n_heads: int
    n_layers: int
    n_places: int = 512
    dropout: float = 0.1
    epsilon: float = 1e-12


class GeluFeedForward(FeedForward):
    """gelu(residual · W1 + b1) · W2 + b2."""

    def _hidden(self, residual: Residual) -> Hidden:
        return functional.gelu(self.inner(residual))


class Bert(nn.Module):
    """Pieces of one text in their context; the norm follows each layer.

    What is frozen does not change, so that it is computed once a text, without dropout.

    Shapes:
        pieces   batch pos
        real     batch pos          False at padding
        returns  batch pos d_model
    """

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        d_model = shape.d_model
        self.table = nn.Parameter(torch.empty(shape.n_pieces, d_model))
        self.places = nn.Parameter(torch.empty(shape.n_places, d_model))
        self.kind = nn.Parameter(torch.empty(d_model))
        for part in (self.table, self.places, self.kind):
            nn.init.normal_(part, std=0.02)
        self.norm = nn.LayerNorm(d_model, shape.epsilon)
        self.dropout = nn.Dropout(shape.dropout)
        self.stack = Stack([_block(shape) for _ in range(shape.n_layers)])
        self.frozen, self._kept = 0, KeptTexts()

    def freeze(self, layers: int) -> None:
        """Training leaves so many of the first layers, and the vectors before them, as they are.

        Raises:
            ValueError: if there are not so many.
        """
        if layers > len(self.stack.blocks):
            raise ValueError(f"{layers} layers of {len(self.stack.blocks)} cannot be frozen")
        self.frozen = layers
        first = [self.table, self.places, self.kind] if layers else []
        for part in (*first, *self._below().parameters()):
            part.requires_grad = False

    def train(self, mode: bool = True) -> "Bert":
        """Layers that are frozen never drop anything out."""
        super().train(mode)
        self._below().eval()
        return self

    def _below(self) -> nn.ModuleList:
        """Layers that are frozen, and what is before them."""
        before = (self.norm, self.dropout) if self.frozen else ()
        return nn.ModuleList([*before, *self.stack.blocks[: self.frozen]])

    def forward(self, pieces: Pieces, real: Real) -> Float[Tensor, "batch pos d_model"]:
        """Raises ValueError for more pieces than there are places."""
        if (length := pieces.shape[1]) > len(self.places):
            raise ValueError(f"{length} pieces of words, and {len(self.places)} are read")
        if not self.frozen:
            return self.stack(self._first(pieces), real)
        first = self.table, self.places, self.kind
        known = self._kept.of(pieces, real, self._known, self._below(), first)
        return self.stack(known, real, part=slice(self.frozen, None))

    @torch.no_grad()
    def _known(self, pieces: Pieces, real: Real) -> Float[Tensor, "batch pos d_model"]:
        """What the frozen layers make of texts."""
        return self.stack(self._first(pieces), real, part=slice(0, self.frozen))

    def _first(self, pieces: Pieces) -> Float[Tensor, "batch pos d_model"]:
        first = look_up(pieces, self.table) + self.places[: pieces.shape[1]] + self.kind
        return self.dropout(self.norm(first))


def _block(shape: BertShape) -> Block:
    sizes = HeadSizes.split(shape.d_model, shape.n_heads)
    heads = RoleAttention.sized(sizes, ScaledSoftmax(dropout=shape.dropout), Unbound())
    filters = GeluFeedForward.sized(shape.d_model, shape.d_ff)
    return Block(_normed(HeadGroups([heads]), shape), None, _normed(filters, shape))


def _normed(layer: Layer, shape: BertShape) -> Sublayer[Layer]:
    return Sublayer(layer, None, nn.LayerNorm(shape.d_model, shape.epsilon), shape.dropout)


@torch.no_grad()
def load_bert(folder: Path) -> Bert:
    """The encoder in a folder with ``config.json`` and ``model.safetensors``, as BERTs are kept.

    Raises:
        ValueError: for another kind of network, for a tensor that is missing or of other sizes, and
            for a file that is damaged or not there.
    """
    try:
        said = json.loads(read_bytes(folder / SETTINGS))
        tensors = load_file(folder / WEIGHTS)
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        raise ValueError(f"{folder}: no BERT: {error}") from None
    try:
        shape = _shape(said, tensors)
    except KeyError as error:
        raise ValueError(f"{folder}: {SETTINGS} lacks {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder}: {error}") from None
    model = Bert(shape)
    for name, slot in slots(model):
        slot.copy_(_found(tensors, name, slot, folder))
    return model


def _shape(said: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> BertShape:
    """What a description says, which is what the weights are: so nothing larger is built."""
    due = {"model_type": "bert", "hidden_act": "gelu"}
    if (wrong := next((key for key in due if said.get(key) != due[key]), None)) is not None:
        raise ValueError(f"`{wrong}` is {said.get(wrong)!r}, not {due[wrong]!r}")
    tables = [tensors.get(f"embeddings.{name}_embeddings.weight") for name in ("word", "position")]
    inner = [tensor for name, tensor in tensors.items() if name.endswith(_INNER)]
    if any(each is None or each.ndim != 2 or not each.numel() for each in (*tables, *inner)):
        raise ValueError(f"{WEIGHTS} lacks tables of words and of positions")
    (n_pieces, d_model), (n_places, _) = (each.shape for each in tables if each is not None)
    held = {
        "vocab_size": n_pieces,
        "hidden_size": d_model,
        "num_hidden_layers": len(inner),
        "intermediate_size": len(inner[0]) if inner else 0,
        "max_position_embeddings": n_places,
    }
    for key, size in held.items():
        if said[key] != size:
            raise ValueError(f"`{key}` is {said[key]!r:.50}; the weights have {size}")
    heads, dropout, epsilon = (
        said[key] for key in ("num_attention_heads", "hidden_dropout_prob", "layer_norm_eps")
    )
    if type(heads) is not int or heads < 1 or d_model % heads:
        raise ValueError(f"`num_attention_heads` is {heads!r:.50}, which do not share {d_model}")
    if not 0 <= dropout < 1 or not 0 < epsilon < 1:
        raise ValueError("`hidden_dropout_prob` and `layer_norm_eps` are between 0 and 1")
    sizes = held["intermediate_size"], heads, len(inner), n_places
    return BertShape(n_pieces, d_model, *sizes, dropout, epsilon)


def _found(tensors: Mapping[str, Tensor], name: str, slot: Tensor, folder: Path) -> Tensor:
    if name not in tensors:
        raise ValueError(f"{folder}: {name} is missing")
    found = tensors[name][0] if name == _KINDS else tensors[name]
    if found.shape != slot.shape:
        raise ValueError(f"{folder}: {name} is {tuple(found.shape)}, not {tuple(slot.shape)}")
    return found


def slots(model: Bert) -> Iterator[tuple[str, Tensor]]:
    """Published names, and views of our weights in the published shape; one kind of text of two."""
    yield "embeddings.word_embeddings.weight", model.table.detach()
    yield "embeddings.position_embeddings.weight", model.places.detach()
    yield _KINDS, model.kind.detach()
    yield from _norm_slots("embeddings.LayerNorm", model.norm)
    for number, block in enumerate(model.stack):
        for name, slot in _block_slots(block):
            yield f"encoder.layer.{number}.{name}", slot


def _block_slots(block: Block) -> Iterator[tuple[str, Tensor]]:
    assert block.attention is not None
    assert block.feed_forward is not None
    filters = block.feed_forward.layer
    assert isinstance(filters, FeedForward)
    (group,) = block.attention.layer
    parts = group.parts()
    for part in ("query", "key", "value"):
        yield from _map_slots(f"attention.self.{part}", *parts[part])
    yield from _map_slots("attention.output.dense", *parts["out"])
    yield from _norm_slots("attention.output.LayerNorm", block.attention.after)
    yield from _map_slots("intermediate.dense", filters.inner.weight, filters.inner.bias)
    yield from _map_slots("output.dense", filters.outer.weight, filters.outer.bias)
    yield from _norm_slots("output.LayerNorm", block.feed_forward.after)


def _map_slots(name: str, weight: Tensor, bias: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Ours is source = row, theirs is target = row."""
    yield f"{name}.weight", weight.detach().T
    yield f"{name}.bias", bias.detach()


def _norm_slots(name: str, norm: nn.Module | None) -> Iterator[tuple[str, Tensor]]:
    assert isinstance(norm, nn.LayerNorm)
    yield f"{name}.weight", norm.weight.detach()
    yield f"{name}.bias", norm.bias.detach()
