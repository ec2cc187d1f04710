"""Random numbers for everything that is learned, in the way of the published TP-Transformer."""

import torch
from torch import nn

from progtf.compiler.hybrid import (
    HybridClassifier,
    HybridOutput,
    LearnedEmbedding,
    LearnedHeads,
    LearnedReader,
    LearnedRules,
    LearnedWriter,
    MixedHead,
)
from progtf.compiler.model import Model
from progtf.nn import Affine


def initialise_learned(model: Model, seed: int) -> None:
    """Draws all learned weights but those of single marked entries.

    Rows that read written semes begin at 0, so that a seme that never occurs in training changes
    nothing later; so do the learned scores, so that a hybrid begins as its program. Roles begin
    about 1, as Schlag et al. 2019 have it for Eq. 2: a head passes on what it finds, and learns to
    bind it. With roles about 0, what a head finds is lost at first (a small matter: the hybrids of
    experiment a need 600, 800 and 650 steps then, and 500, 600 and 700 so).
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        for part in model.network.modules():
            _draw(part)


def _draw(part: nn.Module) -> None:
    match part:
        case LearnedEmbedding():
            nn.init.normal_(part.table, std=part.table.shape[1] ** -0.5)
        case LearnedHeads():
            for affine in (part.dst, part.src):
                _uniform(affine, part.reader)
            _uniform(part.out, None)
            _write_nothing(part.out, part.writer)
            part.dst.bias[part.dst_columns[0] :].add_(1.0)
        case MixedHead():
            _mixed(part)
        case LearnedRules():
            nn.init.xavier_uniform_(part.inner.weight)
            nn.init.xavier_uniform_(part.outer.weight)
            part.inner.weight[: part.reader.n_semes] = 0.0
            _write_nothing(part.outer, part.writer)
        case HybridOutput():
            part.learned.weight.zero_()
        case HybridClassifier():
            part.learned.score.weight.zero_()
        case _:
            pass


def _mixed(head: MixedHead) -> None:
    for affine in (head.value, head.role, head.asks):
        if affine is not None:
            _uniform(affine, head.reader)
    _uniform(head.out, None)
    _write_nothing(head.out, head.writer)
    if head.role is not None:
        head.role.bias.add_(1.0)


def _write_nothing(affine: Affine, writer: LearnedWriter) -> None:
    """Without ``protect`` learned parts begin by adding 0 to written semes."""
    affine.weight[:, : writer.n_semes] = 0.0
    affine.bias[: writer.n_semes] = 0.0


def _uniform(affine: Affine, reader: LearnedReader | None) -> None:
    """U(±1/√d_in), as torch and the published code have it; rows of semes are 0."""
    bound = affine.weight.shape[0] ** -0.5
    nn.init.uniform_(affine.weight, -bound, bound)
    nn.init.uniform_(affine.bias, -bound, bound)
    if reader is not None:
        affine.weight[: reader.n_semes] = 0.0
