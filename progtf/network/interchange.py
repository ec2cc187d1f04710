"""Interchange interventions: a seme of one text in the place of the same seme of another.

What the network answers then is held against what the program means (Geiger et al. 2021).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from progtf.equality import compared
from progtf.network.model import Model
from progtf.network.names import layers
from progtf.nn.inside import Inside
from progtf.nn.points import Function, Hook
from progtf.program.answers import EndlessError
from progtf.program.changes import swapped
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.weights.circuit import written_last
from progtf.weights.lower import lower
from progtf.weights.weights import Weights


@dataclass(frozen=True)
class Pair:
    """One text with a seme of another.

    Attributes:
        base, source: the texts.
        plain: the program's answer to the base as it is.
        meant: its answer with the source's seme: the counterfactual one.
        network: the network's with the seme; random: with a random subspace in its place.
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
        """The same share where a random subspace was swapped in the seme's place."""
        return self._share([pair.random == pair.meant for pair in self.pairs if pair.counts])

    @staticmethod
    def _share(right: list[bool]) -> float:
        return sum(right) / len(right) if right else float("nan")


@compared
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
        drawn = torch.randn(
            self.directions.shape, generator=generator, dtype=torch.float64, device="cpu"
        )
        return Subspace(self.point, torch.linalg.qr(drawn).Q)


def interchange(
    model: Inside,
    program: Program,
    base: str | Sequence[str],
    source: str | Sequence[str],
    seme: str,
    seed: int,
    subspace: Subspace | None,
) -> Interchange:
    """What `progtf.interchange` gives; without a subspace the seme's own column is swapped."""
    bases, sources = paired(base, source)
    layer, name = place_of(lower(program), seme)
    own = subspace or column(model, layer, name)
    parts = own, own.at_random(seed)
    meant = _meant(program, bases, sources, layer, name)
    return Interchange(name, layer, tuple(
        Pair(one, other, *said, *_swapped(model, one, other, parts))
        for one, other, said in zip(bases, sources, meant, strict=True)
    ))  # fmt: skip


def column(model: Inside, layer: str, seme: str) -> Subspace:
    """Where a seme stands in a model that has it.

    Raises:
        ValueError: for a network without semes.
    """
    if not isinstance(model, Model):
        hint = "a network without semes needs a `subspace` that is held to be one"
        raise ValueError(hint)  # noqa: TRY004  what is wrong is that nothing was given
    layout = model.layout
    point = next(each.point for each in layers(layout) if each.name == layer)
    place = torch.tensor([layout.columns.index(seme)], dtype=torch.long, device="cpu")
    return Subspace(
        point, torch.eye(layout.d_residual, dtype=torch.float32, device="cpu")[:, place]
    )


def _swapped(model: Inside, base: str, source: str, parts: Sequence[Subspace]) -> Iterator[str]:
    """The answers to a text with parts of another's residual, each alone."""
    for part in parts:
        _, cache = model.run_with_cache(source, [part.point])
        if cache[part.point].dim() > len(("batch", "pos", "d_model")):
            raise ValueError(f"{part.point}: a loop has one value a round; swap it behind the loop")
        with model.hooked([(part.point, put(cache[part.point], part.directions))]):
            said = _said(model, base)
        yield said


def put(
    theirs: Float[Tensor, "batch pos d_model"], directions: Float[Tensor, "d_model k"]
) -> Function:
    """What puts another residual's part in a subspace in the place of one's own, where it goes."""
    across = directions.to(theirs) @ directions.to(theirs).mT

    def swap(residual: Tensor, hook: Hook) -> Tensor:
        given = theirs[:, hook.first : hook.first + residual.shape[1]]
        mine = residual[:, : given.shape[1]]
        changed = residual.clone()
        changed[:, : given.shape[1]] = mine - mine @ across + given @ across
        return changed

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
    if isinstance(said, EndlessError):
        return f"error: {said}: {said.answer.text}"
    return f"error: {said}" if isinstance(said, InputError) else said.text  # type: ignore[attr-defined]
