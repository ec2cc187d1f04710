"""Where something stands in a text, and what is wrong there."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Source:
    """One text and the name that messages give it."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends and without a mark before the first."""
        text = self.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        return text.split("\n")


@dataclass(frozen=True, slots=True)
class Span:
    """Part of one line: ``line`` counts from 1, ``start`` and ``end`` are columns from 0.

    ``use``: in the lines of a circuit, the outermost ``use`` that put them in.
    """

    source: Source
    line: int
    start: int
    end: int
    use: "Span | None" = None


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that a diagnostic points at, such as the declaration."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake of the person who wrote the program.

    Attributes:
        code: stable, listed in ``docs/errors.md``.
        headline: stands alone.
        span: where it is.
        label: what is true at that place.
        help: what to do about it, or empty.
        notes: other places that explain it.
    """

    code: str
    headline: str
    span: Span
    label: str = ""
    help: str = ""
    notes: tuple[Note, ...] = ()
    severity: Severity = "error"

    @property
    def places(self) -> tuple[Note, ...]:
        """The notes, and for a line of a circuit where it is used."""
        use = self.span.use
        return self.notes if use is None else (*self.notes, Note(use, "the circuit is used here"))


def errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those that forbid using the program."""
    return tuple(d for d in diagnostics if d.severity == "error")


class Mistake(Exception):  # noqa: N818  it carries one diagnostic to where they are gathered
    """One diagnostic on its way to the pass that gathers them."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.headline)
        self.diagnostic = diagnostic
