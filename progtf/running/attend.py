"""What heads add to a residual: hard attention in float64, ties share (Eq. 3 to 6).

A query attends to the keys with the highest score and to no others; what lies within ``TIE`` of
the highest counts as equal.
"""

from operator import eq, gt, le, lt, ne

import numpy as np
from numpy.typing import NDArray

from progtf.program.forms import Array, Space
from progtf.program.model import Head, Look, Program
from progtf.running.trace import Trace

Mask = NDArray[np.bool_]
TIE = 1e-9
_LOOKS = {"before": lt, "upto": le, "after": gt, "self": eq, "notself": ne}


def pattern(
    head: Head, residual: Array, source: Array, space: Space, trace: Trace, *, causal: bool
) -> tuple[Array, Array]:
    """The share that each reader gives to each source, and to the null key.

    Shapes: (dst, src) and (dst,).
    """
    query = space.read([f.query for f in head.features], residual)
    key = space.read([f.key for f in head.features], source)
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


def _allowed(head: Head, readers: int, sources: int, *, causal: bool) -> Mask:
    if head.source == "encoder":
        return np.ones((readers, sources), dtype=bool)
    distance = np.arange(sources)[None, :] - np.arange(readers)[:, None]
    allowed = looks(head.look, distance)
    return allowed & (distance <= 0) if causal else allowed


def looks(look: Look, distance: NDArray[np.int64]) -> Mask:
    """Whether a head may look so far; ``distance`` is positive after the own position."""
    return np.ones_like(distance, dtype=bool) if look == "all" else _LOOKS[look](distance, 0)


def head_update(
    head: Head, residual: Array, source: Array, program: Program, trace: Trace, *, causal: bool
) -> Array:
    """One head's update: filler times role, by name (Eq. 4 and 6)."""
    space = program.space
    share, rest = pattern(head, residual, source, space, trace, causal=causal)
    trace.shares(head, share, rest)
    filler = share @ space.read([c.filler for c in head.channels], source)
    if head.null is not None:
        filler = filler + np.outer(rest, head.null.filler)
    bound = filler * space.read([c.role for c in head.channels], residual)
    update = np.zeros_like(residual)
    for channel, column in zip(head.channels, bound.T, strict=True):
        for seme, value in channel.writes.items():
            update[:, space.index[seme]] += value * column
    for seme, value in head.bias.items():
        update[:, space.index[seme]] += value
    trace.added(head, update)
    return update
