"""Which written numbers are trained: every other one is no parameter at all.

A tensor with some free entries becomes a fixed tensor, which no optimiser knows, and a vector of
the free ones, which are put in their places at every step. Of a choice (`one of`) the vector has a
score for every alternative: the likeliest one counts 1, the others 0, so that a network is always
one that can be written.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils import parametrize
from torch.nn.utils.rnn import pad_sequence

from progtf.equality import compared
from progtf.network.lay import Held, Ints
from progtf.weights.maps import CHOICE, MARKS, Key

SPREAD = 0.1


class Free(nn.Module):
    """A tensor whose entries at ``places`` are trained and whose others are fixed.

    A choice of which all scores are 0 is not made, and counts nothing.

    Shapes:
        fixed    as the tensor
        places   free                numbers in the flattened tensor
        choices  choice alternative  numbers in the vector of free entries, -1 behind the last
        rows     choice              of the tensor: the tokens that choose
        drawn    choice              which alternatives count in place of the likeliest, if any do
        forward  free -> as the tensor
    """

    fixed: Tensor
    places: Int[Tensor, " free"]
    choices: Int[Tensor, "choice alternative"]
    rows: Int[Tensor, " choice"]
    drawn: Int[Tensor, " choice"] | None = None

    def __init__(self, fixed: Tensor, places: Ints, chosen: Ints) -> None:
        super().__init__()
        self.register_buffer("fixed", fixed.detach().clone())
        self.register_buffer("places", torch.from_numpy(places).to(fixed.device))
        rows = chosen // max(fixed.shape[-1], 1)
        members = [np.flatnonzero(np.isin(places, chosen[rows == row])) for row in np.unique(rows)]
        padded = [torch.from_numpy(each) for each in members] or [torch.zeros(0, dtype=torch.long)]
        choices = pad_sequence(padded, batch_first=True, padding_value=-1)[: len(members)]
        self.register_buffer("choices", choices.to(fixed.device), persistent=False)
        kept = torch.from_numpy(np.unique(rows)).to(fixed.device)
        self.register_buffer("rows", kept, persistent=False)

    def forward(self, free: Float[Tensor, " free"]) -> Tensor:
        numbers = self._decided(free) if len(self.choices) else free
        return self.fixed.flatten().index_copy(0, self.places, numbers).view_as(self.fixed)

    def right_inverse(self, tensor: Tensor) -> Float[Tensor, " free"]:
        return tensor.flatten()[self.places]

    def scores(self, free: Float[Tensor, " free"]) -> Float[Tensor, "choice alternative"]:
        """The scores of all alternatives, -inf where there is none."""
        return free[self.choices].masked_fill(self.choices < 0, -torch.inf)

    def _decided(self, free: Float[Tensor, " free"]) -> Float[Tensor, " free"]:
        """The free entries, of each choice 1 for what counts and 0 for the others."""
        scores = self.scores(free.detach())
        picked = scores.argmax(dim=-1) if self.drawn is None else self.drawn
        made = (scores.nan_to_num(neginf=0.0) != 0).any(dim=-1)
        winners = self.choices.gather(1, picked[:, None])[:, 0][made]
        return free.index_fill(0, self.choices[self.choices >= 0], 0.0).index_fill(0, winners, 1.0)


@compared
@dataclass(frozen=True)
class FreeTensor:
    """The trained entries of one tensor.

    Attributes:
        parameter: their numbers.
        entries: of each number, the map that it is of, and its number there.
        free: what puts them in their places.
    """

    parameter: nn.Parameter
    entries: tuple[tuple[Key, int], ...]
    free: Free


def fix(held: Iterable[Held]) -> None:
    """Fixes what is written; of that, what is marked becomes parameters."""
    for each in held:
        for name, places, chosen in _marked(each):
            tensor = getattr(each.module, name)
            if isinstance(tensor, nn.Parameter):
                delattr(each.module, name)
                each.module.register_buffer(name, tensor.detach())
            if len(places):
                _set_free(each.module, name, places, chosen)


def _set_free(module: nn.Module, name: str, places: Ints, chosen: Ints) -> None:
    tensor = getattr(module, name)
    delattr(module, name)
    setattr(module, name, nn.Parameter(tensor))
    parametrize.register_parametrization(module, name, Free(tensor, places, chosen))
    assert isinstance(module.parametrizations, nn.ModuleDict)
    module.parametrizations[name].original.requires_grad_()  # type: ignore[operator, union-attr]


def _marked(held: Held) -> Iterator[tuple[str, Ints, Ints]]:
    """Each tensor, and the places of marked entries in it; those of them that are chosen from."""
    marks = [each.map for each in held.pieces if each.map.marks.any()]
    every, chosen = (
        np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *places]))
        for places in (
            [held.places[each.key][each.marks != 0] for each in marks],
            [held.places[each.key][each.marks == CHOICE] for each in marks],
        )
    )
    first = 0
    for name in held.names:
        last = first + getattr(held.module, name).numel()
        inside, among = (some[(some >= first) & (some < last)] - first for some in (every, chosen))
        yield name, inside, among
        first = last


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
                yield FreeTensor(known.original, tuple(_entries(each, places)), known[0])  # type: ignore[arg-type, index]
            first += size


def _entries(held: Held, places: Ints) -> Iterator[tuple[Key, int]]:
    found = {
        int(place): (key, number)
        for key, every in held.places.items()
        for number, place in enumerate(every)
    }
    return (found[int(place)] for place in places)


def draw_marked(held: Iterable[Held], seed: int) -> None:
    """Gives entries that are learned and count nothing yet a small random number, or score."""
    every = list(held)
    marks = {p.map.key: p.map.marks for each in every for p in each.pieces}
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for free in free_tensors(every):
            for place, (key, number) in enumerate(free.entries):
                if MARKS[marks[key][number]] in ("?", "one of") and free.parameter[place] == 0:
                    start = (
                        torch.randn((), generator=generator, dtype=torch.float32, device="cpu")
                        * SPREAD
                    )
                    free.parameter[place] = start.to(free.parameter.dtype)
