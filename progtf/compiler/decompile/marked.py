"""Entries as text needs them: with their marks, and rounded to the shortest decimals."""

from collections.abc import Mapping

import numpy as np

from progtf.compiler.entries import Entries
from progtf.compiler.folder import stored_dtype
from progtf.compiler.model import Model
from progtf.notation import spell

Found = Mapping[tuple[tuple[str, ...], str], Entries]


class Marked(dict[tuple[str, str], float]):
    """Entries, some of which are trained: those in ``marks``."""

    marks: Mapping[tuple[str, str], str]


def with_marks(found: Found, model: Model) -> Found:
    """The entries with their marks; a learned one that counts nothing yet is there as 0."""
    marks: dict[tuple[tuple[str, ...], str], dict[tuple[str, str], str]] = {}
    for mark in model.layout.marks:
        field = "out bias" if mark.field == "out" and not mark.source else mark.field
        marks.setdefault((mark.path, field), {})[mark.source, mark.target] = mark.mark
    result = dict(found)
    for key, some in marks.items():
        entries = Marked({**dict.fromkeys(some, 0.0), **found.get(key, {})})
        entries.marks = {e: m if entries[e] == 0 else "~" for e, m in some.items()}
        result[key] = entries
    return result


def marks_of(entries: Entries) -> Mapping[tuple[str, str], str]:
    """The marks of some entries; none if nothing in them is trained."""
    return entries.marks if isinstance(entries, Marked) else {}


def like(entries: Entries, part: dict[tuple[str, str], float]) -> Entries:
    """A part of some entries, with their marks."""
    kept = Marked(part)
    kept.marks = marks_of(entries)
    return kept


def number(value: float, model: Model) -> str:
    """The shortest decimal that the model's format reads back to the same bits."""
    if stored_dtype(model) == "float64":
        return spell.number(value)
    short = str(np.float32(value))
    exact = np.float32(float(short)) == np.float32(value)
    return spell.number(float(short)) if exact else spell.number(value)


def shortened(entries: Entries, model: Model) -> Entries:
    """The entries with the shortest decimals that give the same bits."""
    return like(entries, {k: float(number(value, model)) for k, value in entries.items()})
