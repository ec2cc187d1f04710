"""The residual of a compiled network, layer by layer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from torch import Tensor

from progtf.compiler.layout import DenseLayout
from progtf.program.model import BOS

if TYPE_CHECKING:
    from progtf.compiler.model import Model


class Moment(NamedTuple):
    """The residual after one layer, for traces."""

    stack: str
    label: str
    tokens: tuple[str, ...]
    residual: np.ndarray


def trace(model: "Model", text: str) -> Iterator[Moment]:
    """The residual after the embedding and after every layer; a decoder reads its own answer."""
    tokens = model.reader.read(text)
    source = model.batch([tokens])
    if model.layout.kind != "decoder":
        yield from _stack(model, "encoder", source, tuple(tokens), None)
    if model.layout.kind in ("seq2seq", "decoder"):
        answer = model.answers([text])[0].text
        first = [BOS] if model.layout.kind == "seq2seq" else tokens
        written = [*first, *_parts(model, answer)]
        memory = model.residual(source) if model.layout.kind == "seq2seq" else None
        yield from _stack(model, "decoder", model.batch([written]), tuple(written), memory)


def _parts(model: "Model", answer: str) -> list[str]:
    if model.layout.tokens.endswith("chars"):
        return list(answer)
    end = model.layout.join
    return (answer.replace(end, f"{end} ") if end else answer).split()


def _stack(
    model: "Model", name: str, ids: Tensor, tokens: tuple[str, ...], memory: Tensor | None
) -> Iterator[Moment]:
    encodes = name == "encoder"
    stages = model.layout.encoder if encodes else model.layout.decoder
    labels = [s.name for s in stages for _ in range(1 if isinstance(s, DenseLayout) else s.repeat)]
    stack = model.network.encoder if encodes else model.network.decoder
    residual = model.network.embedding(model.embedded(ids))
    yield _moment(name, "embedding", tokens, residual)
    if model.network.cell is not None:
        residual = model.network.cell(residual)
        yield _moment(name, "cell", tokens, residual)
    for block, label in zip(stack.blocks, labels, strict=True):
        recall = None if memory is None else block.recall(memory, None)  # type: ignore[operator]
        residual = block(residual, None, recall)
        yield _moment(name, label, tokens, residual)


def _moment(stack: str, label: str, tokens: tuple[str, ...], residual: Tensor) -> Moment:
    return Moment(stack, label, tokens, residual[0].double().cpu().numpy())
