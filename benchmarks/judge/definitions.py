"""Definitions in front of a question, and what their names stand for.

What a name stands for is found out when it is needed: an order among definitions is not asked for,
and one that nothing needs may be without meaning.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import sympy
from sympy import Dummy, Expr, Symbol

from benchmarks.judge.expressions import Meaningless, Unreadable, canonical, evaluated

_SENTENCE = re.compile(r"(?<=[.?]) (?=[A-Z])")
_ORDERS = {"": 1, "first ": 1, "second ": 2, "third ": 3, "fourth ": 4}
DERIVATIVE = re.compile(
    r"the (first |second |third |fourth |)derivative of (.+?)"
    r"(?: (?:wrt|with respect to) ([A-Za-z]))?"
)
_FUNCTION = re.compile(r"Let ([A-Za-z])\(([A-Za-z])\) (?:=|be) (.+)\.")
_VALUE = re.compile(r"Let ([A-Za-z]) (?:=|be) (.+)\.")
_NAME = re.compile(r"[A-Za-z](?!\()")
_SUPPOSED = re.compile(r"(?:Suppose|Let) (.+=.+)\.")


@dataclass(frozen=True)
class Values:
    """What an unknown is: one value, or the several roots of an equation."""

    all: tuple[Expr, ...]

    def one(self, name: str) -> Expr:
        if len(self.all) != 1:
            raise Meaningless(f"{name} has {len(self.all)} values")
        return self.all[0]


Fixed: TypeAlias = dict[str, Values | Meaningless]
"""Of each unknown what it is, or why it is nothing."""


def sentences(text: str) -> tuple[list[str], str]:
    """The definitions of a text, and its question; blanks are one blank each."""
    *before, question = _SENTENCE.split(" ".join(text.split()))
    return before, question


@dataclass
class Scope:
    """What names stand for in a text.

    Attributes:
        lets: names, and what `Let` says that they are.
        functions: names of functions, with the parameter and the right side of each.
        supposed: systems of equations.
        positive: whether names without a definition are positive numbers.
    """

    lets: dict[str, str] = field(default_factory=dict)
    functions: dict[str, tuple[str, str]] = field(default_factory=dict)
    supposed: list[list[str]] = field(default_factory=list)
    positive: bool = False
    _open: list[str] = field(default_factory=list)
    _fixed: Fixed | None = None

    @classmethod
    def of(cls, definitions: list[str]) -> "Scope":
        """Those of some sentences.

        Raises:
            Unreadable: if one of them defines nothing, or a name has two definitions.
        """
        scope = cls()
        for each in definitions:
            found = _FUNCTION.fullmatch(each)
            if found and found[3] == "0" and found[1] in scope.functions:  # an equation
                scope.supposed.append([f"{found[1]}({found[2]}) = 0"])
                continue
            if found:
                name, where, what = found[1], scope.functions, (found[2], found[3])
            elif found := _VALUE.fullmatch(each):
                name, where, what = found[1], scope.lets, found[2]
            elif found := _SUPPOSED.fullmatch(each):
                scope.supposed.append(found[1].split(", "))
                continue
            else:
                raise Unreadable(f"no definition: {each}")
            if name in where:
                raise Unreadable(f"{name} is defined twice")
            where[name] = what
        return scope

    def evaluated(self, text: str, bound: dict[str, Expr] | None = None) -> Expr:
        """The value of an expression; ``bound`` names stand for what is said here."""
        return evaluated(text, _Bound(self, bound) if bound else self)

    def value(self, name: str) -> Expr:
        """What a name stands for: itself, where nothing defines it."""
        fixed = self.fixed().get(name)
        if isinstance(fixed, Meaningless):
            raise fixed
        if name not in self.lets:
            return fixed.one(name) if fixed else self.free(name)
        with self._opened(name):
            text = self.lets[name]
            if found := DERIVATIVE.fullmatch(text):
                return self.derived(found[1], found[2], found[3])
            return self.evaluated(text)

    def call(self, name: str, argument: Expr) -> Expr:
        """A function's value."""
        if name not in self.functions:
            raise Unreadable(f"no function: {name}")
        parameter, body = self.functions[name]
        with self._opened(f"{name}("):
            found = DERIVATIVE.fullmatch(body)
            if found is None:
                return self.evaluated(body, {parameter: argument})
            if found[3] not in (None, parameter):
                raise Unreadable(f"not by its parameter: {body}")
            by = Dummy(parameter)
            derived = sympy.diff(self.evaluated(found[2], {parameter: by}), by, _ORDERS[found[1]])
            return canonical(derived.subs(by, argument))

    def derived(self, order: str, text: str, unknown: str | None) -> Expr:
        """A derivative; where it is not said, by the only name that nothing defines."""
        if unknown is None:
            free = self.evaluated(text).free_symbols
            if len(free) != 1:
                raise Unreadable(f"by what? {text}")
            unknown = free.pop().name
        self.must_be_free(unknown)
        return canonical(sympy.diff(self.evaluated(text), self.free(unknown), _ORDERS[order]))

    def free(self, name: str) -> Symbol:
        """The symbol of a name that nothing defines."""
        return Symbol(name, positive=True) if self.positive else Symbol(name)

    def must_be_free(self, name: str) -> None:
        """Raises ``Unreadable`` if something defines a name that a question has as its own."""
        if name in self.lets or name in self.fixed():
            raise Unreadable(f"{name} is defined, and unknown")

    @contextmanager
    def _opened(self, name: str) -> Iterator[None]:
        if name in self._open:
            raise Unreadable(f"{name} is defined by itself")
        self._open.append(name)
        try:
            yield
        finally:
            self._open.pop()

    def fixed(self) -> Fixed:
        """What all that is supposed says of its unknowns.

        A system that fixes all of its own comes before one that does not; what is left then is
        taken as one system.
        """
        if self._fixed is not None:
            return self._fixed
        self._fixed, waiting = {}, [*self.supposed]  # as far as it is known, which systems read
        while waiting:
            for system in waiting:
                try:
                    said = self._said(system)
                except Unreadable:  # what it reads may stand in another
                    continue
                if all(isinstance(each, Values) and len(each.all) == 1 for each in said.values()):
                    chosen = [system]
                    break
            else:
                chosen, said = waiting, self._said([each for one in waiting for each in one])
            self._fixed |= said
            waiting = [each for each in waiting if each not in chosen]
        return self._fixed

    def _said(self, system: list[str]) -> Fixed:
        """What a system says of what is not yet fixed."""
        names = [name for each in system for name in _NAME.findall(each)]
        try:
            said = solutions([self.equation(each) for each in system])
        except Meaningless as why:
            return dict.fromkeys(names, why)
        open_names = {*names} - {*said} - {*self.lets} - {*(self._fixed or ())}
        return said | {name: Meaningless(f"{name} is not fixed") for name in open_names}

    def equation(self, text: str, bound: dict[str, Expr] | None = None) -> Expr:
        """Left side less right side."""
        left, equal, right = text.partition("=")
        if not equal or "=" in right:
            raise Unreadable(f"no equation: {text}")
        return canonical(self.evaluated(left, bound) - self.evaluated(right, bound))


@dataclass
class _Bound:
    """Names of which some stand for what a call or a question says."""

    scope: Scope
    bound: dict[str, Expr]

    def value(self, name: str) -> Expr:
        return self.bound[name] if name in self.bound else self.scope.value(name)

    def call(self, name: str, argument: Expr) -> Expr:
        return self.scope.call(name, argument)


def solutions(equations: list[Expr]) -> Fixed:
    """What equations say of each of their unknowns.

    Raises:
        Unreadable: if they are neither linear nor one polynomial of one unknown.
        Meaningless: if they contradict each other.
    """
    unknown = sorted({name for each in equations for name in each.free_symbols}, key=str)
    if any(each.is_Number and each != 0 for each in equations):
        raise Meaningless("the equations contradict each other")
    if not unknown:
        return {}
    if not all(each.is_polynomial(*unknown) for each in equations):
        raise Unreadable(f"no polynomials: {equations}")
    if all(sympy.Poly(each, *unknown).total_degree() <= 1 for each in equations):
        found = sympy.linsolve(equations, unknown)
        if not found:
            raise Meaningless("the equations contradict each other")
        (values,) = found
        return {
            name.name: Meaningless(f"{name} is not fixed")
            if value.free_symbols
            else Values((value,))
            for name, value in zip(unknown, values, strict=True)
        }
    if len(unknown) == len(equations) == 1:
        polynomial = sympy.Poly(equations[0], unknown[0])
        roots = sympy.roots(polynomial)
        if sum(roots.values()) < polynomial.degree() or not all(root.is_Rational for root in roots):
            raise Unreadable(f"roots that are no fractions: {equations}")
        return {unknown[0].name: Values(tuple(sorted(roots)))}
    raise Unreadable(f"no linear equations: {equations}")
