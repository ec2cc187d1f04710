"""A compiled decoder, one symbol at a time: what greedy decoding asks for."""

from typing import TYPE_CHECKING, Any

from torch import Tensor

from progtf.nn import Recall

if TYPE_CHECKING:
    from progtf.network.model import Model


class Steps:
    """A decoder that writes symbols: the tokens of the output in their order, then all others.

    So its scores are logits as they are. Prompts are symbols too; the encoder reads ids.
    """

    def __init__(self, model: "Model") -> None:
        self.parts = model.network.encoder_decoder(model.pad)
        self.prompted = model.layout.kind == "decoder"
        self.rows = model.embedded(model.symbol_ids)
        self.gaps: list[Tensor] = []
        self.memory: Tensor | None = None

    def start(self, source: Tensor) -> Any:
        """Where decoding begins: the encoder has read the source, or there is only a prompt."""
        if self.prompted:
            empty = tuple(Recall() for _ in self.parts.decoder.blocks)
            return self.parts.start(self.rows[source])._replace(recalls=empty)
        self.memory, real = self.parts.encode(source)
        return self.parts.begin(self.parts.decoder.recalls(self.memory, real))

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Scores of the next symbol, one row an input; their gaps are kept."""
        scores, state = self.parts.step(self.rows[tokens], state)
        self.gaps.append(scores.topk(min(2, scores.shape[-1]), dim=-1).values)
        return scores, state

    def gap(self) -> float | None:
        """The smallest distance between the best and the second-best score so far."""
        pairs = [pair for pair in self.gaps if pair.shape[-1] > 1]
        return min((float((pair[:, 0] - pair[:, 1]).min()) for pair in pairs), default=None)
