"""What is learned beside what is written: who reads which dimensions, and who writes to which.

The residual of a hybrid is the residual of its program with the learned dimensions behind it.
Written maps read and write the first of the two alone; learned parts read the semes that they are
said to read, and the learned dimensions.
"""

from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn import (
    Affine,
    FeedForward,
    Hadamard,
    Heads,
    HeadSizes,
    Pattern,
    RoleAttention,
    ScaledSoftmax,
    Unbound,
    full_precision,
    sinusoid,
)
from progtf.weights.layout import HeadLayout, Layout, LearnLayout

Tokens = Int[Tensor, "batch pos"]
Residual = Float[Tensor, "batch pos d_residual"]
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


class LearnedMap(Affine):
    """A learned map from what learned parts read."""

    def __init__(self, layout: Layout, learn: LearnLayout, d_out: int) -> None:
        reader = LearnedReader(layout, learn)
        super().__init__(reader.d_read, d_out)
        self.reader = reader

    def read(self, source: Residual) -> Read:
        """The semes and the learned dimensions that are read."""
        return self.reader(source)


class LearnedWriter(Affine):
    """A learned map to learned dims alone, or, without ``protect``, to semes as well.

    Attributes:
        n_semes: how many semes are among what is written; they stand first.
    """

    def __init__(self, layout: Layout, learn: LearnLayout, d_in: int) -> None:
        self_semes = 0 if learn.protect else layout.semes
        learned = torch.arange(layout.width, layout.d_residual)
        writes = torch.cat([torch.arange(self_semes), learned])
        super().__init__(d_in, len(writes), writes=writes)
        self.n_semes = self_semes


class LearnedHeads(RoleAttention):
    """Learned heads with roles (Schlag et al. 2019) beside written ones."""

    def __init__(self, layout: Layout, learn: LearnLayout, n_heads: int, *, causal: bool) -> None:
        size = learn.semes // n_heads
        binding = Unbound() if layout.binding == "none" else Hadamard()
        sizes = HeadSizes(layout.d_residual, n_heads, size, size)
        names = tuple(f"learned {number}" for number in range(1, n_heads + 1))
        heads = Heads(sizes, ScaledSoftmax(causal=causal), binding, names)
        super().__init__(
            [heads],
            LearnedMap(layout, learn, sum(heads.dst_columns)),
            LearnedMap(layout, learn, sum(heads.src_columns)),
            LearnedWriter(layout, learn, heads.d_bound),
        )


class Beside(nn.Module):
    """Maps of the same source, their images side by side, in the format of the widest."""

    def __init__(self, *maps: nn.Module) -> None:
        super().__init__()
        self.maps = nn.ModuleList(maps)

    def forward(self, source: Residual) -> Float[Tensor, "batch pos d_out"]:
        return torch.cat([each(source) for each in self.maps], dim=-1)


class MixedHead(RoleAttention):
    """One head with a written address and a learned filler, perhaps a learned role or query.

    Args:
        query: the written query; None: it is learned.
        key: the written key.
        head: which of its fields are learned, and their sizes; 0: as wide as the learned semes.

    Attributes:
        maps: the learned maps by field.
    """

    def __init__(
        self, layout: Layout, learn: LearnLayout, head: HeadLayout,
        pattern: Pattern, query: Affine | None, key: Affine,
    ) -> None:  # fmt: skip
        learned = dict(head.learned)
        d_key, d_filler = key.bias.shape[0], learned["value"] or learn.semes
        binding = Hadamard() if "role" in learned else Unbound()
        sizes = HeadSizes(layout.width, 1, d_key, d_filler)
        heads = Heads(sizes, pattern, binding, (head.called,))
        value = LearnedMap(layout, learn, d_filler)
        role = LearnedMap(layout, learn, d_filler) if "role" in learned else None
        for written in filter(None, (query, key)):
            written.precision = full_precision
        asks = LearnedMap(layout, learn, d_key) if query is None else query
        dst = Beside(asks) if role is None else Beside(asks, role)
        out = LearnedWriter(layout, learn, d_filler)
        super().__init__([heads], dst, Beside(key, value), out)

    @property
    def value(self) -> LearnedMap:
        """What is retrieved."""
        return cast("LearnedMap", cast("Beside", self.src).maps[1])

    @property
    def role(self) -> LearnedMap | None:
        """What it is bound to, if it is bound."""
        maps = cast("Beside", self.dst).maps
        return cast("LearnedMap", maps[1]) if len(maps) > 1 else None

    @property
    def asks(self) -> LearnedMap | None:
        """The learned query, if the query is not written."""
        (first, *_) = cast("Beside", self.dst).maps
        return first if isinstance(first, LearnedMap) else None


class LearnedRules(FeedForward):
    """Learned hidden units beside written ones."""

    def __init__(self, layout: Layout, learn: LearnLayout, n_units: int) -> None:
        super().__init__(LearnedMap(layout, learn, n_units), LearnedWriter(layout, learn, n_units))


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


class HybridScores(nn.Module):
    """Written scores, of tokens or of pooled classes, plus learned ones."""

    def __init__(self, written: nn.Module, learned: nn.Module) -> None:
        super().__init__()
        self.written, self.learned = written, learned

    def forward(self, *given: Tensor) -> Float[Tensor, "..."]:
        """Written scores and learned ones, added up."""
        return self.written(*given) + self.learned(*given)
