"""Entries as text needs them: with their marks, and rounded to the shortest decimals."""

from collections.abc import Mapping

import numpy as np

from progtf.notation import spell
from progtf.weights.maps import Entries, Key, Map
from progtf.weights.weights import Weights

Found = Mapping[Key, Entries]


class Marked(dict[tuple[str, str], float]):
    """Entries, some of which are trained: those in ``marks``."""

    marks: Mapping[tuple[str, str], str]


def with_marks(each: Map) -> Marked:
    """The entries of a map with their marks; one that has got a number is trained from that."""
    entries = Marked(each.entries)
    entries.marks = {e: mark if entries[e] == 0 else "~" for e, mark in each.marked.items()}
    return entries


def marks_of(entries: Entries) -> Mapping[tuple[str, str], str]:
    """The marks of some entries; none if nothing in them is trained."""
    return entries.marks if isinstance(entries, Marked) else {}


def like(entries: Entries, part: dict[tuple[str, str], float]) -> Entries:
    """A part of some entries, with their marks."""
    kept = Marked(part)
    kept.marks = marks_of(entries)
    return kept


def number(value: float, weights: Weights) -> str:
    """The shortest decimal that the model's format reads back to the same bits."""
    if weights.dtype == "float64":
        return spell.number(value)
    short = str(np.float32(value))
    exact = np.float32(float(short)) == np.float32(value)
    return spell.number(float(short)) if exact else spell.number(value)


def shortened(entries: Entries, weights: Weights) -> Entries:
    """The entries with the shortest decimals that give the same bits."""
    return like(entries, {k: float(number(value, weights)) for k, value in entries.items()})
