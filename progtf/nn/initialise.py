"""Initial weights: as the published code draws them, and as the paper says."""

from typing import Literal

from torch import Tensor, nn

from progtf.nn.attention import RoleAttention
from progtf.nn.embedding import RoleEmbedding, SymbolEmbedding
from progtf.nn.feedforward import FeedForward

Scheme = Literal["published", "paper"]


def initialise(model: nn.Module, scheme: Scheme) -> None:
    """Draws the weights; biases stay U(±1/√d_in), as torch and the published code have them.

    ``published``, what the code does: E and the role map of Eq. 2 are N(0, 1/√d_model), attention
    with roles U(±1/√d_model), attention without roles and feed-forward Xavier uniform.
    ``paper``, what the text says: E is N(0, 1), the role map of Eq. 2 N(1, 1), all other maps
    Xavier uniform.
    """
    for part in model.modules():
        match part:
            case SymbolEmbedding():
                _normal(part.table, 0.0, scheme, part.table.shape[1])
            case RoleEmbedding():
                _normal(part.role.weight, 1.0, scheme, part.role.weight.shape[0])
            case RoleAttention():
                _attention(part, scheme)
            case FeedForward():
                nn.init.xavier_uniform_(part.inner.weight)
                nn.init.xavier_uniform_(part.outer.weight)
            case _:
                pass


def _normal(weight: Tensor, paper_mean: float, scheme: Scheme, d_model: int) -> None:
    if scheme == "paper":
        nn.init.normal_(weight, mean=paper_mean, std=1.0)
    else:
        nn.init.normal_(weight, std=d_model**-0.5)


def _attention(attention: RoleAttention, scheme: Scheme) -> None:
    """The published TP code defines Xavier but never calls it; the plain baseline does."""
    parts = attention.parts()
    has_roles = parts["role"][0].numel() > 0
    for weight, _ in parts.values():
        if weight.numel() and (scheme == "paper" or not has_roles):
            nn.init.xavier_uniform_(weight)
        elif weight.numel():
            bound = weight.shape[0] ** -0.5
            nn.init.uniform_(weight, -bound, bound)
