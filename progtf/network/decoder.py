"""A compiled decoder, one symbol at a time: what greedy decoding asks for."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from progtf.nn import Affine, Block, EncoderDecoder, Loop, Recall, RoundNorm, Symbols
from progtf.nn.hooks import watched
from progtf.nn.loops import UP

if TYPE_CHECKING:
    from progtf.network.model import Model

Tokens = Int[Tensor, "row step"]


def looks(model: "Model") -> list[int] | None:
    """Of each token that a decoder writes how it looks to it, where it reads of tokens no more.

    Tokens look alike that give the same to all columns that its layers and its output read: found
    out from the maps and the vectors that are there now. The end is never read.
    """
    if model.layout.kind != "seq2seq" or model.layout.learn is not None or watched(model.network):
        return None
    return model.looks.of(model.network, partial(_looks, model))


@torch.no_grad()
def _looks(model: "Model") -> list[int] | None:
    network = model.network
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
    return isinstance(block, Block) and all(isinstance(n, (nn.Identity, RoundNorm)) for n in norms)


def _own_readers(block: Block) -> Iterator[Affine]:
    """The maps that read the decoder's own residual."""
    if isinstance(block, Loop):
        yield from (each for inside in block.round for each in _own_readers(inside))
    for part in (block.attention, block.feed_forward):
        yield from () if part is None else part.layer.readers()  # type: ignore[operator]
    if block.cross is not None:
        yield from (group.dst for group in block.cross.layer)  # type: ignore[misc]


def _parts(model: "Model") -> EncoderDecoder:
    return model.network.encoder_decoder(model.pad)


class Steps:
    """A decoder that writes symbols: the tokens of the output in their order, then all others.

    So its scores are logits as they are. Prompts are symbols too; the encoder reads ids. Its state
    knows which inputs the rows are of.
    """

    def __init__(self, model: "Model", symbols: Symbols) -> None:
        self.parts = model.parts.of(model.network, partial(_parts, model))
        self.prompted = model.layout.kind == "decoder"
        self.ids, self.pad = model.embedded(model.symbol_ids), symbols.pad
        self.symbols, self.most = symbols, model.layout.lengths[1] + 1
        names = model.layout.names
        self.ends = [names.index(loop.unfinished) for loop in model.layout.loops]
        self.best: list[tuple[Tensor, ...]] = []
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
        given, place = self.given[rows], within.position
        read = (tokens != self.pad) & (place <= given + self.most - 2)
        read &= ~self.symbols.ends(tokens) | (place < given)  # and nothing behind the end
        scores = self._note(rows, read[:, None], (read & (given <= place + 1))[:, None], residual)
        return scores[:, 0], (after, rows)

    def steps(self, tokens: Tokens, state: Any) -> tuple[Tensor, Any]:
        """Scores of several steps together; of each, up to the end, the best two are kept."""
        within, rows = state
        residual, after = self.parts.go_on(self.ids[tokens], within)
        return self._note(rows, None, None, residual), (after, rows)

    def back(self, state: Any, n_steps: int) -> tuple[Any, ...]:
        """Before so many of the steps that were computed together last."""
        within, rows = state
        *others, last = self.best
        self.best = [*others, tuple(each[:, :-n_steps] for each in last)]
        return within.back(n_steps), rows

    def _note(
        self, rows: Tensor, read: Tensor | None, going: Tensor | None, residual: Tensor
    ) -> Tensor:
        """The scores; kept are the best two where it is ``going``, and open loops where it is read.

        Both are known, or are so up to the end of what the scores say.
        """
        scores = self.parts.unembed(residual)
        if read is None or going is None:
            read = going = ~self.symbols.behind_end(scores.argmax(dim=-1))
        best = scores.topk(min(2, scores.shape[-1]), dim=-1).values
        undone = (residual[..., self.ends] > UP) & read[..., None]
        self.best.append((rows[:, None].expand_as(going), going, best, undone))
        return scores

    def gaps(self) -> list[float | None]:
        """For every input the smallest distance between the best and the second-best score."""
        rows, going, best, _ = self._noted()
        if best.shape[-1] < 2:
            return [None] * len(self.given)
        gap = torch.where(going, best[:, 0] - best[:, 1], torch.inf)
        every = gap.new_full((len(self.given),), torch.inf)
        return every.scatter_reduce(0, rows, gap, "amin").tolist()

    def undone(self) -> list[list[bool]]:
        """For every input which loops did not come to their end at some place."""
        rows, _, _, undone = self._noted()
        counts = torch.zeros(len(self.given), len(self.ends), dtype=torch.long, device=rows.device)
        return (counts.index_add(0, rows, undone.long()) > 0).tolist()

    def _noted(self) -> Iterator[Tensor]:
        each = zip(*self.best, strict=True)
        return (torch.cat([part.flatten(0, 1) for part in parts]) for parts in each)
