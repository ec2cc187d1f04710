"""Layouts to torch modules: the layers a layout calls for, before they have weights."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from progtf.compiler.hybrid import (
    HybridClassifier,
    HybridOutput,
    LearnedEmbedding,
    LearnedHeads,
    LearnedRules,
    MixedHead,
    WrittenHeads,
    WrittenRules,
)
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
    Sum,
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
    """Lexicon vectors, what spelling gives, clocks; the last row is padding, all zeros.

    A token's id is its row plus the number of rows times its marks, which are the digits of a
    number in the mixed base ``bases``.

    Shapes:
        tokens   batch pos
        returns  batch pos d_model
    """

    hands: Float[Tensor, "pos d_clock"]

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.zeros(len(layout.lexicon) + 2, layout.width))
        self.first = layout.semes
        n_rows, n_positions = len(layout.lexicon) + 2, layout.longest + 2
        learn = layout.learn
        self.learned = learn and LearnedEmbedding(n_rows, learn.semes, n_positions)
        self.n_rows = n_rows
        self.bases = [mark.values for mark in layout.spelling.marks]
        self.spelled = nn.Parameter(torch.zeros(len(self.bases), layout.width))
        hands = clock(layout.clocks, n_positions, torch.float64)
        self.register_buffer("hands", hands, persistent=False)

    def forward(self, tokens: Tokens, first: int = 0) -> Residual:
        """The vectors of tokens, the first of which stands at position ``first``."""
        vectors = self.vectors[tokens % self.n_rows]
        residual = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        if self.bases:
            values = torch.stack(list(digits(tokens // self.n_rows, self.bases)), dim=-1)
            residual = residual + values.to(residual.dtype) @ self.spelled.to(residual.dtype)
        hands = self.hands[first : first + tokens.shape[1]].to(residual.dtype)
        residual[:, :, self.first : self.first + hands.shape[1]] += hands
        if self.learned is None:
            return residual
        return torch.cat(
            [residual, self.learned(tokens % self.n_rows, first).to(residual.dtype)], dim=-1
        )


def digits(numbers: Tokens, bases: Sequence[int]) -> Iterator[Tokens]:
    """The digits of numbers in a mixed base, the lowest first."""
    for base in bases:
        yield numbers % base
        numbers = numbers // base


def number_of(values: Sequence[int], bases: Sequence[int]) -> int:
    """The number with these digits, the lowest first."""
    number = 0
    for value, base in reversed(list(zip(values, bases, strict=True))):
        number = number * base + value
    return number


class CarryClocks(nn.Module):
    """A dense layer that replaces the semes and leaves the clocks as they are."""

    def __init__(self, dense: Dense, n_semes: int) -> None:
        super().__init__()
        self.dense = dense
        self.n_semes = n_semes

    def forward(self, residual: Residual) -> Residual:
        """The residual with other semes."""
        written = residual[..., : self.dense.affine.weight.shape[0]]
        semes = self.dense(written)[..., : self.n_semes]
        return torch.cat([semes, residual[..., self.n_semes :].to(semes.dtype)], dim=-1)


class NormOfPart(nn.Module):
    """A norm of some dimensions; the others pass through."""

    def __init__(self, norm: nn.Module, part: slice) -> None:
        super().__init__()
        self.norm, self.part = norm, part

    def forward(self, residual: Residual) -> Residual:
        """The residual, its part normalised."""
        written = self.norm(residual[..., self.part])
        return torch.cat([written, residual[..., self.part.stop :]], dim=-1)


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
        self.output = _output(layout) if layout.outputs else None
        self.classifier = _classifier(layout) if layout.classes else None
        self.to(torch.float64)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()
            for module in self.modules():
                if isinstance(module, nn.LayerNorm) and module.elementwise_affine:
                    module.weight.fill_(1.0)

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
    closing = layout.learn is not None and layout.norm == "split"
    return Stack(blocks, build_norm(layout) if closing else None)


def _block(stage: LayerLayout, layout: Layout, *, causal: bool) -> Block:
    reads_memory = causal and layout.kind == "seq2seq"
    own = _heads(stage.own, stage, layout, causal=causal)
    cross = _heads(stage.cross, stage, layout, causal=False) if reads_memory else None
    rules = _rules(stage, layout)
    return Block(
        own and Sublayer(own, build_norm(layout)),
        cross and Sublayer(cross, build_norm(layout)),
        rules and Sublayer(rules, build_norm(layout)),
    )


def _heads(
    groups: Sequence[GroupLayout], stage: LayerLayout, layout: Layout, *, causal: bool
) -> HeadGroups | None:
    """Written groups, then the learned one."""
    heads = [_group(group, layout, causal=causal) for group in groups]
    if stage.learned is not None and layout.learn is not None:
        heads.append(LearnedHeads(layout, layout.learn, stage.learned[0], causal=causal))
    return HeadGroups(heads) if heads else None


def _rules(stage: LayerLayout, layout: Layout) -> nn.Module | None:
    """Written rules, then learned ones."""
    layers: list[nn.Module] = []
    if stage.units is not None and layout.learn is not None:
        layers.append(WrittenRules(layout.width, len(stage.units), layout.learn.semes))
    elif stage.units is not None:
        layers.append(FeedForward(layout.width, len(stage.units), precision=full_precision))
    if stage.learned is not None and layout.learn is not None:
        layers.append(LearnedRules(layout, layout.learn, stage.learned[1]))
    if not layers:
        return None
    return Sum(layers) if len(layers) > 1 else layers[0]


def _group(group: GroupLayout, layout: Layout, *, causal: bool) -> RoleAttention:
    if layout.learn is not None and group.mixed:
        learned = dict(group.heads[0].learned)
        size = learned["value"] or layout.learn.semes
        pattern = _pattern(group, size, causal=causal)
        return MixedHead(layout, layout.learn, group.d_key, learned, pattern)
    sizes = HeadSizes(layout.width, len(group.heads), group.d_key, group.d_filler)
    binding = {"none": Unbound(), "outer": Outer(group.d_role)}.get(layout.binding, Hadamard())
    pattern = _pattern(group, group.d_filler, causal=causal)
    if layout.learn is not None:
        return WrittenHeads(sizes, pattern, binding, layout.learn.semes)
    return RoleAttention(sizes, pattern, binding, full_precision)


def _pattern(
    group: GroupLayout, d_filler: int, *, causal: bool
) -> WrittenSoftmax | WrittenSoftmaxOverReaders:
    looks: list[Look] = [head.look for head in group.heads]
    ones = [1.0] * len(group.heads)
    if group.normalize == "queries":
        return WrittenSoftmaxOverReaders(ones, looks)
    nulls = [0.0 if head.null else None for head in group.heads]
    return WrittenSoftmax(d_filler, ones, looks, nulls, causal=causal)


def build_norm(layout: Layout) -> nn.Module:
    """What sub-layers read the residual through."""
    written = slice(0, layout.width)
    match layout.norm:
        case "layer":
            return _within(nn.LayerNorm(layout.width, elementwise_affine=False), written, layout)
        case "round":
            return _within(RoundNorm(), written, layout)
        case "split" if layout.d_residual > len(layout.space):
            return SplitNorm(layout.d_residual, range(len(layout.space), layout.d_residual))
        case _:
            return nn.Identity()


def _within(norm: nn.Module, part: slice, layout: Layout) -> nn.Module:
    return norm if layout.learn is None else NormOfPart(norm, part)


def _output(layout: Layout) -> Affine:
    if layout.learn is not None:
        return HybridOutput(layout, layout.learn)
    return Affine(layout.width, len(layout.outputs))


def _cell(layout: Layout) -> VanillaRNN:
    return VanillaRNN(layout.width, layout.width, layout.activation, full_precision)  # type: ignore[arg-type]


def _classifier(layout: Layout) -> PoolClassifier:
    if layout.learn is not None:
        return HybridClassifier(layout, layout.learn)
    return PoolClassifier(layout.width, len(layout.classes), layout.pool, full_precision)  # type: ignore[arg-type]
