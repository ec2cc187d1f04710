"""What a check comes to: a row for every head and rule, what was assumed, what is refused."""

from dataclasses import dataclass, field

from progtf.notation.diagnostics import Diagnostic, Span


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
        assumptions: what could not be derived, in words.
        found: what is refused.
        unproven: what is refused because a bound cannot be derived, though nothing is known to be
            wrong: it adds up more errors than would ever meet.
    """

    dtype: str
    length: int
    heads: list[HeadRow] = field(default_factory=list[HeadRow])
    rules: list[RuleRow] = field(default_factory=list[RuleRow])
    output: OutputRow | None = None
    assumptions: list[str] = field(default_factory=list[str])
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    unproven: list[Diagnostic] = field(default_factory=list[Diagnostic])

    @property
    def exact(self) -> bool:
        """Whether nothing is refused: the network then says what the program means."""
        return not (self.found or self.unproven)

    def assume(self, text: str) -> int:
        """The number of an assumption, the same for the same words."""
        if text not in self.assumptions:
            self.assumptions.append(text)
        return self.assumptions.index(text) + 1
