"""Names, entries and conditions without loops and arithmetic."""

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import Any

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.evaluate import (
    Index,
    NameRef,
    Scope,
    evaluate,
    integer,
    number,
    show,
    spell_name,
    values,
    whole_name,
)

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
MOST_TERMS = 100_000  # beside what is written out


@dataclass
class Budget:
    """How much a program may still expand to, of ``most``; ``spare``: the least that was left."""

    left: int
    most: int
    spare: int = sys.maxsize

    def spend(self, count: int, span: Span) -> None:
        """Take ``count`` terms, or refuse."""
        self.check(count, span)
        self.left -= count

    def check(self, count: int, span: Span) -> None:
        """Refuse what would not fit."""
        self.spare = min(self.spare, self.left - count)
        if count > self.left:
            raise Mistake(messages.too_many_terms(span, self.most))


def size_of(members: Sequence[object]) -> int:
    """How many there are; a range may hold more than ``len`` can say."""
    if isinstance(members, range):
        return max(0, members.stop - members.start)
    return len(members)


@dataclass(frozen=True, slots=True)
class Terms:
    """Expands what stands in one scope."""

    scope: Scope
    budget: Budget

    def indices(self, name: s.Name) -> Iterator[Index]:
        """All index tuples that a name with ranges stands for, the last index fastest."""
        choices = [self._choices(index, name.span) for index in name.indices]
        self.budget.check(math.prod(map(len, choices)), name.span)
        return itertools.product(*choices)

    def _choices(self, index: s.Expression, span: Span) -> Sequence[int | float | str]:
        value = evaluate(index, self.scope)
        match value:
            case range():
                self.budget.check(size_of(value), span)
                return value
            case str():
                characters = isinstance(index, (s.Range, s.Variable)) and len(value) != 1
                return value if characters else [value]
            case int() | float():
                return [value]
            case NameRef(name=name):
                return [name]
            case tuple() if all(isinstance(item, (NameRef, str, int)) for item in value):
                self.budget.check(len(value), span)
                return [item.name if isinstance(item, NameRef) else item for item in value]  # type: ignore[misc]
            case tuple():
                raise Mistake(messages.not_a_number(span, show(value)))

    def names(self, name: s.Name) -> list[str]:
        """The whole names that a name stands for: one, or a family's members."""
        base = whole_name(name.base, self.scope)
        if name.indices:
            return [spell_name(base, index) for index in self.indices(name)]
        return self.members(base)

    def members(self, base: str) -> list[str]:
        """The members of a family; any other name itself."""
        family = self.scope.families.get(base)
        return [base] if family is None else [spell_name(base, index) for index in family]

    def one(self, name: s.Name) -> str:
        """The whole name where only one is due."""
        names = self.names(name)
        if len(names) != 1:
            raise Mistake(messages.many_where_one(name.span, name.base, len(names)))
        return names[0]

    def label(self, name: s.Name) -> str:
        """What a head or a layer is called, which may be what a family is called."""
        return self.one(name) if name.indices else whole_name(name.base, self.scope)

    def terms(self, term: s.Term) -> list[f.Term]:
        """The terms that a term stands for; a number's name stands for the number."""
        coefficient = self._coefficient(term)
        if term.name is None:
            return [f.Term(coefficient, None, term.span)]
        bound = None if term.name.indices else self.scope.constants.get(term.name.base)
        if isinstance(bound, (int, float)):
            return [f.Term(coefficient * bound, None, term.span)]
        names = self.names(term.name) if term.name.indices or self.scope.families else None
        if names is None:
            return [f.Term(coefficient, whole_name(term.name.base, self.scope), term.span)]
        return [f.Term(coefficient, name, term.span) for name in names]

    def _coefficient(self, term: s.Term) -> float:
        if term.coefficient is None:
            return float(term.sign)
        number = self.number(term.coefficient, term.span)
        if isinstance(number, int):  # a cell of a table has been read by nobody else
            messages.check_whole(number, term.span)
        return term.sign * float(number)

    def entries(self, items: s.Entries) -> f.Entries:
        """A list with its loops unrolled and its families spelled out."""
        flat: list[f.Entry[f.Term]] = []
        for item in items:
            if isinstance(item, s.Entry):
                flat += self._entry(item)
                continue
            for inner in loops(item.clauses, self.scope, self.budget):
                flat += Terms(inner, self.budget).entries(item.body)
        return tuple(flat)

    def _entry(self, entry: s.Entry[s.Term]) -> list[f.Entry[f.Term]]:
        """One entry; families on several sides go in step, single names go with each."""
        if len(entry.terms) == 1:
            terms = self.terms(entry.terms[0])
            self.budget.spend(len(terms), entry.span)
            return [_marked(entry, (term,)) for term in terms]
        sides = [self.terms(term) for term in entry.terms]
        size = max(len(side) for side in sides)
        self.budget.spend(size, entry.span)
        for side in sides:
            if len(side) not in (1, size):
                raise Mistake(messages.uneven_families(entry.span, len(side), size))
        columns = [side * size if len(side) == 1 else side for side in sides]
        return [_marked(entry, terms) for terms in zip(*columns, strict=True)]

    def form(self, form: s.Form) -> f.Form:
        """A sum; a family in it stands for the sum of its members."""
        flat = tuple(term for part in form for term in self.terms(part))
        self.budget.spend(len(flat), form[0].span)
        return flat

    def condition(self, node: s.Condition) -> f.Condition:
        """A condition with its quantifiers spelled out."""
        match node:
            case s.Truth():
                return f.Truth(self.form(node.form), node.span)
            case s.Comparison():
                return f.Comparison(
                    node.operator, self.form(node.left), self.form(node.right), node.span
                )
            case s.Quantified():
                return self._quantified(node)
            case s.Not():
                return f.Not(self.condition(node.part))
            case s.AllOf():
                return f.AllOf(tuple(self.condition(part) for part in node.parts))
            case s.AnyOf():
                return f.AnyOf(tuple(self.condition(part) for part in node.parts))

    def _quantified(self, node: s.Quantified) -> f.Condition:
        span = node.name.span
        names = self.names(node.name)
        self.budget.spend(len(names), span)
        parts = tuple(f.Truth((f.Term(1.0, name, span),), span) for name in names)
        if node.quantifier == "all":
            return f.AllOf(parts)
        return f.AnyOf(parts) if node.quantifier == "any" else f.Not(f.AnyOf(parts))

    def number(self, node: s.Expression, span: Span) -> float:
        """A number."""
        return number(node, self.scope, span)

    def whole(self, node: s.Expression, span: Span) -> int:
        """A whole number."""
        return integer(node, self.scope, span)

    def lengths(self, node: s.Items, span: Span) -> f.Numbers:
        """Whole numbers side by side."""
        return f.Numbers(tuple(self.whole(item, span) for item in node.items))

    def word(self, node: s.Expression, span: Span) -> float | str:
        """A quoted text, or a word of the language unless it is a constant here."""
        match node:
            case s.Text(value=text):
                return text
            case s.Variable(name=word) if word not in self.scope.constants:
                return word
            case _:
                return self.number(node, span)

    def extreme(self, node: s.Extreme[s.Term, s.Condition], _span: Span) -> f.FieldValue:
        """What ``highest`` or ``lowest`` ranks."""
        where = None if node.where is None else self.condition(node.where)
        return f.Extreme(self.form(node.form), where)

    def rest(self, node: s.Rest[s.Entries, s.Expression], span: Span) -> f.FieldValue:
        """What stands behind ``else``."""
        below = None if node.below is None else self.number(node.below, span)
        return f.Rest(self.entries(node.filler), below)

    def layers(self, node: s.LearnedLayers, span: Span) -> f.LearnedLayers:
        """Layers by number; heads and hidden units are None where nothing is said of them."""
        which = node.which
        ends = (which.low, which.high) if isinstance(which, s.Range) else (which, which)
        first, last = (self.whole(end, span) for end in ends)
        sizes = (None if x is None else self.whole(x, span) for x in (node.heads, node.filter))
        return f.LearnedLayers(first, last, *sizes)

    def value(self, node: s.Value) -> f.Value:
        """What a rule gives."""
        if not isinstance(node, s.Function):
            return self.condition(node)
        arguments = tuple(float(self.number(a, node.span)) for a in node.arguments)
        more = self.form(node.more) if node.more else ()
        return f.Function(node.function, self.form(node.form), arguments, node.span, more)


def _marked(entry: s.Entry[s.Term], terms: tuple[f.Term, ...]) -> f.Entry[f.Term]:
    """One entry; a learned one counts nothing until it is trained."""
    first = entry.terms[0]
    if entry.mark not in ("?", "one of") or first.name is None:
        return f.Entry(entry.kind, terms, entry.span, entry.mark)
    for given in entry.terms:
        if given.coefficient is not None or given.sign < 0:
            wrong = messages.learned_number if entry.mark == "?" else messages.choice_number
            raise Mistake(wrong(entry.span))
    nothing = replace(terms[0], coefficient=0.0)
    return f.Entry(entry.kind, (nothing, *terms[1:]), entry.span, entry.mark)


def loops(clauses: Sequence[s.Clause], scope: Scope, budget: Budget) -> Iterator[Scope]:
    """The scopes of all rounds of nested ``for`` clauses whose guards hold."""
    if clauses and not any(clause.guards for clause in clauses):
        budget.check(_rounds(clauses, scope), clauses[0].span)
    yield from _run(clauses, scope, budget)


def _run(clauses: Sequence[s.Clause], scope: Scope, budget: Budget) -> Iterator[Scope]:
    if not clauses:
        yield scope
        return
    clause, *rest = clauses
    domain = values(clause.domain, scope, clause.span)
    budget.check(size_of(domain), clause.span)
    for position, value in enumerate(domain):
        budget.spend(1, clause.span)
        numbered = {} if clause.position is None else {clause.position: position}
        inner = scope.bind(**{clause.variable: value}, **numbered)
        if all(_holds(guard, inner, clause.span) for guard in clause.guards):
            yield from _run(rest, inner, budget)


def _rounds(clauses: Sequence[s.Clause], scope: Scope) -> int:
    """How many rounds nested clauses take at least, as far as that is known outside of them."""
    rounds = 1
    for clause in clauses:
        try:
            rounds *= len(values(clause.domain, scope, clause.span))
        except Mistake:  # the domain depends on the loops around it
            return rounds
    return rounds


def _holds(guard: tuple[s.Expression, str, s.Expression], scope: Scope, span: Span) -> bool:
    left, operator, right = evaluate(guard[0], scope), guard[1], evaluate(guard[2], scope)
    if operator in ("=", "!="):
        return (left == right) == (operator == "=")
    texts = isinstance(left, str) and isinstance(right, str)  # compared by their characters
    for side in (left, right):
        if not texts and not isinstance(side, (int, float)):
            raise Mistake(messages.not_a_number(span, show(side)))
    return _ORDERS[operator](left, right)
