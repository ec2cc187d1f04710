"""Parts of a program that are built once; who follows hears each time what they read."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from progtf.building.names import Names
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.kept import Kept

Made = TypeVar("Made")
Reads = list[tuple[str, Span]]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was built of parts, as long as all that they can refer to is the same.

    Attributes:
        kept: what was found before.
        around: the number of what parts can refer to.
    """

    kept: Kept
    around: int

    def once(
        self, what: str, parts: tuple[object, ...], make: Callable[..., Made], *names: Names
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
        if held is None:
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

            return replace(one, read=read, report=report)

        held = _Heard(make(*map(listening, names, reads)), reads)
        if not wrong:
            self.kept.keep(held, key, *parts)
        return held


@dataclass(frozen=True, slots=True)
class _Heard(Generic[Made]):
    """What was made, and of each of the names given what it read."""

    made: Made
    reads: tuple[Reads, ...]

    def tell(self, names: tuple[Names, ...]) -> None:
        """Names hear what was read."""
        for one, heard in zip(names, self.reads, strict=True):
            for name, span in heard:
                one.read(name, span)
