"""What was built of a text before its last edit: the heads and rules that mean the same still.

A head or rule means what it meant if it is the same statement and every name in it stands for what
it stood for. Nothing here is known to what builds parts: ``build`` is given ``Edits().parts``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from progtf.building.heads.head import build_head
from progtf.building.heads.setting import BuiltHead
from progtf.building.names import Names
from progtf.building.parts import Parts
from progtf.building.rules.feedforward import Built, Rules, built_rule
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation.diagnostics import Span
from progtf.notation.kept import Kept


@dataclass
class _Round:
    """What stood around the parts of a text, and what they came to."""

    around: object
    tables: tuple[Mapping[str, object], ...]
    rules: dict[int, Built] = field(default_factory=dict[int, Built])
    heads: dict[int, BuiltHead] = field(default_factory=dict[int, BuiltHead])


class Edits(Kept):
    """A text through its edits, and what was found of it before the last one."""

    def __init__(self) -> None:
        super().__init__()
        self._last = _Round(None, ())

    def parts(self, names: Names, settings: Settings, ramp: float) -> Parts:
        """The parts of the text as it stands now; those that mean the same are not built again."""
        before = self._last
        common = names.distances, names.signed, names.clocks, names.ends, settings, ramp
        tables = names.space.ranges, names.aliases, names.values, names.groups, names.numbers
        now = self._last = _Round(common, tables)
        if before.around != common:
            before = _Round(None, ())
        changed = _changed(before.tables, now.tables, names)

        def rule(part: f.Rule, names: Names, length: int) -> Built:
            built = before.rules.get(id(part))
            if built is None or _mentions(part, changed):
                built = built_rule(part, names, length)
            if not built.wrong:
                now.rules[id(part)] = built
            return built

        def head(part: f.Block, names: Names, settings: Settings, ramp: float) -> BuiltHead:
            built = before.heads.get(id(part))
            if built is None or _mentions(part, changed):
                built = build_head(part, names, settings, ramp)
            if not built.wrong:
                now.heads[id(part)] = built
            return built

        return Parts(names, settings, ramp, Rules(names, settings.longest, rule), head)


def _changed(
    before: tuple[Mapping[str, object], ...], now: tuple[Mapping[str, object], ...], names: Names
) -> set[str]:
    """The names that stand for something else now, those that stand for such names among them."""
    changed: set[str] = set()
    for old, new in zip(before, now, strict=False):
        if old != new:
            changed |= {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    made_of = {
        **{name: set(_names(value)) for name, value in names.aliases.items()},
        **{name: set(_names(value.value)) for name, value in names.values.items()},
        **{name: set(members) for name, members in names.groups.items()},
    }
    todo = set(made_of) if changed else set[str]()
    while found := {name for name in todo if not changed.isdisjoint(made_of[name])}:
        changed |= found
        todo -= found
    return changed


def _mentions(part: f.Statement, changed: set[str]) -> bool:
    """Whether a part names one of these."""
    return bool(changed) and not changed.isdisjoint(_names(part))


def _names(value: Any) -> Iterator[str]:
    """All names in a statement, a condition, a term or several; other words of it among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in cast("tuple[Any, ...]", value):
            yield from _names(each)
    elif not isinstance(value, Span):
        for each in getattr(value, "__slots__", ()):
            yield from _names(getattr(value, each))
