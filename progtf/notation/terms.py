"""Names, entries and conditions without loops and arithmetic, ready for the rounds of a loop."""

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeVar

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import Exact, is_number
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.evaluate import built, exact, integer, number, prepare, values
from progtf.notation.scope import (
    Constant,
    Constants,
    Index,
    Known,
    NameRef,
    Ready,
    Scope,
    is_known,
    show,
    spell_name,
    whole_name,
)
from progtf.rational import as_float

Node = TypeVar("Node")
Made = TypeVar("Made")
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "=": eq,
    "!=": ne,
}
MOST_TERMS = 100_000  # beside what is written out


@dataclass
class Budget:
    """How much a program may still expand to, of ``most``; ``spare``: the least that was left."""

    left: int
    most: int
    spare: int = sys.maxsize

    def spend(self, count: int, span: Span) -> None:
        """Take ``count`` terms, or refuse."""
        if count > self.left:
            self.check(count, span)
        self.left -= count
        if self.left < self.spare:  # noqa: PLR1730  quicker, and asked for all that is spelled
            self.spare = self.left

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
    """Prepares what stands in one scope; the rounds spend what they expand to.

    What it gives takes the constants of a round; it raises Mistake for what is wrong with it.
    """

    scope: Scope
    budget: Budget

    def indices(self, name: s.Name) -> Ready[Sequence[Index]]:
        """All index tuples that a name with ranges stands for, the last index fastest."""
        budget, span = self.budget, name.span
        parts = [self._choices(index, span) for index in name.indices]
        alone = all(is_known(part) and len(part.value) == 1 for part in parts)
        known = [tuple([part(self.scope.constants)[0] for part in parts])] if alone else []

        def indices(constants: Constants) -> Sequence[Index]:
            choices = [part(constants) for part in parts]
            if len(choices) == 1 and len(choices[0]) == 1 and budget.left:  # most of them
                return [(choices[0][0],)]
            size = math.prod(map(len, choices))
            if size > 1 or not budget.left:
                budget.check(size, span)
            return list(itertools.product(*choices))

        def same(_: Constants) -> Sequence[Index]:
            if not budget.left:
                budget.check(1, span)
            return known

        return same if alone else indices

    def _choices(self, index: s.Expression, span: Span) -> Ready[Sequence[Exact | str]]:
        given = prepare(index, self.scope)
        characters = isinstance(index, (s.Range, s.Variable))

        def choices(constants: Constants) -> Sequence[Exact | str]:
            value = given(constants)
            match value:
                case int():
                    return (value,)
                case str():
                    return value if characters and len(value) != 1 else (value,)
                case NameRef(name=name):
                    return (name,)
                case range():
                    self.budget.check(size_of(value), span)
                    return value
                case tuple() if all(isinstance(item, (NameRef, str, int)) for item in value):
                    self.budget.check(len(value), span)
                    return [item.name if isinstance(item, NameRef) else item for item in value]  # type: ignore[misc]
                case tuple():
                    raise Mistake(messages.not_a_number(span, show(value)))
                case _:
                    built(value, span)  # so that it can be told from 0
                    return (value,)

        alone = is_known(given) and not isinstance(given.value, (range, tuple))
        return Known(choices(self.scope.constants)) if alone else choices

    def names(self, name: s.Name) -> Ready[Sequence[str]]:
        """The whole names that a name stands for: one, or a family's members."""
        base = whole_name(name.base, self.scope)
        if not name.indices:
            return self._members(base)
        indices, before, spelled = self.indices(name), (), list[str]()
        given, budget = [prepare(index, self.scope) for index in name.indices], self.budget
        known = base.value if is_known(base) else None

        def names(constants: Constants) -> Sequence[str]:
            nonlocal before, spelled
            found = indices(constants)
            if found is not before or known is None:  # the same are spelled once
                whole = base(constants)
                before, spelled = found, [spell_name(whole, index) for index in found]
            return spelled

        def one(constants: Constants) -> Sequence[str]:
            shown: list[str] = []
            for index in given:
                value = index(constants)
                if type(value) is not int or not budget.left:
                    return names(constants)
                shown.append(str(value))
            return [f"{known or base(constants)}[{','.join(shown)}]"]

        return names if all(map(is_known, given)) else one

    def _members(self, base: Ready[str]) -> Ready[Sequence[str]]:
        if not is_known(base):
            return lambda constants: self.members(base(constants))
        name, families, alone = base.value, self.scope.families, [base.value]
        return lambda _: self.members(name) if name in families else alone

    def members(self, base: str) -> Sequence[str]:
        """The members of a family; any other name itself."""
        family = self.scope.families.get(base)
        return [base] if family is None else [spell_name(base, index) for index in family]

    def one(self, name: s.Name) -> Ready[str]:
        """The whole name where only one is due."""
        names = self.names(name)

        def one(constants: Constants) -> str:
            found = names(constants)
            if len(found) != 1:
                raise Mistake(messages.many_where_one(name.span, name.base, len(found)))
            return found[0]

        return one

    def label(self, name: s.Name) -> Ready[str]:
        """What a head or a layer is called, which may be what a family is called."""
        return self.one(name) if name.indices else whole_name(name.base, self.scope)

    def terms(self, term: s.Term) -> Ready[Sequence[f.Term]]:
        """The terms that a term stands for; a number's name stands for the number."""
        span, name, coefficient = term.span, term.name, self._coefficient(term)
        if name is None:
            return self.scope.now(lambda c: [f.Term(coefficient(c), None, span)], coefficient)
        terms = self._named_terms(coefficient, self.names(name), span)
        if name.indices or name.base not in self.scope or name.base in self.scope.columns:
            return terms
        bound, amount = prepare(s.Variable(name.base, span), self.scope), self._amount(term)

        def number(constants: Constants) -> Sequence[f.Term]:
            value = bound(constants)
            if not is_number(value):
                return terms(constants)
            product = term.sign * real(amount(constants) * value, span)
            return [f.Term(product, None, span)]

        if not is_known(bound):
            return number
        return self.scope.now(number, amount) if is_number(bound.value) else terms

    @staticmethod
    def _named_terms(
        coefficient: Ready[float], names: Ready[Sequence[str]], span: Span
    ) -> Ready[Sequence[f.Term]]:
        if not is_known(coefficient):
            return lambda c: [
                f.Term(factor, each, span) for factor in (coefficient(c),) for each in names(c)
            ]
        factor, before, made = coefficient.value, (), list[f.Term]()

        def terms(constants: Constants) -> Sequence[f.Term]:
            nonlocal before, made
            found = names(constants)
            if found is not before:  # the same names make the same terms
                before, made = found, [f.Term(factor, each, span) for each in found]
            return made

        return terms

    def _coefficient(self, term: s.Term) -> Ready[float]:
        if term.coefficient is None:
            return Known(float(term.sign))
        given, sign, span = self._amount(term), term.sign, term.span
        return self.scope.now(lambda constants: sign * real(given(constants), span), given)

    def _amount(self, term: s.Term) -> Ready[Exact]:
        """What stands before a name, without its sign."""
        if term.coefficient is None:
            return Known(1)
        return exact(term.coefficient, self.scope, term.span)

    def entries(self, items: s.Entries) -> Ready[f.Entries]:
        """A list with its loops unrolled and its families spelled out."""
        parts = [
            self._entry(item) if isinstance(item, s.Entry) else self._rounds(item) for item in items
        ]
        return lambda constants: tuple([each for part in parts for each in part(constants)])

    def _rounds(self, loop: s.Loop) -> Ready[Iterator[f.Entry[f.Term]]]:
        scope, rounds = loops(loop.clauses, self.scope, self.budget)
        body = Terms(scope, self.budget).entries(loop.body)
        return lambda constants: itertools.chain.from_iterable(map(body, rounds(constants)))

    def _entry(self, entry: s.Entry[s.Term]) -> Ready[Sequence[f.Entry[f.Term]]]:
        """One entry; families on several sides go in step, single names go with each."""
        budget, span, kind, mark = self.budget, entry.span, entry.kind, entry.mark
        parts = [self.terms(term) for term in entry.terms]
        marked = _marking(entry)

        def vector(constants: Constants) -> Sequence[f.Entry[f.Term]]:
            (part,) = parts
            side = part(constants)
            budget.spend(len(side), span)
            return [f.Entry(kind, marked((term,)), span, mark) for term in side]

        def entries(constants: Constants) -> Sequence[f.Entry[f.Term]]:
            sides = [part(constants) for part in parts]
            alone = tuple([side[0] for side in sides if len(side) == 1])
            if len(alone) == len(sides):
                budget.spend(1, span)
                return (f.Entry(kind, marked(alone), span, mark),)
            size = max([len(side) for side in sides])
            budget.spend(size, span)
            for side in sides:
                if len(side) not in (1, size):
                    raise Mistake(messages.uneven_families(span, len(side), size))
            columns = [list(side) * size if len(side) == 1 else side for side in sides]
            rows = [tuple([column[row] for column in columns]) for row in range(size)]
            return [f.Entry(kind, marked(terms), span, mark) for terms in rows]

        return vector if len(parts) == 1 else entries

    def form(self, form: s.Form) -> Ready[f.Form]:
        """A sum; a family in it stands for the sum of its members."""
        budget, span, parts = self.budget, form[0].span, [self.terms(part) for part in form]

        def flat(constants: Constants) -> f.Form:
            terms = tuple([term for part in parts for term in part(constants)])
            budget.spend(len(terms), span)
            return terms

        return flat

    def condition(self, node: s.Condition) -> Ready[f.Condition]:
        """A condition with its quantifiers spelled out."""
        match node:
            case s.Truth(span=span):
                form = self.form(node.form)
                return lambda constants: f.Truth(form(constants), span)
            case s.Comparison(operator=order, span=span):
                left, right = self.form(node.left), self.form(node.right)
                return lambda constants: f.Comparison(
                    order, left(constants), right(constants), span
                )
            case s.Quantified():
                return self._quantified(node)
            case s.Not():
                part = self.condition(node.part)
                return lambda constants: f.Not(part(constants))
            case s.AllOf():
                parts = [self.condition(part) for part in node.parts]
                return lambda constants: f.AllOf(tuple([part(constants) for part in parts]))
            case s.AnyOf():
                parts = [self.condition(part) for part in node.parts]
                return lambda constants: f.AnyOf(tuple([part(constants) for part in parts]))

    def _quantified(self, node: s.Quantified) -> Ready[f.Condition]:
        span, names = node.name.span, self.names(node.name)

        def quantified(constants: Constants) -> f.Condition:
            found = names(constants)
            self.budget.spend(len(found), span)
            parts = tuple([f.Truth((f.Term(1.0, name, span),), span) for name in found])
            if node.quantifier == "all":
                return f.AllOf(parts)
            return f.AnyOf(parts) if node.quantifier == "any" else f.Not(f.AnyOf(parts))

        return quantified

    def number(self, node: s.Expression, span: Span) -> Ready[float]:
        """A number, as it is built."""
        return number(node, self.scope, span)

    def whole(self, node: s.Expression, span: Span) -> Ready[int]:
        """A whole number."""
        return integer(node, self.scope, span)

    def lengths(self, node: s.Items, span: Span) -> Ready[f.Numbers]:
        """Whole numbers side by side."""
        items = [self.whole(item, span) for item in node.items]
        return lambda constants: f.Numbers(tuple([item(constants) for item in items]))

    def word(self, node: s.Expression, span: Span) -> Ready[float | str]:
        """A quoted text, or a word of the language unless it is a constant here."""
        match node:
            case s.Text(value=text):
                return Known(text)
            case s.Variable(name=word) if word not in self.scope:
                return Known(word)
            case _:
                return self.number(node, span)

    def extreme(self, node: s.Extreme[s.Term, s.Condition], _span: Span) -> Ready[f.FieldValue]:
        """What ``highest`` or ``lowest`` ranks."""
        where, form = self.maybe(self.condition, node.where), self.form(node.form)

        def extreme(constants: Constants) -> f.FieldValue:
            when = where(constants)
            return f.Extreme(form(constants), when)

        return extreme

    def rest(self, node: s.Rest[s.Entries, s.Expression], span: Span) -> Ready[f.FieldValue]:
        """What stands behind ``else``."""
        below = self.maybe(lambda number: self.number(number, span), node.below)
        filler = self.entries(node.filler)

        def rest(constants: Constants) -> f.FieldValue:
            score = below(constants)
            return f.Rest(filler(constants), score)

        return rest

    def layers(self, node: s.LearnedLayers, span: Span) -> Ready[f.LearnedLayers]:
        """Layers by number; heads and hidden units are None where nothing is said of them."""
        which = node.which
        ends = (which.low, which.high) if isinstance(which, s.Range) else (which, which)
        numbers = [self.whole(end, span) for end in ends]
        sizes = [self.maybe(lambda x: self.whole(x, span), x) for x in (node.heads, node.filter)]
        return lambda c: f.LearnedLayers(*[x(c) for x in numbers], *[x(c) for x in sizes])

    def value(self, node: s.Value) -> Ready[f.Value]:
        """What a rule gives."""
        if not isinstance(node, s.Function):
            return self.condition(node)
        numbers = [self.number(argument, node.span) for argument in node.arguments]
        form, more = self.form(node.form), self.form(node.more) if node.more else Known(())

        def function(constants: Constants) -> f.Value:
            arguments = tuple([as_float(number(constants)) for number in numbers])
            behind = more(constants)
            return f.Function(node.function, form(constants), arguments, node.span, behind)

        return function

    @staticmethod
    def maybe(prepared: Callable[[Node], Ready[Made]], node: Node | None) -> Ready[Made | None]:
        """What may be left out."""
        return Known(None) if node is None else prepared(node)


def real(value: Exact, span: Span) -> float:
    """The coefficient that a number is; a whole one that float64 does not have is refused."""
    if type(value) is int:  # a cell of a table has been read by nobody else
        messages.check_whole(value, span)
        return float(value)
    return as_float(built(value, span))


def _marking(entry: s.Entry[s.Term]) -> Callable[[tuple[f.Term, ...]], tuple[f.Term, ...]]:
    """What becomes of the terms of an entry; a learned one counts nothing until it is trained."""
    if entry.mark not in ("?", "one of") or entry.terms[0].name is None:
        return tuple
    numbers = any(term.coefficient is not None or term.sign < 0 for term in entry.terms)
    wrong = messages.learned_number if entry.mark == "?" else messages.choice_number

    def marked(terms: tuple[f.Term, ...]) -> tuple[f.Term, ...]:
        if numbers:
            raise Mistake(wrong(entry.span))
        return replace(terms[0], coefficient=0.0), *terms[1:]

    return marked


Rounds = Callable[[Constants], Iterator[Constants]]


def loops(clauses: Sequence[s.Clause], scope: Scope, budget: Budget) -> tuple[Scope, Rounds]:
    """The scope inside of nested ``for`` clauses, and the rounds whose guards hold."""
    outside = [values(clause.domain, scope, clause.span) for clause in clauses]
    inner, each = scope, list[Callable[[Constants], Iterator[Constants]]]()
    for clause in clauses:
        domain = values(clause.domain, inner, clause.span)
        inner = inner.opened(clause.variable, clause.position or clause.variable)
        guards = [_guard(guard, inner, clause.span) for guard in clause.guards]
        each.append(_clause(clause, domain, guards, budget))
    guarded = any(clause.guards for clause in clauses)

    def rounds(constants: Constants) -> Iterator[Constants]:
        if clauses and not guarded:
            budget.check(_least(outside, constants), clauses[0].span)
        return _nested(each, constants)

    return inner, rounds


def _nested(clauses: Sequence[Rounds], constants: Constants) -> Iterator[Constants]:
    if len(clauses) < 2:
        return clauses[0](constants) if clauses else iter((constants,))
    first, *rest = clauses
    return (inner for outer in first(constants) for inner in _nested(rest, outer))


def _clause(
    clause: s.Clause,
    domain: Ready[Sequence[Constant]],
    guards: Sequence[Ready[bool]],
    budget: Budget,
) -> Rounds:
    variable, place, span = clause.variable, clause.position, clause.span

    def rounds(constants: Constants) -> Iterator[Constants]:
        members = domain(constants)
        budget.check(size_of(members), span)
        for position, value in enumerate(members):
            budget.spend(1, span)
            inner = constants | (
                {variable: value} if place is None else {variable: value, place: position}
            )
            for guard in guards:
                if not guard(inner):
                    break
            else:
                yield inner

    return rounds


def _least(domains: Iterable[Ready[Sequence[Constant]]], constants: Constants) -> int:
    """How many rounds nested clauses take at least, as far as that is known outside of them."""
    rounds = 1
    for domain in domains:
        try:
            rounds *= len(domain(constants))
        except Mistake:  # the domain depends on the loops around it
            return rounds
    return rounds


def _guard(guard: tuple[s.Expression, str, s.Expression], scope: Scope, span: Span) -> Ready[bool]:
    one, order, other = prepare(guard[0], scope), guard[1], prepare(guard[2], scope)
    compare = _ORDERS[order]

    def holds(constants: Constants) -> bool:
        left, right = one(constants), other(constants)
        if type(left) is type(right) is int or order in ("=", "!="):
            return compare(left, right)
        texts = isinstance(left, str) and isinstance(right, str)  # compared by their characters
        for side in (left, right):
            if not texts and not is_number(side):
                raise Mistake(messages.not_a_number(span, show(side)))
        return compare(left, right)

    return holds
