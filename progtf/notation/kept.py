"""What was found of the parts of a text that is edited: what has not changed is not read again."""

from functools import cached_property
from typing import Any

from progtf.notation.diagnostics import Row, Source

SPARE = 10_000
"""How many steps of former edits may pile up, beside as many as the whole text takes."""


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
        self.__dict__.pop("apart", None)
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


class Memo:
    """What steps came to, by the identity of the objects that each was given.

    A step is given objects that never change, such as the lines of a draft or a statement; whoever
    asks adds in ``what``, by ``==``, whatever else decides it. What was kept holds its objects, so
    each ``id`` stays its own.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], tuple[Any, tuple[object, ...]]] = {}
        self.whole = 0

    def turn(self) -> None:
        """The next edit begins: if too much of former ones has piled up, all is made anew."""
        if not self.whole:
            self.whole = len(self.found)
        elif len(self.found) > 2 * self.whole + SPARE:
            self.found.clear()
            self.whole = 0

    def get(self, what: object, *given: object) -> Any:
        """What was kept of a step; None if nothing was."""
        held = self.found.get((what, *map(id, given)))
        return None if held is None else held[0]

    def keep(self, value: Any, what: object, *given: object) -> None:
        """Keeps what a step came to."""
        self.found[what, *map(id, given)] = value, given
