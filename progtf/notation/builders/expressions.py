"""Numbers, index expressions, conditions, and the values of rules."""

import math
from fractions import Fraction

from lark import Token

from progtf import numbers
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import MOST_DIGITS
from progtf.notation.builders.place import Placed, inline, unquote
from progtf.notation.diagnostics import Mistake


@inline
class Expressions(Placed):
    """Numbers, variables, ranges, and what is reckoned with them."""

    def number(self, token: Token) -> s.Number:
        return self._number(str(token), token.start_pos or 0)

    def _number(self, text: str, start: int) -> s.Number:
        span = self._between(start, start + len(text))
        value = float(text)
        if len(text) > MOST_DIGITS or math.isinf(value):
            raise Mistake(messages.arithmetic(span, "the number is too large or too long"))
        if not value and numbers.written(text) is None:
            raise Mistake(messages.arithmetic(span, f"{text} is too small: float64 makes 0 of it"))
        if "." in text or "e" in text.lower():
            return s.Number(Fraction(text) if value else Fraction(0), text, span)
        messages.check_whole(int(text), span)
        return s.Number(int(text), text, span)

    def variable(self, token: Token) -> s.Variable:
        return s.Variable(str(token), self._span(token))

    def text(self, token: Token) -> s.Text:
        return s.Text(unquote(token))

    def operation(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Operation:
        return s.Operation(sign_of(operator), (left, right), self._span(operator))

    def signed(self, sign: Token, operand: s.Expression) -> s.Expression:
        return s.Operation("neg", (operand,), self._span(sign)) if sign_of(sign) == "-" else operand

    def call(self, function: Token, *operands: s.Expression) -> s.Operation:
        return s.Operation(str(function), operands, self._span(function))

    def range(self, low: s.Expression, high: s.Expression) -> s.Range:
        return s.Range(low, high, self._reach(low, high))

    def item(self, items: Token, place: s.Expression) -> s.Operation:
        return s.Operation(s.ITEM, (self.variable(items), place), self._span(items))

    def domain_list(self, *items: s.Expression) -> s.Items:
        return s.Items(items)

    def signed_number(self, sign: Token | None, value: s.Expression) -> s.Expression:
        return value if sign is None else self.signed(sign, value)


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

    def folded_value(self, function: Token, _: Token, form: s.Form, *more: s.Term) -> s.Value:
        return s.Function(str(function), form, (), self._span(function), more)


def sign_of(mark: Token | None) -> str:
    """A minus, whichever way it is spelled, another mark, or nothing."""
    return "" if mark is None else "-" if mark == "−" else str(mark)


def compared(token: Token) -> str:
    """The usual spelling of a comparison."""
    return {"==": "=", "→": ">"}.get(str(token), str(token))
