"""What a program promises of every text, and what becomes of a text that breaks it."""

from dataclasses import dataclass, field
from typing import Literal

from progtf.numbers import plain

Kind = Literal["flag", "range", "step", "one", "distance", "tie", "loop", "set"]


@dataclass(frozen=True)
class Broken:
    """A promise that does not hold of a text.

    Attributes:
        kind: ``flag``: it is neither 0 nor 1; ``range``: it lies outside its range; ``step``: it
            lies between two values; ``one``: a reader has several members of what is matched;
            ``distance``: tokens at several distances are read; ``tie``: unlike answers share the
            best score; ``loop``: it does not end; ``set``: several lines set a seme.
        what: the seme, or the sum, that is read.
        by: what reads it, and where that is written.
        token: the place of the token, from 0 on.
        value: the number.
        due: what was promised.
        reads: the semes of the sum, each with its factor; nothing where no sum is read.
        step: of a chain, in which step, from 1; 0: what is asked once.
    """

    kind: Kind
    what: str
    by: str
    token: int
    value: float
    due: str
    reads: tuple[tuple[str, float], ...] = field(default=(), compare=False, repr=False)
    step: int = 0

    def __str__(self) -> str:
        said = f"`{self.what}` is {plain(self.value)}" if self.what else plain(self.value)
        where = f"step {self.step}: " * bool(self.step)
        return f"{where}{said} at token {self.token + 1}, and {self.by} wants {self.due}"
