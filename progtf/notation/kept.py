"""What was found of the parts of a text that is edited: what has not changed is not read again."""

import operator
from functools import cached_property
from typing import Any, TypeVar, cast

from progtf.notation.diagnostics import Row, Source

Value = TypeVar("Value")
MOST = 30_000  # parts; then everything is read anew


class Draft(Source):
    """A text that is being edited: what was read of lines that stay points into it as it is now."""

    @cached_property
    def rows(self) -> list[Row]:
        """Its lines; those of which the text stays are the same from edit to edit."""
        return [Row(number) for number in range(1, len(self.lines) + 1)]

    def row(self, number: int) -> Row:
        """As of any text, and the same wherever the line moves."""
        return self.rows[number - 1]

    def rewrite(self, text: str) -> None:
        """From now on this is the text: lines move with those before or behind them."""
        rows, before = self.rows, self.__dict__.pop("lines")
        object.__setattr__(self, "text", text)
        more, first = len(self.lines) - len(before), _shared(before, self.lines)
        last = _shared(before[first:][::-1], self.lines[first:][::-1])
        behind = len(before) - last
        rows[behind:behind] = (Row(0) for _ in range(more))
        del rows[behind + min(more, 0) : behind]
        for number, row in enumerate(rows, start=1):
            row.number = number


def _shared(some: list[str], others: list[str]) -> int:
    """How many lines are the same before the first that is not."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(some), len(others)))


class Kept:
    """One text through its edits, and what passes have found of its parts.

    A part is known by what it is, by ``==``, and by the objects that it was made of, by ``is``:
    passes that are given the same objects find the same.
    """

    def __init__(self) -> None:
        self.draft: Draft | None = None
        self.found: dict[tuple[object, ...], tuple[Any, tuple[object, ...]]] = {}
        self.around: dict[object, tuple[int, object, tuple[object, ...]]] = {}
        self.values: dict[object, Any] = {}
        self.changes = 0

    def source(self, name: str, text: str) -> Source:
        """The text as it stands now; of another name it is another text."""
        if self.draft is None or self.draft.name != name:
            self.found.clear()
            self.around.clear()
            self.values.clear()
            self.draft = Draft(name, text)
        elif self.draft.text != text:
            self.draft.rewrite(text)
        return self.draft

    def surroundings(self, place: object, given: object, *made_of: object) -> int:
        """A number for what parts at a place can refer to; another one as soon as that changes."""
        number, before, made_before = self.around.get(place, (0, None, ()))
        if number and _same(made_of, made_before) and given == before:
            return number
        self.changes += 1
        self.around[place] = self.changes, given, made_of
        return self.changes

    def same(self, place: object, value: Value) -> Value:
        """The value that stood at a place before, if it is no other: so ``is`` tells changes."""
        if place not in self.values or not _alike(self.values[place], value):
            self.values[place] = value
        return self.values[place]

    def get(self, what: object, *made_of: object) -> Any:
        """What was kept of a part; None if nothing was."""
        held = self.found.get((what, *map(id, made_of)))
        return None if held is None else held[0]

    def keep(self, value: Any, what: object, *made_of: object) -> None:
        """Keeps what was found of a part, and what it was made of: so each ``id`` stays its own."""
        if len(self.found) >= MOST:
            self.found.clear()
        self.found[what, *map(id, made_of)] = value, made_of


def _alike(one: object, other: object) -> bool:
    """Whether two values are equal, and each number in them of the same type: 1 is not 1.0."""
    if type(one) is not type(other) or one != other:
        return False
    if isinstance(one, float):
        return repr(one) == repr(other)  # of which one may be -0.0
    if not isinstance(one, tuple):
        return True
    pairs = zip(cast("tuple[object, ...]", one), cast("tuple[object, ...]", other), strict=True)
    return all(_alike(*pair) for pair in pairs)


def _same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))
