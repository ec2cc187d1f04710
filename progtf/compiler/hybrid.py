"""Written and learned parts of one layer: who reads which dimensions and who writes to which.

The residual of a hybrid is the residual of its program with the learned dimensions behind it.
Written parts see the first of the two alone, so that they compute what they compute without the
others; learned parts see the semes that they are said to read, and the learned dimensions.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.compiler.layout import Layout, LearnLayout
from progtf.nn import (
    Affine,
    Block,
    FeedForward,
    Hadamard,
    HeadGroups,
    HeadSizes,
    KeysValues,
    Pattern,
    PoolClassifier,
    RoleAttention,
    ScaledSoftmax,
    Sum,
    Unbound,
    full_precision,
    sinusoid,
)
from progtf.nn.bindings import Binding

Tokens = Int[Tensor, "batch pos"]
Residual = Float[Tensor, "batch pos d_residual"]
Source = Float[Tensor, "batch src d_residual"]
Read = Float[Tensor, "batch pos d_read"]


class LearnedReader(nn.Module):
    """What learned parts read: the semes that they are said to read, scaled, and learned dims.

    ``frozen``: no gradient passes to the semes.
    """

    frozen = False
    semes: Int[Tensor, " d_semes"]
    scales: Float[Tensor, " d_semes"]

    def __init__(self, layout: Layout, learn: LearnLayout) -> None:
        super().__init__()
        places = [layout.names.index(name) for name in learn.reads]
        self.first = layout.width
        self.n_semes = len(places)
        self.d_read = len(places) + learn.semes
        self.register_buffer("semes", torch.tensor(places, dtype=torch.long), persistent=False)
        scales = torch.tensor(learn.scales, dtype=torch.float64)
        self.register_buffer("scales", scales, persistent=False)

    def forward(self, residual: Residual) -> Read:
        """The semes that learned parts are said to read, scaled, and the learned dimensions."""
        sizes = [self.first, residual.shape[-1] - self.first]
        written, learned = residual.split_with_sizes(sizes, dim=-1)
        if not self.n_semes:
            return learned
        if self.frozen:
            written = written.detach()
        semes = written.index_select(-1, self.semes) * self.scales.to(residual.dtype)
        return torch.cat([semes, learned], dim=-1)


class LearnedWriter(nn.Module):
    """Where learned parts write: learned dims alone, or, without ``protect``, semes as well."""

    def __init__(self, layout: Layout, learn: LearnLayout) -> None:
        super().__init__()
        self.n_semes = 0 if learn.protect else layout.semes
        self.gap = layout.width - self.n_semes
        self.d_written = self.n_semes + learn.semes

    def forward(self, update: Float[Tensor, "batch pos d_written"]) -> Residual:
        """The update at the dimensions that learned parts may write to."""
        if not self.n_semes:
            return functional.pad(update, (self.gap, 0))
        semes, learned = update[..., : self.n_semes], update[..., self.n_semes :]
        return torch.cat([semes, functional.pad(learned, (self.gap, 0))], dim=-1)


class WrittenHeads(RoleAttention):
    """Written heads in a wider residual, of which they see their own part.

    ``frozen``: no gradient passes.
    """

    frozen = False

    def __init__(
        self, sizes: HeadSizes, pattern: Pattern, binding: Binding, n_learned: int
    ) -> None:
        super().__init__(sizes, pattern, binding, full_precision)
        self.n_learned = n_learned

    @property
    def d_residual(self) -> int:
        return self.sizes.d_model + self.n_learned

    def keys_values(self, source: Source) -> KeysValues:
        with _gradients(self.frozen):
            return super().keys_values(source[..., : self.sizes.d_model])

    def forward(
        self,
        residual: Residual,
        keys_values: KeysValues,
        present: Bool[Tensor, "batch src"] | None = None,
    ) -> Residual:
        """What the heads add to their own part; learned dimensions get nothing."""
        with _gradients(self.frozen):
            update = super().forward(residual[..., : self.sizes.d_model], keys_values, present)
        return functional.pad(update, (0, self.n_learned))


class WrittenRules(FeedForward):
    """Written rules in a wider residual, of which they see their own part."""

    frozen = False

    def __init__(self, d_model: int, n_units: int, n_learned: int) -> None:
        super().__init__(d_model, n_units, precision=full_precision)
        self.d_model, self.n_learned = d_model, n_learned

    def forward(self, residual: Residual) -> Residual:
        """The update of the written units; learned dimensions get none."""
        with _gradients(self.frozen):
            update = super().forward(residual[..., : self.d_model])
        return functional.pad(update, (0, self.n_learned))


class LearnedHeads(RoleAttention):
    """Learned heads with roles (Schlag et al. 2019) beside written ones."""

    def __init__(self, layout: Layout, learn: LearnLayout, n_heads: int, *, causal: bool) -> None:
        reader, size = LearnedReader(layout, learn), learn.semes // n_heads
        binding = Unbound() if layout.binding == "none" else Hadamard()
        sizes = HeadSizes(reader.d_read, n_heads, size, size)
        super().__init__(sizes, ScaledSoftmax(causal=causal), binding)
        self.reader, self.writer = reader, LearnedWriter(layout, learn)
        self.d_full = layout.d_residual
        self.out = Affine(self.out.weight.shape[0], self.writer.d_written)

    @property
    def d_residual(self) -> int:
        return self.d_full

    def keys_values(self, source: Source) -> KeysValues:
        return super().keys_values(self.reader(source))

    def forward(
        self,
        residual: Residual,
        keys_values: KeysValues,
        present: Bool[Tensor, "batch src"] | None = None,
    ) -> Residual:
        """What the heads add to the dimensions that learned parts may write to."""
        return self.writer(super().forward(self.reader(residual), keys_values, present))


class MixedHead(RoleAttention):
    """One head with a written address and a learned filler, perhaps a learned role or query.

    Attributes:
        value, role: what is retrieved and what it is bound to; role None: to nothing.
        asks: the learned query, None where the query is written.
    """

    frozen = False

    def __init__(
        self, layout: Layout, learn: LearnLayout, d_key: int, learned: dict[str, int],
        pattern: Pattern,
    ) -> None:  # fmt: skip
        d_filler = learned["value"] or learn.semes
        sizes = HeadSizes(layout.width, 1, d_key, d_filler)
        super().__init__(sizes, pattern, Unbound(), full_precision)
        self.reader, self.writer = LearnedReader(layout, learn), LearnedWriter(layout, learn)
        self.d_full = layout.d_residual
        self.src_columns = [d_key, 0]
        self.src = Affine(layout.width, d_key)
        self.value = Affine(self.reader.d_read, d_filler)
        self.role = Affine(self.reader.d_read, d_filler) if "role" in learned else None
        self.asks = Affine(self.reader.d_read, d_key) if "query" in learned else None
        self.out = Affine(d_filler, self.writer.d_written)

    @property
    def d_residual(self) -> int:
        return self.d_full

    def keys_values(self, source: Source) -> KeysValues:
        """Written keys and learned fillers."""
        with _gradients(self.frozen), full_precision(source.device):
            key = self.src(source[..., : self.sizes.d_model])
        value = self.value(self.reader(source)).to(key.dtype)
        return KeysValues(key.unsqueeze(-3), value.unsqueeze(-3))

    def forward(
        self,
        residual: Residual,
        keys_values: KeysValues,
        present: Bool[Tensor, "batch src"] | None = None,
    ) -> Residual:
        """The learned filler from where the address points, bound to its role."""
        read = self.reader(residual)
        key, value, _ = keys_values
        filler = self.pattern(self._query(residual, read).to(key.dtype), key, value, present)
        bound = filler.squeeze(-3)
        if self.role is not None:
            bound = bound * self.role(read)
        return self.writer(self.out(bound))

    def _query(self, residual: Residual, read: Read) -> Float[Tensor, "batch 1 dst d_key"]:
        if self.asks is not None:
            return self.asks(read).unsqueeze(-3)
        with _gradients(self.frozen), full_precision(residual.device):
            return self.dst(residual[..., : self.sizes.d_model]).unsqueeze(-3)


class LearnedRules(FeedForward):
    """Learned hidden units beside written ones."""

    def __init__(self, layout: Layout, learn: LearnLayout, n_units: int) -> None:
        reader = LearnedReader(layout, learn)
        super().__init__(reader.d_read, n_units)
        self.reader, self.writer = reader, LearnedWriter(layout, learn)
        self.outer = Affine(n_units, self.writer.d_written)

    def forward(self, residual: Residual) -> Residual:
        return self.writer(super().forward(self.reader(residual)))


class LearnedEmbedding(nn.Module):
    """A learned filler for every token, scaled, with its position: √d · E[token] + code."""

    code: Float[Tensor, "pos d_learned"]

    def __init__(self, n_tokens: int, n_learned: int, n_positions: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(n_tokens, n_learned))
        even = n_learned + n_learned % 2
        code = sinusoid(even, n_positions)[:, :n_learned]
        self.register_buffer("code", code.to(torch.float64), persistent=False)

    def forward(self, tokens: Tokens, first: int = 0) -> Float[Tensor, "batch pos d_learned"]:
        filler = functional.embedding(tokens, self.table) * self.table.shape[1] ** 0.5
        return filler + self.code[first : first + tokens.shape[1]].to(filler.dtype)


class HybridOutput(Affine):
    """Written scores plus learned ones."""

    def __init__(self, layout: Layout, learn: LearnLayout) -> None:
        super().__init__(layout.width, len(layout.outputs))
        self.reader = LearnedReader(layout, learn)
        self.learned = Affine(self.reader.d_read, len(layout.outputs))

    def forward(self, source: Residual) -> Float[Tensor, "batch pos token"]:
        written = super().forward(source[..., : self.weight.shape[0]])
        return written + self.learned(self.reader(source))


class HybridClassifier(PoolClassifier):
    """Written scores of classes plus learned ones, pooled alike."""

    def __init__(self, layout: Layout, learn: LearnLayout) -> None:
        super().__init__(layout.width, len(layout.classes), layout.pool, full_precision)  # type: ignore[arg-type]
        self.width = layout.width
        self.reader = LearnedReader(layout, learn)
        self.learned = PoolClassifier(self.reader.d_read, len(layout.classes), layout.pool)  # type: ignore[arg-type]

    def forward(
        self, residual: Residual, present: Bool[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch label"]:
        """Written scores and learned ones, added up."""
        written = super().forward(residual[..., : self.width], present)
        return written + self.learned(self.reader(residual), present)


def written_groups(heads: HeadGroups) -> Iterator[RoleAttention]:
    """The groups of a layer that the program has written, wholly or in part, in their order."""
    return (group for group in heads if not isinstance(group, LearnedHeads))


def has_rules(block: Block) -> bool:
    """Whether a block has written rules."""
    layer = None if block.feed_forward is None else block.feed_forward.layer
    return layer is not None and not isinstance(layer, LearnedRules)


def written_rules(block: Block) -> FeedForward:
    """The written rules of a block that has some."""
    assert block.feed_forward is not None
    layer = block.feed_forward.layer
    rules = layer.layers[0] if isinstance(layer, Sum) else layer
    assert isinstance(rules, FeedForward)
    return rules


def _gradients(frozen: bool) -> torch.set_grad_enabled:
    return torch.set_grad_enabled(torch.is_grad_enabled() and not frozen)
