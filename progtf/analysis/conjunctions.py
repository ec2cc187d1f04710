"""What a cluster is: the shortest conjunction of at most two semes that says where it is."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.roles import DECIMALS, MOST_VALUES, Labels
from progtf.numbers import plain

Places = NDArray[np.bool_]
GAIN = 0.02
"""By so much two semes must say more than one to be worth a word."""


class Said(NamedTuple):
    """A cluster in words.

    Attributes:
        cluster: its number.
        share: of all positions that are counted, in percent.
        words: as ``place[1] & !turned``.
        chosen, held_out: F1 of the words, where they were chosen and on other questions.
    """

    cluster: int
    share: float
    words: str
    chosen: float
    held_out: float


def said(
    labels: Labels, semes: Mapping[str, NDArray[np.float64]], chosen: Places, held_out: Places
) -> list[Said]:
    """Every cluster in words, the largest first.

    Args:
        labels: the cluster at every position.
        semes: name -> value at every position; those of more than `MOST_VALUES` are left out.
        chosen: where words are chosen.
        held_out: where they are scored.
    """
    literals = _literals(semes, chosen)
    names, holds = [*literals], np.stack([*literals.values()]) if literals else None
    counted, found = chosen | held_out, list[Said]()
    for cluster in np.unique(labels[counted]).tolist():
        inside = labels == cluster
        share = 100.0 * float(inside[counted].mean())
        if holds is not None:
            words, score, there = _best(inside, names, holds, chosen)
            found.append(Said(cluster, share, words, score, _f1(there[held_out], inside[held_out])))
    return sorted(found, key=lambda each: -each.share)


def _literals(semes: Mapping[str, NDArray[np.float64]], at: Places) -> dict[str, Places]:
    """What one seme can say: that it is up, that it is not, or which value it has."""
    found: dict[str, Places] = {}
    for name, values in semes.items():
        rounded = values.round(DECIMALS)
        kinds = np.unique(rounded[at])
        if {*kinds.tolist()} == {0.0, 1.0}:
            found |= {name: rounded == 1, f"!{name}": rounded == 0}
        elif 1 < len(kinds) <= MOST_VALUES:
            found |= {f"{name} = {plain(kind)}": rounded == kind for kind in kinds.tolist()}
    return found


def _best(
    inside: Places, names: Sequence[str], holds: Places, at: Places
) -> tuple[str, float, Places]:
    """Words, their F1 where they are chosen, and where they hold."""
    here, due = holds[:, at].astype(np.float32), inside[at].astype(np.float32)
    both = (here * due) @ here.T  # on the diagonal: one seme alone
    scores = 2 * both / np.maximum(here @ here.T + due.sum(), 1)
    one = int(scores.diagonal().argmax())
    first, second = divmod(int(scores.argmax()), len(names))
    if scores[first, second] <= scores[one, one] + GAIN:
        return names[one], float(scores[one, one]), holds[one]
    words = f"{names[first]} & {names[second]}"
    return words, float(scores[first, second]), holds[first] & holds[second]


def _f1(found: Places, due: Places) -> float:
    return 2.0 * float((found & due).sum()) / max(float(found.sum() + due.sum()), 1.0)
