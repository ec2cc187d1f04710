"""Arithmetic on indices and coefficients: numbers, characters, ranges, names.

``k + 2*N`` in the body of ``for k in 0..9`` is prepared once: what the names of the loop decide
waits for a round, and what they do not, as ``2*N``, is worked out at once. A round only fills in
its ``k``. What stands in no loop is all worked out when it is prepared.
"""

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, cast

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import (
    FUNCTIONS,
    LARGEST,
    OPERATORS,
    PI,
    REASONS,
    Exact,
    TooSmallError,
    is_number,
    nearest,
    settled,
)
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.scope import (
    Constant,
    Constants,
    Known,
    Ready,
    Scope,
    filled,
    is_known,
    named,
    show,
    whole_name,
)

MOST_ITEMS = 1_000_000
"""Of a list that is made of lists."""
_FIND = "find"
"""The one function that takes texts: where the first one begins in the second."""


def evaluate(node: s.Expression, scope: Scope) -> Constant:
    """The value of an expression in a scope of which all is known.

    Raises:
        Mistake: for unknown names, wrong kinds and numbers past 2^53.
    """
    return prepare(node, scope)(scope.constants)


def prepare(node: s.Expression, scope: Scope) -> Ready[Constant]:  # noqa: PLR0911  one per node
    """An expression, ready for rounds; columns of tables are read where ``let`` names them."""
    match node:
        case s.Number():
            return Known(node.value)
        case s.Text():
            return filled(node.value, scope)
        case s.Variable():
            return _variable(node, scope)
        case s.Operation():
            return _operation(node, scope)
        case s.Range():
            return _range(node, scope)
        case s.Items():
            return _list(node, scope)
        case s.ColumnOf(span=span):
            return _failing(lambda _: messages.not_a_domain(span, "a column"))


def _failing(problem: Callable[[Constants], Diagnostic]) -> Ready[Any]:
    def fail(constants: Constants) -> Any:
        raise Mistake(problem(constants))

    return fail


def exact(node: s.Expression, scope: Scope, span: Span) -> Ready[Exact]:
    """The value of an expression that must be a number, as it is: whole, or a fraction."""
    return _exactly(prepare(node, scope), node, span)


def _exactly(value: Ready[Constant], node: s.Expression, span: Span) -> Ready[Exact]:
    """A value that must be a number."""
    if is_known(value) and is_number(value.value):
        return Known(value.value)
    if isinstance(node, s.Operation) and node.operator != s.ITEM:
        return cast("Ready[Exact]", value)  # it gives nothing else
    return lambda constants: _checked(value(constants), node, span)


def _checked(found: Constant, node: s.Expression, span: Span) -> Exact:
    """A value, if it is a number."""
    if type(found) is int or type(found) is Fraction:  # asked in every round
        return found
    raise Mistake(messages.not_a_number(s.place_of(node, span), show(found)))


def number(node: s.Expression, scope: Scope, span: Span) -> Ready[int | float]:
    """What is built of an expression that must be a number."""
    value, place = exact(node, scope, span), s.place_of(node, span)
    return scope.now(lambda constants: built(value(constants), place), value)


def built(value: Exact, span: Span) -> int | float:
    """What is built of a number; what float64 does not have is refused."""
    try:
        return nearest(value)
    except (TooSmallError, OverflowError) as error:
        raise Mistake(messages.arithmetic(span, REASONS[type(error)])) from None


def integer(node: s.Expression, scope: Scope, span: Span) -> Ready[int]:
    """The value of an expression that must be a whole number."""
    value = exact(node, scope, span)

    def whole(constants: Constants) -> int:
        found = value(constants)
        if found.denominator != 1:
            raise Mistake(messages.not_whole(span, float(found)))
        return int(found)

    return scope.now(whole, value)


def values(node: s.Expression, scope: Scope, span: Span) -> Ready[Sequence[Constant]]:
    """What a ``for`` runs over: a range, the characters of a string, a list, a family's indices."""
    value = prepare(node, scope)

    def domain(constants: Constants) -> Sequence[Constant]:
        found = value(constants)
        if isinstance(found, (range, str, tuple)):
            return found
        raise Mistake(messages.not_a_domain(s.place_of(node, span), show(found)))

    if not isinstance(node, s.Variable) or node.name in scope:
        return scope.now(domain, value)
    base = whole_name(node.name, scope)

    def indices(constants: Constants) -> Sequence[Constant]:
        family = scope.families.get(base(constants))
        if family is None:
            return domain(constants)
        return [index[0] if len(index) == 1 else index for index in family]

    return indices


def _list(node: s.Items, scope: Scope) -> Ready[Constant]:
    """A list, with the items of lists in it; names that are no constants stand for themselves."""
    items = [_item(item, scope) for item in node.items]

    def joined(constants: Constants) -> Constant:
        found: list[Constant] = []
        for item in items:
            value = item(constants)
            found += value if isinstance(value, tuple) else [value]
            if len(found) > MOST_ITEMS:
                lists = (each for each in node.items if isinstance(each, s.Variable))
                raise Mistake(messages.too_many_terms(next(lists).span, MOST_ITEMS))
        return tuple(found)

    return scope.now(joined, *items)


def _item(node: s.Expression, scope: Scope) -> Ready[Constant]:
    if not isinstance(node, s.Variable) or node.name in scope:
        return prepare(node, scope)
    base, own = node.name, scope.own
    if "." in base and not scope.open.isdisjoint(base.split(".")):
        return lambda constants: named(base, constants, own)
    return Known(named(base, scope.constants, own))


def _variable(node: s.Variable, scope: Scope) -> Ready[Constant]:
    name, span = node.name, node.span
    if name in scope.open:
        return operator.itemgetter(name)
    if name in scope.constants:
        return Known(scope.constants[name])
    if name == "pi":
        return Known(PI)
    return _failing(lambda constants: messages.unknown_constant(span, name, known=constants))


def _part(node: s.Operation, scope: Scope) -> Ready[Constant]:
    """``list[k]``, counted from 0."""
    span = node.span
    whole, place = prepare(node.operands[0], scope), integer(node.operands[1], scope, span)

    def part(constants: Constants) -> Constant:
        items, at = whole(constants), place(constants)
        if not isinstance(items, (tuple, str, range)):
            raise Mistake(messages.arithmetic(span, f"{show(items)} has no items"))
        if not 0 <= at < len(items):
            why = f"there is no item {at}: of {len(items)} the last is {len(items) - 1}"
            raise Mistake(messages.arithmetic(span, why))
        return items[at]

    return scope.now(part, whole, place)


def _operation(node: s.Operation, scope: Scope) -> Ready[Constant]:
    if node.operator == _FIND:
        return _find(node, scope)
    if node.operator == s.ITEM:
        return _part(node, scope)
    span, given = node.span, [prepare(each, scope) for each in node.operands]
    operands = [_exactly(of, each, span) for of, each in zip(given, node.operands, strict=True)]
    operate = OPERATORS.get(node.operator) or FUNCTIONS.get(node.operator)
    if operate is None:
        names = ", ".join([*FUNCTIONS, _FIND])

        def unknown(constants: Constants) -> Constant:
            for operand in operands:
                operand(constants)
            raise Mistake(messages.unknown_function(span, node.operator, names))

        return unknown

    def operation(constants: Constants) -> Constant:
        try:
            return settled(operate(*[operand(constants) for operand in operands]))
        except tuple(REASONS) as error:
            raise Mistake(messages.arithmetic(span, REASONS[type(error)])) from None

    two = len(given) == 2
    return scope.now(_of_two(operate, node, given) if two else operation, *operands)


def _of_two(
    operate: Callable[..., Exact], node: s.Operation, given: Sequence[Ready[Constant]]
) -> Ready[Constant]:
    """What is made of two numbers, most of which are whole."""
    (first, second), (mine, theirs), span = given, node.operands, node.span
    left, right = (part.value if is_known(part) else None for part in given)

    def operation(constants: Constants) -> Constant:
        one = first(constants) if left is None else left
        one = one if type(one) is int else _checked(one, mine, span)
        other = second(constants) if right is None else right
        other = other if type(other) is int else _checked(other, theirs, span)
        try:
            value = operate(one, other)
            if type(value) is int and -LARGEST <= value <= LARGEST:
                return value  # most are, and need no more calls
            return settled(value)
        except tuple(REASONS) as error:
            raise Mistake(messages.arithmetic(span, REASONS[type(error)])) from None

    return operation


def _find(node: s.Operation, scope: Scope) -> Ready[Constant]:
    operands = [prepare(operand, scope) for operand in node.operands]

    def place(constants: Constants) -> int:
        match [operand(constants) for operand in operands]:
            case [str() as part, str() as text] if part in text:
                return text.index(part)
            case _:
                why = "`find` takes two texts, of which the second has the first in it"
                raise Mistake(messages.arithmetic(node.span, why))

    return scope.now(place, *operands)


def _range(node: s.Range, scope: Scope) -> Ready[Constant]:
    low, high = prepare(node.low, scope), prepare(node.high, scope)
    return scope.now(lambda constants: _between(low(constants), high(constants), node), low, high)


def _between(low: Constant, high: Constant, node: s.Range) -> Constant:
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return "".join(chr(code) for code in range(ord(low), ord(high) + 1))
    if not (is_number(low) and is_number(high)):
        raise Mistake(messages.not_a_number(node.span, "one end of this range"))
    for end in (low, high):
        if end.denominator != 1:
            raise Mistake(messages.not_whole(node.span, float(end)))
        if abs(end) > LARGEST:
            raise Mistake(messages.arithmetic(node.span, REASONS[OverflowError]))
    return range(int(low), int(high) + 1)
