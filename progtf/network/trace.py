"""The residual of a compiled network, layer by layer, as hooks see it."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

from torch import Tensor, nn

from progtf.nn import Loop
from progtf.nn.transformer import Stack
from progtf.program.answers import so_far
from progtf.program.loops import by_loop
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
    written = [*first, *_parts(model, so_far(*model.try_answers([text])).text)]
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
        layout, network = model.layout, model.network
        self.seen: list[tuple[nn.Module, np.ndarray]] = []
        self.labels: dict[nn.Module, str] = {network.embedding: "embedding"}
        self.labels |= {} if network.cell is None else {network.cell: "cell"}
        self.labels |= _labels(network.encoder, layout.encoder)
        self.labels |= _labels(network.decoder, layout.decoder)
        self.embedding = network.embedding
        for part in self.labels:
            self.enter_context(part.register_forward_hook(self._note))

    def _note(self, part: nn.Module, _given: object, residual: Tensor) -> None:
        self.seen.append((part, residual[0].double().cpu().numpy()))

    def moments(
        self, read: "list[str] | tuple[()]", written: "list[str] | tuple[()]"
    ) -> Iterator[Step]:
        """What was noted, with the names of the parts; a stack begins with the embedding."""
        stacks = [("encoder", tuple(read))] if read else []
        stacks += [("decoder", tuple(written))] if written else []
        begun = -1
        for part, residual in self.seen:
            begun += part is self.embedding
            stack, tokens = stacks[begun]
            yield Step(stack, self.labels[part], tokens, residual)


def _labels(blocks: Stack, stages: tuple[Stage, ...]) -> dict[nn.Module, str]:
    labels: dict[nn.Module, str] = {}
    left = iter(blocks)
    for run in by_loop(stages):
        inside = left
        if run[0].loop is not None:
            whole = next(left)
            assert isinstance(whole, Loop)
            labels[whole], inside = run[0].loop.name, iter(whole.round)
        for stage in run:
            labels |= dict.fromkeys(islice(inside, stage.repeat), stage.name)
    return labels
