"""A network that binds by the whole tensor product made into one that binds by Hadamard products.

Appendix A.2 of Schlag et al. 2019: of v ⊗ r keep as many directions as a head has numbers, each of
them a product m ⊗ n. Then (m·v)(n·r) is a number of a Hadamard product, so that M goes into the map
of values, N into that of roles, and the output map reads what is left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from progtf.analysis.binding import Pairs, compressed, explained_together
from progtf.data.problem import Problem
from progtf.nn.attention import RoleAttention
from progtf.nn.encoder_decoder import EncoderDecoder
from progtf.program.answers import EndlessError, so_far
from progtf.training.config import Model, RunError
from progtf.training.networks import LearnedModel, build_network, load_network, publish_network
from progtf.training.places import attentions, binder, named, outer_heads, with_heads
from progtf.training.probes import bound_by

Array = NDArray[np.float64]
ROUNDS = 200
"""The most there are of fitting the three maps of a head in turns."""


class Cost(NamedTuple):
    """What a head lost, on questions by which it was not fitted.

    Attributes:
        bound: the share of the variance of v ⊗ r that its pairs of directions keep.
        update: the share of the variance of what the head writes that is still written.
    """

    bound: float
    update: float


@dataclass(frozen=True)
class Converted:
    """A network that binds by Hadamard products, and what it cost.

    Attributes:
        model: it answers questions.
        settings: what it was built from.
        costs: head by head.
        before, after: right answers in percent, on questions by which nothing was fitted.
        questions: how many these are.
    """

    model: LearnedModel
    settings: Model
    costs: dict[str, Cost]
    before: float
    after: float
    questions: int

    def save(self, folder: Path) -> None:
        """Writes it as a checkpoint.

        Raises:
            RunError: if something is there.
        """
        network = self.model.network
        assert isinstance(network, EncoderDecoder)
        publish_network(folder, self.settings, network.state_dict(), self.model.vocabulary)


def to_hadamard(folder: Path, problems: Sequence[Problem], rounds: int = ROUNDS) -> Converted:
    """The network in a checkpoint, with Hadamard products in the place of whole ones.

    Args:
        folder: a checkpoint of a ``[model]`` with ``binding = "outer"``.
        problems: questions with answers; to every second one the heads are fitted, and what that
            costs is counted on the others.
        rounds: of fitting; 0: directions stay principal ones of v ⊗ r, as the appendix has it.

    Raises:
        RunError: for a network that does not bind by whole products, and for fewer than two
            questions.
        InputError: for a question of other characters or words, or of too many.
    """
    old, settings = with_heads(folder), load_network(folder)[2]
    if not outer_heads(old):
        raise RunError(
            f'{folder}: only a network with `model.binding = "outer"` binds by whole products;'
            f" this one is of kind `{settings.kind}`, binding `{_binding(settings)}`"
        )
    fitted, others = problems[::2], problems[1::2]
    if not others:
        raise RunError("two questions are needed at least: one to fit to, and one to count on")
    settings = settings.model_copy(update={"binding": "hadamard"})
    network = build_network(settings, 0, old.vocabulary).eval()
    assert isinstance(network, EncoderDecoder)
    new = replace(old, network=network)
    _copy_others(old, new)
    costs: dict[str, Cost] = {}
    for name, attention in attentions(new).items():
        costs |= _fit(old, name, attention, (fitted, others), rounds)
    before, after = (_right(model, others) for model in (old, new))
    return Converted(new, settings, costs, before, after, len(others))


def _binding(settings: Model) -> str:
    return settings.binding if settings.kind == "tp" else "none"


def _copy_others(old: LearnedModel, new: LearnedModel) -> None:
    """Gives a network all weights of another that have the same sizes there: all but of heads."""
    assert isinstance(old.network, EncoderDecoder)
    assert isinstance(new.network, EncoderDecoder)
    weights, due = old.network.state_dict(), new.network.state_dict()
    alike = {name: each for name, each in weights.items() if each.shape == due[name].shape}
    new.network.load_state_dict(due | alike)


@torch.no_grad()
def _fit(
    old: LearnedModel, name: str, into: RoleAttention,
    problems: tuple[Sequence[Problem], Sequence[Problem]], rounds: int,
) -> dict[str, Cost]:  # fmt: skip
    """Puts the pairs of all heads of a layer in their place, and tells what they cost."""
    given = attentions(old)[name].parts()
    heads = binder(into).sizes.n_heads
    seen, held_out = (bound_by(old, name, some) for some in problems)
    query, key = (given[part] for part in ("query", "key"))
    weights = {part: _by_head(given[part], heads) for part in ("value", "role")}
    outs = np.split(_double(given["out"][0]), heads)
    pairs = [
        compressed(seen[0][:, n], seen[1][:, n], outs[n], binder(into).sizes.d_filler, rounds)
        for n in range(heads)
    ]
    parts = {
        "query": query, "key": key,
        "value": _turned(weights["value"], [each.of_filler for each in pairs]),
        "role": _turned(weights["role"], [each.of_role for each in pairs]),
        "out": (
            torch.from_numpy(np.concatenate([each.out for each in pairs])),
            given["out"][1] + torch.from_numpy(sum(each.bias for each in pairs)),
        ),
    }  # fmt: skip
    for part, views in into.parts().items():
        for view, numbers in zip(views, parts[part], strict=True):
            view.copy_(numbers)
    costs = _costs(pairs, outs, *held_out)
    return {named(name, head): cost for head, cost in enumerate(costs)}


def _costs(
    pairs: Sequence[Pairs], outs: Sequence[Array], fillers: Array, roles: Array
) -> Iterator[Cost]:
    for head, (each, out) in enumerate(zip(pairs, outs, strict=True)):
        one = fillers[:, head], roles[:, head]
        due = np.einsum("pv,pr->pvr", *one).reshape(len(fillers), -1) @ out
        yield Cost(each.bound(*one), explained_together(due, each.update(*one)))


def _by_head(part: tuple[Tensor, Tensor], heads: int) -> list[tuple[Array, Array]]:
    """Weight and bias of every head."""
    weight, bias = (np.split(_double(each), heads, axis=-1) for each in part)
    return list(zip(weight, bias, strict=True))


def _turned(part: list[tuple[Array, Array]], by: Sequence[Array]) -> tuple[Tensor, Tensor]:
    """Weights and biases of heads, followed by another map each, side by side."""
    both = ([each[n] @ map_ for each, map_ in zip(part, by, strict=True)] for n in (0, 1))
    weight, bias = (torch.from_numpy(np.concatenate(each, axis=-1)) for each in both)
    return weight, bias


def _double(tensor: Tensor) -> Array:
    return tensor.double().numpy()


def _right(model: LearnedModel, problems: Sequence[Problem]) -> float:
    """Right answers in percent."""
    tried = model.try_answers([each.question for each in problems])
    answers = (None if isinstance(each, EndlessError) else so_far(each).text for each in tried)
    right = sum(answer == due for answer, (_, due) in zip(answers, problems, strict=True))
    return 100 * right / len(problems)
