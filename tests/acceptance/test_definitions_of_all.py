"""Questions behind definitions, asked of the network for all modules; worked out by hand."""

from itertools import zip_longest
from random import Random

import pytest

import progtf
from tests.programs import ALL, loaded

pytestmark = pytest.mark.xdist_group("all.seme")

RIGHT = {
    "Let h = 63 - 66. What is the tens digit of 1/(5/15*h/(-409))?": "0",
    "Let h = -3. What is 4 - h?": "7",
    "Let h = -1/2. What is 3/h - h*h?": "-25/4",
    "Let a = 3. Is a a prime number?": "True",
    "Let s = 7. Let i = s*s. Is i composite?": "True",
    "Suppose -2*s = 2*g - 166, 5*s = 6*g - g - 465. Is g a multiple of 44?": "True",
    "Suppose x + y = 7, x - y = 1. Calculate the greatest common divisor of 8*x and 9*y.": "1",
    "Let f(x) = x**2 - 3. Let k be f(-4). What is k divided by 2?": "13/2",
    "Let f(x) = 2*x - 1. Let g(y) = 3*f(y) + y. What is g(5)?": "32",
    "Let q(s) be the second derivative of s**4/12 - 4*s**3/3. What is q(2)?": "-12",
    "Let u(w) = -3*w**2 - 5. Let x(r) = 4*r**2 + 5. Determine 2*x(a) + 6*u(a).": "-10*a**2 - 20",
    "Let j = 2380 + -2375. Put -2/13, 86, j in increasing order.": "-2/13, j, 86",
    "Let y = 3. What is the nearest to y in 3, -4?": "3",
    "Let y = 2 + 1. Let l = 1 - 1. Which is the nearest to y?  (a) -3  (b) 1/3  (c) l": "b",
    "Let h = 3. What is next in 1, h, 5?": "7",
    "Let c(p) = -8151*p. Let d(f) = 891*f. Determine c(d(v)).": "-7262541*v",
    "Let i(a) = 53*a**2 - 23*a**2. Let p(h) = 3*h**2 + h. What is p(i(s))?": "2700*s**4 + 30*s**2",
    "Let f(x) = 2*x + 1. What is f(2 + 3)?": "11",
    "Let a be h + t. Let h = 3. Give 2*a.": "2*t + 6",
    "Let h = -3. What is 4-h?": "7",  # this one and the next two were answered wrongly, too
    "Let f(x) = x - 4. What is 5-f(3)?": "6",
    "Let h = -2. Let f(x) = 5-h + x. What is f(3)?": "10",
    "Let m(i) = i - 4*i - 10. Let g be 2. Calculate m(g - 5 - 9*g).": "53",
}

# What was answered wrongly, or went round for ever, before it was attacked.
REFUSED = [
    "Let h = 3^2. What is h?", "Is 2%5 + 1 prime?", "Let h = 2é3. What is h?",
    "Let h = -999999999. What is h*h*h*h*h*h*h*h*h*h*h*h*h*h*h*h*h?",
    "Let h = 3. What is 2h?",
    "Let h = 3. What is h.5?", "Let f(x) = x + 4. What is 2f(3)?",
    "Let f(x) = x. What is f(3)f(3)?",
    "Let a = 5. Convert a1 (base 11) to base 3.", "Let h = 12. In base 4, what is 3 + h?",
    "Suppose x = 3. Suppose x = 4. What is x?", "Let x = 3. Suppose 2*x = 5. What is x?",
    "Suppose h = 3, k = 4. Let k = 5. What is h + k?",
    "Let f(x) = x + y. Let g(y) = f(y). What is g(2)?", "Let f(x) = x. Is f(2",
    "What is 3 + f(2. What is 4?", "Let h = 3. Sort h, 4; 2.", "Let h = 3; Sort h, 4.",
    "I am; Let h = 3. Sort h, 4.", "5; 6; Let h = 2. What is h?", "Let h = 3. Sort -h, 3.",
    "Let h = 3. What is the biggest value in h/2, 3?", "Let h = 4. Sort h, 4, 1.",
    "Round 3/4 to the nearest integer.", "Let h = 5/2. Round h to the nearest integer.",
    "Let f be 3*x. Let g(x) = f + x. What is g(2)?", "Let f(x) = x**3. Give f(2*v + 1).",
    "Let f(x) = x + v. Let g(v) = f(2*v). Give g(3).", "5; Let f(x) = 2*x. Give f(3*v).",
    "Let f be f + v. Give 2*f.", "Let f(x) = 2*x. Give f(3*v) + f(4*v).",
]  # fmt: skip


@pytest.fixture(scope="module")
def meant():
    return progtf.interpret(loaded(ALL))


def test_each_is_answered_and_keeps_its_promises(meant):
    answers = meant.answers([*RIGHT])
    assert [each.text for each in answers] == [*RIGHT.values()]
    assert not any(each.broken for each in answers)


def test_an_order_and_others_beside_it_change_no_answer(meant):
    texts = [*RIGHT, *REFUSED]
    alone = [each.text for text in RIGHT for each in meant.answers([text])]
    turned = meant.try_answers(texts[::-1])[::-1]
    assert [each.text for each in turned[: len(RIGHT)]] == alone


@pytest.mark.parametrize("text", REFUSED)
def test_what_an_attack_found_is_refused(meant, text):
    (answer,) = meant.try_answers([text])
    assert not isinstance(answer, progtf.InputError)
    assert answer.text == "?"


def test_polynomials_of_polynomials_are_multiplied_out(meant):
    chance, answered = Random(3), 0
    for _ in range(40):
        outer, inner = ([chance.randint(-9, 9) for _ in range(3)] for _ in range(2))
        c, d = _written(outer, "p"), _written(inner, "f")
        text = f"Let c(p) = {c}. Let d(f) = {d}. Give c(d(v))."
        (answer,) = meant.try_answers([text])
        composed = [0] * 5
        for exponent, factor in enumerate(outer):
            power = _product(inner, exponent)
            composed = [a + factor * b for a, b in zip_longest(composed, power, fillvalue=0)]
        assert answer.text in ("?", _written(composed, "v")), text
        answered += answer.text != "?"
    assert answered > 25


def _product(factor: list[int], times: int) -> list[int]:
    """The coefficients of a power, the constant first."""
    found = [1]
    for _ in range(times):
        found = [
            sum(found[i] * factor[n - i] for i in range(len(found)) if 0 <= n - i < len(factor))
            for n in range(len(found) + len(factor) - 1)
        ]
    return found


def _written(coefficients: list[int], letter: str) -> str:
    """As the answers write it: the highest power first."""
    text = ""
    for exponent, factor in reversed([*enumerate(coefficients)]):
        if factor:
            power = ("", letter, f"{letter}**{exponent}")[min(exponent, 2)]
            size = abs(factor)
            term = "*".join(filter(None, (str(size) if size > 1 or not power else "", power)))
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {term}" if text else sign.strip("+") + term
    return text or "0"
