"""Parts of a program that are built once; who follows hears each time what they read."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from progtf.building.names import Names
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.kept import Kept
from progtf.notation.noted import Lookups, Noted, Notes

Made = TypeVar("Made")
Reads = list[tuple[str, Span]]
_TABLES = ("aliases", "values", "groups", "numbers")


@dataclass(frozen=True, slots=True)
class Meanings:
    """What names stand for, and what is asked of that while a part is built."""

    notes: Notes

    @staticmethod
    def of(names: Names) -> "Meanings":
        """Nothing is asked yet."""
        tables = {each: Noted(getattr(names, each)) for each in _TABLES}
        return Meanings(Notes({**tables, "ranges": Noted(names.space.ranges)}))

    def noting(self, names: Names) -> Names:
        """The same names; what is asked of them is noted."""
        *rest, ranges = self.notes.tables.values()
        space = replace(names.space, ranges=ranges)
        return replace(names, space=space, **dict(zip(_TABLES, rest, strict=True)))


@dataclass(frozen=True, slots=True)
class Memory:
    """What was built of parts, as long as all that they refer to is the same.

    Attributes:
        kept: what was found before.
        around: the number of what every part refers to.
        meanings: of the names that parts refer to.
    """

    kept: Kept
    around: int
    meanings: Meanings

    def number(self, place: str, given: object) -> int:
        """A number for what some parts refer to beside names; another one when it changes."""
        return self.kept.surroundings(place, given)

    def once(
        self, what: object, parts: tuple[object, ...], make: Callable[..., Made], *names: Names
    ) -> Made:
        """What ``make`` gives for some names; what is right is made once.

        Args:
            what: which of all that is made of these parts.
            parts: what it is made of.
            make: is given the names.
            names: of the positions that are read; they hear every time what it reads.
        """
        key = what, self.around
        held: _Heard[Made] | None = self.kept.get(key, *parts)
        if held is None or not self.meanings.notes.same(held.lookups):
            held = self._made(key, parts, make, names)
        else:
            held.tell(names)
        return held.made

    def _made(
        self,
        key: object,
        parts: tuple[object, ...],
        make: Callable[..., Made],
        names: tuple[Names, ...],
    ) -> "_Heard[Made]":
        wrong, reads = list[Diagnostic](), tuple(Reads() for _ in names)

        def listening(one: Names, heard: Reads) -> Names:
            def read(name: str, span: Span) -> None:
                heard.append((name, span))
                one.read(name, span)

            def report(problem: Diagnostic) -> None:
                wrong.append(problem)
                one.report(problem)

            return replace(self.meanings.noting(one), read=read, report=report)

        with self.meanings.notes.taken() as lookups:
            made = make(*map(listening, names, reads))
        held = _Heard(made, reads, lookups)
        if not wrong:
            self.kept.keep(held, key, *parts)
        return held


@dataclass(frozen=True, slots=True)
class _Heard(Generic[Made]):
    """What was made, of each of the names given what it read, and what it asked of them."""

    made: Made
    reads: tuple[Reads, ...]
    lookups: Lookups

    def tell(self, names: tuple[Names, ...]) -> None:
        """Names hear what was read."""
        for one, heard in zip(names, self.reads, strict=True):
            for name, span in heard:
                one.read(name, span)
