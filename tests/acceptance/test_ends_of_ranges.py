"""Numbers at the ends of what programs promise, zeros, what cancels, minus signs: right or `?`."""

import random
from collections.abc import Callable

import pytest

from tests.acceptance.division_kinds import DIVISION_KINDS
from tests.acceptance.equation_kinds import EQUATION_KINDS
from tests.acceptance.fraction_kinds import FRACTION_KINDS
from tests.acceptance.polynomial_kinds import POLYNOMIAL_KINDS
from tests.acceptance.questions import numeral
from tests.programs import MATH, compiled

KINDS = DIVISION_KINDS | EQUATION_KINDS | FRACTION_KINDS | POLYNOMIAL_KINDS
Ask = Callable[[random.Random], str]
TOO_LONG = "an answer that is longer than the program writes is an error of its line"


def signed(terms: list[tuple[int, str]]) -> str:
    """A sum of multiples, zeros included."""
    text = ""
    for number, letter in terms:
        size = f"{abs(number)}*{letter}" if letter else str(abs(number))
        sign = "-" if number < 0 else "+"
        text += f" {sign} {size}" if text else sign.replace("+", "") + size
    return text


def ends(rng: random.Random, most: int) -> int:
    """0, 1, the most and its neighbours, powers of ten, or any other number; either sign."""
    around = rng.choice((0, 1, most - 1, most, most + 1, 10 ** rng.randrange(len(str(most)))))
    return rng.choice((around, rng.randint(0, most))) * rng.choice((1, -1))


def conversion(rng: random.Random) -> str:
    """The largest number of so many digits, the next; the last place worth 10**11, or more."""
    base, other = rng.randint(2, 16), rng.randint(2, 16)
    longest = next(n for n in range(1, 50) if base**n > 10**11)
    digits = rng.choice((1, longest - 1, longest, longest, longest + 1, rng.randint(1, longest)))
    number = rng.choice((base**digits - 1, base ** (digits - 1), rng.randrange(base**digits)))
    return f"Convert {numeral(number * rng.choice((1, -1)), base)} (base {base}) to base {other}."


def equations(rng: random.Random) -> str:
    """Coefficients up to 2,000, solutions and numbers up to 10**9, and beyond."""
    most = rng.choice((999, 500000, 10**9))
    x, y = ends(rng, most), rng.choice((ends(rng, most), ends(rng, 15)))
    sides = list[str]()
    for _ in range(2):
        room = rng.choice((5 * 10**8, 10**9))
        a, b = (ends(rng, min(2000, room // max(1, abs(n)))) for n in (x, y))
        number = -a * x - b * y + rng.choice((0, 0, 0, 0, 0, 0, 1))
        sides.append(f"{signed([(a, 'x'), (number, '')])} = {signed([(-b, 'y')])}")
    return f"Solve {', '.join(sides)} for {rng.choice('xy')}."


def polynomial(rng: random.Random, most: int, degree: int) -> list[tuple[int, str]]:
    powers = rng.choices(["", "x", *(f"x**{n}" for n in range(2, degree + 1))], k=6)
    terms = [(ends(rng, most), power) for power in powers]
    taken = rng.sample(terms, rng.randint(0, 3))  # cancel
    return [*terms, *((-number + rng.choice((0, 0, 1)), power) for number, power in taken)]


def coefficient(rng: random.Random) -> str:
    """Answers of six digits, numbers below 10**7 on the way; the form may want a power."""
    form = rng.sample(range(5), rng.choice((5, 5, 5, 4)))
    said = " + ".join(f"{'hkmpq'[n]}{f'*x**{n}' * (n > 0)}" for n in form)
    inside = polynomial(rng, rng.choice((30, 220000)), 2)
    text = rng.choice((signed(inside), f"(x**2 - 1)*({signed(inside[:3])}) - {signed([(7, 'x')])}"))
    return f"Express {text} as {said} and give {rng.choice('hkmpq')}."


def collected(rng: random.Random) -> str:
    return f"Collect the terms in {signed(polynomial(rng, 9999999, 5))}."


def expanded(rng: random.Random) -> str:
    """Numbers below 10**7 on the way, or one that is far too large."""
    one, other = (signed(polynomial(rng, rng.choice((1, 9, 400)), 1)[:3]) for _ in range(2))
    last = rng.choice((abs(ends(rng, 600000)), abs(ends(rng, 600000)), 10**8))
    scale, next_scale = rng.choice(("", "-", "3*", "-20*")), rng.choice(("", "1*", "7*"))
    return f"Expand {scale}({one})*({other}) - {next_scale}({signed([(last, 'x')])})."


def sequence(rng: random.Random) -> str:
    """Terms of eight digits; the last one may follow no polynomial."""
    found = [ends(rng, 9999999 // 50**n + 1) for n in range(rng.randint(1, 4))]
    values = [sum(number * at**n for n, number in enumerate(found)) for at in range(1, 9)]
    values[7] += rng.choice((0, 0, 1))
    return f"What is the n'th term of {', '.join(map(str, values[: rng.randint(3, 8)]))}?"


def expression(rng: random.Random, deep: int = 2) -> str:
    if deep == 0:
        number = ends(rng, rng.choice((9, 99, 10**4, 10**4, 10**10 - 2)))
        return f"({number})" if number < 0 else str(number)
    one, other = (expression(rng, rng.randrange(deep)) for _ in range(2))
    return f"({one}{rng.choice((' + ', ' - ', '*', '/'))}{other})"


ASKED: dict[str, Ask] = {
    "base_conversion": conversion,
    "linear_2d": equations,
    "coefficient_named": coefficient,
    "collect": collected,
    "expand": expanded,
    "sequence_nth_term": sequence,
    "mixed": lambda rng: f"Calculate {expression(rng, 3)}.",
}


@pytest.mark.parametrize("count", [20, pytest.param(120, marks=pytest.mark.long)])
@pytest.mark.parametrize("program", ASKED)
def test_numbers_at_the_ends_of_ranges_are_answered_right_or_refused(program, count):
    rng, kind = random.Random(8), KINDS[program]
    model = compiled(MATH / f"{program}.seme")
    longest, room = model.layout.lengths[0] - 2, model.layout.lengths[1]
    asked = sorted({text for _ in range(count) if len(text := ASKED[program](rng)) <= longest})
    due = [kind.answer(text) for text in asked]
    assert sum(answer != "?" for answer in due) > len(due) / 5
    assert sum(answer == "?" for answer in due) > 0
    found = [getattr(each, "text", TOO_LONG) for each in model.try_answers(asked)]
    due = [answer if len(answer) <= room else TOO_LONG for answer in due]
    assert [each for each in zip(asked, due, found, strict=True) if each[1] != each[2]] == []
