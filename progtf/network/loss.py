"""How sure a network is of its own answers: the number that gradients are of."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from progtf.nn import present
from progtf.program.model import BOS

if TYPE_CHECKING:
    from progtf.network.model import Model

Rows = list[list[str]]
NONE = -100
"""Where nothing is answered."""


def loss_of(model: "Model", rows: Rows) -> Tensor:
    """The mean cross entropy of the answers to some texts, all positions computed at once.

    Raises:
        ValueError: if answers have no scores.
    """
    network, layout = model.network, model.layout
    if layout.writes:
        return _of_written(model, rows)
    source = model.batch(rows) if not layout.takes_vectors else None
    if source is None or (network.classifier is None and network.unembed is None):
        raise ValueError("incl_bwd: answers have no scores: give a function of `model(ids)`")
    residual, real = model.residual(source), present(source, model.pad)
    if network.classifier is not None:
        scores = network.classifier(residual, real)
        return functional.cross_entropy(scores, scores.argmax(dim=-1))
    assert network.unembed is not None
    scores = network.unembed(residual)
    return _mean(scores, scores.argmax(dim=-1).masked_fill(~real, NONE))


def _of_written(model: "Model", rows: Rows) -> Tensor:
    """Of the tokens that are written, each behind those before it."""
    said = [list(found.written or ()) for found in model.readouts([*rows])]
    alone = model.layout.kind == "decoder"
    firsts = rows if alone else [[BOS] for _ in rows]
    target = model.batch([[*first, *line][:-1] for first, line in zip(firsts, said, strict=True)])
    due = target.new_full(target.shape, NONE)
    for row, first, line in zip(due, firsts, said, strict=True):
        ids = [model.layout.outputs.index(token) for token in line]
        row[len(first) - 1 : len(first) - 1 + len(ids)] = torch.tensor(
            ids, dtype=torch.long, device=due.device
        )
    return _mean(model(target if alone else model.batch(rows), target), due)


def _mean(scores: Tensor, due: Tensor) -> Tensor:
    return functional.cross_entropy(scores.flatten(0, 1), due.flatten(), ignore_index=NONE)
