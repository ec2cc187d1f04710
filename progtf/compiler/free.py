"""Which written entries are trained: every other entry is no parameter at all.

A tensor with some free entries becomes a fixed tensor, which no optimiser knows, and a vector of
the free ones, which are put in their places at every step.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils import parametrize

from progtf.compiler.entries import tables
from progtf.compiler.hybrid import LearnedReader, MixedHead, WrittenHeads, WrittenRules
from progtf.compiler.layout import MarkLayout
from progtf.compiler.model import Model
from progtf.compiler.places import find, slots_of

VALUES = ("value", "role", "out", "out bias", "mat1", "bias1", "mat2", "bias2")
"""The fields of mode ``values``: all but addresses; gradients vanish where heads are sharp."""
_TENSORS = ("weight", "bias", "vectors", "recurrent")
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

    def __init__(self, fixed: Tensor, places: Iterable[int]) -> None:
        super().__init__()
        self.register_buffer("fixed", fixed.detach().clone())
        self.register_buffer("places", torch.tensor(sorted(places), device=fixed.device))

    def forward(self, free: Float[Tensor, " free"]) -> Tensor:
        return self.fixed.flatten().index_copy(0, self.places, free).view_as(self.fixed)

    def right_inverse(self, tensor: Tensor) -> Float[Tensor, " free"]:
        return tensor.flatten()[self.places]


@dataclass(frozen=True)
class FreeGroup:
    """The free entries of one layer (or of the lexicon) by name, and what they are trained at."""

    path: tuple[str, ...]
    marks: tuple[MarkLayout, ...]
    learning_rate: float


def written_parameters(model: Model) -> Iterator[tuple[nn.Module, str]]:
    """Every tensor that holds written weights, as its module and its name there."""
    seen: set[tuple[int, str]] = set()
    for slots in slots_of(model).values():
        for slot in slots:
            if (id(slot.module), slot.name) not in seen:
                yield slot.module, slot.name
            seen.add((id(slot.module), slot.name))
    network = model.network
    if network.output is not None:
        yield from ((network.output, name) for name in ("weight", "bias"))
    if network.classifier is not None:
        yield from ((network.classifier.score, name) for name in ("weight", "bias"))
    for module in network.modules():  # no table names a mixed head's or an outer product's rest
        if isinstance(module, WrittenHeads):
            yield from ((module.out, name) for name in ("weight", "bias"))


def fix_written(model: Model) -> None:
    """Fixes written weights: no optimiser changes a weight that asks for no gradient."""
    for module, name in list(written_parameters(model)):
        getattr(module, name).requires_grad_(False)


def fix_hybrid(model: Model) -> Model:
    """The model; if it leaves something to training, what is written is fixed."""
    if model.layout.learn is not None or model.layout.marks:
        fix_written(model)
    return model


def entries_of_mode(model: Model, path: tuple[str, ...], mode: str) -> Iterator[MarkLayout]:
    """The written entries below ``path`` that a mode trains, as if each were marked ``~``."""
    for table in tables(model):
        if table.path[: len(path)] != path or table.field in ("numbers", "score"):
            continue
        if mode == "values" and table.field not in VALUES:
            continue
        field = "out" if table.field == "out bias" else table.field
        for source, target in table.entries:
            if "*" not in source:
                yield MarkLayout(table.path, field, source, target, "~")


def free_entries(
    model: Model, groups: Iterable[FreeGroup], seed: int
) -> list[tuple[nn.Parameter, float]]:
    """Makes written weights fixed, but for the marked entries, which become parameters.

    Entries marked ``?`` that count nothing yet get a small random number.

    Returns:
        The new parameters, each with the lowest learning rate of the entries in it.
    """
    slots = slots_of(model)
    wanted: dict[tuple[int, str], _Wanted] = {}
    for group in groups:
        for mark in group.marks:
            slot = find(slots, mark.path, mark.field, mark.source)
            tensor = wanted.setdefault((id(slot.module), slot.name), _Wanted(slot.module))
            tensor.places.setdefault(slot.number(mark.source, mark.target), mark.mark)
            tensor.rates.add(group.learning_rate)
    fix_written(model)
    generator = torch.Generator().manual_seed(seed)
    return [
        (_free(tensor.module, name, tensor.places, generator), min(tensor.rates))
        for (_, name), tensor in wanted.items()
    ]


@dataclass
class _Wanted:
    """The free entries of one tensor: their places and marks, and their learning rates."""

    module: nn.Module
    places: dict[int, str] = field(default_factory=dict[int, str])
    rates: set[float] = field(default_factory=set[float])


def _free(
    module: nn.Module, name: str, places: dict[int, str], generator: torch.Generator
) -> nn.Parameter:
    tensor = getattr(module, name)
    with torch.no_grad():
        for place in sorted(p for p, mark in places.items() if mark == "?"):
            if tensor.flatten()[place] == 0:
                start = torch.randn((), generator=generator) * SPREAD
                tensor.flatten()[place] = start.to(tensor.dtype)
    parametrize.register_parametrization(module, name, Free(tensor, places))
    free: nn.Parameter = module.parametrizations[name].original  # type: ignore[index, union-attr]
    free.requires_grad_()
    return free


def let_gradients_pass(model: Model, *, passing: bool) -> None:
    """Whether gradients pass through written parts, which costs time and is needed if something
    before them is trained.
    """
    for module in model.network.modules():
        if isinstance(module, (LearnedReader, WrittenHeads, WrittenRules, MixedHead)):
            module.frozen = not passing


def whole(model: Model) -> Model:
    """The model with ordinary tensors again: what is saved."""
    with torch.random.fork_rng(devices=[]):  # first weights are drawn, for nothing
        plain = Model(model.layout)
    source = model.network
    state = dict(plain.stored_as(source.embedding.vectors.dtype).network.state_dict())
    with torch.no_grad():
        for name, tensor in state.items():
            module_name, _, leaf = name.rpartition(".")
            tensor.copy_(getattr(source.get_submodule(module_name), leaf))
    return plain
