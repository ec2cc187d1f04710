"""Polynomials and quantities, as `kinds` has them."""

import re

from tests.acceptance.kinds import Kind

MONOMIAL = re.compile(
    r"(?P<number>\d+)|(?:(?P<factor>\d+)\*)?(?P<letter>[a-z])(?:\*\*(?P<power>[23]))?"
)
VALUE = re.compile(
    r"Let ([a-z])\(([a-z])\) = (.*)\. (?:Give|Calculate|Determine|What is) \1\((-?\d{1,4})\)"
)


def monomial(text: str, letter: str, at: int) -> int:
    """The value of a term without a sign.

    Raises:
        ValueError: if it is none, of another letter or of a number of more than nine digits.
    """
    found = MONOMIAL.fullmatch(text)
    if found is None or found["letter"] not in (None, letter):
        raise ValueError
    number = found["number"] or found["factor"] or "1"
    if len(number) > 9:
        raise ValueError
    return int(number) * (at ** int(found["power"] or 1) if found["letter"] else 1)


def polynomial(text: str) -> str:
    """What the polynomial that a question defines comes to."""
    found = VALUE.fullmatch(text)
    if found is None:
        return "?"
    _, letter, terms, at = found.groups()
    parts = re.split(r" ([+-]) ", terms.removeprefix("-"))
    signs = ["-" if terms.startswith("-") else "+", *parts[1::2]]
    try:
        values = [monomial(part, letter, int(at)) for part in parts[0::2]]
    except ValueError:
        return "?"
    total = sum(-v if sign == "-" else v for sign, v in zip(signs, values, strict=True))
    return "?" if abs(total) > 9999 else str(total)


WORDED_KINDS = {
    "evaluate": Kind(("interpolate/polynomials__evaluate",), "(.*?)", ((["/"], polynomial),), 99),
}
