"""What was written: one node per thing that the grammar names, with its place in the text."""

from collections.abc import Iterator
from dataclasses import dataclass

from progtf.notation.arithmetic import Exact
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

# ------------------------------------------------------------------ numbers and index expressions


@dataclass(frozen=True, slots=True)
class Number:
    """A literal number: the decimal that stands there; ``text`` is how it was spelled."""

    value: Exact
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string."""

    value: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A loop variable, a parameter, a ``let``, or a name passed to a circuit."""

    name: str
    span: Span


ITEM = "[]"
"""The operator of ``list[k]``."""


@dataclass(frozen=True, slots=True)
class Operation:
    """``operator`` applied to ``operands``: + - * / % **, ITEM, and the functions cos, sqrt, ..."""

    operator: str
    operands: tuple["Expression", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    """``low..high``, both included; characters count as their code points."""

    low: "Expression"
    high: "Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class Items:
    """``[a, b, c]``: a list."""

    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class RowTest:
    """``!number=sg pl``: whether a cell of a row is one of some values."""

    negated: bool
    column: str
    test: str
    values: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """``column lemma of "words.tsv" where category=noun``: the cells of a column, each once."""

    column: str
    path: str
    tests: tuple[RowTest, ...]
    span: Span


Expression = Number | Text | Variable | Operation | Range | Items | ColumnOf


def place_of(node: Expression, otherwise: Span) -> Span:
    """Where an expression stands, as far as it is known."""
    return otherwise if isinstance(node, Text | Items) else node.span


# ------------------------------------------------------------------ vectors, maps, conditions


@dataclass(frozen=True, slots=True)
class Name:
    """``place[k+1]``: a base and its indices."""

    base: str
    indices: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Term:
    """``-2.1pig``; without a name a constant, without a coefficient 1."""

    sign: int
    coefficient: Expression | None
    name: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Clause:
    """``for c at k in domain if left < right``."""

    variable: str
    position: str | None
    domain: Expression
    guards: tuple[tuple[Expression, str, Expression], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """``for ...: entries`` inside a list."""

    clauses: tuple[Clause, ...]
    body: tuple[Entry[Term], ...]


Entries = tuple[Entry[Term] | Loop, ...]
Form = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """``all prop[j+1..k-1]``, ``any``, ``none``."""

    quantifier: str
    name: Name


Condition = (
    Truth[Term]
    | Comparison[Term]
    | Quantified
    | Not["Condition"]
    | AllOf["Condition"]
    | AnyOf["Condition"]
)
Value = Condition | Function[Term, Expression]

# ------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True)
class Copy:
    """``adj noun as next`` after ``copy:``: what is read, and what is put before its names."""

    names: tuple[Name, ...]
    prefix: Name


@dataclass(frozen=True, slots=True)
class LearnedLayers:
    """``layers 3..4 heads 6 filter 256`` in ``learn:``."""

    which: Expression
    heads: Expression | None
    filter: Expression | None


FieldValue = (
    Entries
    | Expression
    | Condition
    | Name
    | Copy
    | Extreme[Term, Condition]
    | Rest[Entries, Expression]
    | LearnedLayers
    | Words
    | Close
    | str
)


@dataclass(frozen=True, slots=True)
class Fields:
    """``querypos: +0 keypos: +1``: fields that share a line."""

    items: tuple[Field[FieldValue], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """``let P = -20..20``: a constant of the text, not of the network."""

    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Declaration:
    """``val: 0..9`` in ``semes:``; ``values`` is a Range, "distance", or None for a flag."""

    name: Name
    values: Range | str | None
    step: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Declarations:
    """One line of seme declarations."""

    items: tuple[Declaration, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Periods:
    """``/7 /40``: one line of ``clocks:``."""

    values: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """``black: +adjective +black``; ``token`` is None for ``unknown:``.

    ``others`` are further tokens of the same line, each with whether it is quoted.
    """

    token: str | None
    quoted: bool
    value: Entries
    span: Span
    others: tuple[tuple[str, bool], ...] = ()

    @property
    def tokens(self) -> tuple[tuple[str | None, bool], ...]:
        """All tokens of the line."""
        return ((self.token, self.quoted), *self.others)


@dataclass(frozen=True, slots=True)
class LexiconRow:
    """``number=sg > sg``: what words get whose cells pass the tests; without tests, all words."""

    tests: tuple[RowTest, ...]
    gives: Entries
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """``target: value when condition`` or ``vector when condition`` of a feed-forward block.

    ``sets``: the value stands in the place of what was there, ``set target: value``.
    """

    target: Name | Entries
    value: Value | None
    when: Condition | None
    span: Span
    sets: bool = False


@dataclass(frozen=True, slots=True)
class SequenceLine:
    """``N after B C``: what may (``never``: may not) stand before something."""

    what: Condition
    never: bool
    before: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """``"5": 10say - 25``: the score of one token."""

    token: str
    quoted: bool
    score: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class OutputRow:
    """``category=adj > "{fs}": lemma[french] & fs``: the spelling of a cell, and when it is due."""

    tests: tuple[RowTest, ...]
    token: str
    score: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class OutputClassify:
    """``classify say in 0..9``: token k scores 2k*say - k*k."""

    name: Name
    domain: Range
    span: Span


@dataclass(frozen=True, slots=True)
class UseFile:
    """``use "std/numbers.seme" as num when asked``; only with a prefix there may be a ``when``."""

    path: str
    prefix: str | None
    when: Condition | None
    span: Span


@dataclass(frozen=True, slots=True)
class UseCircuit:
    """``use reader(place, 20)`` in a layer."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ListLine:
    """A further line of a list that began above it."""

    value: Entries
    span: Span


@dataclass(frozen=True, slots=True)
class ForBlock:
    """``for d in 0..9:`` with lines below it."""

    clauses: tuple[Clause, ...]
    children: tuple["Statement", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Until:
    """``up to 60 until no unequal when asked`` of a loop.

    ``none``: it ends where no token has the flag. ``asked``: flags without which it does not run.
    """

    most: Expression
    flag: Name
    none: bool
    asked: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Forms:
    """``forms singular plural``: the columns of a table whose cells are words of the lexicon."""

    columns: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """A section, layer, head, circuit ...: a keyword, perhaps a name, and lines below."""

    keyword: str
    name: Name | None
    arguments: tuple["Declaration | Expression | Condition | Name | Until | Forms | str", ...]
    children: tuple["Statement", ...]
    span: Span


Statement = (
    Field[FieldValue]
    | Fields
    | Let
    | Alias[Name, Condition]
    | NamedValue[Name, Entries]
    | Declarations
    | Periods
    | LexiconEntry
    | LexiconRow
    | ReadAs
    | SpellingMark[Entries]
    | Rule
    | SequenceLine
    | Phrase[Name]
    | OutputEntry
    | OutputRow
    | OutputClassify
    | ClassEntry[Condition]
    | Example
    | UseFile
    | UseCircuit
    | ListLine
    | ForBlock
    | Block
)


@dataclass(frozen=True, slots=True)
class File:
    """One parsed text; ``complete``: no line that may declare a name is missing."""

    statements: tuple[Statement, ...]
    span: Span
    complete: bool = True

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.span.source.name

    def spoken(self, *, main: bool) -> Iterator[Statement]:
        """What it says: by itself with its ``demo:``, to a program that uses it without."""
        for statement in self.statements:
            if not (isinstance(statement, Block) and statement.keyword == "demo"):
                yield statement
            elif main:
                yield from statement.children
