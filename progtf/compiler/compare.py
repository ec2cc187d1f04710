"""Two models entry by entry: what changed, in notation, largest first."""

import math
from dataclasses import dataclass

from progtf.compiler.entries import CONSTANT, tables
from progtf.compiler.model import Model
from progtf.notation import spell


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


def changes(one: Model, other: Model) -> list[Change]:
    """Every weight that differs, the largest change first."""
    before, after = entries_of(one), entries_of(other)
    found = [
        Change(*key, before.get(key), after.get(key))
        for key in {**before, **after}
        if _differs(before.get(key), after.get(key))
    ]
    return sorted(found, key=lambda change: (-change.size, change.place, change.source))


def entries_of(model: Model) -> dict[tuple[str, str, str], float]:
    """(place, source, target) -> weight."""
    return {
        (f"{' / '.join(table.path)} / {table.field}", source, target): value
        for table in tables(model)
        for (source, target), value in table.entries.items()
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
