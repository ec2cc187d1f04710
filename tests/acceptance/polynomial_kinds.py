"""Questions about polynomials, as `kinds` has them."""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import perm

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
        total = times({0: -1}, self.factors()) if self.takes("-") else self.factors()
        while True:
            if self.takes(" + "):
                part = self.factors()
            elif self.takes(" - "):
                part = times({0: -1}, self.factors())
            else:
                return total
            total = Counter({n: total[n] + part[n] for n in {*total, *part}})

    def factors(self) -> Polynomial:
        scale = re.compile(r"(\d+)\*(?=\()").match(self.text, self.at)
        if scale:
            self.at = scale.end()
        if not self.takes("("):
            return self.term()
        total = times({0: int(scale[1]) if scale else 1}, self.bracket())
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


def collected(text: str) -> str:
    """A sum of terms of one unknown, with like terms added up."""
    return "?" if "(" in text else expanded(text)


def expanded(text: str) -> str:
    """A polynomial of one unknown, multiplied out."""
    reader = Reader(text)
    try:
        polynomial = reader.whole()
    except NoPolynomialError:
        return "?"
    found = {n: number for n, number in polynomial.items() if number}
    fits = all(abs(number) < 10**7 for number in found.values())
    exponents = map(int, re.findall(r"\*\*(\d)", text))
    if not fits or any(n > 5 for n in (*exponents, *polynomial)) or text.count("(") > 10:
        return "?"
    return printed(found, "".join(reader.unknowns))


def printed(polynomial: dict[int, int], unknown: str) -> str:
    """As the data set has it: falling exponents, but `3 - 2*x`."""
    order = sorted(polynomial, reverse=True)
    if len(order) == 2 and order[1] == 0 and polynomial[0] > 0 > polynomial[order[0]]:
        order.reverse()
    text = ""
    for n in order:
        number, letter = abs(polynomial[n]), (f"{unknown}**{n}" if n > 1 else unknown) * (n > 0)
        term = "*".join(filter(None, ["" if letter and number == 1 else str(number), letter]))
        sign = "-" if polynomial[n] < 0 else "+"
        text += f" {sign} {term}" if text else sign.replace("+", "") + term
    return text or "0"


def followed(unknown: str, listed: str) -> str:
    """The polynomial that takes these values at 1, 2, 3 ..., by Lagrange's formula."""
    if not (re.fullmatch("[a-z]", unknown) and re.fullmatch(r"-?\d+(, -?\d+){2,9}", listed)):
        return "?"
    values = [int(value) for value in listed.split(", ")]
    found = through(values[:4])
    follows = all(
        sum(number * at**n for n, number in enumerate(found)) == value
        for at, value in enumerate(values, 1)
    )
    if not follows or any(number.denominator > 1 or abs(number) >= 10**9 for number in found):
        return "?"
    return printed({n: int(number) for n, number in enumerate(found) if number}, unknown)


def through(values: list[int]) -> list[Fraction]:
    """The coefficients of the polynomial that takes these values."""
    places = range(1, len(values) + 1)
    found = [Fraction(0) for _ in places]
    for at, value in enumerate(values, 1):
        basis = [Fraction(value), *(Fraction(0) for _ in places[1:])]
        for other in (n for n in places if n != at):
            shifted = [Fraction(0), *basis[:-1]]
            basis = [(s - other * b) / (at - other) for s, b in zip(shifted, basis, strict=True)]
        found = [total + part for total, part in zip(found, basis, strict=True)]
    return found


POWER = r"[a-z](?:\*\*[1-9])?"
SUMMAND = re.compile(rf"(?:\d+|{POWER})(?:\*{POWER})*")
Term = tuple[int, dict[str, int]]  # a number, and exponents by letter


def differentiated(order: int) -> Callable[..., str]:
    """The derivative of a sum of terms, which keep their order."""

    def value(text: str, letter: str | None = None) -> str:
        try:
            return _differentiated(summands(text), letter, order)
        except NoPolynomialError:
            return "?"

    return value


def summands(text: str) -> list[Term]:
    parts = re.split(r" ([+-]) ", text if text.startswith("-") else "+" + text)
    texts = [parts[0], *(sign + part for sign, part in zip(parts[1::2], parts[2::2], strict=True))]
    return [summand(each[0], each[1:]) for each in texts]


def summand(sign: str, text: str) -> Term:
    _due(SUMMAND.fullmatch(text))
    powers = re.findall(r"([a-z])(?:\*\*(.))?", text)
    _due(len({letter for letter, _ in powers}) == len(powers))
    number = re.match(r"\d+", text)
    size = int(number[0]) if number else 1
    return size if sign == "+" else -size, {letter: int(n or 1) for letter, n in powers}


def _differentiated(terms: list[Term], letter: str | None, order: int) -> str:
    letters = sorted({each for _, powers in terms for each in powers})
    _due(len(letters) <= (4 if letter else 1))
    by = letter or "".join(letters)
    _due(re.fullmatch("[a-z]?", by))
    degrees = [[powers.get(each, 0) for each in letters] for _, powers in terms]
    constant_first = len(terms) == 2 and not any(degrees[0])
    _due(constant_first or all(a > b for a, b in pairwise(degrees)))
    _due(order < 3 or all(powers.get(by, 0) < 7 for _, powers in terms))
    found = [
        (number * perm(powers.get(by, 0), order), {**powers, by: powers.get(by, 0) - order})
        for number, powers in terms
    ]
    answer = added([(number, powers) for number, powers in found if number])
    _due(len(answer) <= 53)
    return answer


def added(terms: list[Term]) -> str:
    """Terms with their signs, but `3 - 2*x` if there is nothing else in them."""
    products = [
        [f"{letter}**{n}" if n > 1 else letter for letter, n in sorted(powers.items()) if n > 0]
        for _, powers in terms
    ]
    signed = [(number, product) for (number, _), product in zip(terms, products, strict=True)]
    if [len(product) for product in products] == [1, 0] and signed[0][0] < 0 < signed[1][0]:
        signed.reverse()
    text = ""
    for number, product in signed:
        size = [str(abs(number))] * (abs(number) != 1 or not product)
        sign = "-" if number < 0 else "+"
        text += (f" {sign} " if text else sign.replace("+", "")) + "*".join(size + product)
    return text or "0"


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
    "collect": Kind(
        ("interpolate/polynomials__collect",),
        "(.+?)",
        ((["Collect the terms in /."], collected),),
        16,
    ),
    "differentiate": Kind(
        ("interpolate/calculus__differentiate",),
        "(.+?)",
        (
            (["Differentiate / with respect to /.", "Differentiate / wrt /."], differentiated(1)),
            (["What is the derivative of / wrt /?"], differentiated(1)),
            *(
                (
                    [
                        f"{asked} {nth} derivative of /{by}{mark}"
                        for asked, mark in (("Find the", "."), ("What is the", "?"))
                    ],
                    differentiated(order),
                )
                for by in (" wrt /", "")
                for order, nth in enumerate(("first", "second", "third"), 1)
            ),
            (["Differentiate /.", "What is the derivative of /?"], differentiated(1)),
        ),
        16,
    ),
    "expand": Kind(("interpolate/polynomials__expand",), "(.+?)", ((["Expand /."], expanded),), 11),
    "sequence_nth_term": Kind(
        ("interpolate/algebra__sequence_nth_term",),
        "(.+?)",
        ((["What is the /'th term of /?"], followed),),
        9,
    ),
}
