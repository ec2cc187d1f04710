"""The nodes that syntax and flat programs share; what is in them is of the one or of the other.

In syntax a name may have indices, a number may be an expression and a list may have loops; in flat
programs names are whole, numbers are known and lists are lists of entries.
"""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from progtf.frozen import quick
from progtf.notation.diagnostics import Span

Kind = Literal["vector", "map", "relation", "product"]
Mark = Literal["", "~", "?", "one of"]

Name_co = TypeVar("Name_co", covariant=True)
Number_co = TypeVar("Number_co", covariant=True)
Term_co = TypeVar("Term_co", covariant=True)
Entries_co = TypeVar("Entries_co", covariant=True)
Condition_co = TypeVar("Condition_co", covariant=True)
Value_co = TypeVar("Value_co", covariant=True)


@quick
@dataclass(frozen=True, slots=True)
class Entry(Generic[Term_co]):
    """``+a`` (vector), ``a>b`` (map), ``a ~ r ~ b`` (relation), ``a*b > c`` (product).

    ``mark``: ``~2a>b`` is trained from 2 on, ``?a>b`` from random; others are fixed.
    Of the vectors marked ``one of`` training chooses one.
    """

    kind: Kind
    terms: tuple[Term_co, ...]
    span: Span
    mark: Mark = ""


# ------------------------------------------------------------------ conditions and values


@quick
@dataclass(frozen=True, slots=True)
class Truth(Generic[Term_co]):
    """A linear form read as a flag, or as a value where a value is due."""

    form: tuple[Term_co, ...]
    span: Span


@quick
@dataclass(frozen=True, slots=True)
class Comparison(Generic[Term_co]):
    """``form >= form``."""

    operator: str
    left: tuple[Term_co, ...]
    right: tuple[Term_co, ...]
    span: Span


@quick
@dataclass(frozen=True, slots=True)
class Not(Generic[Condition_co]):
    """``!part``."""

    part: Condition_co


@quick
@dataclass(frozen=True, slots=True)
class AllOf(Generic[Condition_co]):
    """``a & b``; without parts true."""

    parts: tuple[Condition_co, ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Generic[Condition_co]):
    """``a | b``; without parts false."""

    parts: tuple[Condition_co, ...]


@dataclass(frozen=True, slots=True)
class Function(Generic[Term_co, Number_co]):
    """``D mod 10``, ``sign(x)``, ``clip(x, 0, 9)``: a function of one linear form.

    ``more``: of ``abs(abs(x) - a)`` what stands behind ``abs(x)``, with its signs.
    """

    function: str
    form: tuple[Term_co, ...]
    arguments: tuple[Number_co, ...]
    span: Span
    more: tuple[Term_co, ...] = ()


# ------------------------------------------------------------------ fields


@dataclass(frozen=True, slots=True)
class Extreme(Generic[Term_co, Condition_co]):
    """``place where nonzero`` behind ``highest:``: what is ranked, and which keys take part."""

    form: tuple[Term_co, ...]
    where: Condition_co | None


@dataclass(frozen=True, slots=True)
class Rest(Generic[Entries_co, Number_co]):
    """``+stop below 1.5`` behind ``else:``: what a head writes where nothing matches.

    ``below``: the score that counts as nothing.
    """

    filler: Entries_co
    below: Number_co | None


@dataclass(frozen=True, slots=True)
class Field(Generic[Value_co]):
    """``key: value`` inside a block; what ``value`` may be depends on the key."""

    key: str
    value: Value_co
    span: Span


@dataclass(frozen=True, slots=True)
class Words:
    """Quoted texts side by side, behind words of the language: ``quotes "." "!"``."""

    values: tuple[str, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Close:
    """``"?" after "What" "Is"``: what closes a text, behind any beginning if none is named."""

    mark: str
    after: tuple[str, ...]


# ------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True)
class Alias(Generic[Name_co, Condition_co]):
    """``S := sdig + oth``: another name for a sum or a condition."""

    name: Name_co
    value: Condition_co
    span: Span


@dataclass(frozen=True, slots=True)
class NamedValue(Generic[Name_co, Entries_co]):
    """``vec1: +pig -wombat``: a vector, matrix or relation with a name."""

    name: Name_co
    value: Entries_co
    span: Span


@dataclass(frozen=True, slots=True)
class Phrase(Generic[Name_co]):
    """``phrase "take away" > minus``: phrases whose first character gets a flag."""

    phrases: tuple[str, ...]
    target: Name_co
    span: Span


@dataclass(frozen=True, slots=True)
class SpellingMark(Generic[Entries_co]):
    """``contains "n't" > negation``: what the spelling of any token gives."""

    test: str
    text: str
    gives: Entries_co
    span: Span


@dataclass(frozen=True, slots=True)
class ReadAs:
    """``read "can't" as "can not"``, ``where`` as the language has it."""

    text: str
    meant: str
    where: str
    span: Span


@dataclass(frozen=True, slots=True)
class ClassEntry(Generic[Condition_co]):
    """``UNGRAMMATICAL: weird``; ``when`` is None for ``otherwise:``."""

    label: str
    when: Condition_co | None
    span: Span
