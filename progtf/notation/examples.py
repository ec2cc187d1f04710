"""The examples of a program."""

from dataclasses import dataclass, field

from progtf.notation.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Example:
    """``input -> output``; ``raw`` is how they were spelled."""

    input: str
    output: str
    span: Span
    raw: tuple[str, str] = field(compare=False, default=("", ""))
