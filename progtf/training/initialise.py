"""Random numbers for everything that is learned, in the way of the published TP-Transformer.

``begin`` and ``trainable`` prepare a compiled model for a training loop of one's own.
"""

import torch
from torch import nn

from progtf.network.free import draw_marked
from progtf.network.learned import (
    HybridScores,
    LearnedEmbedding,
    LearnedHeads,
    LearnedMap,
    LearnedRules,
    LearnedWriter,
    MixedHead,
)
from progtf.network.model import Model
from progtf.network.network import Network
from progtf.nn import Affine, PoolClassifier
from progtf.nn.making import making


def begin(model: Model, seed: int = 1) -> Model:
    """Draws the first weights of everything that is learned, and returns the model.

    For a model that was just compiled: one that was trained would forget.
    """
    initialise_learned(model.network, seed)
    return model


def trainable(model: Model, seed: int = 1) -> list[nn.Parameter]:
    """The parameters to be trained: those that are learned, and the entries marked ``~`` and ``?``.

    Everything else of the model is fixed. A second call returns the same parameters.

    Args:
        model: a compiled one, or one from a folder.
        seed: of the first numbers of entries marked ``?``.
    """
    network, learn = model.network, model.layout.learn
    if not network.weights.hybrid:
        model.requires_grad_(requires_grad=False)
    soft = network.weights.has_marks() or (learn is not None and not learn.protect)
    network.let_gradients_pass(passing=soft)
    draw_marked(network.held, seed)
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def initialise_learned(network: Network, seed: int) -> None:
    """Draws all learned weights but those of single marked entries.

    Rows that read written semes begin at 0, so that a seme that never occurs in training changes
    nothing later; so do the learned scores, so that a hybrid begins as its program. Roles begin
    about 1, as Schlag et al. 2019 have it for Eq. 2: a head passes on what it finds, and learns to
    bind it. With roles about 0, what a head finds is lost at first (a small matter: the hybrids of
    experiment a need 600, 800 and 650 steps then, and 500, 600 and 700 so).
    """
    with making(seed), torch.no_grad():
        for part in network.modules():
            _draw(part)


def _draw(part: nn.Module) -> None:
    match part:
        case LearnedEmbedding():
            nn.init.normal_(part.table, std=part.table.shape[1] ** -0.5)
        case LearnedHeads():
            _draw_heads(part)
        case MixedHead():
            _uniform(part.value, part.role, part.asks, part.out)
            if part.role is not None:
                part.role.bias.add_(1.0)
        case LearnedRules():
            nn.init.xavier_uniform_(part.inner.weight)
            nn.init.xavier_uniform_(part.outer.weight)
            _begin_at_nothing(part.inner)
            _begin_at_nothing(part.outer)
        case HybridScores(learned=PoolClassifier(score=affine) | (Affine() as affine)):
            affine.weight.zero_()
        case _:
            pass


def _draw_heads(part: LearnedHeads) -> None:
    assert isinstance(part.dst, LearnedMap)
    assert isinstance(part.src, LearnedMap)
    _uniform(part.dst, part.src, part.out)
    (heads,) = part
    part.dst.bias[heads.dst_columns[0] :].add_(1.0)


def _uniform(*maps: Affine | None) -> None:
    """U(±1/√d_in), as torch and the published code have it, but for semes."""
    for affine in maps:
        if affine is not None:
            bound = affine.weight.shape[0] ** -0.5
            nn.init.uniform_(affine.weight, -bound, bound)
            nn.init.uniform_(affine.bias, -bound, bound)
            _begin_at_nothing(affine)


def _begin_at_nothing(affine: Affine) -> None:
    """Rows of semes that are read are 0, and so is what is added to semes without ``protect``."""
    if isinstance(affine, LearnedMap):
        affine.weight[: affine.reader.n_semes] = 0.0
    if isinstance(affine, LearnedWriter):
        affine.weight[:, : affine.n_semes] = 0.0
        affine.bias[: affine.n_semes] = 0.0
