"""The TP-Transformer and the Transformer it was measured against."""

from torch import nn

from progtf.nn import presets
from progtf.nn.affine import Affine
from progtf.nn.attention import HeadGroups, HeadSizes, RoleAttention
from progtf.nn.bindings import Binding, Hadamard, Unbound
from progtf.nn.embedding import RoleEmbedding, SymbolEmbedding, ruled_out
from progtf.nn.encoder_decoder import EncoderDecoder, Logits, Residual
from progtf.nn.feedforward import FeedForward
from progtf.nn.initialise import Scheme, initialise
from progtf.nn.patterns import ScaledSoftmax
from progtf.nn.presets import Shape
from progtf.nn.transformer import Block, Layer, Stack, Sublayer


class _Published(EncoderDecoder):
    """What was published has symbols, blocks and norms alike, with roles or without."""

    def __init__(self, shape: Shape, binding: Binding, scheme: Scheme, *, roles: bool) -> None:
        dropout = shape.dropout if shape.embedding_dropout is None else shape.embedding_dropout
        sizes = shape.n_symbols, shape.d_model, shape.max_length
        symbols = SymbolEmbedding(*sizes, 0.0 if roles else dropout, first=shape.first)
        super().__init__(
            RoleEmbedding(symbols, dropout) if roles else symbols,
            stack(shape, binding, shape.n_encoder, decoder=False),
            stack(shape, binding, shape.n_decoder, decoder=True),
            symbols.logits if shape.tied else _output(shape),
            shape.pad,
        )
        self.shape = shape
        initialise(self, scheme)


class TPTransformer(_Published):
    """The Transformer whose heads bind what they read to roles (Schlag et al. 2019).

    Eq. 2 is in `RoleEmbedding`, Eq. 3-6 in `RoleAttention`, Eq. 7 in `FeedForward`, Eq. 8 in
    `SymbolEmbedding.logits`.
    """

    def __init__(
        self, shape: Shape, binding: Binding | None = None, scheme: Scheme = "published"
    ) -> None:
        super().__init__(shape, binding or Hadamard(), scheme, roles=shape.role_embedding)

    @classmethod
    def published(cls, n_symbols: int = 73, scheme: Scheme = "published") -> "TPTransformer":
        """As published: 49,178,624 parameters with 73 symbols."""
        return cls(Shape(n_symbols), scheme=scheme)

    @classmethod
    def report(cls, n_symbols: int = 58) -> "TPTransformer":
        """As in the three-module report: post-norm, 3 + 3 blocks, width 256, filter 512."""
        return cls(presets.report(n_symbols))


class Transformer(_Published):
    """The standard Transformer in the published layout: no roles anywhere."""

    def __init__(self, shape: Shape, scheme: Scheme = "published") -> None:
        super().__init__(shape, Unbound(), scheme, roles=False)

    @classmethod
    def published(cls, n_symbols: int = 73, scheme: Scheme = "published") -> "Transformer":
        """As published: 44,188,160 parameters with 73 symbols."""
        return cls(Shape(n_symbols), scheme=scheme)

    @classmethod
    def report(cls, n_symbols: int = 58, dropout: float = 0.3) -> "Transformer":
        """As in the three-module report: post-norm, 3 + 3 blocks, width 256, filter 512."""
        return cls(presets.report(n_symbols, dropout))


def _output(shape: Shape) -> nn.Module:
    """An output map of its own, of the symbols that are ever there."""
    own = Affine(shape.d_model, shape.n_symbols - shape.first)
    return Behind(own, shape.first) if shape.first else own


class Behind(nn.Module):
    """Logits of an output map, behind those of symbols that are never there."""

    def __init__(self, own: Affine, first: int) -> None:
        super().__init__()
        self.own, self.first = own, first

    def forward(self, residual: Residual) -> Logits:
        return ruled_out(self.own(residual), self.first)


def stack(
    shape: Shape, binding: Binding, count: int, *, decoder: bool, shared: bool = False
) -> Stack:
    """Blocks of these sizes, closed by a norm where norms stand before; ``shared``: one of them."""
    closing = nn.LayerNorm(shape.d_model) if shape.norms == "pre" else None
    own = [_block(shape, binding, decoder=decoder) for _ in range(1 if shared else count)]
    return Stack(own * count if shared else own, closing)


def _block(shape: Shape, binding: Binding, *, decoder: bool) -> Block:
    attention = _heads(shape, binding, causal=decoder)
    cross = _sublayer(shape, _heads(shape, binding, causal=False)) if decoder else None
    feed_forward = FeedForward.sized(shape.d_model, shape.d_ff, shape.dropout)
    return Block(_sublayer(shape, attention), cross, _sublayer(shape, feed_forward, last=True))


def _heads(shape: Shape, binding: Binding, *, causal: bool) -> HeadGroups:
    sizes = HeadSizes.split(shape.d_model, shape.n_heads)
    pattern = ScaledSoftmax(causal=causal, dropout=shape.dropout)
    return HeadGroups([RoleAttention.sized(sizes, pattern, binding)])


def _sublayer(shape: Shape, layer: Layer, *, last: bool = False) -> Sublayer[Layer]:
    before = None if shape.norms == "post" else nn.LayerNorm(shape.d_model)
    normed_after = shape.norms == "post" or (shape.norms == "published" and last)
    after = nn.LayerNorm(shape.d_model) if normed_after else None
    return Sublayer(layer, before, after, shape.dropout)
