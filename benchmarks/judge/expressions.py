"""Expressions of the Mathematics Dataset, read into exact values of sympy.

sum   = product {("+" | "-") product}
product = signed {("*" | "/") signed}
signed  = "-" signed | power
power   = atom ["**" signed]
atom    = number | name | name "(" sum ")" | "sqrt" "(" sum ")" | "(" sum ")"
"""

import re
from typing import Protocol

import sympy
from sympy import Expr, Integer, Rational

_TOKEN = re.compile(r"\d+\.\d+|\d+|\*\*|sqrt(?=\()|[A-Za-z]|[-+*/()]")
_NUMBER = re.compile(r"-?(\d+)(?:/(\d+)|\.(\d+))?")
_MOST_NESTED = 60
_HIGHEST = 10_000
"""Of exponents: nothing asked is near it, and sympy would not come back."""


class Unreadable(ValueError):  # noqa: N818  it is no mistake of anybody's
    """A text that the judge cannot read."""


class Meaningless(ValueError):  # noqa: N818
    """A text that has no value: a division by zero, an unknown that no equation fixes."""


class Names(Protocol):
    """What names stand for."""

    def value(self, name: str) -> Expr: ...

    def call(self, name: str, argument: Expr) -> Expr: ...


class Numbers:
    """No name stands for anything."""

    def value(self, name: str) -> Expr:
        raise Unreadable(f"{name} is no number")

    def call(self, name: str, argument: Expr) -> Expr:
        raise Unreadable(f"{name}({argument}) is no number")


def evaluated(text: str, names: Names) -> Expr:
    """The value of an expression, expanded.

    Raises:
        Unreadable: if it is none.
        Meaningless: if something is divided by zero.
    """
    return canonical(_Reading(text, names).whole())


def canonical(value: Expr) -> Expr:
    """One form for all expressions of one value."""
    value = sympy.expand(value)
    if value.is_Number or value.is_polynomial():
        return value
    return sympy.expand(sympy.cancel(sympy.together(value))) if value.is_rational_function() else (
        sympy.powsimp(value)
    )  # fmt: skip


def number(text: str) -> Rational | None:
    """A number as answers have it: in lowest terms, or decimal without zeros behind; or None."""
    found = _NUMBER.fullmatch(text)
    if found is None or text == "-0" or found[1] != str(int(found[1])):
        return None
    if found[3] is not None:
        return None if text[-1] == "0" else Rational(text)
    if found[2] is not None and not int(found[2]):
        return None
    value = Rational(text)
    return value if str(value) == text else None


class _Reading:
    """An expression, read from left to right."""

    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names, self.tokens, self.nested = text, names, [], 0
        self.place, end = 0, 0
        for found in _TOKEN.finditer(text):
            between = text[end : found.start()]
            if (
                between.strip()
                or not between
                and self.tokens
                and _joined(self.tokens[-1], found[0])
            ):
                raise Unreadable(f"no expression: {text}")
            self.tokens.append(found[0])
            end = found.end()
        if text[end:].strip():
            raise Unreadable(f"no expression: {text}")

    def whole(self) -> Expr:
        value = self.sum()
        if self.place < len(self.tokens):
            raise Unreadable(f"no expression: {self.text}")
        return value

    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *tokens: str) -> str:
        token = self.next()
        if token not in tokens:
            return ""
        self.place += 1
        return token

    def sum(self) -> Expr:
        self.nested += 1
        if self.nested > _MOST_NESTED:
            raise Unreadable(f"nested too deep: {self.text}")
        value = self.product()
        while sign := self.take("+", "-"):
            value = value + self.product() if sign == "+" else value - self.product()
        self.nested -= 1
        return value

    def product(self) -> Expr:
        value = self.signed()
        while sign := self.take("*", "/"):
            other = self.signed()
            value = value * (other if sign == "*" else _inverse(other))
        return value

    def signed(self) -> Expr:
        return -self.signed() if self.take("-") else self.power()

    def power(self) -> Expr:
        value = self.atom()
        if not self.take("**"):
            return value
        exponent = canonical(self.signed())
        if exponent.is_Number and abs(exponent) > _HIGHEST:
            raise Unreadable(f"an exponent of {exponent}: {self.text}")
        if exponent.is_negative:
            value, exponent = _inverse(value), -exponent
        return value**exponent

    def atom(self) -> Expr:
        if self.take("("):
            return self.closed()
        if self.take("sqrt"):
            self.place += 1
            return sympy.sqrt(self.closed())
        token = self.next()
        self.place += 1
        if token[:1].isdigit():
            return Rational(token)
        if not token.isalpha() or token == "sqrt":
            raise Unreadable(f"no expression: {self.text}")
        if self.take("("):
            return self.names.call(token, canonical(self.closed()))
        return self.names.value(token)

    def closed(self) -> Expr:
        value = self.sum()
        if not self.take(")"):
            raise Unreadable(f"a bracket is open: {self.text}")
        return value


def _joined(one: str, other: str) -> bool:
    """Whether two tokens with nothing between them would be one word."""
    return one[-1].isalnum() and other[0].isalnum()


def _inverse(value: Expr) -> Expr:
    if canonical(value) == 0:
        raise Meaningless("divided by zero")
    return Integer(1) / value
