"""Questions about polynomials, as `kinds` has them."""

import re
from collections import Counter

from tests.acceptance.kinds import Kind

Polynomial = Counter[int]  # coefficients by exponent
TERM = re.compile(r"(?:(\d+)\*)?([a-z])(?:\*\*(\d))?|(\d+)")


class NoPolynomialError(Exception):
    """A text is none."""


class Reader:
    """Reads a sum of terms and of products of brackets, of one unknown."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.unknowns = text, 0, set[str]()

    def whole(self) -> Polynomial:
        found = self.sum()
        if self.at != len(self.text) or len(self.unknowns) > 1:
            raise NoPolynomialError
        return found

    def takes(self, token: str) -> bool:
        found = self.text.startswith(token, self.at)
        self.at += len(token) * found
        return found

    def sum(self) -> Polynomial:
        total = times({0: -1}, self.term()) if self.takes("-") else self.factors()
        while True:
            if self.takes(" + "):
                part = self.factors()
            elif self.takes(" - "):
                part = times({0: -1}, self.term())
            else:
                return total
            total = Counter({n: total[n] + part[n] for n in {*total, *part}})

    def factors(self) -> Polynomial:
        if not self.takes("("):
            return self.term()
        total = self.bracket()
        while self.takes("*("):
            total = times(total, self.bracket())
        return total

    def bracket(self) -> Polynomial:
        inside = self.sum()
        if not self.takes(")"):
            raise NoPolynomialError
        return inside

    def term(self) -> Polynomial:
        found = TERM.match(self.text, self.at)
        if not found or found[3] == "0":
            raise NoPolynomialError
        self.at = found.end()
        if found[4]:
            return Counter({0: int(found[4])})
        self.unknowns.add(found[2])
        return Counter({int(found[3] or 1): int(found[1] or 1)})


def times(a: dict[int, int], b: dict[int, int]) -> Polynomial:
    total: Polynomial = Counter()
    for i, x in a.items():
        for j, y in b.items():
            total[i + j] += x * y
    return total


def named(text: str, form: str, name: str) -> str:
    """The coefficient of the form that has this name."""
    try:
        return str(_named(text, form, name))
    except NoPolynomialError:
        return "?"


def _named(text: str, form: str, name: str) -> int:
    reader, names = Reader(text), dict[str, int]()
    polynomial = reader.whole()
    for term in form.split(" + "):
        found = re.fullmatch(r"([a-z])(?:\*([a-z])(?:\*\*([1-4]))?)?", term)
        _due(found)
        exponent = int(found[3] or 1) if found[2] else 0
        reader.unknowns |= {found[2]} - {None}
        _due(found[1] not in names and exponent not in names.values())
        names[found[1]] = exponent
    _due(len(reader.unknowns) < 2 and not reader.unknowns & names.keys() and name in names)
    _due(all(n in names.values() for n, number in polynomial.items() if number))
    _due(all(int(n) < 5 for n in re.findall(r"\*\*(\d)", text)) and text.count("(") <= 10)
    _due(abs(polynomial[names[name]]) < 10**6)
    return polynomial[names[name]]


def _due(there: object) -> None:
    if not there:
        raise NoPolynomialError


POLYNOMIAL_KINDS = {
    "coefficient_named": Kind(
        ("interpolate/polynomials__coefficient_named",),
        "(.+?)",
        (
            (["Express / as / and give /.", "Express / in the form / and give /."], named),
            (["Rearrange / to the form / and give /.", "Rearrange / to / and give /."], named),
        ),
        11,
    ),
}
