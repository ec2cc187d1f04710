"""`examples/math/polynomial_roots.seme`: what it answers is all rational roots that there are."""

import random
import re
from fractions import Fraction
from math import lcm

import pytest
import sympy

from progtf.analysis.scores import is_refused
from progtf.program.tokens import InputError, Reader
from tests.programs import MATH, compiled

PATH = MATH / "polynomial_roots.seme"
TERM = re.compile(r"(?:(\d+)\*)?([a-z])(?:\*\*([1-5]))?(?:/(\d+))?|(\d+)(?:/(\d+))?")
FORMS = [
    "Suppose / = 0. Calculate $.", "Let / = 0. Calculate $.", "Let / = 0. What is $?",
    "Suppose / = 0. What is $?", "Find $ such that / = 0.", "Find $, given that / = 0.",
    "Determine $, given that / = 0.", "Determine $ so that / = 0.", "What is $ in / = 0?",
    "Solve / = 0.", "Solve / = 0 for $.",
]  # fmt: skip


def written(coefficients: list[Fraction], letter: str) -> str:
    """A polynomial as the data set has it, the highest degree first."""
    said = ""
    for degree, amount in reversed([*enumerate(coefficients)]):
        if not amount:
            continue
        sign = (" - " if amount < 0 else " + ") if said else "-" * (amount < 0)
        top, bottom = abs(amount.numerator), amount.denominator
        power = letter + (f"**{degree}" if degree > 1 else "")
        bare = f"{top}*{power}" if top > 1 else power
        said += sign + (bare if degree else str(top)) + (f"/{bottom}" if bottom > 1 else "")
    return said


def times(left: list[Fraction], right: list[Fraction]) -> list[Fraction]:
    made = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            made[i + j] += a * b
    return made


def roots_of(said: str, letter: str) -> str:
    """All roots in order, if they are rational; `?` where it is no polynomial of the letter."""
    parts = re.split(r" ([+-]) ", said.removeprefix("-"))
    signs = ["-" if said.startswith("-") else "+", *parts[1::2]]
    unknown, total = sympy.Symbol("x"), sympy.Integer(0)
    for sign, part in zip(signs, parts[::2], strict=True):
        term = TERM.fullmatch(part)
        if term is None or term[2] not in (None, letter) or int(term[4] or term[6] or 1) == 0:
            return "?"
        amount = sympy.Rational(int(term[1] or term[5] or 1), int(term[4] or term[6] or 1))
        power = unknown ** int(term[3] or 1) if term[2] else 1
        total += (-1 if sign == "-" else 1) * amount * power
    if not total.has(unknown):
        return "?"
    polynomial = sympy.Poly(total, unknown)
    found = sympy.roots(polynomial)
    whole = sum(found.values()) == polynomial.degree()
    rational = whole and all(root.is_rational for root in found)
    return ", ".join(str(root) for root in sorted(found)) if rational else "?"


def meaning(text: str) -> str:
    """What a text asks for. Doubled blanks are one, and a last mark may be missing."""
    plain = re.sub(" +", " ", text).strip()
    for form in FORMS:
        pattern = re.escape(form[:-1]).replace("/", "(?P<said>[^=.?]+)") + "[.?]?"
        named = "$" in form
        for letter in "abcxyz":
            found = re.fullmatch(pattern.replace(r"\$", letter), plain)
            if found and (named or letter in found["said"]):
                return roots_of(found["said"], letter)
    return "?"


def text(draw: random.Random) -> str:
    """A question; a third of all with one character off."""
    letter = draw.choice("abcxyz")
    made = [Fraction(1)]
    for _ in range(draw.randint(2, 5)):
        most = draw.choice([6, 6, 40, 900])
        below = draw.choice([1, 1, 1, 1, 1, 1, 7])
        made = times(made, [Fraction(draw.randint(-most, most), below), Fraction(1)])
    if draw.random() < 0.1:
        made[0] += 1
    scale = Fraction(draw.choice([-3, -1, 1, 2, 5]), draw.choice([1, 1, 2, 3, 7]))
    scale *= lcm(*(amount.denominator for amount in made))
    said = written([amount * scale for amount in made], letter)
    asked = draw.choice(FORMS).replace("$", letter).replace("/", said, 1)
    if draw.random() < 0.35:
        place, put = draw.randrange(len(asked)), draw.choice(f" -.,0123456789?*/()=+{letter}")
        asked = asked[:place] + draw.choice(["", put]) + asked[place + draw.randrange(2) :]
    return asked


def as_read(question: str, reader: Reader) -> str:
    """A question without what people type otherwise, as `3 +x` or doubled blanks."""
    return "".join(token for token in reader.read(question) if token[0] != "<")


@pytest.mark.parametrize("count", [40, pytest.param(250, marks=pytest.mark.long)])
def test_no_answer_is_another_than_all_roots(count: int) -> None:
    draw = random.Random(3)
    asked = [text(draw) for _ in range(count)]
    model = compiled(PATH)
    given = [
        (as_read(question, model.reader), each.text)
        for question, each in zip(asked, model.try_answers(asked), strict=True)
        if not isinstance(each, InputError)
    ]
    answered = [(q, said) for q, said in given if not is_refused(said)]
    assert [(q, said, meaning(q)) for q, said in answered if said != meaning(q)] == []
    assert len(answered) >= count / 5


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        ("Solve x**2 - 2 = 0.", "?"),
        ("Solve x**2 + x + 1 = 0 for x.", "?"),
        ("Solve x**2 - 5*x + 6 = 0 for y.", "?"),
        ("Solve 3*x - 6 = 0 for x.", "?"),  # linear_1d.seme answers it
        ("Let x**2 - 5*x + 6 = 0.", "?"),
        ("Suppose x**2 - 5*x + 6 = 0. Calculate y.", "?"),
        ("Find x such that x**6 - 1 = 0.", "?"),
        ("Solve x**2/2 - 5*x/3 = 0.", "?"),  # 3 does not divide 2, nor 2 3
        ("Solve 0*x**2 + 0 = 0.", "?"),
        ("Solve x**2 = 0.", "0"),
        ("Solve x**5 - x**4 = 0.", "0, 1"),
        ("Solve 8589934592*x**2 - 8589934592 = 0.", "-1, 1"),
        ("Solve 8589934593*x**2 - 8589934593 = 0.", "?"),
    ],
)
def test_what_is_near_to_its_questions(asked: str, due: str) -> None:
    assert compiled(PATH).run([asked]) == [due]
