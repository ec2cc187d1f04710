"""Equations as expression tokens and back (Kim et al. 2020).

A token is an operator with its operands; each is a number of the text (``N_0``), a constant
(``C_0_01``), or the result of an earlier token (``R_0``). First comes one token ``new`` for each
unknown, so that ``R_0`` is the first one; then those of the equations in the order of postfix::

    N_0 X_0 * N_1 =     new, * N_0 R_0, = R_1 N_1

Beside it there is the plain writing of postfix, a symbol each, which names unknowns (``X_0``).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from progtf.tasks.word_problems.problem import constant_value

NEW, EQUALS, NOTHING = "new", "=", "."
OPERATORS = ("+", "-", "*", "/", EQUALS)
MOST_NUMBERS = 32
"""Of a text, as far as answers can name them."""
LONGEST = 4000
"""Characters of an equation: results that double each other grow without bounds."""
_REFERENCE = re.compile(r"([NXR])_(\d{1,3})")


class Token(NamedTuple):
    """An operator with its operands; ``new`` has none."""

    operator: str
    left: str = NOTHING
    right: str = NOTHING


def tokens_of(equations: Sequence[str], numbers: int) -> tuple[Token, ...]:
    """The tokens of equations in postfix.

    Args:
        equations: such as ``N_0 X_0 * N_1 =``.
        numbers: how many numbers the text has.

    Raises:
        ValueError: for what is no equation, and for a number that the text does not have.
    """
    names = {name for text in equations for name in text.split() if name.startswith("X_")}
    unknowns = 1 + max((_place(name, "X") for name in names), default=-1)
    tokens = [Token(NEW)] * unknowns
    for equation in equations:
        stack: list[str] = []
        for name in equation.split():
            if name in OPERATORS:
                tokens.append(Token(name, *_operands(stack, equation)))
                stack.append(f"R_{len(tokens) - 1}")
            else:
                stack.append(_operand(name, numbers))
        if len(stack) != 1 or tokens[-1].operator != EQUALS:
            raise ValueError(f"`{equation[:200]}` is no equation in postfix")
    return _checked(tokens)


def _operands(stack: list[str], equation: str) -> tuple[str, str]:
    if len(stack) < 2:
        raise ValueError(f"`{equation[:200]}`: an operator lacks operands")
    right, left = stack.pop(), stack.pop()
    return left, right


def _operand(name: str, numbers: int) -> str:
    """A name of an equation as an operand of a token."""
    if name.startswith("X_"):
        return f"R_{_place(name, 'X')}"
    if name.startswith("N_"):
        if (place := _place(name, "N")) >= numbers:
            raise ValueError(f"`{name}`: the text has {numbers} numbers")
        return f"N_{place}"
    constant_value(name)
    return name


def _place(name: str, kind: str) -> int:
    found = _REFERENCE.fullmatch(name)
    if found is None or found[1] != kind:
        raise ValueError(f"{name[:80]!r} is no operand")
    return int(found[2])


def _checked(tokens: Iterable[Token]) -> tuple[Token, ...]:
    """Tokens whose operands are there: no result of a later token, and none of an equation."""
    seen: list[str] = []
    for operator, *operands in tokens:
        for operand in operands if operator != NEW else ():
            if operand.startswith("R_"):
                place = _place(operand, "R")
                if place >= len(seen) or seen[place] == EQUALS:
                    raise ValueError(f"`{operand}` is no result of an earlier token")
        seen.append(operator)
    return tuple(Token(*token) for token in tokens)


def equations_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The equations of tokens, in postfix.

    Raises:
        ValueError: if a token points at what is not there.
    """
    results: list[str] = []
    unknowns = 0
    for operator, left, right in _checked(tokens):
        if operator == NEW:
            results.append(f"X_{unknowns}")
            unknowns += 1
        elif operator in OPERATORS:
            results.append(f"{_named(left, results)} {_named(right, results)} {operator}")
            if len(results[-1]) > LONGEST:
                raise ValueError(f"an equation of more than {LONGEST} characters")
        else:
            raise ValueError(f"`{operator}` is no operator")
    return tuple(text for text in results if text.endswith(EQUALS))


def _named(operand: str, results: Sequence[str]) -> str:
    if operand.startswith("R_"):
        return results[_place(operand, "R")]
    if not operand.startswith("N_"):
        constant_value(operand)
    return operand


def to_text(tokens: Iterable[Token]) -> str:
    """Tokens as words, three a token."""
    return " ".join(part for token in tokens for part in token)


def from_text(text: str) -> tuple[Token, ...]:
    """The tokens that ``to_text`` wrote; also those of equations in postfix, one behind another.

    Raises:
        ValueError: if the words are not three a token, or no equations.
    """
    words = text.split()
    if not words or words[0] in (NEW, *OPERATORS):  # postfix begins with an operand
        return tuple(_by_threes(words))
    ends = [place for place, word in enumerate(words, start=1) if word == EQUALS]
    rest = words[ends[-1] if ends else 0 :]
    if rest:
        raise ValueError(f"`{' '.join(rest)[:200]}` is no equation in postfix")
    parts = (words[first:end] for first, end in pairwise((0, *ends)))
    return tokens_of([" ".join(part) for part in parts], MOST_NUMBERS)


def _by_threes(words: Sequence[str]) -> Iterator[Token]:
    if len(words) % 3:
        raise ValueError(f"{len(words)} words do not make whole tokens of three")
    for first in range(0, len(words), 3):
        yield Token(*words[first : first + 3])
