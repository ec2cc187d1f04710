"""What was found of a text before its last edit: lines, statements, heads and rules.

A head or rule means what it meant if it is the same statement and every name in it stands for what
it stood for. No pass knows of it: ``parse_all`` is given ``Edits().line``, ``expand``
``Edits().statement`` and ``build`` ``Edits().parts``.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from progtf.building.heads.head import build_head
from progtf.building.heads.setting import BuiltHead
from progtf.building.names import Names
from progtf.building.parts import Parts
from progtf.building.remembered import Statements
from progtf.building.rules.feedforward import Built, Rules, built_rule
from progtf.building.rules.flags import Divided, divided
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Source, Span
from progtf.notation.expansion import Expansion, How, Made
from progtf.notation.kept import Draft
from progtf.notation.outline import Line
from progtf.notation.parser import Reading
from progtf.notation.terms import Terms
from progtf.program.model import COMPARISON

_Asked = tuple[tuple[int, ...], tuple[str, ...]]
"""The ``id`` of all rules of a layer, and the flags that there were."""


@dataclass
class _Round:
    """What stood around the parts of a text, and what they came to."""

    around: object
    tables: tuple[Mapping[str, object], ...]
    rules: dict[int, Built] = field(default_factory=dict[int, Built])
    heads: dict[int, BuiltHead] = field(default_factory=dict[int, BuiltHead])
    divided: dict[_Asked, tuple[Divided, Sequence[Built]]] = field(
        default_factory=dict[_Asked, tuple[Divided, Sequence[Built]]]
    )


class Steps:
    """What lines, statements and parts of a text come to; none knows of any other."""

    def source(self, name: str, text: str) -> Source:
        """The text."""
        return Source(name, text)

    def line(self, reading: Reading, line: Line, rule: str, depth: int) -> s.Statement | None:
        """One line and what stands below it."""
        return reading.statement(line, rule, depth)

    def statement(
        self, state: Expansion, how: How, node: s.Statement, terms: Terms, make: Callable[[], Made]
    ) -> Made:
        """What a statement stands for; as each of these is taken by ``expand``."""
        del state, how, node, terms
        return make()

    def parts(self, names: Names, settings: Settings, ramp: float) -> Parts:
        """The heads and rules."""
        return Parts.of(names, settings, ramp)


PLAIN = Steps()


class Edits(Steps):
    """A text through its edits: its steps know what they came to before the last one."""

    def __init__(self) -> None:
        self.draft: Draft | None = None
        self._forget()

    def _forget(self) -> None:
        self._last = _Round(None, ())
        self._statements = Statements()
        self.memo = self._statements.memo

    def source(self, name: str, text: str) -> Source:
        """The text as it stands now; of another name it is another text."""
        if self.draft is None or self.draft.name != name:
            self._forget()
            self.draft = Draft(name, text)
        elif self.draft.text != text:
            self.draft.rewrite(text)
            self.memo.turn()
        return self.draft

    def line(self, reading: Reading, line: Line, rule: str, depth: int) -> s.Statement | None:
        """One line and what stands below it, as it was read before if that is the same."""
        first, last = line.number, _last(line)
        rows = tuple(line.source.row(number) for number in range(first, last + 1))
        key = rule, depth, *line.source.lines[first - 1 : last]
        held: tuple[s.Statement | None, Reading] | None = self.memo.get(key, *rows)
        if held is None:
            inside = Reading([], complete=True, step=self.line)
            held = inside.statement(line, rule, depth), inside
            self.memo.keep(held, key, *rows)
        node, inside = held
        reading.found += inside.found
        reading.complete &= inside.complete
        return node

    def statement(
        self, state: Expansion, how: How, node: s.Statement, terms: Terms, make: Callable[[], Made]
    ) -> Made:
        """What a statement stands for; if every word of it means the same, what it stood for."""
        return self._statements.step(state, how, node, terms, make)

    def parts(self, names: Names, settings: Settings, ramp: float) -> Parts:
        """The parts of the text as it stands now; those that mean the same are not built again."""
        before = self._last
        common = names.distances, names.signed, names.clocks, names.ends, settings, ramp
        tables = names.space.ranges, names.aliases, names.values, names.groups, names.numbers
        now = self._last = _Round(common, tables)
        if before.around != common:
            before = _Round(None, ())
        changed = _changed(before.tables, now.tables, names)
        if any(name.startswith(f"{COMPARISON}[") for name in changed):
            before.divided.clear()  # flags are not called what something is called

        def rule(part: f.Rule, names: Names, length: int) -> Built:
            built = before.rules.get(id(part))
            if built is None or not _holds(built, part, changed):
                built = built_rule(part, names, length)
            now.rules[id(part)] = built
            return built

        def head(part: f.Block, names: Names, settings: Settings, ramp: float) -> BuiltHead:
            built = before.heads.get(id(part))
            if built is None or not _holds(built, part, changed):
                built = build_head(part, names, settings, ramp)
            now.heads[id(part)] = built
            return built

        def divide(group: Sequence[Built], names: Names, flags: Collection[str]) -> Divided:
            key = tuple(map(id, group)), tuple(flags)
            made, _ = before.divided.get(key) or (divided(group, names, flags), group)
            now.divided[key] = made, group  # which stay, so that each id stays its own
            return made

        return Parts(names, settings, ramp, Rules(names, settings.longest, rule), head, divide)


def _last(line: Line) -> int:
    """The number of the last line that stands below one."""
    while line.children:
        line = line.children[-1]
    return line.number


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


def _holds(built: Built | BuiltHead, part: f.Statement, changed: set[str]) -> bool:
    """Whether a part comes to what it did.

    A mistake in a name may be told otherwise: with other names beside it, another place or no hint.
    """
    named = isinstance(built, Built) and built.resolved is not None and built.resolved.right
    return (named or not built.wrong) and (not changed or changed.isdisjoint(_names(part)))


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
