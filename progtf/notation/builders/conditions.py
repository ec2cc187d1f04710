"""Conditions and the values of rules."""

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.entries import compared
from progtf.notation.builders.place import Placed, inline


@inline
class Conditions(Placed):
    """Forms, what is compared with them, and what joins them."""

    def form(self, *terms: s.Term) -> s.Form:
        return terms

    def truth(self, form: s.Form) -> s.Condition:
        return s.Truth(form, form[0].span)

    def comparison(self, left: s.Form, operator: Token, right: s.Form) -> s.Condition:
        return s.Comparison(compared(operator), left, right, self._span(operator))

    def quantified(self, quantifier: Token, name: s.Name) -> s.Quantified:
        return s.Quantified(str(quantifier), name)

    def negation(self, part: s.Condition) -> s.Condition:
        return s.Not(part)

    def all_of(self, *parts: s.Condition) -> s.Condition:
        return s.AllOf(parts)

    def any_of(self, *parts: s.Condition) -> s.Condition:
        return s.AnyOf(parts)

    def modulo_value(self, form: s.Form, function: Token, modulus: s.Expression) -> s.Value:
        return s.Function(str(function), form, (modulus,), self._span(function))

    def function_value(self, function: Token, form: s.Form, *arguments: s.Expression) -> s.Value:
        return s.Function(str(function), form, arguments, self._span(function))
