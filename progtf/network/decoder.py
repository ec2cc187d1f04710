"""A compiled decoder, one symbol at a time: what greedy decoding asks for."""

from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from progtf.nn import Recall, Symbols

if TYPE_CHECKING:
    from progtf.network.model import Model

Row = Int[Tensor, " row"]


class Steps:
    """A decoder that writes symbols: the tokens of the output in their order, then all others.

    So its scores are logits as they are. Prompts are symbols too; the encoder reads ids. Its state
    knows which inputs the rows are of.
    """

    def __init__(self, model: "Model", symbols: Symbols) -> None:
        self.parts = model.network.encoder_decoder(model.pad)
        self.prompted = model.layout.kind == "decoder"
        self.ids, self.pad = model.embedded(model.symbol_ids), symbols.pad
        self.best: list[tuple[Row, Row, Float[Tensor, "row two"]]] = []
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
        scores, after = self.parts.step(self.ids[tokens], within)
        going = (tokens != self.pad) & (self.given[rows] <= within.position + 1)
        self.best.append((rows, going, scores.topk(min(2, scores.shape[-1]), dim=-1).values))
        return scores, (after, rows)

    def gaps(self) -> list[float | None]:
        """For every input the smallest distance between the best and the second-best score."""
        rows, going, best = map(torch.cat, zip(*self.best, strict=True))
        if best.shape[-1] < 2:
            return [None] * len(self.given)
        gap = torch.where(going, best[:, 0] - best[:, 1], torch.inf)
        every = gap.new_full((len(self.given),), torch.inf)
        return every.scatter_reduce(0, rows, gap, "amin").tolist()
