"""What heads of a learned network bind, and what they keep of what they are given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.binding import Kept, Shares, kept, shares
from progtf.analysis.roles import Labels, clusters
from progtf.data.problem import Problem
from progtf.equality import compared
from progtf.training.networks import LearnedModel
from progtf.training.places import ROLES, VALUES, attentions, binder, head_of, named, outer_heads
from progtf.training.states import DECODER, ENCODER, MAPS, Pattern, patterns, seen, tokens

Array = NDArray[np.float64]


class Cluster(NamedTuple):
    """A cluster of role vectors.

    Attributes:
        number: its own.
        share: of all positions.
        symbols: what stands there most, with its share of the cluster.
    """

    number: int
    share: float
    symbols: tuple[tuple[str, float], ...]


@compared
@dataclass(frozen=True)
class Clustered:
    """The role vectors of one head in clusters.

    Attributes:
        head: its name.
        of: ``roles``, or ``values`` of a head that has none.
        texts: of every question, or answer, its symbols, both ends with them.
        labels: the clusters of these.
        clusters: the largest first.
        maps: of the first texts, where this head looks.
    """

    head: str
    of: str
    texts: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[int, ...], ...]
    clusters: tuple[Cluster, ...]
    maps: tuple[Pattern, ...] = ()

    @property
    def decoder(self) -> bool:
        """Whether the head is one of the decoder, and the texts are answers."""
        return self.head.startswith(DECODER)


def cluster_head(
    model: LearnedModel, problems: Sequence[Problem], name: str | None, count: int,
    side: str = ENCODER, *, most: int = 5,
) -> Clustered:  # fmt: skip
    """Section 5.1 of Schlag et al. 2019: k-means of the role vectors of one head, at every symbol.

    Args:
        model: a network; of one without roles what its heads retrieve is divided.
        problems: questions, with the answers that a decoder is given.
        name: of the head; None: the first of the last layer.
        count: of clusters.
        side: of a name that has none.
        most: symbols that are told of each cluster.

    Raises:
        RunError: for a name that is none.
        InputError: for a question of other characters or words, or of too many.
    """
    whole, place = head_of(model, name, side)
    point = f"{place.heads}.{ROLES}"
    of = "roles" if point in model.hooks() else "values"
    point = point if of == "roles" else f"{place.heads}.{VALUES}"
    ((number, rows),) = seen(model, [point], problems)
    labels = clusters(rows[:, place.head], count)
    texts = tokens(problems, place.side, model.vocabulary.cut)
    told = tuple(_told([one for text in texts for one in text], labels, most))
    each = tuple(tuple(labels[number == n].tolist()) for n in range(len(texts)))
    maps = tuple(patterns(model, *place, problems[:MAPS]))
    return Clustered(whole, of, tuple(map(tuple, texts)), each, told, maps)


def _told(symbols: Sequence[str], labels: Labels, most: int) -> Iterator[Cluster]:
    numbers, counts = np.unique(labels, return_counts=True)
    every = np.array(symbols, dtype=object)
    for place in np.argsort(-counts, kind="stable").tolist():
        here, often = np.unique(every[labels == numbers[place]].astype(str), return_counts=True)
        first = np.argsort(-often, kind="stable")[:most]
        shown = tuple((str(here[n]), float(often[n] / counts[place])) for n in first)
        yield Cluster(int(numbers[place]), float(counts[place] / len(labels)), shown)


def states_told(model: LearnedModel, problems: Sequence[Problem]) -> dict[str, Kept]:
    """Section 6.1: how well the encoder's last state is told from one head's value of it.

    These heads are the decoder's, which read that state. The map is fitted on the first half of the
    positions, and scored on the others, at the symbols of questions without their ends.

    Raises:
        InputError: for a question of other characters or words, or of too many.
    """
    crossing = {name: part for name, part in attentions(model).items() if name.endswith("cross")}
    last = [name for name in model.hooks() if _ends_encoder(name)][-1]
    points = [last, *(f"{name}.hook_v" for name in crossing)]
    inner = _inner(model, problems)
    states, *values = (rows[inner] for _, rows in seen(model, points, problems))
    fitted = np.arange(len(states)) < len(states) // 2
    return {
        named(name, head): kept(rows[:, head], states, fitted)
        for name, rows in zip(crossing, values, strict=True)
        for head in range(rows.shape[1])
    }


def _ends_encoder(name: str) -> bool:
    return name.startswith(f"{ENCODER}.") and name.endswith("hook_resid_post")


def _inner(model: LearnedModel, problems: Sequence[Problem]) -> NDArray[np.bool_]:
    """Which positions of an encoder are no ends."""
    texts = tokens(problems, ENCODER, model.vocabulary.cut)
    return np.concatenate([[False, *[True] * len(text[1:-1]), False] for text in texts])


def pairs_of_directions(model: LearnedModel, problems: Sequence[Problem]) -> dict[str, Shares]:
    """Appendix A.2: what of the variance of v ⊗ r some directions keep, by head of the encoder.

    As many are kept as roles have numbers, at the symbols of questions without their ends. There is
    nothing to be told of a network that does not bind by the whole product: then there is no head.
    """
    found: dict[str, Shares] = {}
    inner = _inner(model, problems)
    for name, heads in outer_heads(model).items():
        if name.startswith(ENCODER):
            fillers, roles = bound_by(model, name, problems)
            for head in range(heads.sizes.n_heads):
                one = fillers[inner, head], roles[inner, head]
                found[named(name, head)] = shares(*one, roles.shape[-1])
    return found


def bound_by(model: LearnedModel, name: str, problems: Sequence[Problem]) -> tuple[Array, Array]:
    """What the heads of a layer retrieve, and what they bind it to: position head d, twice."""
    heads = binder(attentions(model)[name])
    points = [f"{name}.{VALUES}", f"{name}.{ROLES}"]
    (_, fillers), (_, roles) = seen(model, points, problems)
    return fillers, roles[..., : heads.binding.d_role(heads.sizes.d_filler)]  # filled up with 0
