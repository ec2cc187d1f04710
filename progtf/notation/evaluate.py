"""Arithmetic on indices and coefficients: numbers, characters, ranges, names."""

import json
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Span

LARGEST = 2**53


PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)(?:\[(\w+)\])?\}")


@dataclass(frozen=True, slots=True)
class Own:
    """The names that a used file has for itself: they get its prefix.

    Attributes:
        prefix: what they are called outside of it begins so.
        names: all of them, and what stands before a dot in one.
        groups: what begins with one of these and a dot is one, too.
        outer: those of the files that stand under a part of the prefix.
    """

    prefix: str = ""
    names: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    outer: "Own | None" = None

    def whole(self, name: str) -> str:
        """A name as it is called outside of the file."""
        if name in self.names or name.split(".", maxsplit=1)[0] in self.groups:
            return self.prefix + name
        return name if self.outer is None else self.outer.whole(name)

    def plain(self, whole: str) -> str:
        """The name that is called so outside of the file."""
        if self.outer is None or (self.prefix and whole.startswith(self.prefix)):
            return whole.removeprefix(self.prefix)
        return self.outer.plain(whole)


@dataclass(frozen=True, slots=True)
class NameRef:
    """A name handed to a circuit or looped over, as it reads where it was written."""

    name: str
    own: Own = Own()

    @property
    def whole(self) -> str:
        """What it is called in the program."""
        return self.own.whole(self.name)


Constant = int | float | str | range | tuple["Constant", ...] | NameRef
Index = tuple[int | float | str, ...]

_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b,
    "%": operator.mod,
    "**": lambda a, b: float(a) ** b,
}


def _gcd(*numbers: float) -> int:
    if not all(float(number).is_integer() for number in numbers):
        raise ValueError
    return math.gcd(*map(int, numbers))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cos": math.cos,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "log": math.log,
    "gcd": _gcd,
}
_FIND = "find"
"""The one function that takes texts: where the first one begins in the second."""


_REASONS: dict[type[Exception], str] = {
    ZeroDivisionError: "this divides by zero",
    OverflowError: "this is too large: more than 2**53",
    ValueError: "the result is no real number",
    TypeError: "the function takes another number of arguments",
}


@dataclass(frozen=True)
class Scope:
    """What names mean while a text is expanded.

    Attributes:
        constants: loop variables, parameters and ``let``.
        families: base name -> index tuples, in the order of declaration.
        own: the names that the file has for itself.
    """

    constants: dict[str, Constant]
    families: Mapping[str, Sequence[Index]]
    own: Own = Own()

    def bind(self, **constants: Constant) -> "Scope":
        """This scope with further constants."""
        return Scope(self.constants | constants, self.families, self.own)

    def references(self) -> dict[str, NameRef]:
        """The constants that are names."""
        return {name: c for name, c in self.constants.items() if isinstance(c, NameRef)}


def fill_placeholders(text: str, scope: Scope) -> str:
    """``"{c}"`` with the loop variable c put in; other braces are characters.

    ``"{c[k]}"`` is part k, counted from 0, of a list or of what slashes divide.
    """

    def value(match: re.Match[str]) -> str:
        bound = scope.constants.get(match.group(1))
        if bound is None or match.group(2) is None:
            return match.group(0) if bound is None else _plain(bound)
        number = _plain(scope.constants.get(match.group(2), match.group(2)))
        parts = [_plain(x) for x in bound] if isinstance(bound, tuple) else _plain(bound).split("/")
        inside = number.isdecimal() and int(number) < len(parts)
        return parts[int(number)] if inside else match.group(0)

    return PLACEHOLDER.sub(value, text)


def _plain(value: Constant) -> str:
    return value.name if isinstance(value, NameRef) else str(value)


def evaluate(node: s.Expression, scope: Scope) -> Constant:
    """The value of an expression; columns of tables are read where ``let`` names them.

    Raises:
        Mistake: for unknown names, wrong kinds and numbers past 2^53.
    """
    match node:
        case s.Number():
            return node.value
        case s.Text():
            return fill_placeholders(node.value, scope)
        case s.Variable():
            return _variable(node, scope)
        case s.Operation():
            return _operation(node, scope)
        case s.Range():
            return _range(node, scope)
        case s.Items():
            items = (_item(item, scope) for item in node.items)
            return tuple(x for item in items for x in (item if isinstance(item, tuple) else [item]))
        case s.ColumnOf():
            raise Mistake(messages.not_a_domain(node.span, "a column"))


def number(node: s.Expression, scope: Scope, span: Span) -> float:
    """The value of an expression that must be a number."""
    value = evaluate(node, scope)
    if isinstance(value, (int, float)):
        return value
    raise Mistake(messages.not_a_number(s.place_of(node, span), show(value)))


def integer(node: s.Expression, scope: Scope, span: Span) -> int:
    """The value of an expression that must be a whole number."""
    value = number(node, scope, span)
    if value != int(value):
        raise Mistake(messages.not_whole(span, value))
    return int(value)


def values(node: s.Expression, scope: Scope, span: Span) -> Sequence[Constant]:
    """What a ``for`` runs over: a range, the characters of a string, a list, a family's indices."""
    if isinstance(node, s.Variable) and node.name not in scope.constants:
        family = scope.families.get(whole_name(node.name, scope))
        if family is not None:
            return [index[0] if len(index) == 1 else index for index in family]
    value = evaluate(node, scope)
    match value:
        case range() | str():
            return value
        case tuple():
            return value
        case _:
            raise Mistake(messages.not_a_domain(s.place_of(node, span), show(value)))


def whole_name(base: str, scope: Scope) -> str:
    """A base name with parameters put in and the prefix of its file put before it."""
    return named(base, scope).whole


def named(base: str, scope: Scope) -> NameRef:
    """A base name with parameters put in; it is of the file that its first part comes from."""
    parts = base.split(".")
    bound = [scope.constants.get(part) for part in parts]
    words = zip(bound, parts, strict=True)
    name = ".".join(value.name if isinstance(value, NameRef) else part for value, part in words)
    return NameRef(name, bound[0].own if isinstance(bound[0], NameRef) else scope.own)


def spell_name(base: str, index: Index) -> str:
    """A whole name: ``place[3]``, ``is["a"]``; without an index the base itself."""
    shown = (json.dumps(x, ensure_ascii=False) if isinstance(x, str) else str(x) for x in index)
    return f"{base}[{','.join(shown)}]" if index else base


def show(value: Constant) -> str:
    """A constant as messages show it."""
    match value:
        case NameRef():
            return f"the name `{value.name}`"
        case str():
            return f'the text "{value}"'
        case range():
            return f"the range {value.start}..{value.stop - 1}"
        case tuple():
            return "a list"
        case _:
            return str(value)


def _item(node: s.Expression, scope: Scope) -> Constant:
    """A list may hold names that are no constants: they stand for themselves."""
    if isinstance(node, s.Variable) and node.name not in scope.constants:
        return named(node.name, scope)
    return evaluate(node, scope)


def _variable(node: s.Variable, scope: Scope) -> Constant:
    if node.name in scope.constants:
        return scope.constants[node.name]
    if node.name == "pi":
        return math.pi
    raise Mistake(messages.unknown_constant(node.span, node.name, known=scope.constants))


def _part(node: s.Operation, scope: Scope) -> Constant:
    """``list[k]``, counted from 0."""
    items, place = evaluate(node.operands[0], scope), integer(node.operands[1], scope, node.span)
    if not isinstance(items, (tuple, str, range)):
        raise Mistake(messages.arithmetic(node.span, f"{show(items)} has no items"))
    if not 0 <= place < len(items):
        why = f"there is no item {place}: of {len(items)} the last is {len(items) - 1}"
        raise Mistake(messages.arithmetic(node.span, why))
    return items[place]


def _operation(node: s.Operation, scope: Scope) -> Constant:
    if node.operator == _FIND:
        return _found(node, scope)
    if node.operator == s.ITEM:
        return _part(node, scope)
    operands = [number(operand, scope, node.span) for operand in node.operands]
    try:
        value = _apply(node, operands)
    except tuple(_REASONS) as error:
        raise Mistake(messages.arithmetic(node.span, _REASONS[type(error)])) from None
    if isinstance(value, complex):
        raise Mistake(messages.arithmetic(node.span, _REASONS[ValueError]))
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise Mistake(messages.arithmetic(node.span, _REASONS[OverflowError]))
    whole = int(value)
    return whole if whole == value else value


def _found(node: s.Operation, scope: Scope) -> int:
    match [evaluate(operand, scope) for operand in node.operands]:
        case [str() as part, str() as text] if part in text:
            return text.index(part)
        case _:
            why = "`find` takes two texts, of which the second has the first in it"
            raise Mistake(messages.arithmetic(node.span, why))


def _apply(node: s.Operation, operands: list[float]) -> Any:
    """A number; of a negative base with a broken exponent a complex one."""
    if node.operator == "neg":
        return -operands[0]
    if node.operator in _OPERATORS:
        return _OPERATORS[node.operator](*operands)
    if node.operator in _FUNCTIONS:
        return _FUNCTIONS[node.operator](*operands)
    raise Mistake(
        messages.unknown_function(node.span, node.operator, ", ".join([*_FUNCTIONS, _FIND]))
    )


def _range(node: s.Range, scope: Scope) -> Constant:
    low, high = evaluate(node.low, scope), evaluate(node.high, scope)
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return "".join(chr(code) for code in range(ord(low), ord(high) + 1))
    if isinstance(low, (str, range, tuple, NameRef)) or isinstance(
        high, (str, range, tuple, NameRef)
    ):
        raise Mistake(messages.not_a_number(node.span, "one end of this range"))
    ends = float(low), float(high)
    for end in ends:
        if not end.is_integer():
            raise Mistake(messages.not_whole(node.span, end))
        if abs(end) > LARGEST:
            raise Mistake(messages.arithmetic(node.span, _REASONS[OverflowError]))
    return range(int(ends[0]), int(ends[1]) + 1)
