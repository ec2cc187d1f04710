"""What heads add to a residual: hard attention, computed exactly (Eq. 3 to 6).

A query attends to the keys with the highest score and to no others; equal scores share.
"""

from contextlib import suppress
from dataclasses import dataclass
from operator import eq, gt, le, lt, ne

import numpy as np
from numpy.typing import NDArray

from progtf.program.arrays import Array, Ints, hands
from progtf.program.model import Head, Look
from progtf.rational import fraction_of
from progtf.running.cells import (
    LARGEST,
    LOOSE,
    TINY,
    UNIT,
    Cells,
    DoubtError,
    Flags,
    as_floats,
    divisors_of,
    exactly,
    mean,
    settled,
    with_fractions,
)
from progtf.running.promises import Looked, Promises
from progtf.running.sight import Found, Sight
from progtf.running.trace import Trace

_LOOKS = {"before": lt, "upto": le, "after": gt, "self": eq, "notself": ne}


class Past:
    """What heads have found in a text that is still being written."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Found] = {}

    def extended(self, head: Head, sight: Sight, source: Cells, turn: int) -> Found:
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


def head_update(
    head: Head,
    sight: Sight,
    residual: Cells,
    found: Found,
    trace: Trace,
    promises: Promises | None,
    *,
    causal: bool,
    first: int,
) -> Cells:
    """One head's update: filler times role, by name (Eq. 4 and 6).

    Args:
        head: the head.
        sight: its arrays.
        residual: of the readers, which are the last ones of the text.
        found: the keys and fillers of all that it may read.
        trace: told what happens.
        promises: held against what the head reads; None: nobody asks.
        causal: whether it reads nothing that stands behind the reader.
        first: the place of the first reader.

    Returns:
        What is added to the columns that the head writes, ``sight.writing.columns``.
    """
    places, count = np.arange(first, first + len(residual.values)), len(residual.values)
    rows = None if trace.watches else _reading(head, sight, residual)
    if rows is None:
        seen = _Seen(residual, places)
        return sight.writing(_bound(head, sight, seen, found, trace, promises, causal=causal))
    nothing = Cells.of(np.zeros((count, sight.channels), dtype=residual.values.dtype))
    update = sight.writing(nothing)
    if not len(rows):
        return update
    seen = _Seen(residual.at(rows), places[rows])
    read = sight.writing(_bound(head, sight, seen, found, trace, promises, causal=causal))
    return update.with_rows(rows, read)


@dataclass(frozen=True, eq=False)
class _Seen:
    """The readers of a head: their residuals, and their places in the text."""

    residual: Cells
    places: Ints


def _reading(head: Head, sight: Sight, residual: Cells) -> Ints | None:
    """The readers that read anything; None: all of them.

    The others are held back by a role that is 0, or lack a flag that ``when`` asks for.
    """
    if head.normalize == "queries":
        return None
    reads = np.ones(len(residual.values), dtype=bool)
    if len(sight.required):
        asked = residual.columns(sight.required)
        reads &= np.asarray((asked.values != 0) | (asked.errors > 0), dtype=bool).all(axis=1)
    if sight.bound:
        role = sight.role(residual)
        reads &= np.asarray((role.values != 0) | (role.errors > 0), dtype=bool).any(axis=1)
    return None if reads.all() else np.flatnonzero(reads)


def _bound(
    head: Head,
    sight: Sight,
    seen: _Seen,
    found: Found,
    trace: Trace,
    promises: Promises | None,
    *,
    causal: bool,
) -> Cells:
    """What each reader retrieves, times its role."""
    query = sight.query(seen.residual)
    role = sight.role(seen.residual) if sight.bound else None
    far = np.arange(len(found.key.values)) - seen.places[:, None]
    allowed = _allowed(head, far, causal=causal)
    chosen, rest = _chosen(head, sight, query, found.key, far, allowed, trace)
    if promises is not None:
        looked = Looked(seen.residual, seen.places, query, role, allowed, chosen, far)
        promises.of_head(head, sight, found, looked)
    if trace.watches:
        queries = head.normalize == "queries"
        readers = np.maximum(chosen.sum(axis=1) + rest, 1)
        among = np.maximum(chosen.sum(axis=0), 1) if queries else readers[:, None]
        trace.shares(head, chosen / among, rest / readers)
    filler = _retrieved(head, sight, chosen, rest, found.filler, far)
    return filler if role is None else filler.times(role)


def _allowed(head: Head, far: NDArray[np.int64], *, causal: bool) -> Flags:
    if head.source == "encoder":
        return np.ones(far.shape, dtype=bool)
    allowed = looks(head.look, far)
    return allowed & (far <= 0) if causal else allowed


def looks(look: Look, distance: NDArray[np.int64]) -> Flags:
    """Whether a head may look so far; ``distance`` is positive after the own position."""
    return np.ones_like(distance, dtype=bool) if look == "all" else _LOOKS[look](distance, 0)


def _chosen(
    head: Head, sight: Sight, query: Cells, key: Cells, far: Ints, allowed: Flags, trace: Trace
) -> tuple[Flags, Flags]:
    """Which keys each reader reads, shape (dst, src), and which readers the null key, (dst,).

    ``normalize: queries`` asks each key for its readers: there is no null key.
    """
    if query.exact and not trace.watches and query.near is not None and key.near is not None:
        with suppress(DoubtError):
            return _chosen(head, sight, query.near, key.near, far, allowed, trace)
    scores, error = _scores(query, key)
    for periods, offset in sight.addresses:
        there, missed = _address(periods, far - offset, exact=key.exact)
        scores = scores + there
        if not key.exact:
            rounded = (
                (missed > 0) | (error > 0) | (np.abs(scores) > LARGEST * query.grid * key.grid / 4)
            )
            error = error + missed + np.where(rounded, UNIT * np.abs(scores), 0.0)
    if head.normalize == "queries":
        if trace.watches:
            trace.asked(head, np.where(allowed, as_floats(scores), -np.inf).T)
        chosen = _best(scores.T, error.T, allowed.T, None).T
        return chosen, np.zeros(len(chosen), dtype=bool)
    if head.null is not None:
        level = fraction_of(head.null.score) if key.exact else head.null.score
        rest = np.full((len(scores), 1), level, dtype=scores.dtype)
        off = UNIT * abs(float(level)) if sight.rough_null else 0.0
        scores = np.hstack([scores, rest])
        error = np.hstack([error, np.full((len(error), 1), off)])
        allowed = np.hstack([allowed, np.ones((len(allowed), 1), dtype=bool)])
    if trace.watches:
        told = np.where(allowed, as_floats(scores), -np.inf)
        none = np.full((len(told), int(head.null is None)), -np.inf)
        trace.scores(head, np.hstack([told, none]))
    # Where a token stands counts, too: equal keys at two places need not tie.
    alike = None if key.error is not None or sight.addresses else key.values
    best = _best(scores, error, allowed, alike)
    if head.null is None:
        return best, np.zeros(len(best), dtype=bool)
    return best[:, :-1], best[:, -1]


def _scores(query: Cells, key: Cells) -> tuple[Array, Array]:
    """The products of queries and keys, shape (dst, src), and how far they lie off at most."""
    shape = len(query.values), len(key.values)
    if query.exact:
        if not query.values.shape[1]:
            return np.zeros(shape, dtype=object), np.zeros(shape)
        return query.values @ key.values.T, np.zeros(shape)
    scores, features = query.values @ key.values.T, query.values.shape[1]
    grid = query.grid * key.grid
    fits = features * query.most * key.most < LARGEST * grid
    if fits and query.error is None and key.error is None:
        return scores, np.zeros(shape)
    mine, theirs = query.errors, key.errors
    size = (np.abs(query.values) + mine) @ (np.abs(key.values) + theirs).T
    spread = mine @ (np.abs(key.values) + theirs).T + np.abs(query.values) @ theirs.T
    rounding = (features + 2) * UNIT * size + TINY
    here, there = (query.values != 0) | (mine > 0), (key.values != 0) | (theirs > 0)
    touched = (mine > 0) @ there.T | here @ (theirs > 0).T
    finest = (query.grids * key.grids).min(initial=1.0)
    rounding = np.where(touched | (size * 2 >= LARGEST * finest), rounding, 0.0)
    return scores, spread * (1 + 2.0**-40) + rounding


def _address(periods: tuple[float, ...], away: Ints, *, exact: bool) -> tuple[Array, Array]:
    """What the hands of clocks say of how far tokens stand from an address: all, where none."""
    size = int(np.abs(away).max(initial=0)) + 1
    if exact:
        tables = [hands(period, size)[0] for period in periods]
        sums = np.array(
            [settled(sum(map(fraction_of, some))) for some in zip(*tables, strict=True)]
        )
        table, error = np.array(sums, dtype=object), np.zeros(size)
    else:
        table, error = address_table(periods, size)
    return table[np.abs(away)], error[np.abs(away)]


def address_table(periods: tuple[float, ...], size: int) -> tuple[Array, Array]:
    """What clocks say of 0, 1, 2 ... tokens from an address, and how far that lies off at most."""
    table = np.sum([hands(period, size)[0] for period in periods], axis=0)
    return table, np.where(np.arange(size) > 0, len(periods) ** 2 * UNIT, 0.0)


def _best(scores: Array, error: Array, allowed: Flags, keys: Array | None) -> Flags:
    """Which scores of each row are the greatest; none where nothing is allowed.

    Args:
        scores: shape (rows, columns); of the columns beyond the keys one is the null key's.
        error: how far they lie off at most.
        allowed: what may be read.
        keys: what the scores of a row are made of, if it is certain: equal keys score the same.

    Raises:
        DoubtError: if float64 cannot tell.
    """
    if scores.dtype == object:
        return _best_of_fractions(scores, allowed)
    low, high = (
        np.where(allowed, scores - error, -np.inf),
        np.where(allowed, scores + error, -np.inf),
    )
    top = low.max(axis=1, keepdims=True, initial=-np.inf)
    chosen = allowed & (high >= top)
    if error.any():
        _refuse_doubt(chosen, error, keys)
    return chosen


def _refuse_doubt(chosen: Flags, error: Array, keys: Array | None) -> None:
    """Refuses rows in which several may be the greatest, and are not certain to be equal."""
    rows = np.flatnonzero((chosen.sum(axis=1) > 1) & (chosen & (error > 0)).any(axis=1))
    for row in rows.tolist():
        places = np.flatnonzero(chosen[row])
        if keys is None or places[-1] >= len(keys):
            raise DoubtError
        if (keys[places] != keys[places[0]]).any():
            raise DoubtError


def _best_of_fractions(scores: Array, allowed: Flags) -> Flags:
    chosen = np.zeros(scores.shape, dtype=bool)
    for row, (values, may) in enumerate(zip(scores.tolist(), allowed.tolist(), strict=True)):
        top = max((value for value, yes in zip(values, may, strict=True) if yes), default=None)
        chosen[row] = [yes and value == top for value, yes in zip(values, may, strict=True)]
    return chosen


def _retrieved(
    head: Head, sight: Sight, chosen: Flags, rest: Flags, filler: Cells, far: Ints
) -> Cells:
    """What is read: the mean of what is chosen; with ``normalize: queries`` the sum of shares."""
    if head.normalize == "queries":
        among = np.maximum(chosen.sum(axis=0), 1)
        found = summed(chosen, mean(filler, among))
        shared = np.broadcast_to(among, chosen.shape)
        return _with_distances(found, sight, chosen, shared, far) if sight.distances else found
    total = summed(chosen, filler)
    if sight.null and rest.any():
        total = _with_null(total, rest, sight.null)
    count = np.maximum(chosen.sum(axis=1) + rest, 1)
    found = mean(total, count)
    shared = np.broadcast_to(count[:, None], chosen.shape)
    return _with_distances(found, sight, chosen, shared, far) if sight.distances else found


def summed(chosen: Flags, filler: Cells) -> Cells:
    """The sums of the fillers that are chosen, shape (dst, channels)."""
    if filler.exact:
        with suppress(DoubtError):
            if filler.near is not None:
                return with_fractions(
                    summed(chosen, filler.near),
                    lambda row, column: filler.values[chosen[row], column].sum(),
                )
        values = np.zeros((len(chosen), filler.values.shape[1]), dtype=object)
        for row, places in enumerate(chosen):
            values[row] = filler.values[places].sum(axis=0) if places.any() else 0
        return Cells(values)
    some = chosen.astype(np.float64)
    values, count = some @ filler.values, int(chosen.sum(axis=1).max(initial=0))
    fits = count * filler.most < LARGEST * filler.grid
    if fits and filler.error is None:
        return Cells(values, None, filler.grid)
    spread = some @ filler.errors
    size = some @ (np.abs(filler.values) + filler.errors)
    inexact = (spread > 0) | (size * 2 >= LARGEST * filler.grids)
    error = np.where(inexact & (count > 1), spread + (count + 2) * UNIT * size, spread)
    return Cells.of(values, error, None, filler.finest, divisors_of(chosen, filler))


def _with_null(total: Cells, rest: Flags, given: tuple[float, ...]) -> Cells:
    """With what the null key fills in where it is read."""
    filler = exactly(given)[None] if total.exact else np.array(given)[None]
    rough = np.array([float(fraction_of(each) != each) for each in given]) if not total.exact else 0
    values = np.where(rest[:, None], filler, 0)
    if total.exact:
        return Cells(values).added(np.arange(len(given)), total)
    error = np.where(rest[:, None], np.abs(filler) * UNIT * rough, 0.0)
    return Cells.of(values, error).added(np.arange(len(given)), total)


def _with_distances(found: Cells, sight: Sight, chosen: Flags, shared: Ints, far: Ints) -> Cells:
    """With the hands of how far away the tokens stand that are read: entries of a table.

    ``shared``: by how many each is divided, shape (dst, src).
    """
    values = found.values.copy()
    error = None if found.exact else found.errors.copy()
    for channel, period, which, sign in sight.distances:
        table = hands(period, int(np.abs(far).max(initial=0)) + 1)[which]
        told = table[np.abs(far)] * (np.sign(far) if which else 1) * sign
        if found.exact:
            for row, places in enumerate(chosen):
                each = zip(told[row, places].tolist(), shared[row, places].tolist(), strict=True)
                total = sum(fraction_of(hand) / count for hand, count in each)
                values[row, channel] = settled(total) if total else 0
            continue
        assert error is not None
        each, count = np.where(chosen, told / shared, 0.0), chosen.sum(axis=1)
        values[:, channel] = each.sum(axis=1)
        alone = (count == 1) & ~(chosen & (shared > 1)).any(axis=1)
        size = (count + 4) * UNIT * np.abs(each).sum(axis=1)
        error[:, channel] = np.where(alone, 0.0, size) + LOOSE * (count > 0)
    if error is None:
        return Cells(values)
    parts = found.divisors.copy()
    parts[:, [channel for channel, *_ in sight.distances]] = 0
    return Cells.of(values, error, None, found.finest, parts)
