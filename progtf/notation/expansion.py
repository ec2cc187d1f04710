"""What one expansion gathers; it takes the statements of a file step by step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.circuits import Circuits
from progtf.notation.declare import Declared
from progtf.notation.diagnostics import Diagnostic
from progtf.notation.files import Files
from progtf.notation.owned import Owners
from progtf.notation.terms import Budget, Terms
from progtf.notation.using import Use

Made = Sequence[f.Statement]
How = Use | str
"""What a step takes: a statement of a file that stands so in the program; "inside", one inside of
it; "rows of" a table, a line about these."""


def plainly(
    _state: "Expansion",
    _how: How,
    _node: s.Statement,
    _terms: Terms,
    make: Callable[[], Made],
) -> Made:
    """The step that knows of no other: what ``make`` gives."""
    return make()


Step = Callable[["Expansion", How, s.Statement, Terms, Callable[[], Made]], Made]


@dataclass
class Expansion:
    """What one expansion gathers; the passes below it only read their arguments.

    Attributes:
        own: the sections that the program itself has.
        step: what a statement stands for, in the scope of some terms; it may know that from before.
        lenders: of the sections that it takes over, how the file stands in it that has them.
    """

    files: Files
    budget: Budget
    own: frozenset[str] = frozenset()
    step: Step = plainly
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    complete: bool = True
    resets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    taken: set[str] = field(default_factory=set[str])
    lenders: dict[str, Use] = field(default_factory=dict[str, Use])
    declared: Declared = field(init=False)
    circuits: Circuits = field(init=False)
    owners: Owners = field(init=False)

    def __post_init__(self) -> None:
        self.declared = Declared(self.found.append)
        self.circuits = Circuits(self.found.append)
        self.owners = Owners(self.files, self.declared.families)
