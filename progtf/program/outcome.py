"""What is proven of answers: whether they are what a program means, whatever the input."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal

from progtf.notation.diagnostics import Span
from progtf.notation.spell import counted
from progtf.program.model import Head

Verdict = Literal[
    "exact", "not proven", "not exact", "learned", "not checked", "by meaning", "broken promise"
]
Who = Literal["interpreter", "network"]
"""Whose answers they are."""
_SAYS: dict[Verdict, str] = {
    "exact": "exact",
    "not proven": "not proven: answers may be wrong",
    "not exact": "NOT exact: answers may be wrong",
    "learned": "learned: nothing is proven of what training finds",
    "not checked": "not checked: nothing is proven of these weights",
    "by meaning": "by the program's meaning",
    "broken promise": "a promise of the program does not hold: the answer may be wrong",
}


@dataclass(frozen=True, slots=True)
class Held:
    """What an assumption says, so that it can be held against a text.

    Attributes:
        kind: ``range``: a seme stays in its range, or is 0 where it is not read; ``always``: it is
            in its range at every token; ``step``: it keeps
            to its steps; ``read``: it does where rules read it; ``same``: heads read no mean of
            several values for it; ``sum``: what heads add up for it stays below ``least`` on the
            way; ``hot``: of a family one holds at a token; ``one``, ``few``: a head finds one
            token, or 1, 2, 4, 8 ...; ``alike``: all tokens that it finds say the same; ``there``: a
            token stands where it looks; ``apart``: its scores that differ, differ by ``least`` at
            least; ``score``: the best score is ahead of the others by more than ``least``;
            ``loop``: it ends; ``flat``: what an open rule reads lies by more than ``least`` beside
            each part of its curve that rises or falls.
        name: the seme, or one of a family; the loop; the head; else "".
        place: of a head or a rule, file and line.
        least: a number; 0 where there is none.
    """

    kind: Literal[
        "range", "always", "step", "read", "same", "sum", "hot", "one", "few", "alike", "there",
        "apart", "score", "loop", "flat",
    ]  # fmt: skip
    name: str = ""
    place: str = ""
    least: float = 0.0

    @staticmethod
    def of_head(
        kind: Literal["one", "few", "alike", "there", "apart"], head: Head, least: float = 0.0
    ) -> "Held":
        """What is said of a head."""
        return Held(kind, head.name, place_of(head.span), least)


def place_of(span: Span) -> str:
    """``words.seme:12``."""
    return f"{PurePath(span.source.name).name}:{span.line}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is proven of a network, and the format that it computes in.

    Attributes:
        verdict: ``exact``: it says what its program means, if what is assumed holds; ``not
            proven``: a bound is not derived; ``not exact``: something is wrong in itself;
            ``learned``: something is left to training; ``not checked``: no program is known whose
            weights these are, as after a change; ``by meaning``: the interpreter's answer;
            ``broken promise``: the same, of a text that breaks what the program promises; or a
            network's, of one that breaks what its proof assumes.
        dtype: how weights are stored.
        assumptions: what is taken for granted, in words; held: what each of them says.
        problems: what is wrong, or not derived, and where; of ``learned``, in what is written.
        lighter: flags that hold files back. Texts in which one of them is up, or none, and no other
            such flag, are answered in float32, by a part that is exact in it.
    """

    verdict: Verdict
    dtype: str
    assumptions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    lighter: tuple[str, ...] = ()
    held: tuple[tuple[Held, ...], ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        """Whether answers are what the program means."""
        return self.verdict in ("exact", "by meaning")

    @property
    def status(self) -> int:
        """With what a command ends: 0 for exact, 1 for not exact, 3 where nothing is proven."""
        return 0 if self.exact else 1 if self.verdict == "not exact" else 3

    def __str__(self) -> str:
        count = len(self.assumptions) if self.exact else 0
        under = f" under {counted(count, 'assumption')}" if count else ""
        more = f", and {len(self.problems) - 1:,} more" * (len(self.problems) > 1)
        why = f"; {self.problems[0]}{more}" if self.problems else ""
        parts = f", of {counted(len(self.lighter), 'kind')} of texts in float32" * bool(
            self.lighter
        )
        return f"{_SAYS[self.verdict]}{under}, computed in {self.dtype}{parts}{why}"


Judge = Callable[[Any, Outcome], Outcome]


class NotExactError(ValueError):
    """An answer was asked for that is exact, and nothing proves that it would be."""


class Proof:
    """An outcome that is found out when somebody asks for it, once.

    Attributes:
        judge: what it comes to for one text, given its tokens and the outcome; None: the same for
            all.

    Args:
        find: finds it out.
    """

    def __init__(self, find: Callable[[], Outcome], judge: "Judge | None" = None) -> None:
        self._find, self.judge = find, judge

    @classmethod
    def of(cls, outcome: Outcome, judge: "Judge | None" = None) -> "Proof":
        """A proof whose outcome is known."""
        proof = cls(lambda: outcome, judge)
        proof.outcome = outcome
        return proof

    @property
    def known(self) -> bool:
        """Whether somebody has found it out."""
        return "outcome" in vars(self)

    @cached_property
    def outcome(self) -> Outcome:
        """What is proven."""
        return self._find()

    def __reduce__(self) -> tuple[Any, ...]:
        return Proof.of, (self.outcome, self.judge)


UNCHECKED = Proof.of(Outcome("not checked", "float64"))
