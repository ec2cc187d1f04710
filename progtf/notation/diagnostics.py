"""Where something stands in a text, and what is wrong there."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import Any, Literal

from progtf.frozen import quick
from progtf.notation.did_you_mean import nearest
from progtf.numbers import plain, refused
from progtf.texts import normal, with_line_feeds

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Source:
    """One text and the name that messages give it."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text in normal form, without ends and without a mark before them."""
        return normal(with_line_feeds(self.text)).split("\n")

    @cached_property
    def apart(self) -> dict[int, str]:
        """The lines that were written in another form, as they were, by their numbers."""
        if self.text.isascii():
            return {}
        written = zip(with_line_feeds(self.text).split("\n"), self.lines, strict=True)
        return {n: raw for n, (raw, line) in enumerate(written, start=1) if raw != line}

    def written(self, number: int, column: int) -> int:
        """Where a column of a line stands in the line as it was written."""
        raw = self.apart.get(number)
        if raw is None:
            return column
        fitting = (n for n in range(len(raw), -1, -1) if len(normal(raw[:n])) <= column)
        return next(fitting, 0)

    def read(self, number: int, column: int) -> int:
        """Where a column of a line as it was written stands in the line."""
        raw = self.apart.get(number)
        return column if raw is None else len(normal(raw[:column]))

    def row(self, number: int) -> "int | Row":
        """What spans say of the line with this number."""
        return number


@dataclass(slots=True, eq=False)
class Row:
    """A line of a text that is edited; its number changes with the lines before it.

    Compared and hashed by its number: it belongs in nothing that is kept from edit to edit.
    """

    number: int

    def __eq__(self, other: object) -> bool:
        return self.number == (other.number if isinstance(other, Row) else other)

    def __hash__(self) -> int:
        return hash(self.number)


@quick
@dataclass(frozen=True, slots=True)
class Span:
    """Part of one line: ``row`` counts from 1, ``start`` and ``end`` are columns from 0.

    ``use``: in the lines of a circuit, the outermost ``use`` that put them in.
    """

    source: Source
    row: int | Row
    start: int
    end: int
    use: "Span | None" = None

    @property
    def line(self) -> int:
        """The number of the line, from 1."""
        return self.row if isinstance(self.row, int) else self.row.number


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


class _Words(Formatter):
    """Numbers are said as they are everywhere."""

    def format_field(self, value: Any, format_spec: str) -> str:
        said = {"g": plain, "r": refused}.get(format_spec)
        return super().format_field(value, format_spec) if said is None else said(value)


_WORDS = _Words()


@dataclass(frozen=True, slots=True)
class Message:
    """What is said about one kind of mistake: a ``Diagnostic`` in which words are left open.

    ``{0}``, ``{1}`` stand for the words that it is called with, ``{0:g}`` for a number,
    ``{0:r}`` for one that is refused; ``note``: what is said of the place ``at``. Without a help
    of its own it has ``hint``, or names the
    nearest of ``known`` to the first word.
    """

    code: str
    headline: str
    label: str = ""
    help: str = ""
    note: str = ""
    severity: Severity = "error"

    def __call__(
        self,
        span: Span,
        *words: object,
        hint: str = "",
        known: Iterable[str] = (),
        at: Span | None = None,
    ) -> Diagnostic:
        headline, label, told = (
            _WORDS.format(part, *words) for part in (self.headline, self.label, self.help)
        )
        hint = told or hint or nearest(str(words[0]) if words else "", known)
        notes = () if at is None else (Note(at, self.note),)
        return Diagnostic(self.code, headline, span, label, hint, notes, self.severity)


def errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those that forbid using the program."""
    return tuple(d for d in diagnostics if d.severity == "error")


Report = Callable[[Diagnostic], None]
"""Told about mistakes."""


class Mistake(Exception):  # noqa: N818  it carries one diagnostic to where they are gathered
    """One diagnostic on its way to the pass that gathers them."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.headline)
        self.diagnostic = diagnostic


@contextmanager
def reporting(report: Report) -> Generator[None, None, None]:
    """Within, a mistake is reported, and what it stands in is left."""
    try:
        yield
    except Mistake as mistake:
        report(mistake.diagnostic)
