"""What a check comes to: a row for every head and rule, what was assumed, what is refused."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from progtf.notation.diagnostics import Diagnostic, Span
from progtf.numbers import plain
from progtf.program.forms import Values
from progtf.program.outcome import Held


@dataclass(frozen=True, slots=True)
class HeadRow:
    """The bounds of one head.

    Attributes:
        gap: by how many nats what it reads outscores the best of what it does not, at least.
        leak: the share of the attention that goes to what does not match, at most.
        address: the difference of scores that the clocks make, None without clocks.
        assumed: numbers of assumptions, from 1.
    """

    place: str
    name: str
    gap: float
    leak: float
    address: float | None
    assumed: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RuleRow:
    """The bounds of the rules that one line of the file comes to.

    Attributes:
        count: how many rules.
        margin: the smallest distance of a form from the middle of a step, as a share of the step:
            0.5 for values on their grid, 0.25 where the plateau ends; None without a step.
        error: how far what is written lies off at most.
    """

    place: str
    count: int
    margin: float | None
    error: float
    assumed: tuple[int, ...]
    span: Span

    @property
    def text(self) -> str:
        """The line as it stands in the file, without its comment."""
        lines = self.span.source.lines
        line = lines[self.span.line - 1] if self.span.line <= len(lines) else ""
        return line.partition("  #")[0].strip()


@dataclass(frozen=True, slots=True)
class OutputRow:
    """The bound of the answer.

    Attributes:
        gap: how far the best score lies above the second best, at least; None for an answer
            without scores, or where nothing is known.
        error: how far a score, or a number of the answer, lies off at most.
    """

    name: str
    gap: float | None
    error: float
    assumed: tuple[int, ...]


@dataclass
class Report:
    """Everything that was found about one program.

    Attributes:
        dtype: how weights are stored.
        length: the longest input, in tokens.
        taken: what could not be derived, in words, with the lines that it is taken for granted of.
        held: of these words what they say, so that it can be held against a text.
        found: what is refused.
        unproven: what is refused because a bound cannot be derived, though nothing is known to be
            wrong: it adds up more errors than would ever meet.
        more: the semes and heads of which more is taken for granted than of any first.
    """

    dtype: str
    length: int
    heads: list[HeadRow] = field(default_factory=list[HeadRow])
    rules: list[RuleRow] = field(default_factory=list[RuleRow])
    output: OutputRow | None = None
    taken: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    held: dict[str, list[Held]] = field(default_factory=dict[str, list[Held]])
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    unproven: list[Diagnostic] = field(default_factory=list[Diagnostic])
    more: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether nothing is refused: the network then says what the program means."""
        return not (self.found or self.unproven)

    @property
    def assumptions(self) -> list[str]:
        """What is taken for granted, in words, each with the lines that it is about."""
        return [_said(text, spans) for text, spans in self.taken.items()]

    def assume(self, text: str, span: Span | None, held: Held) -> int:
        """The number of an assumption, the same for the same words; ``held``: what it says."""
        spans = self.taken.setdefault(text, [])
        said = self.held.setdefault(text, [])
        if all((each.kind, each.place) != (held.kind, held.place) for each in said):
            said.append(held)  # of a family one stands for all that the words are about
        if span is not None and span not in spans:
            spans.append(span)
        return list(self.taken).index(text) + 1

    def assume_range(self, seme: str, values: Values, span: Span, *, always: bool = False) -> int:
        """The number of the assumption that a seme, or its family, stays in its range.

        ``always``: at tokens that have nothing, too.
        """
        text = f"{shown(seme)} stays in {values.ends}{' at every token' * always}"
        return self.assume(text, span, Held("always" if always else "range", seme))

    def assume_steps(self, seme: str, values: Values, span: Span, *, read: bool = False) -> int:
        """The number of the assumption that a seme, or its family, keeps to its steps.

        ``read``: where rules read it, and nowhere else.
        """
        text = f"{shown(seme)} keeps to its steps of {plain(values.grain)}"
        where = " where rules read it" if read else ""
        return self.assume(text + where, span, Held("read" if read else "step", seme))


def shown(seme: str) -> str:
    """A seme, or the family that it belongs to, as a reader knows it."""
    stem, bracket, _ = seme.partition("[")
    return f"`{stem}[..]`" if bracket else f"`{stem}`"


def _said(text: str, spans: Iterable[Span]) -> str:
    """An assumption with its lines: `... (words.seme:12, 14; main.seme:3)`."""
    lines: dict[str, list[int]] = {}
    for span in spans:
        lines.setdefault(PurePath(span.source.name).name, []).append(span.line)
    shown = [f"{name}:{', '.join(map(str, sorted(set(found))))}" for name, found in lines.items()]
    return f"{text} ({'; '.join(shown)})" if shown else text
