"""What heads add to a residual: hard attention in float64, ties share (Eq. 3 to 6).

A query attends to the keys with the highest score and to no others; what lies within ``TIE`` of
the highest counts as equal.
"""

from operator import eq, gt, le, lt, ne

import numpy as np
from numpy.typing import NDArray

from progtf.program.arrays import Array
from progtf.program.model import Head, Look
from progtf.running.prepared import Found, Sight
from progtf.running.trace import Trace

Mask = NDArray[np.bool_]
TIE = 1e-9
_LOOKS = {"before": lt, "upto": le, "after": gt, "self": eq, "notself": ne}


class Past:
    """What heads have found in a text that is still being written."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Found] = {}

    def extended(self, head: Head, sight: Sight, source: Array, turn: int) -> Found:
        """All that a head finds, in what has been added to the text and in what stood before.

        Args:
            head: the head.
            sight: its arrays.
            source: the residuals that are new; those of an encoder are always the same.
            turn: which time its layer is run.
        """
        found = self._found.get((id(head), turn))
        if found is None:
            found = sight.found(source)
        elif head.source != "encoder":
            found = found.extended(sight.found(source))
        self._found[id(head), turn] = found
        return found


def _pattern(
    head: Head, query: Array, key: Array, trace: Trace, *, causal: bool
) -> tuple[Array, Array]:
    """The share that each reader gives to each source, and to the null key.

    The readers are the last ones of the text. Shapes: (dst, src) and (dst,).
    """
    scores = np.where(_allowed(head, len(query), len(key), causal=causal), query @ key.T, -np.inf)
    if head.normalize == "queries":
        return _share(scores.T).T, np.zeros(len(query))
    rest = np.full((len(query), 1), -np.inf if head.null is None else head.null.score)
    everything = np.concatenate([scores, rest], axis=1)
    trace.scores(head, everything)
    shares = _share(everything)
    return shares[:, :-1], shares[:, -1]


def _share(scores: Array) -> Array:
    """Equal shares for the highest scores of each row; none where nothing is allowed."""
    top = scores.max(axis=1, keepdims=True, initial=-np.inf)
    chosen = np.isfinite(top) & (scores >= top - TIE)
    return chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1)


def retrieved(head: Head, share: Array, rest: Array, filler: Array) -> Array:
    """What is read. Equal shares are a mean: the sum is divided, so that ten ones come to 1."""
    nulls = np.zeros((1, filler.shape[1])) if head.null is None else head.null.filler
    if head.normalize == "queries":
        return share @ filler + np.outer(rest, nulls)
    found, at_rest = share > 0, rest > 0
    count = np.maximum(found.sum(axis=1) + at_rest, 1)
    return (found @ filler + np.outer(at_rest, nulls)) / count[:, None]


def _allowed(head: Head, readers: int, sources: int, *, causal: bool) -> Mask:
    if head.source == "encoder":
        return np.ones((readers, sources), dtype=bool)
    distance = np.arange(sources)[None, :] - np.arange(sources - readers, sources)[:, None]
    allowed = looks(head.look, distance)
    return allowed & (distance <= 0) if causal else allowed


def looks(look: Look, distance: NDArray[np.int64]) -> Mask:
    """Whether a head may look so far; ``distance`` is positive after the own position."""
    return np.ones_like(distance, dtype=bool) if look == "all" else _LOOKS[look](distance, 0)


def head_update(
    head: Head, sight: Sight, residual: Array, found: Found, trace: Trace, *, causal: bool
) -> Array:
    """One head's update: filler times role, by name (Eq. 4 and 6).

    Args:
        head: the head.
        sight: its arrays.
        residual: of the readers, which are the last ones of the text.
        found: the keys and fillers of all that it may read.
        trace: told what happens.
        causal: whether it reads nothing that stands behind the reader.
    """
    share, rest = _pattern(head, sight.query(residual), found.key, trace, causal=causal)
    trace.shares(head, share, rest)
    filler = retrieved(head, share, rest, found.filler)
    update = sight.writing(filler * sight.role(residual), residual.shape[1])
    trace.added(head, update)
    return update
