"""A program without loops, circuits and arithmetic: every name is whole, every number known."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from progtf.frozen import quick
from progtf.notation.diagnostics import Span
from progtf.notation.examples import Example
from progtf.notation.shared_nodes import (
    Alias,
    AllOf,
    AnyOf,
    ClassEntry,
    Close,
    Comparison,
    Entry,
    Extreme,
    Field,
    Function,
    NamedValue,
    Not,
    Phrase,
    ReadAs,
    Rest,
    SpellingMark,
    Truth,
    Words,
)


@quick
@dataclass(frozen=True, slots=True)
class Term:
    """``coefficient * name``; without a name the coefficient itself."""

    coefficient: float
    name: str | None
    span: Span


Form = tuple[Term, ...]
Entries = tuple[Entry[Term], ...]
Condition = (
    Truth[Term] | Comparison[Term] | Not["Condition"] | AllOf["Condition"] | AnyOf["Condition"]
)
Value = Condition | Function[Term, float]


@quick
@dataclass(frozen=True, slots=True)
class Seme:
    """A declared seme with its values ``low .. high`` in steps of ``step``."""

    name: str
    low: float
    high: float
    step: float
    span: Span


@dataclass(frozen=True, slots=True)
class Distance:
    """A declared distance: one pair of semes a clock."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Numbers:
    """The two lengths, or the periods of the clocks."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LearnedLayers:
    """Layers of one stack, counted from 1, and what is learned in each of them."""

    first: int
    last: int
    heads: int | None
    filter: int | None


FieldValue = (
    Entries
    | Condition
    | Extreme[Term, Condition]
    | Rest[Entries, float]
    | Numbers
    | LearnedLayers
    | Words
    | Close
    | float
    | str
)


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A token and its vector; token None is ``unknown``."""

    token: str | None
    value: Entries
    span: Span


@quick
@dataclass(frozen=True, slots=True)
class Rule:
    """``targets`` get ``value`` (or 1) where ``when`` holds.

    ``held``: the part of ``when`` by which ``use ... when`` holds it back. ``sets``: the value
    stands in the place of what was there.
    """

    targets: Entries
    value: Value | None
    when: Condition | None
    span: Span
    held: Condition | None = None
    sets: bool = False


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """The score of one token: a sum, or flags joined by ``&`` and ``|``."""

    token: str
    score: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """``loop NAME up to MOST until FLAG when ASKED:``, which each of its layers knows.

    ``most`` is a number, ``until`` the flag, each with its place; ``none``: it ends where no token
    has the flag; ``resets``: the semes of one round; ``asked``: the flags without which it does not
    run, those of ``use ... when`` among them; ``falls``: what every round lowers, if that is said.
    """

    name: str
    most: Term
    until: Term
    none: bool
    resets: tuple[str, ...]
    span: Span
    asked: Form = ()
    falls: Form = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A section, layer, head ... with what stands in it.

    ``origin``: which used file a section comes from, and under which prefix; "" in the program
    itself. ``rounds``: of a layer that runs again, all that runs with it: earlier rounds have
    written it. ``loop``: the loop that a layer stands in.
    """

    keyword: str
    name: str
    children: tuple["Statement", ...]
    span: Span
    origin: str = ""
    rounds: tuple["Statement", ...] = ()
    loop: Loop | None = None


Statement = (
    Seme
    | Distance
    | Field[FieldValue]
    | Alias[str, Condition]
    | NamedValue[str, Entries]
    | LexiconEntry
    | Rule
    | Phrase[str]
    | ReadAs
    | SpellingMark[Entries]
    | OutputEntry
    | ClassEntry[Condition]
    | Example
    | Block
)


def walk(statements: Iterable[Statement]) -> list[Statement]:
    """All statements, those inside blocks after their block."""
    found: list[Statement] = []
    for statement in statements:
        found.append(statement)
        if isinstance(statement, Block):
            found += walk(statement.children)
    return found


@dataclass(frozen=True, slots=True)
class Flat:
    """One whole program, files that it uses included.

    ``complete``: nothing that may declare a name was left out, so an unknown name is a mistake.
    """

    statements: tuple[Statement, ...]
    families: Mapping[str, tuple[str, ...]]
    span: Span
    complete: bool = True
