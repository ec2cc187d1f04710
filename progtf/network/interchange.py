"""Interchange interventions: a seme of one text in the place of the same seme of another.

What the network answers then is held against what the program means (Geiger et al. 2021).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from progtf.network.names import layers
from progtf.nn.points import Function, Hook
from progtf.program.changes import swapped
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.weights.circuit import written_last

if TYPE_CHECKING:
    from progtf.network.model import Model


@dataclass(frozen=True)
class Pair:
    """One text with a seme of another.

    Attributes:
        base, source: the texts.
        plain: the program's answer to the base as it is.
        meant: its answer with the source's seme: the counterfactual one.
        network: the network's with the seme; random: with a random direction in its place.
    """

    base: str
    source: str
    plain: str
    meant: str
    network: str
    random: str

    @property
    def counts(self) -> bool:
        """Whether the swap matters: to leave all as it is would be wrong."""
        return self.meant != self.plain


@dataclass(frozen=True)
class Interchange:
    """How often a network answers as its program means when a seme is swapped.

    Attributes:
        seme: what was swapped; layer: behind which layer.
        pairs: all pairs.
    """

    seme: str
    layer: str
    pairs: tuple[Pair, ...]

    @property
    def counted(self) -> int:
        """The pairs in which the swap matters."""
        return sum(pair.counts for pair in self.pairs)

    @property
    def agreement(self) -> float:
        """The share of these in which the network answers as the program means."""
        return self._share([pair.network == pair.meant for pair in self.pairs if pair.counts])

    @property
    def control(self) -> float:
        """The same share where a random direction was swapped in the seme's place."""
        return self._share([pair.random == pair.meant for pair in self.pairs if pair.counts])

    @staticmethod
    def _share(right: list[bool]) -> float:
        return sum(right) / len(right) if right else float("nan")


def interchange(
    model: "Model",
    program: Program,
    base: str | Sequence[str],
    source: str | Sequence[str],
    seme: str,
    seed: int,
) -> Interchange:
    """What `progtf.interchange` gives, of a program that is one."""
    bases, sources = ([t] if isinstance(t, str) else list(t) for t in (base, source))
    if len(bases) != len(sources):
        raise ValueError(f"{len(bases)} texts are given, and {len(sources)} sources")
    layer, name = _place(model, seme)
    interpreter = Interpreter(program)
    pairs: list[Pair] = []
    for one, other in zip(bases, sources, strict=True):
        patch = {layer: {name: swapped(other)}}
        point = next(each.point for each in layers(model.layout) if each.name == layer)
        with model.hooked([(point, _random(model, other, point, seed))]):
            by_chance = _said(model, one)
        plain, meant = _said(interpreter, one), _said(interpreter.patch(patch), one)
        network = _said(model.patch(patch), one)
        pairs.append(Pair(one, other, plain, meant, network, by_chance))
    return Interchange(name, layer, tuple(pairs))


def _place(model: "Model", seme: str) -> tuple[str, str]:
    """Layer and seme."""
    for layer in layers(model.layout):
        name = seme.removeprefix(f"{layer.name}.")
        if name != seme and name in model.layout.columns:
            return layer.name, name
    return written_last(model.weights, seme), seme


def _said(who: object, text: str) -> str:
    """The answer, or why there is none."""
    tried: Sequence[object] = who.try_answers([text])  # type: ignore[attr-defined]
    (said,) = tried
    return f"error: {said}" if isinstance(said, InputError) else said.text  # type: ignore[attr-defined]


def _random(model: "Model", source: str, point: str, seed: int) -> Function:
    """What swaps a random direction of the residual."""
    _, cache = model.run_with_cache(source, [point])
    theirs = cache[point][0]
    generator = torch.Generator().manual_seed(seed)
    direction = torch.randn(theirs.shape[-1], generator=generator, dtype=torch.float64)
    direction = (direction / direction.norm()).to(theirs)

    def swap(residual: Tensor, hook: Hook) -> Tensor:
        last = min(hook.first + residual.shape[1], len(theirs))
        count = max(0, last - hook.first)
        more = (theirs[hook.first : last] - residual[:, :count]) @ direction
        changed = residual.clone()
        changed[:, :count] += more[..., None] * direction
        return changed

    return swap
