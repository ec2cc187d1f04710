"""Entries and fields, spelled."""

from collections.abc import Iterator

from progtf.notation import spell
from progtf.weights.decompile.marked import like, marks_of, shortened
from progtf.weights.maps import CONSTANT, Entries
from progtf.weights.weights import Weights

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
