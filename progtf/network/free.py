"""Which written numbers are trained: every other one is no parameter at all.

A tensor with some free entries becomes a fixed tensor, which no optimiser knows, and a vector of
the free ones, which are put in their places at every step.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils import parametrize

from progtf.network.lay import Held, Ints
from progtf.weights.maps import MARKS, Key

SPREAD = 0.1


class Free(nn.Module):
    """A tensor whose entries at ``places`` are trained and whose others are fixed.

    Shapes:
        fixed    as the tensor
        places   free            numbers in the flattened tensor
        forward  free -> as the tensor
    """

    fixed: Tensor
    places: Int[Tensor, " free"]

    def __init__(self, fixed: Tensor, places: Ints) -> None:
        super().__init__()
        self.register_buffer("fixed", fixed.detach().clone())
        self.register_buffer("places", torch.from_numpy(places).to(fixed.device))

    def forward(self, free: Float[Tensor, " free"]) -> Tensor:
        return self.fixed.flatten().index_copy(0, self.places, free).view_as(self.fixed)

    def right_inverse(self, tensor: Tensor) -> Float[Tensor, " free"]:
        return tensor.flatten()[self.places]


@dataclass(frozen=True)
class FreeTensor:
    """The trained entries of one tensor.

    Attributes:
        parameter: their numbers.
        entries: of each number, the map that it is of, and its number there.
    """

    parameter: nn.Parameter
    entries: tuple[tuple[Key, int], ...]


def fix(held: Iterable[Held]) -> None:
    """Fixes what is written; of that, what is marked becomes parameters."""
    for each in held:
        for name, places in _marked(each):
            tensor = getattr(each.module, name)
            if isinstance(tensor, nn.Parameter):
                delattr(each.module, name)
                each.module.register_buffer(name, tensor.detach())
            if len(places):
                _set_free(each.module, name, places)


def _set_free(module: nn.Module, name: str, places: Ints) -> None:
    tensor = getattr(module, name)
    delattr(module, name)
    setattr(module, name, nn.Parameter(tensor))
    parametrize.register_parametrization(module, name, Free(tensor, places))
    assert isinstance(module.parametrizations, nn.ModuleDict)
    module.parametrizations[name].original.requires_grad_()  # type: ignore[operator, union-attr]


def _marked(held: Held) -> Iterator[tuple[str, Ints]]:
    """Each tensor, and the places of marked entries in it."""
    marks = [each.map for each in held.pieces if each.map.marks.any()]
    places = [held.places[each.key][each.marks != 0] for each in marks]
    every = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *places]))
    first = 0
    for name in held.names:
        size = getattr(held.module, name).numel()
        yield name, every[(every >= first) & (every < first + size)] - first
        first += size


def free_tensors(held: Iterable[Held]) -> Iterator[FreeTensor]:
    """The tensors of which some entries are trained."""
    for each in held:
        if not parametrize.is_parametrized(each.module):
            continue
        assert isinstance(each.module.parametrizations, nn.ModuleDict)
        first = 0
        for name in each.names:
            size = getattr(each.module, name).numel()
            if name in each.module.parametrizations:
                known = each.module.parametrizations[name]
                places = known[0].places.cpu().numpy() + first  # type: ignore[index, union-attr]
                yield FreeTensor(known.original, tuple(_entries(each, places)))  # type: ignore[arg-type]
            first += size


def _entries(held: Held, places: Ints) -> Iterator[tuple[Key, int]]:
    found = {
        int(place): (key, number)
        for key, every in held.places.items()
        for number, place in enumerate(every)
    }
    return (found[int(place)] for place in places)


def draw_marked(held: Iterable[Held], seed: int) -> None:
    """Gives entries marked ``?`` that count nothing yet a small random number."""
    every = list(held)
    marks = {p.map.key: p.map.marks for each in every for p in each.pieces}
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for free in free_tensors(every):
            for place, (key, number) in enumerate(free.entries):
                if MARKS[marks[key][number]] == "?" and free.parameter[place] == 0:
                    start = torch.randn((), generator=generator) * SPREAD
                    free.parameter[place] = start.to(free.parameter.dtype)
