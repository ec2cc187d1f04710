"""Questions about equations with two unknowns, as `kinds` has them."""

import re
from collections import Counter

from tests.acceptance.kinds import Kind

TERM = r"(?:(?:\d+\*)?[a-z](?:\*\*1)?|\d+)"
SIDE = re.compile(rf"-?{TERM}(?: [+-] {TERM})*")
EACH = re.compile(r"(?:^| )([+-] ?)?(?:(?:(\d+)\*)?([a-z])(?:\*\*1)?|(\d+))")
NUMBER = ""


def side(text: str) -> Counter[str]:
    """The coefficients of a sum by letter; that of no letter is the number."""
    if not SIDE.fullmatch(text):
        raise ValueError(text)
    found: Counter[str] = Counter()
    for sign, factor, letter, number in EACH.findall(text):
        value = int(number or factor or 1)
        found[letter or NUMBER] += -value if "-" in sign else value
    return found


def equation(text: str) -> Counter[str]:
    """An equation, all of it brought to the left side."""
    left, right = map(side, text.split(" = "))
    left.subtract(right)
    return left


def solved(text: str, unknown: str) -> str:
    """The value of one unknown, if it is a whole number that the program promises to find."""
    try:
        one, two = map(equation, text.split(", "))
    except ValueError:
        return "?"
    others = {*one, *two} - {unknown, NUMBER}
    if len(others) > 1 or unknown not in {*one, *two} or not re.fullmatch("[a-z]", unknown):
        return "?"
    other = others.pop() if others else "?"
    known = [each[name] for each in (one, two) for name in (unknown, other)]
    if max(map(abs, known)) > 2000 or max(abs(one[NUMBER]), abs(two[NUMBER])) > 10**9:
        return "?"
    below = one[unknown] * two[other] - two[unknown] * one[other]
    above = one[other] * two[NUMBER] - two[other] * one[NUMBER]
    if not below or above % below or abs(above // below) >= 10**10:
        return "?"
    return str(above // below)


EQUATION_KINDS = {
    "linear_2d": Kind(
        ("interpolate/algebra__linear_2d",), "(.+?)", ((["Solve / for /."], solved),), 10
    )
}
