"""Two networks: what they differ in as a whole, and entry by entry, in notation, largest first."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from progtf.notation import spell
from progtf.numbers import plain
from progtf.weights.layout import LayerLayout, Layout, Stage
from progtf.weights.maps import CONSTANT
from progtf.weights.weights import Weights

SETTINGS = (
    *("kind", "tokens", "binding", "norm", "lengths", "clocks", "activation", "pool"),
    *("again", "ask"),
)
NAMES_SHOWN = 5


@dataclass(frozen=True)
class Change:
    """One weight that differs; None where a model has no such entry."""

    place: str
    source: str
    target: str
    before: float | None
    after: float | None

    @property
    def size(self) -> float:
        """How far it moved; an entry that is not there counts as 0."""
        return abs((self.after or 0.0) - (self.before or 0.0))


def changes(one: Weights, other: Weights) -> list[Change]:
    """Every weight that differs, the largest change first."""
    before, after = entries_of(one), entries_of(other)
    found = [
        Change(*key, before.get(key), after.get(key))
        for key in {**before, **after}
        if _differs(before.get(key), after.get(key))
    ]
    return sorted(found, key=lambda change: (-change.size, change.place, change.source))


def entries_of(weights: Weights) -> dict[tuple[str, str, str], float]:
    """(place, source, target) -> weight; what is 0 is as good as not there."""
    return {
        (" / ".join((*path, field)), source, target): value
        for (path, field), each in weights.maps.items()
        for (source, target), value in each.entries.items()
        if value or math.copysign(1.0, value) < 0
    }


def _differs(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return True
    return before != after and not (math.isnan(before) and math.isnan(after))


def shown(change: Change) -> str:
    """``encoder / 1 read / head end / key: 2noun>f -> 2.5noun>f``."""
    return f"{change.place}: {_side(change, change.before)} -> {_side(change, change.after)}"


def _side(change: Change, value: float | None) -> str:
    if value is None:
        return "nothing"
    if not math.isfinite(value):
        return f"({value}) {change.source}>{change.target}"
    if change.source == CONSTANT:
        return spell.term(value, change.target)
    return spell.entry(value, change.source, change.target)


def counts(found: Sequence[Change]) -> str:
    """How many weights differ, and how."""
    gone = sum(change.after is None for change in found)
    new = sum(change.before is None for change in found)
    changed = len(found) - gone - new
    return f"{spell.counted(len(found), 'weight')}: {changed:,} changed, {gone:,} gone, {new:,} new"


def contrasts(one: Layout, other: Layout) -> Iterator[str]:
    """What two networks differ in beside their weights, a line each: settings, names, sizes."""
    for setting in SETTINGS:
        before, after = _setting(one, setting), _setting(other, setting)
        if before != after:
            yield f"{setting}: {before} -> {after}"
    yield from _names("semes", one.names[: one.semes], other.names[: other.semes])
    yield from _names("lexicon", *(_quoted(layout.lexicon) for layout in (one, other)))
    yield from _names("outputs", *(_quoted(layout.outputs) for layout in (one, other)))
    yield from _names("classes", one.classes, other.classes)
    for stack in ("encoder", "decoder"):
        before, after = _sizes(getattr(one, stack)), _sizes(getattr(other, stack))
        if before != after:
            yield f"{stack}: {before} -> {after}"
    mine, theirs = (list(map(str, layout.all_loops())) for layout in (one, other))
    yield from (f"gone: {loop}" for loop in mine if loop not in theirs)
    yield from (f"new: {loop}" for loop in theirs if loop not in mine)


def _setting(layout: Layout, name: str) -> str:
    value = getattr(layout, name)
    if isinstance(value, tuple):
        return " ".join(f"{plain(part)}" for part in cast("tuple[float, ...]", value)) or "none"
    return (value or "none") if isinstance(value, str) else str(value).lower()


def _quoted(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(spell.token, tokens))


def _names(what: str, one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Which names are gone and which are new."""
    mine, theirs = set(one), set(other)
    gone, new = [n for n in one if n not in theirs], [n for n in other if n not in mine]
    parts = [f"{word}: {_some(names)}" for word, names in (("gone", gone), ("new", new)) if names]
    if parts:
        yield f"{what}: {len(one):,} -> {len(other):,}; {'; '.join(parts)}"
    elif one != other:
        yield f"{what}: in another order"


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _sizes(stages: Sequence[Stage]) -> str:
    layers = [stage for stage in stages if isinstance(stage, LayerLayout)]
    heads = sum(len(layer.own) + len(layer.cross) for layer in layers)
    return f"{spell.counted(len(stages), 'layer')}, {spell.counted(heads, 'head')}"
