"""Which equations say something new: told as sympy tells it, on systems that are drawn."""

import random

import pytest
import sympy
import torch

from progtf.nn.expressions import ExpressionSymbols
from progtf.nn.linear_forms import Forms, says_nothing, then

# 4 new, 5 =, 6 + 7 - 8 * 9 /, 10 nothing, 11 12 constants, 13 .. 16 numbers, 17 .. results
SYMBOLS = ExpressionSymbols(
    end=3, new=4, equals=5, arithmetic=(6, 10), nothing=10, constants=2, numbers=4, results=24
)
NEW, EQUALS, PLUS, MINUS, TIMES, OVER, NOTHING, VALUE, RESULT = 4, 5, 6, 7, 8, 9, 10, 11, 17
VALUES = sympy.symbols("v:6")
UNKNOWNS = sympy.symbols("x:2")
APPLIED = {
    PLUS: lambda a, b: a + b, MINUS: lambda a, b: a - b,
    TIMES: lambda a, b: a * b, OVER: lambda a, b: a / b,
}  # fmt: skip


def read(tokens) -> Forms:
    forms = Forms.none(1, torch.device("cpu"))
    for token in tokens:
        forms = then(SYMBOLS, forms, torch.tensor([token]))
    return forms


def refused(tokens, left: int) -> set[int]:
    found = says_nothing(SYMBOLS, read(tokens), torch.tensor([left]))[0]
    return {NOTHING + place for place in found.nonzero()[:, 0].tolist()}


def is_linear(form) -> bool:
    above, below = sympy.fraction(sympy.together(form))
    return sympy.Poly(above, *UNKNOWNS).total_degree() <= 1 and not below.has(*UNKNOWNS)


def drawn(chance: random.Random, *, linear: bool):
    """Two unknowns and some results of them, as tokens and as sympy has them."""
    tokens, found = [(NEW, NOTHING, NOTHING)] * 2, list(UNKNOWNS)
    for _ in range(chance.randint(1, 6)):
        operands = [*range(VALUE, RESULT), *range(RESULT, RESULT + len(found))]
        sides = [chance.choice(operands[-len(found) - 3 :]) for _ in range(2)]
        a, b = (VALUES[s - VALUE] if s < RESULT else found[s - RESULT] for s in sides)
        kind = chance.choice([*APPLIED])
        if kind == OVER and sympy.expand(b) == 0:
            continue
        if linear and ((kind == TIMES and a.has(*UNKNOWNS)) or kind == OVER) and b.has(*UNKNOWNS):
            continue
        tokens.append((kind, *sides))
        found.append(APPLIED[kind](a, b))
    return tokens, found


@pytest.mark.parametrize("seed", range(60))
def test_an_equation_says_nothing_new_where_sympy_finds_its_coefficients_dependent(seed):
    chance = random.Random(seed)
    linear = seed % 2 == 0
    tokens, found = drawn(chance, linear=linear)
    first, left = (chance.randrange(len(found)) for _ in range(2))
    value = chance.choice(range(VALUE, RESULT))
    tokens.append((EQUALS, RESULT + first, value))
    before = found[first] - VALUES[value - VALUE]
    told = refused(tokens, RESULT + left)
    sides = dict(enumerate(VALUES, start=VALUE)) | dict(enumerate(found, start=RESULT))
    for symbol, side in sides.items():
        rows = [before, found[left] - side]
        if all(map(is_linear, rows)):
            table = sympy.Matrix([[sympy.diff(row, x) for x in UNKNOWNS] for row in rows])
            table = table.applyfunc(sympy.cancel)
            new_row, old_row = table[1, :], table[0, :]
            expected = new_row.is_zero_matrix or (
                not old_row.is_zero_matrix and sympy.cancel(table.det()) == 0
            )
            assert (symbol in told) == expected or (expected and not linear), (tokens, symbol)


def test_the_same_factor_for_both_unknowns_says_nothing_new_behind_their_sum():
    tokens = [
        (NEW, NOTHING, NOTHING), (NEW, NOTHING, NOTHING),
        (PLUS, RESULT, RESULT + 1), (EQUALS, RESULT + 2, VALUE),
        (TIMES, VALUE + 1, RESULT), (TIMES, VALUE + 1, RESULT + 1), (PLUS, RESULT + 4, RESULT + 5),
    ]  # fmt: skip
    values = {*range(VALUE, RESULT)}
    assert refused(tokens, RESULT + 6) == values | {RESULT + 2, RESULT + 3, RESULT + 6}
    tokens[5] = (TIMES, VALUE + 2, RESULT + 1)
    assert refused(tokens, RESULT + 6) == {RESULT + 6}


def test_what_is_not_linear_and_unknowns_past_the_third_are_never_refused():
    square = [(NEW, NOTHING, NOTHING), (TIMES, RESULT, RESULT), (EQUALS, RESULT + 1, VALUE)]
    assert refused(square, RESULT + 1) == set()
    assert refused([(NEW, NOTHING, NOTHING)] * 4, RESULT + 3) == set()
