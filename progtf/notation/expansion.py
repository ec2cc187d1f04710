"""What one expansion gathers, and what it keeps of statements from edit to edit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.circuits import Circuits
from progtf.notation.declare import Declared
from progtf.notation.diagnostics import Diagnostic
from progtf.notation.files import Files
from progtf.notation.kept import Kept
from progtf.notation.noted import Lookups, Noted, Notes, Only
from progtf.notation.owned import Owners
from progtf.notation.scope import Constant, Scope
from progtf.notation.terms import Budget
from progtf.notation.using import Use


@dataclass
class Expansion:
    """What one expansion gathers; the passes below it only read their arguments.

    Attributes:
        kept: what was found of statements before.
        here: the scope of the file that is expanded, and how it stands in the program.
        notes: what statements look up.
    """

    files: Files
    budget: Budget
    kept: Kept | None = None
    here: tuple[Scope, "_Here"] | None = None
    notes: Notes = field(init=False)
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    complete: bool = True
    resets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    taken: set[str] = field(default_factory=set[str])
    declared: Declared = field(init=False)
    circuits: Circuits = field(init=False)
    owners: Owners = field(init=False)

    def __post_init__(self) -> None:
        self.declared = Declared(self.found.append)
        self.circuits = Circuits(self.found.append)
        if self.kept is not None:
            families, circuits = Noted(self.declared.families), Noted(self.circuits.defined)
            self.declared.families, self.circuits.defined = families, circuits
            tables = {"families": families, "circuits": circuits}
            self.notes = Notes(tables, {"families": tuple, "circuits": _circuit, "constants": Only})
        self.owners = Owners(self.files, self.declared.families)

    def stand(self, scope: Scope, use: Use) -> Scope:
        """From now on statements of this file are expanded that declare nothing; their scope."""
        if self.kept is None:
            return scope
        constants = self.notes.tables["constants"] = Noted(scope.constants)
        scope = replace(scope, constants=constants)
        known = scope.own, self.files.tables, dict(self.resets)
        around = *known, use, bool(scope.families), scope.references()
        circuits = {name: _circuit(each) for name, each in self.circuits.defined.items()}
        families = {base: tuple(members) for base, members in self.declared.families.items()}
        number = self.kept.surroundings(("how", use.origin), around)
        everything = number, _only(scope.constants), families, circuits
        self.here = scope, _Here(number, self.kept.surroundings(use.origin, everything))
        return scope

    def once(
        self, how: str, node: s.Statement, make: Callable[[], Iterable[f.Statement]]
    ) -> tuple[f.Statement, ...]:
        """What a statement stands for, as it was found before if nothing that it refers to has
        changed.

        Not kept is what declares a name, for that changes what others refer to.
        """
        if self.kept is None or self.here is None:
            return tuple(make())
        key = how, self.here[1].how
        held: _Held | None = self.kept.get(key, node)
        if held is None or held.needs > self.budget.left or not self._holds(held):
            return self._made(key, node, make)
        self.budget.spare = min(self.budget.spare, self.budget.left - held.needs)
        self.budget.left -= held.spent
        self.found += held.found
        self.complete &= held.complete
        return held.statements

    def _holds(self, held: "_Held") -> bool:
        """Whether all that a statement referred to is as it was."""
        assert self.here is not None
        if held.within is not None:
            return held.within == self.here[1].everything
        return self.notes.same(held.lookups)

    def _made(
        self, key: tuple[str, int], node: s.Statement, make: Callable[[], Iterable[f.Statement]]
    ) -> tuple[f.Statement, ...]:
        assert self.kept is not None
        assert self.here is not None
        budget, known, asked = self.budget, len(self.found), self.declared.asked
        left, spare, complete = budget.left, budget.spare, self.complete
        budget.spare, self.complete = left, True
        try:
            with self.notes.taken() as lookups:
                made = tuple(make())
            found, needs = tuple(self.found[known:]), left - budget.spare + 1
            if self.declared.asked == asked:
                within, spent = self.here[1].everything if found else None, left - budget.left
                held = _Held(made, found, self.complete, spent, needs, lookups, within)
                self.kept.keep(held, key, node)
        finally:
            budget.spare, self.complete = min(spare, budget.spare), complete & self.complete
        return made


def _circuit(defined: tuple[s.Block, Scope]) -> tuple[object, ...]:
    """What of a circuit and its scope decides what it stands for, beside families."""
    block, inner = defined
    return block, _only(inner.constants), inner.own


def _only(constants: Mapping[str, Constant]) -> dict[str, Only]:
    """Constants, which ``Kept.same`` makes the same as long as they are."""
    return {name: Only(value) for name, value in constants.items()}


@dataclass(frozen=True, slots=True)
class _Here:
    """Numbers: of how a file stands in the program, and of all that it can refer to."""

    how: int
    everything: int


@dataclass(frozen=True, slots=True)
class _Held:
    """What a statement stands for, what was found in it, how many terms it spends and needs.

    Attributes:
        lookups: what it referred to.
        within: of one with mistakes, the number of all that it could refer to: what is meant
            by a name that is unknown may be any other.
    """

    statements: tuple[f.Statement, ...]
    found: tuple[Diagnostic, ...]
    complete: bool
    spent: int
    needs: int
    lookups: Lookups
    within: int | None
