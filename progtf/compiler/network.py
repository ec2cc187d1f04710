"""Layouts to torch modules: the layers a layout calls for, before they have weights."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from progtf.compiler.layout import DenseLayout, GroupLayout, LayerLayout, Layout
from progtf.nn import (
    Affine,
    Block,
    Dense,
    EncoderDecoder,
    FeedForward,
    Hadamard,
    HeadGroups,
    HeadSizes,
    Look,
    Outer,
    PoolClassifier,
    RoleAttention,
    RoundNorm,
    SplitNorm,
    Stack,
    Sublayer,
    Unbound,
    VanillaRNN,
    WrittenSoftmax,
    WrittenSoftmaxOverReaders,
    clock,
    full_precision,
)

Tokens = Int[Tensor, "batch pos"]
Residual = Float[Tensor, "batch pos d_model"]


class Embedding(nn.Module):
    """Lexicon vectors plus clocks; the row after the last token is padding, all zeros.

    Shapes:
        tokens   batch pos
        returns  batch pos d_model
    """

    hands: Float[Tensor, "pos d_clock"]

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.zeros(len(layout.lexicon) + 2, layout.width))
        self.first = layout.semes
        hands = clock(layout.clocks, max(layout.lengths) + 2, torch.float64)
        self.register_buffer("hands", hands, persistent=False)

    def forward(self, tokens: Tokens, first: int = 0) -> Residual:
        vectors = self.vectors[tokens]
        residual = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        hands = self.hands[first : first + tokens.shape[1]].to(residual.dtype)
        residual[:, :, self.first : self.first + hands.shape[1]] += hands
        return residual


class CarryClocks(nn.Module):
    """A dense layer that replaces the semes and leaves the clocks as they are."""

    def __init__(self, dense: Dense, n_semes: int) -> None:
        super().__init__()
        self.dense = dense
        self.n_semes = n_semes

    def forward(self, residual: Residual) -> Residual:
        semes = self.dense(residual)[..., : self.n_semes]
        return torch.cat([semes, residual[..., self.n_semes :].to(semes.dtype)], dim=-1)


class Replace(Block):
    """A block that is one layer without a residual connection."""

    def __init__(self, layer: CarryClocks) -> None:
        super().__init__()
        self.layer = layer

    def proceed(self, residual, past, present=None, recall=None):  # noqa: ANN001, ANN201
        """The layer's output in place of the residual; nothing is kept between steps."""
        del present, recall
        return self.layer(residual), past


class Network(nn.Module):
    """The torch module of a layout; its weights are zero until they are written or loaded."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.embedding = Embedding(layout)
        self.encoder = build_stack(layout.encoder, layout, causal=False)
        self.decoder = build_stack(layout.decoder, layout, causal=True)
        self.cell = None if layout.activation is None else _cell(layout)
        self.output = Affine(layout.width, len(layout.outputs)) if layout.outputs else None
        self.classifier = _classifier(layout) if layout.classes else None
        self.to(torch.float64)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()

    def encoder_decoder(self, pad: int) -> EncoderDecoder:
        """The same parts as a sequence-to-sequence model that can be decoded step by step."""
        assert self.output is not None
        return EncoderDecoder(self.embedding, self.encoder, self.decoder, self.output, pad)


def build_stack(
    stages: Sequence[LayerLayout | DenseLayout], layout: Layout, *, causal: bool
) -> Stack:
    """An encoder or a decoder; a repeated layer is one block, used several times."""
    blocks: list[Block] = []
    for stage in stages:
        match stage:
            case DenseLayout():
                dense = Dense(layout.width, layout.width, relu=stage.relu, precision=full_precision)
                blocks.append(Replace(CarryClocks(dense, layout.semes)))
            case LayerLayout():
                blocks += [_block(stage, layout, causal=causal)] * stage.repeat
    return Stack(blocks)


def _block(stage: LayerLayout, layout: Layout, *, causal: bool) -> Block:
    own = HeadGroups([_group(g, layout, causal=causal) for g in stage.own]) if stage.own else None
    cross = (
        HeadGroups([_group(g, layout, causal=False) for g in stage.cross]) if stage.cross else None
    )
    units = stage.units
    rules = (
        None if units is None else FeedForward(layout.width, len(units), precision=full_precision)
    )
    return Block(
        own and Sublayer(own, build_norm(layout)),
        cross and Sublayer(cross, build_norm(layout)),
        rules and Sublayer(rules, build_norm(layout)),
    )


def _group(group: GroupLayout, layout: Layout, *, causal: bool) -> RoleAttention:
    sizes = HeadSizes(layout.width, len(group.heads), group.d_key, group.d_filler)
    binding = {"none": Unbound(), "outer": Outer(group.d_role)}.get(layout.binding, Hadamard())
    return RoleAttention(sizes, _pattern(group, causal=causal), binding, full_precision)


def _pattern(group: GroupLayout, *, causal: bool) -> WrittenSoftmax | WrittenSoftmaxOverReaders:
    looks: list[Look] = [head.look for head in group.heads]
    ones = [1.0] * len(group.heads)
    if group.normalize == "queries":
        return WrittenSoftmaxOverReaders(ones, looks)
    nulls = [0.0 if head.null else None for head in group.heads]
    return WrittenSoftmax(group.d_filler, ones, looks, nulls, causal=causal)


def build_norm(layout: Layout) -> nn.Module:
    """What sub-layers read the residual through."""
    match layout.norm:
        case "layer":
            return nn.LayerNorm(layout.width, elementwise_affine=False)
        case "round":
            return RoundNorm()
        case "split" if layout.width > len(layout.space):
            return SplitNorm(layout.width, range(len(layout.space), layout.width))
        case _:
            return nn.Identity()


def _cell(layout: Layout) -> VanillaRNN:
    return VanillaRNN(layout.width, layout.width, layout.activation, full_precision)  # type: ignore[arg-type]


def _classifier(layout: Layout) -> PoolClassifier:
    return PoolClassifier(layout.width, len(layout.classes), layout.pool, full_precision)  # type: ignore[arg-type]
