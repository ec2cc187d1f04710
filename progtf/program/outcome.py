"""What is proven of answers: whether they are what a program means, whatever the input."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from progtf.notation.spell import counted

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
class Outcome:
    """What is proven of a network, and the format that it computes in.

    Attributes:
        verdict: ``exact``: it says what its program means, if what is assumed holds; ``not
            proven``: a bound is not derived; ``not exact``: something is wrong in itself;
            ``learned``: something is left to training; ``not checked``: no program is known whose
            weights these are, as after a change; ``by meaning``: the interpreter's answer;
            ``broken promise``: the same, of a text that breaks what the program promises.
        dtype: how weights are stored.
        assumptions: what is taken for granted, in words.
        problems: what is wrong, or not derived, and where; of ``learned``, in what is written.
        lighter: flags that hold files back. Texts in which one of them is up, or none, and no other
            such flag, are answered in float32, by a part that is exact in it.
    """

    verdict: Verdict
    dtype: str
    assumptions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    lighter: tuple[str, ...] = ()

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


class NotExactError(ValueError):
    """An answer was asked for that is exact, and nothing proves that it would be."""


class Proof:
    """An outcome that is found out when somebody asks for it, once.

    Args:
        find: finds it out.
    """

    def __init__(self, find: Callable[[], Outcome]) -> None:
        self._find = find

    @classmethod
    def of(cls, outcome: Outcome) -> "Proof":
        """A proof whose outcome is known."""
        proof = cls(lambda: outcome)
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
        return Proof.of, (self.outcome,)


UNCHECKED = Proof.of(Outcome("not checked", "float64"))
