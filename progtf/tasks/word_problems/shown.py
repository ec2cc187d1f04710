"""Equations as people write them, and where each operand points."""

from collections.abc import Sequence
from typing import NamedTuple

from progtf.numbers import exact
from progtf.tasks.word_problems.expressions import EQUALS, NEW, Token
from progtf.tasks.word_problems.problem import WordProblem, constant_value

UNKNOWNS = "xyzuvw"
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}


class Shown(NamedTuple):
    """An expression as text, and how tightly its last operator binds; 3: it has none."""

    text: str
    binds: int = 3


class Pointed(NamedTuple):
    """An operand that is a number of the text.

    Attributes:
        equation: which one it is in, from 1.
        number: which number of the text it is, from 0.
        word: the place of the word that says it, from 0.
    """

    equation: int
    number: int
    word: int


def unknown_name(place: int) -> str:
    """What an unknown is called: x, y, z and so on."""
    return UNKNOWNS[place] if place < len(UNKNOWNS) else f"x{place + 1}"


def shown_equations(tokens: Sequence[Token], problem: WordProblem) -> tuple[str, ...]:
    """Equations such as ``10 x + 5 y = 150``, with the numbers as the text says them."""
    results: list[Shown] = []
    found = []
    for token in tokens:
        if token.operator == NEW:
            results.append(Shown(unknown_name(len(results))))
            continue
        left, right = (_operand(name, results, problem) for name in token[1:])
        if token.operator == EQUALS:
            found.append(f"{left.text} = {right.text}")
        results.append(_joined(token.operator, left, right))
    return tuple(found)


def _operand(name: str, results: Sequence[Shown], problem: WordProblem) -> Shown:
    kind, _, place = name.partition("_")
    if kind == "R":
        return results[int(place)]
    if kind == "N":
        return Shown(problem.numbers[int(place)].value)
    value = constant_value(name)
    text = exact(float(value)) if value.denominator != 1 else str(value)
    return Shown(text if value >= 0 else f"({text})")


def _joined(operator: str, left: Shown, right: Shown) -> Shown:
    binds = _BINDS.get(operator, 0)
    first = left.text if left.binds >= binds else f"({left.text})"
    loose = right.binds < binds or (right.binds == binds and operator in "-/")
    second = f"({right.text})" if loose else right.text
    return Shown(f"{first} {operator} {second}", binds)


def pointed(tokens: Sequence[Token], problem: WordProblem) -> tuple[Pointed, ...]:
    """Which words of the text the operands point at, in the order of the equations."""
    found, equation = [], 1
    for token in tokens:
        for name in token[1:]:
            if name.startswith("N_"):
                number = int(name[2:])
                found.append(Pointed(equation, number, problem.numbers[number].words[0]))
        equation += token.operator == EQUALS
    return tuple(found)
