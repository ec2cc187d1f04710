"""The residual of a compiled network, layer by layer, as hooks see it."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from torch import Tensor, nn

from progtf.program.model import BOS
from progtf.running.trace import Step
from progtf.weights.layout import Stage

if TYPE_CHECKING:
    import numpy as np

    from progtf.network.model import Model


def trace(model: "Model", text: str) -> list[Step]:
    """The residual after the embedding and after every layer; a decoder reads its own answer."""
    tokens = model.reader.read(text)
    layout, network, source = model.layout, model.network, model.batch([tokens])
    if not layout.writes:
        with _Watch(model) as watch:
            network.encode(source, model.pad)
        return list(watch.moments(tokens, ()))
    first = [BOS] if layout.kind == "seq2seq" else tokens
    written = [*first, *_parts(model, model.answers([text])[0].text)]
    with _Watch(model) as watch:
        if layout.kind == "seq2seq":
            model(source, model.batch([written]))
        else:
            network.decoder(network.embedding(model.batch([written])))
    return list(watch.moments(tokens if layout.kind == "seq2seq" else (), written))


def _parts(model: "Model", answer: str) -> list[str]:
    if model.layout.tokens.endswith("chars"):
        return list(answer)
    end = model.layout.join
    return (answer.replace(end, f"{end} ") if end else answer).split()


class _Watch(ExitStack):
    """Notes what the embedding, the cell and every block give, in order."""

    def __init__(self, model: "Model") -> None:
        super().__init__()
        self.layout = model.layout
        network = model.network
        self.seen: list[np.ndarray] = []
        parts = {network.embedding, network.cell, *network.encoder, *network.decoder} - {None}
        for part in parts:
            self.enter_context(part.register_forward_hook(self._note))  # type: ignore[union-attr]

    def _note(self, _module: nn.Module, _given: object, residual: Tensor) -> None:
        self.seen.append(residual[0].double().cpu().numpy())

    def moments(
        self, read: "list[str] | tuple[()]", written: "list[str] | tuple[()]"
    ) -> Iterator[Step]:
        """What was noted, with the names of the parts."""
        cell = ["cell"] if self.layout.activation is not None else []
        labels: list[tuple[str, str, tuple[str, ...]]] = []
        if read:
            parts = ["embedding", *cell, *_labels(self.layout.encoder)]
            labels += [("encoder", label, tuple(read)) for label in parts]
        if written:
            parts = ["embedding", *_labels(self.layout.decoder)]
            labels += [("decoder", label, tuple(written)) for label in parts]
        for label, residual in zip(labels, self.seen, strict=True):
            yield Step(*label, residual)


def _labels(stages: tuple[Stage, ...]) -> list[str]:
    return [stage.name for stage in stages for _ in range(stage.repeat)]
