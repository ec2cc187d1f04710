"""Solves systems of equations, one a line: the child process of ``solver``.

Expressions are built by arithmetic on what names stand for; no text is ever given to sympy. A line
is ``[equations, values]`` as JSON, its answer a list of solutions ``{"0": 2.5}`` by unknown, or
what went wrong, as a text.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import sympy

from progtf.tasks.word_problems.problem import constant_value, value_of

MOST_BYTES = 2 << 30
"""Of memory."""
READY = "ready"
_APPLIED = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "=": lambda left, right: left - right,
}


def solutions(equations: Sequence[str], values: Sequence[str]) -> list[dict[int, float]]:
    """The real solutions of a system, each with the value of every unknown that it settles.

    Args:
        equations: in postfix.
        values: of ``N_0``, ``N_1``, ... in digits.

    Raises:
        ValueError: for what is no system.
    """
    numbers = [value_of(value) for value in values]
    known: dict[str, Any] = {f"N_{n}": sympy.Rational(v) for n, v in enumerate(numbers)}
    zeros = [_built(equation.split(), known) for equation in equations]
    unknowns = sorted(set().union(*(zero.free_symbols for zero in zeros)), key=str)
    found = sympy.solve(zeros, unknowns, dict=True) if unknowns else []
    return [numeric for each in found if (numeric := _numeric(each.items())) is not None]


def _built(names: Sequence[str], known: dict[str, Any]) -> Any:
    """What is 0 where an equation holds."""
    stack: list[Any] = []
    for name in names:
        if name in _APPLIED:
            if len(stack) < 2:
                raise ValueError("an operator lacks operands")
            right, left = stack.pop(), stack.pop()
            if name == "/" and right.is_zero:
                raise ValueError("something is divided by 0")
            stack.append(_APPLIED[name](left, right))
        else:
            stack.append(_operand(name, known))
    if len(stack) != 1:
        raise ValueError("an equation is left with operands")
    return sympy.sympify(stack[0])


def _operand(name: str, known: dict[str, Any]) -> Any:
    if name.startswith("X_") and name[2:].isdecimal():
        return sympy.Symbol(f"X_{int(name[2:])}")
    if name.startswith("N_"):
        if name not in known:
            raise ValueError(f"there is no number `{name[:20]}`")
        return known[name]
    return sympy.Rational(constant_value(name))


def _numeric(items: Iterable[tuple[Any, Any]]) -> dict[int, float] | None:
    """A solution in floats; None if it is not real, or leaves an unknown free."""
    found = {}
    for symbol, value in items:
        if value.free_symbols:
            return None
        number = complex(value.evalf())
        if abs(number.imag) > 1e-9 * max(1.0, abs(number.real)):
            return None
        if not isfinite(number.real):
            raise OverflowError("a solution is past 1.8e308")
        found[int(symbol.name[2:])] = number.real
    return found


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415  only where there is one

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    except (ImportError, ValueError, OSError):
        return


def main() -> None:
    """Says that it is there, then answers line by line until there are no more."""
    _limit_memory()
    print(READY, flush=True)  # noqa: T201  that is how it answers
    for line in sys.stdin:
        try:
            said: Any = solutions(*json.loads(line))
        except (ValueError, ArithmeticError, NotImplementedError, MemoryError, TypeError) as error:
            said = f"{type(error).__name__}: {str(error)[:200]}"
        print(json.dumps(said), flush=True)  # noqa: T201  that is how it answers


if __name__ == "__main__":
    main()
