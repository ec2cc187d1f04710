"""What vectors at positions tell: clusters of them, and how well these agree with what is known.

Schlag et al. 2019, section 5.1, clustered the role vectors of one head by k-means and looked at
them. Here agreement is counted, as the adjusted mutual information of clusters and known values
(Vinh et al. 2010): 1 for the same division, 0 on average for one by chance.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.equality import compared

STARTS = 10
"""Of k-means, of which the best is taken."""
MOST_VALUES = 20
DECIMALS = 3
"""Values of semes that lie closer are the same."""
Vectors = NDArray[np.float64]
Labels = NDArray[np.int64]


@compared
class Positions(NamedTuple):
    """The positions of questions, one after another.

    Attributes:
        question: which question each belongs to.
        character: what stands there.
        counted: whether agreement is counted there.
    """

    question: Labels
    character: Sequence[str]
    counted: NDArray[np.bool_]


def clusters(vectors: Vectors, count: int, seed: int = 0) -> Labels:
    """The cluster of each vector, by k-means.

    Args:
        vectors: position d.
        count: how many clusters; no more than there are vectors that differ.
        seed: of where they begin.
    """
    from sklearn.cluster import KMeans  # noqa: PLC0415  an extra

    several = min(count, len(np.unique(vectors, axis=0)))
    means: Any = KMeans(several, n_init=STARTS, random_state=seed)  # pyright: ignore[reportArgumentType]
    found = means.fit_predict(vectors)
    return found.astype(np.int64)


class Agreement(NamedTuple):
    """How well clusters agree with known values.

    Attributes:
        ami: the adjusted mutual information, 1 for the same division. Twenty clusters that each lie
            within one of two values of equal size have 0.38.
        told: the share of the values' entropy that the clusters tell, 1 where each cluster has one
            value (homogeneity, Rosenberg and Hirschberg 2007). By chance it is not 0.
    """

    ami: float
    told: float


def agreement(labels: Labels, values: Labels) -> Agreement:
    """The agreement of a division with another of the same positions."""
    from sklearn.metrics import (  # noqa: PLC0415  as above
        adjusted_mutual_info_score,
        homogeneity_score,
    )

    ami = float(adjusted_mutual_info_score(values, labels))
    return Agreement(ami, float(homogeneity_score(values, labels)))


def by_character(at: Positions) -> Labels:
    """Each character as a cluster of its own: the least that a division has to beat."""
    known = {character: number for number, character in enumerate(dict.fromkeys(at.character))}
    return np.array([known[character] for character in at.character], dtype=np.int64)


def shuffled(labels: Labels, at: Positions, seed: int = 0) -> Labels:
    """Labels that have changed places with others of their question, among those counted."""
    chance, mixed = np.random.default_rng(seed), labels.copy()
    for question in np.unique(at.question):
        places = np.flatnonzero((at.question == question) & at.counted)
        mixed[places] = chance.permutation(labels[places])
    return mixed


class Found(NamedTuple):
    """How well a division agrees with a seme, on questions by which it was chosen and on others.

    ``name``: of what was divided, such as a head, or of a control.
    """

    name: str
    seme: str
    chosen: Agreement
    held_out: Agreement


def best(
    divisions: Mapping[str, Labels], semes: Mapping[str, NDArray[np.float64]], at: Positions
) -> list[Found]:
    """For every seme the division that agrees with it best on every second question.

    Semes that do not vary, or that have more than `MOST_VALUES` values, are left out.

    Args:
        divisions: name -> label of each position.
        semes: name -> value at each position.
        at: the positions; agreement on the other questions is counted where nothing was chosen.
    """
    halves = [at.counted & (at.question % 2 == half) for half in (0, 1)]
    found: list[Found] = []
    for seme, values in semes.items():
        _, whole = np.unique(values.round(DECIMALS), return_inverse=True)
        counts = [len(np.unique(whole[half])) for half in halves]
        if min(counts) > 1 and max(counts) <= MOST_VALUES:
            each = (_found(name, seme, labels, whole, halves) for name, labels in divisions.items())
            found.append(max(each, key=lambda one: one.chosen.ami))
    return sorted(found, key=lambda one: -one.held_out.ami)


def _found(
    name: str, seme: str, labels: Labels, values: Labels, halves: list[NDArray[np.bool_]]
) -> Found:
    chosen, held_out = (agreement(labels[half], values[half]) for half in halves)
    return Found(name, seme, chosen, held_out)
