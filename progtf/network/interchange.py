"""Interchange interventions: a seme of one text in the place of the same seme of another.

What the network answers then is held against what the program means (Geiger et al. 2021).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from progtf.network.names import layers
from progtf.nn.inside import Inside
from progtf.nn.points import Function, Hook
from progtf.program.changes import swapped
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import InputError, Reader
from progtf.running.interpret import Interpreter
from progtf.weights.circuit import written_last
from progtf.weights.lower import lower
from progtf.weights.weights import Weights

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


@dataclass(frozen=True)
class Subspace:
    """A part of a residual.

    Attributes:
        point: where it is seen, as ``encoder.blocks.0.hook_resid_post``.
        directions: d_model k, orthonormal.
    """

    point: str
    directions: Float[Tensor, "d_model k"]

    def at_random(self, seed: int) -> "Subspace":
        """Another one of as many dimensions."""
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randn(self.directions.shape, generator=generator, dtype=torch.float64)
        return Subspace(self.point, torch.linalg.qr(drawn).Q)


def interchange(
    model: "Model",
    program: Program,
    base: str | Sequence[str],
    source: str | Sequence[str],
    seme: str,
    seed: int,
) -> Interchange:
    """What `progtf.interchange` gives of a model with the semes of the program."""
    bases, sources = paired(base, source)
    layer, name = place_of(model.weights, seme)
    point = next(each.point for each in layers(model.layout) if each.name == layer)
    pairs: list[Pair] = []
    for one, other, (plain, meant) in zip(
        bases, sources, _meant(program, bases, sources, layer, name), strict=True
    ):
        with model.hooked([(point, _random(model, other, point, seed))]):
            by_chance = _said(model, one)
        network = _said(model.patch({layer: {name: swapped(other)}}), one)
        pairs.append(Pair(one, other, plain, meant, network, by_chance))
    return Interchange(name, layer, tuple(pairs))


def interchange_within(
    model: Inside,
    program: Program,
    texts: tuple[list[str], list[str]],
    seme: str,
    seed: int,
    subspace: Subspace,
) -> Interchange:
    """The same of any network that takes several texts, whose subspace is held to be the seme.

    ``texts``: bases and sources.
    """
    bases, sources = texts
    layer, name = place_of(lower(program), seme)
    reader = Reader.of(interface_of(program))
    lengths = [[len(reader.read(text)) for text in some] for some in texts]
    shorter = torch.tensor(lengths).amin(dim=0)
    both = torch.arange(int(torch.tensor(lengths).max())) < shorter[:, None]
    answers = [
        _exchanged(model, [*bases, *sources], part, both)
        for part in (subspace, subspace.at_random(seed))
    ]
    meant = _meant(program, bases, sources, layer, name)
    pairs = (
        Pair(one, other, plain, due, own, chance)
        for one, other, (plain, due), own, chance in zip(
            bases, sources, meant, *answers, strict=True
        )
    )
    return Interchange(name, layer, tuple(pairs))


def _exchanged(model: Inside, texts: list[str], part: Subspace, both: Bool[Tensor, "..."]) -> Any:
    function = exchanged(part.directions, both)
    return model.run_with_hooks(texts, [(part.point, function)])[: len(both)]


def exchanged(directions: Float[Tensor, "d_model k"], both: Bool[Tensor, "base pos"]) -> Function:
    """What puts the second half of a batch into the first: in a subspace, at tokens of both."""

    def swap(residual: Tensor, hook: Hook) -> Tensor:
        del hook
        across, half = directions.to(residual), len(both)
        more = (residual[half:] - residual[:half]) @ across @ across.mT
        return torch.cat([residual[:half] + more * both[..., None], residual[half:]])

    return swap


def paired(base: str | Sequence[str], source: str | Sequence[str]) -> tuple[list[str], list[str]]:
    """Texts and sources as lists; raises ValueError if they are not as many."""
    bases, sources = ([t] if isinstance(t, str) else list(t) for t in (base, source))
    if len(bases) != len(sources):
        raise ValueError(f"{len(bases)} texts are given, and {len(sources)} sources")
    return bases, sources


def _meant(
    program: Program, bases: list[str], sources: list[str], layer: str, seme: str
) -> Iterator[tuple[str, str]]:
    """The program's answers, as they are and with the seme of the source."""
    interpreter = Interpreter(program)
    for one, other in zip(bases, sources, strict=True):
        patched = interpreter.patch({layer: {seme: swapped(other)}})
        yield _said(interpreter, one), _said(patched, one)


def place_of(weights: Weights, seme: str) -> tuple[str, str]:
    """Layer and seme; raises ValueError for a seme that nothing writes."""
    for layer in layers(weights.layout):
        name = seme.removeprefix(f"{layer.name}.")
        if name != seme and name in weights.layout.columns:
            return layer.name, name
    return written_last(weights, seme), seme


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
