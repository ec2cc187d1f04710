"""Weights to a network: the layers that a layout calls for, with the numbers in them."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from progtf.network.embedding import Embedding
from progtf.network.heads import Head, address_of, pattern_of, written_attention
from progtf.network.lay import Held, Laid, Piece, filled, gathered, laid, scattered, shared
from progtf.network.learned import HybridScores, LearnedHeads, LearnedMap, LearnedRules, MixedHead
from progtf.nn import (
    Affine,
    Block,
    CausalLoop,
    Columns,
    Dense,
    FeedForward,
    HeadGroups,
    Loop,
    PoolClassifier,
    RoleAttention,
    RoundNorm,
    SplitNorm,
    Stack,
    Sublayer,
    Sum,
    VanillaRNN,
    full_precision,
    full_products,
)
from progtf.nn.points import UNSEEN, Unseen
from progtf.program.loops import by_loop
from progtf.program.model import Loop as LoopOfLayers
from progtf.weights.layout import DenseLayout, HeadLayout, LayerLayout, Layout, LearnLayout
from progtf.weights.layout import Stack as StackName
from progtf.weights.maps import Key, Map, Path
from progtf.weights.weights import Weights

Residual = Float[Tensor, "batch pos d_model"]


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
    """A norm of the first dimensions; the others pass through."""

    def __init__(self, norm: nn.Module, width: int) -> None:
        super().__init__()
        self.norm, self.width = norm, width

    def forward(self, residual: Residual) -> Residual:
        """The residual, its part normalised."""
        written = self.norm(residual[..., : self.width])
        return torch.cat([written, residual[..., self.width :]], dim=-1)


class Replace(Block):
    """A block that is one layer without a residual connection."""

    def __init__(self, layer: CarryClocks) -> None:
        super().__init__()
        self.layer = layer

    def forward(
        self, residual: Residual, *_given: object, points: Unseen = UNSEEN, **_options: object
    ) -> Residual:
        """The layer's output in place of the residual; nothing is kept between steps."""
        replaced = self.layer(points.residual("hook_resid_pre", residual))
        return points.residual("hook_resid_post", replaced)


class Builder:
    """Makes the parts of one network, and notes what they hold."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.layout = weights, weights.layout
        self.held: list[Held] = []

    def embedding(self) -> Embedding:
        """The rows of tokens, of unknown ones and of padding, and those of spelling."""
        width, n_rows = self.layout.width, len(self.layout.lexicon) + 2
        tables = [
            (name, Piece.at(each, bias=False), size)
            for name, path, size in (
                ("vectors", ("lexicon",), n_rows),
                ("spelled", ("spelling",), len(self.layout.spelling.marks)),
            )
            if (each := self._map((path, "vector"))) is not None
        ]
        tensors = {name: filled([piece], size, width)[0] for name, piece, size in tables}
        empty = torch.zeros(0, width, dtype=torch.float64, device="cpu")
        made = Embedding(self.layout, tensors["vectors"], tensors.get("spelled", empty))
        self.held += [Held.of(made, (name,), [piece]) for name, piece, _ in tables]
        return made

    def cell(self) -> VanillaRNN | None:
        """The cell of a recurrent network."""
        given, again = (self._map((("cell",), field)) for field in ("input", "recurrent"))
        if given is None or again is None:
            return None
        width, activation = self.layout.width, self.layout.activation
        cell = VanillaRNN(0, 0, activation, full_precision)  # type: ignore[arg-type]
        cell.inputs = self._kept(laid([Piece.at(given)], width, width))
        piece = Piece.at(again, bias=False)
        cell.recurrent = nn.Parameter(filled([piece], width, width)[0])
        self.held.append(Held.of(cell, ("recurrent",), [piece]))
        return cell

    def stack(self, name: StackName) -> Stack:
        """An encoder or a decoder; a repeated layer is one block, used several times."""
        blocks: list[Block] = []
        for run in by_loop(placed for placed in self.layout.stages() if placed.stack == name):
            inside: list[Block] = []
            for _, _, path, stage in run:
                inside += [self._block(path, stage, causal=name == "decoder")] * stage.repeat
            loop = run[0].loop
            causal = name == "decoder"
            blocks += inside if loop is None else [self._loop(inside, loop, causal=causal)]
        closing = self.layout.learn is not None and self.layout.norm == "split"
        return Stack(blocks, norm_of(self.layout) if closing else None)

    def _loop(self, inside: list[Block], loop: LoopOfLayers, *, causal: bool) -> Loop:
        until, end = map(self.layout.names.index, (loop.until, loop.unfinished))
        resets, asked = (
            tuple(map(self.layout.names.index, some)) for some in (loop.resets, loop.asked)
        )
        told = Columns(until, end, resets, asked)
        return (CausalLoop if causal else Loop)(inside, loop.most, told, none=loop.none)

    def _block(self, path: Path, stage: LayerLayout | DenseLayout, *, causal: bool) -> Block:
        if isinstance(stage, DenseLayout):
            maps = [self.weights.maps[path, "weights"], self.weights.maps[path, "bias"]]
            pieces = [Piece.at(each, bias=not each.sources) for each in maps]
            affine = self._kept(laid(pieces, self.layout.width, self.layout.width))
            dense = Dense(affine, relu=stage.relu, precision=full_precision)
            return Replace(CarryClocks(dense, self.layout.semes))
        own = self._heads(path, stage.own, stage, causal=causal)
        cross = None
        if causal and self.layout.kind == "seq2seq":
            cross = self._heads(path, stage.cross, stage, causal=False)
        rules, norm = self._rules((*path, "feedforward"), stage), norm_of
        return Block(
            own and Sublayer(own, norm(self.layout)),
            cross and Sublayer(cross, norm(self.layout)),
            rules and Sublayer(rules, norm(self.layout)),
        )

    def _heads(
        self, path: Path, layouts: tuple[HeadLayout, ...], stage: LayerLayout, *, causal: bool
    ) -> HeadGroups | None:
        """Written heads, those with a written address, then learned ones."""
        heads = [Head(each, self.weights.at((*path, each.label))) for each in layouts]
        groups: list[RoleAttention] = []
        if written := [head for head in heads if not head.layout.learned]:
            attention, held = written_attention(self.weights, written, causal=causal)
            groups.append(attention)
            self.held += held
        if (learn := self.layout.learn) is not None:
            mixed = (head for head in heads if head.layout.learned)
            groups += [self._mixed(head, learn, causal=causal) for head in mixed]
            if stage.learned is not None:
                groups.append(LearnedHeads(self.layout, learn, stage.learned[0], causal=causal))
        return HeadGroups(groups) if groups else None

    def _mixed(self, head: Head, learn: LearnLayout, *, causal: bool) -> MixedHead:
        learned = dict(head.layout.learned)
        *query, key = (self._kept(laid) for laid in address_of(head))
        pattern, held = pattern_of([head], learned["value"] or learn.semes, causal=causal)
        self.held.append(held)
        asks = query[0] if query else None
        return MixedHead(self.layout, learn, head.layout, pattern, asks, key)

    def _rules(self, path: Path, stage: LayerLayout) -> nn.Module | None:
        """Written rules, then learned ones."""
        layers: list[nn.Module] = []
        if (path, "mat1") in self.weights.maps:
            layers.append(self._written_rules(path))
        if stage.learned is not None and self.layout.learn is not None:
            layers.append(LearnedRules(self.layout, self.layout.learn, stage.learned[1]))
        if not layers:
            return None
        return Sum(layers) if len(layers) > 1 else layers[0]

    def _written_rules(self, path: Path) -> FeedForward:
        maps = self.weights.maps
        n_units = len(maps[path, "mat1"].targets)
        outer = [Piece.at(maps[path, "mat2"], bias=False), Piece.at(maps[path, "bias2"])]
        return FeedForward(
            self._kept(shared(maps[path, "mat1"], maps[path, "bias1"])),
            self._kept(scattered(outer, n_units)),
            precision=full_precision,
        )

    def unembed(self) -> nn.Module | None:
        """Scores of tokens."""
        return self._scores(("output",), len(self.layout.outputs))

    def classifier(self) -> nn.Module | None:
        """Scores of classes."""
        return self._scores(("classify",), len(self.layout.classes), pool=self.layout.pool)

    def _scores(self, path: Path, count: int, pool: str | None = None) -> nn.Module | None:
        each = self._map((path, "score"))
        if each is None:
            return None
        written = self._kept(gathered([Piece.at(each)], count))
        written.precision = full_products
        scores: nn.Module = written
        if pool is not None:
            scores = PoolClassifier(written, pool, full_precision)  # type: ignore[arg-type]
        if self.layout.learn is None:
            return scores
        learned = LearnedMap(self.layout, self.layout.learn, count)
        return HybridScores(scores, learned if pool is None else PoolClassifier(learned, pool))  # type: ignore[arg-type]

    def _map(self, key: Key) -> Map | None:
        return self.weights.maps.get(key)

    def _kept(self, laid: Laid) -> Affine:
        affine, held = laid
        self.held.append(held)
        return affine


def norm_of(layout: Layout) -> nn.Module | None:
    """What sub-layers read the residual through; None: they read it as it is."""
    match layout.norm:
        case "layer":
            return _within(nn.LayerNorm(layout.width, elementwise_affine=False), layout)
        case "round":
            hands = 2 * len(layout.clocks)
            return _within(RoundNorm(len(layout.space) - hands), layout)
        case "split" if layout.d_residual > len(layout.space):
            return SplitNorm(layout.d_residual, range(len(layout.space), layout.d_residual))
        case _:
            return None


def _within(norm: nn.Module, layout: Layout) -> nn.Module:
    return norm if layout.learn is None else NormOfPart(norm, layout.width)
