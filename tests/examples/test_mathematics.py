"""Programs for the Mathematics Dataset, on questions of the real generator."""

import math
import random
from fractions import Fraction

import pytest
import sympy

from progtf.published import data_folder
from tests.programs import MATH, compiled

DATA = data_folder() / "math"
EXACT = [
    ("mul", "interpolate/arithmetic__mul"),
    ("mul", "extrapolate/arithmetic__mul_big"),
    ("mul_div_multiple", "extrapolate/arithmetic__mul_div_multiple_longer"),
    ("nearest_integer_root", "interpolate/arithmetic__nearest_integer_root"),
    ("linear_1d", "interpolate/algebra__linear_1d"),
    ("swr_p", "interpolate/probability__swr_p_level_set"),
    ("swr_p", "interpolate/probability__swr_p_sequence"),
    ("swr_p", "extrapolate/probability__swr_p_level_set_more_samples"),
    ("swr_p", "extrapolate/probability__swr_p_sequence_more_samples"),
    ("sequence_next_term", "interpolate/algebra__sequence_next_term"),
    ("kth_biggest", "interpolate/comparison__kth_biggest"),
    ("kth_biggest", "extrapolate/comparison__kth_biggest_more"),
    ("sort", "interpolate/comparison__sort"),
    ("sort", "extrapolate/comparison__sort_more"),
    ("closest", "interpolate/comparison__closest"),
    ("closest", "extrapolate/comparison__closest_more"),
    ("conversion", "interpolate/measurement__conversion"),
    ("conversion", "extrapolate/measurement__conversion"),
    ("evaluate", "interpolate/polynomials__evaluate"),
    ("pair", "interpolate/comparison__pair"),
    ("div_remainder", "interpolate/numbers__div_remainder"),
    ("is_factor", "interpolate/numbers__is_factor"),
    ("is_prime", "interpolate/numbers__is_prime"),
    ("gcd", "interpolate/numbers__gcd"),
    ("lcm", "interpolate/numbers__lcm"),
    ("div", "interpolate/arithmetic__div"),
    ("div", "extrapolate/arithmetic__div_big"),
    ("base_conversion", "interpolate/numbers__base_conversion"),
    ("mixed", "interpolate/arithmetic__mixed"),
    ("simplify_power", "interpolate/polynomials__simplify_power"),
    ("differentiate", "interpolate/calculus__differentiate"),
    ("list_prime_factors", "interpolate/numbers__list_prime_factors"),
    ("mixed", "interpolate/arithmetic__mul_div_multiple"),
]


def _problems(module: str) -> tuple[list[str], list[str]]:
    path = DATA / f"{module}.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[::2], lines[1::2]


@pytest.mark.parametrize("count", [15, pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.parametrize(("name", "module"), EXACT)
def test_a_program_answers_its_module_without_an_error(name: str, module: str, count: int) -> None:
    questions, expected = (side[:count] for side in _problems(module))
    answers = compiled(MATH / f"{name}.seme").answers(questions)
    wrong = {
        question: (answer.text, right)
        for question, answer, right in zip(questions, answers, expected, strict=True)
        if answer.text != right
    }
    assert not wrong
    assert min(answer.gap for answer in answers if answer.gap is not None) >= 0.5


def test_whether_a_number_is_prime_is_told_as_far_as_the_program_promises() -> None:
    """Squares and products of primes at the ends of what is tried, and numbers of every size."""
    rng = random.Random(5)
    around = [*range(705590, 705620), 840**2 + 1, 841**2, 853**2, 853 * 857, 316223**2]
    sizes = [rng.randrange(10**size) for size in range(1, 13) for _ in range(4)]
    large = [99999999977, 99999999978, 100000000003, 100000000007, 999999999989, 10**12 - 1]
    numbers = [*around, *sizes, *large, 1009**3, 316219 * 316223, 839 * 119189, 839, 841, 0, 1, 2]
    questions = [f"Is {number} a prime number?" for number in numbers]
    answers = compiled(MATH / "is_prime.seme").run(questions)
    for number, answer in zip(numbers, answers, strict=True):
        tried = number < 10**11 or any(number % p == 0 for p in sympy.primerange(841))
        assert answer == (str(sympy.isprime(number)) if tried else "?"), number


def near_misses(rng: random.Random, apart: int, count: int) -> list[str]:
    """Quotients next to a whole number: what is above and below lies so far apart, or twice."""
    found: list[str] = []
    while len(found) < count:
        whole, divisor = rng.choice((1, 2, 3, 7, 100, 599)), rng.choice((2, 3, 7, 9, 11, 21))
        factor, below = rng.choice((2, 5, 8, 10, 4096, 59049, 65536)), whole * divisor
        step = rng.choice((apart, -apart, 2 * apart))
        if math.gcd(factor, below) > 1:
            continue
        rest = step * pow(factor, -1, below) % below  # so that the other divisor is whole
        least = max(1_200_000_000, 980 * abs(step) // factor + 1)
        most = min(9_999_999_999, (10**10 - 1) * below // factor)
        first, last = -(-(least - rest) // below), (most - rest) // below
        if first <= last:
            large = rest + below * rng.randint(first, last)
            other = (large * factor - step) // below
            found.append(f"What is {large}*{factor}/{divisor}/{other}?")
    return found


@pytest.mark.parametrize("apart", [11 * 19 * 29 * 37 * 53, 11 * 19 * 29 * 37 * 53 * 59 * 61, 59, 1])
def test_what_is_near_a_whole_number_is_not_taken_for_it(apart: int) -> None:
    """As logarithms tell these are whole numbers, and modulo the first primes as well."""
    questions = near_misses(random.Random(3), apart, 12)
    assert compiled(MATH / "mul_div_multiple.seme").run(questions) == ["?"] * len(questions)


def equation_of(rng: random.Random) -> tuple[str, str]:
    """A linear equation of which the coefficient is 100,000 at most, and what solves it."""
    whole, factors, number = rng.randrange(10 ** rng.randint(1, 11)), [0, 0], [0, 0]
    sides: list[list[str]] = [[], []]
    for _ in range(rng.randint(2, 6)):
        side, turn = rng.randrange(2), rng.choice((1, -1))
        value = rng.randrange(10 ** rng.randint(1, 4))
        if rng.random() < 0.5:
            factors[side] += turn * value
            term = f"{value}*k"
        else:
            number[side] += turn * value
            term = str(value)
        sides[side].append(f"{'- ' if turn < 0 else '+ '}{term}")
    factor = factors[0] - factors[1]
    due = factor * whole * rng.choice((1, -1)) - number[0] + number[1] + rng.choice((0, 0, 0, 1))
    sides[0].append(f"{'- ' if due < 0 else '+ '}{abs(due)}")
    said = [" ".join(side or ["+ 0"]).removeprefix("+ ") for side in sides]
    left, right = (f"-{side[2:]}" if side.startswith("- ") else side for side in said)
    if factor == 0 or abs(due) >= 10**12:
        return f"Solve {left} = {right} for k.", "?"
    solution = Fraction(-(number[0] + due - number[1]), factor)
    told = solution.denominator == 1 and abs(solution) < 10**10
    return f"Solve {left} = {right} for k.", str(solution) if told else "?"


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.long)])
def test_equations_are_solved_as_fractions_solve_them(count: int) -> None:
    """Whole solutions of up to ten digits are told, and nothing else."""
    rng = random.Random(33)
    asked = dict(equation_of(rng) for _ in range(count))
    assert sum(due != "?" for due in asked.values()) > count / 3
    answers = compiled(MATH / "linear_1d.seme").run(list(asked))
    wrong = [each for each in zip(asked, answers, strict=True) if each[1] != asked[each[0]]]
    assert wrong == []
