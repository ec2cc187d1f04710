"""Entries and fields, spelled: with their marks, and rounded to the shortest decimals."""

from collections.abc import Iterator, Mapping

import numpy as np

from progtf.notation import spell
from progtf.weights.maps import CONSTANT, Entries, Key, Map
from progtf.weights.weights import Weights

Found = Mapping[Key, Entries]


class Marked(dict[tuple[str, str], float]):
    """Entries, some of which are trained: those in ``marks``."""

    marks: Mapping[tuple[str, str], str]


def with_marks(each: Map) -> Marked:
    """The entries of a map with their marks; one that has got a number is trained from that.

    Where a choice is made, what was chosen is written and the rest is not.
    """
    marked, numbers = each.marked, each.entries
    among = {entry for entry, mark in marked.items() if mark == "one of"}
    made = {source for source, target in among if numbers[source, target]}
    settled = {entry for entry in among if entry[0] in made}
    entries = Marked({e: n for e, n in numbers.items() if n or e not in settled})
    entries.marks = {
        entry: mark if mark == "one of" or entries[entry] == 0 else "~"
        for entry, mark in marked.items()
        if entry not in settled
    }
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


WIDTH = 100


def complete(
    entries: Entries, targets: tuple[str, ...], weights: Weights, nothing: str = ""
) -> list[str]:
    """A map in which every target occurs, if only with 0 ``nothing``: targets keep their places."""
    shown: list[str] = []
    short = shortened(entries, weights)
    for target in targets:
        here = like(short, {key: value for key, value in short.items() if key[1] == target})
        shown += arrows(here, weights) or [f"0{nothing}{target}"]
    return shown


def arrows(entries: Entries, weights: Weights) -> list[str]:
    """The entries of a map, spelled."""
    marks = marks_of(entries)
    return [
        shown_entry(value, source, target, marks.get((source, target), ""))
        for (source, target), value in shortened(entries, weights).items()
    ]


def shown_entry(value: float, source: str, target: str, mark: str) -> str:
    """An entry with its mark."""
    if mark == "?":
        return f"?{source}>{target}" if source else f"?{target}"
    arrow = " > " if "*" in source else ">"  # a product of filler and role
    text = f"{spell.term(value, source, first=True)}{arrow}{target}"
    text = spell.term(value, target) if source == CONSTANT else text
    return mark + text.removeprefix("+") if mark else text


def field_lines(name: str, items: list[str], indent: int) -> Iterator[str]:
    """``name: a, b`` on one line, or the items below it where they are many."""
    pad = " " * indent
    whole = ", ".join(items)
    if not items:
        return
    if len(pad + name + whole) + 2 <= WIDTH:
        yield f"{pad}{name}: {whole}"
        return
    yield f"{pad}{name}:"
    line = ""
    for item in items:
        if line and len(pad + line + item) + 4 > WIDTH:
            yield f"{pad}  {line}"
            line = ""
        line = f"{line}, {item}" if line else item
    yield f"{pad}  {line}"


def scores(
    entries: Entries, labels: tuple[str, ...], weights: Weights
) -> Iterator[tuple[str, str]]:
    """Every label with the form that scores it."""
    short = shortened(entries, weights)
    for label in labels:
        form = {source: v for (source, target), v in short.items() if target == label and source}
        yield label, spell.form(form, short.get((CONSTANT, label), 0.0))
