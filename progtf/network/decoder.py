"""A compiled decoder, one symbol at a time: what greedy decoding asks for."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.equality import compared
from progtf.nn import Affine, Block, EncoderDecoder, Loop, Recall, RoundNorm, Symbols
from progtf.nn.hooks import watched
from progtf.nn.loops import UP

if TYPE_CHECKING:
    from progtf.network.model import Model

Tokens = Int[Tensor, "row step"]
There = Bool[Tensor, "row step"]


def looks(model: "Model") -> list[int] | None:
    """Of each token that a decoder writes how it looks to it, where it reads of tokens no more.

    Tokens look alike that give the same to all columns that its layers and its output read: found
    out from the maps and the vectors that are there now. The end is never read.
    """
    if model.layout.kind != "seq2seq" or model.layout.learn is not None or watched(model.at_work):
        return None
    return model.looks.of(model.at_work, partial(_looks, model))


@torch.no_grad()
def _looks(model: "Model") -> list[int] | None:
    network = model.at_work
    assert network.unembed is not None
    maps = [network.unembed, *(each for block in network.decoder for each in _own_readers(block))]
    columns = [each.reads for each in maps]
    columns += [each.asks() for each in network.decoder if isinstance(each, Loop)]
    if any(not _plain(block) for block in network.decoder) or any(c is None for c in columns):
        return None
    end = model.marks.end
    others = [symbol for symbol in range(len(model.output_ids)) if symbol != end]
    written = model.embedded(model.output_ids[others])
    vectors = network.embedding(written[:, None])[:, 0].index_select(
        -1, torch.cat(columns).unique()
    )
    found = vectors.unique(dim=0, return_inverse=True)[1].tolist() if others else []
    return [found.pop(0) if symbol != end else 0 for symbol in range(len(model.output_ids))]


def _plain(block: nn.Module) -> bool:
    """Whether what one column reads of the residual depends on that column alone."""
    parts = (getattr(block, name, None) for name in ("attention", "cross", "feed_forward"))
    norms = (part.before for part in parts if part is not None)
    if isinstance(block, Loop):
        return all(map(_plain, block.round))
    return isinstance(block, Block) and all(n is None or isinstance(n, RoundNorm) for n in norms)


def _own_readers(block: Block) -> Iterator[Affine]:
    """The maps that read the decoder's own residual."""
    if isinstance(block, Loop):
        yield from (each for inside in block.round for each in _own_readers(inside))
    for part in (block.attention, block.feed_forward):
        yield from () if part is None else part.layer.readers()  # type: ignore[operator]
    if block.cross is not None:
        yield from (group.dst for group in block.cross.layer)  # type: ignore[misc]


def _parts(model: "Model") -> EncoderDecoder:
    return model.at_work.encoder_decoder(model.pad)


@compared
class Noted(NamedTuple):
    """What is kept of some steps of some inputs.

    Attributes:
        rows: the inputs.
        best: the two best scores.
        undone: loops that have not come to their end, if there are loops.
        read: where a symbol is read that counts; going: where one is due. Or both are known from
        written: the symbols, up to the end.
    """

    rows: Int[Tensor, " row"]
    best: Float[Tensor, "row step best"]
    undone: Bool[Tensor, "row step loop"] | None = None
    read: There | None = None
    going: There | None = None
    written: Tokens | None = None

    def before(self, n_steps: int) -> "Noted":
        """Without the last steps."""
        rows, best, *others = self
        cut = (None if each is None else each[:, :-n_steps] for each in others)
        return Noted(rows, best[:, :-n_steps], *cut)


def joined(some: list[Noted]) -> Noted:
    """Steps of the same inputs, one after another."""
    if len(some) == 1:
        return some[0]
    best = torch.cat([each.best for each in some], dim=1)
    others = zip(*(each[2:] for each in some), strict=True)
    both = (None if each[0] is None else torch.cat(each, dim=1) for each in others)
    return Noted(some[0].rows, best, *both)


def _two_best(scores: Float[Tensor, "row step symbol"]) -> Float[Tensor, "row step best"]:
    return scores.topk(min(2, scores.shape[-1]), dim=-1).values


class Steps:
    """A decoder that writes symbols: the tokens of the output in their order, then all others.

    So its scores are logits as they are. Prompts are symbols too; the encoder reads ids. Its state
    knows which inputs the rows are of.
    """

    def __init__(self, model: "Model", symbols: Symbols) -> None:
        self.parts = model.parts.of(model.at_work, partial(_parts, model))
        self.prompted = model.layout.kind == "decoder"
        self.ids, self.pad = model.embedded(model.symbol_ids), symbols.pad
        self.symbols, self.most = symbols, model.layout.lengths[1] + 1
        names = model.layout.names
        self.ends = [names.index(loop.unfinished) for loop in model.layout.loops]
        self.best: list[Noted] = []
        self.memory: Tensor | None = None

    def start(self, source: Tensor) -> Any:
        """Where decoding begins: the encoder has read the source, or there is only a prompt."""
        rows = torch.arange(len(source), device=source.device)
        if self.prompted:
            self.given = (source != self.pad).sum(dim=1)
            empty = tuple(Recall() for _ in self.parts.decoder.blocks)
            return self.parts.start(self.ids[source])._replace(recalls=empty), rows
        self.given = torch.ones_like(rows)
        self.memory, real = self.parts.encode(source)
        return self.parts.begin(self.parts.decoder.recalls(self.memory, real)), rows

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Scores of the next symbol, one row an input; the best two are kept."""
        within, rows = state
        residual, after = self.parts.go_on(self.ids[tokens[:, None]], within)
        scores = self.parts.unembed(residual)
        self._note(rows, tokens, within.position, residual, scores)
        return scores[:, 0], (after, rows)

    def _note(
        self, rows: Tensor, tokens: Tensor, place: int, residual: Tensor, scores: Tensor
    ) -> None:
        """Keeps what one step at a place came to."""
        given = self.given[rows]
        read = (tokens != self.pad) & (place <= given + self.most - 2)
        read &= ~self.symbols.ends(tokens) | (place < given)  # and nothing behind the end
        going = (read & (given <= place + 1))[:, None]
        undone = self._undone(residual)
        self.best.append(Noted(rows, _two_best(scores), undone, read[:, None], going))

    def steps(self, tokens: Tokens, state: Any) -> tuple[Tokens, Any]:
        """The likeliest symbols of several steps together; up to the end, the best two are kept."""
        within, rows = state
        residual, after = self.parts.go_on(self.ids[tokens], within)
        scores = self.parts.unembed(residual)
        written = scores.argmax(dim=-1)
        self.best.append(Noted(rows, _two_best(scores), self._undone(residual), written=written))
        return written, (after, rows)

    def back(self, state: Any, n_steps: int) -> tuple[Any, ...]:
        """Before so many of the steps that were computed together last."""
        within, rows = state
        self.best[-1] = self.best[-1].before(n_steps)
        return within.back(n_steps), rows

    def _undone(self, residual: Tensor) -> Tensor | None:
        """Which loops have not come to their end, at each place."""
        return residual[..., self.ends] > UP if self.ends else None

    def gaps(self) -> list[float | None]:
        """For every input the smallest distance between the best and the second-best score."""
        every = torch.full(
            (len(self.given),), torch.inf, device=self.given.device, dtype=torch.float32
        )
        for noted, _, going in self._noted():
            if noted.best.shape[-1] < 2:
                return [None] * len(self.given)
            gap = (noted.best[..., 0] - noted.best[..., 1]).masked_fill(~going, torch.inf)
            least = gap.amin(dim=1)
            every = every.to(least).scatter_reduce(0, noted.rows, least, "amin")
        return every.tolist()

    def undone(self) -> list[list[bool]]:
        """For every input which loops did not come to their end at some place."""
        if not self.ends:
            return [[]] * len(self.given)
        counts = torch.zeros(len(self.given), len(self.ends), dtype=torch.long, device="cpu")
        counts = counts.to(self.given.device)
        for noted, read, _ in self._noted():
            assert noted.undone is not None
            here = noted.undone & read[..., None]
            counts.index_add_(0, noted.rows, here.sum(dim=1))
        return (counts > 0).tolist()

    def _noted(self) -> Iterator[tuple[Noted, There, There]]:
        """What was kept, where a symbol is read that counts, and where one is due."""
        for _, some in groupby(self.best, key=lambda each: (id(each.rows), each.written is None)):
            noted = joined([*some])
            read, going = noted.read, noted.going
            if noted.written is not None:
                read = going = ~self.symbols.behind_end(noted.written)
            assert read is not None
            assert going is not None
            yield noted, read, going


class Whole(Steps):
    """The same by calling the model as others do, each step with all that is written so far.

    So forward hooks on the model, on its network and on its decoder see what calls of their own
    would show them. Its state is the source, what is written, and which inputs the rows are of.
    """

    def __init__(self, model: "Model", symbols: Symbols) -> None:
        super().__init__(model, symbols)
        self.model = model

    def start(self, source: Tensor) -> Any:
        """Where decoding begins: nothing is computed yet."""
        rows = torch.arange(len(source), device=source.device)
        none = source.new_empty(len(source), 0)
        if self.prompted:
            self.given = (source != self.pad).sum(dim=1)
            return self.ids[source], none, rows
        self.given = torch.ones_like(rows)
        return source, none, rows

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Scores of the next symbol, one row an input; the best two are kept."""
        source, before, rows = state
        written = torch.cat([before, tokens[:, None]], dim=1)
        every, (memory, residual) = self.model.called(source, self.ids[written])
        if self.memory is None and not self.prompted:
            self.memory = memory
        scores = every[:, -1:]
        self._note(rows, tokens, before.shape[1], residual[:, -1:], scores)
        return scores[:, 0], (source, written, rows)
