"""Polynomials and quantities, as `kinds` has them."""

import re
from fractions import Fraction
from itertools import product

from tests.acceptance.kinds import EXACT, Kind
from tests.acceptance.questions import said

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
    return "?" if abs(total) > 9999999999 else str(total)


LETTERS = {"m": "meter", "s": "second", "g": "gram", "l": "litre", "t": "tonne"}
PREFIXES = {"kilo": 3, "": 0, "centi": -2, "milli": -3, "micro": -6, "nano": -9}
KILO = {"meter": PREFIXES, "gram": [p for p in PREFIXES if p != "centi"]}
KILO |= {"second": ["", "milli", "micro", "nano"], "litre": ["", "milli"], "tonne": [""]}
SIZES = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
YEARS = {"month": Fraction(1, 12), "year": 1, "decade": 10, "century": 100, "millennium": 1000}
PLURALS = {"century": "centuries", "millennium": "millennia"}


def units() -> dict[str, tuple[str, Fraction, str]]:
    """Name: dimension, size, symbol if there is one."""
    found = {name: ("second", Fraction(size), "") for name, size in SIZES.items()}
    found |= {name: ("year", Fraction(size), "") for name, size in YEARS.items()}
    for symbol, name in LETTERS.items():
        base, size = ("gram", 10**6) if name == "tonne" else (name, 1)
        for prefix in KILO[name]:
            short = {"micro": "u"}.get(prefix, prefix[:1]) + symbol
            found[prefix + name] = base, size * Fraction(10) ** PREFIXES[prefix], short
    return found


UNITS = units()
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
PARTS = [
    "half",
    "third",
    "quarter",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
PARTS += [f"{name}th" for name in TEENS[3:]] + ["twentieth"]
SPELLED = {word: n + 1 for n, word in enumerate(ONES + TEENS)} | {"fourteeen": 14}
SPELLED |= {word: 10 * n + 20 for n, word in enumerate(TENS)} | {"fourty": 40}
SPELLED |= {
    f"{ten}-{one}": SPELLED[ten] + SPELLED[one] for ten, one in product([*TENS, "fourty"], ONES)
}
SPELLED |= {f"one-hundred-and-{word}": 100 + n for word, n in SPELLED.items()}
SPELLED |= {"one-hundred": 100}
DIVIDED = {word: n + 2 for n, word in enumerate(PARTS)} | {"twelth": 12}
DIVIDED |= {f"{word}s": n for word, n in DIVIDED.items()} | {"halves": 2}
NAMED = {PLURALS.get(name, f"{name}s"): name for name in UNITS}
SHORT = {short: name for name, (_, _, short) in UNITS.items() if short}
DECIMALS = re.compile(r"(\d+(?:\.\d+)?)(?: (\w+)|([a-z]+))")
PART = re.compile(r"(?:(\d{1,3})/(\d{1,3})|([a-z-]+) ([a-z]+)) of a (\w+)")
QUANTITIES = [r"Convert (.*) to (\w+)", r"What is (.*) in (\w+)"]


def quantity(text: str) -> tuple[Fraction, str, bool]:
    """The number, the unit, and whether it is a fraction.

    Raises:
        KeyError: if a word is none that is known.
    """
    if found := DECIMALS.fullmatch(text):
        return Fraction(found[1]), NAMED[found[2]] if found[2] else SHORT[found[3]], False
    if found := PART.fullmatch(text):
        above, below = (
            (int(found[1]), int(found[2])) if found[1] else (SPELLED[found[3]], DIVIDED[found[4]])
        )
        return Fraction(above, below), found[5], True
    raise KeyError(text)


def converted(text: str) -> str:
    """A quantity in another unit."""
    found = re.fullmatch(r"How many (\w+) are there in (.*)[.?]", text)
    asked, given = found.groups() if found else ("", "")
    for wording in QUANTITIES:
        if found := re.fullmatch(wording + "[.?]", text):
            given, asked = found.groups()
    try:
        amount, unit, fraction = quantity(given)
        (kind, size, _), (wanted, other, _) = UNITS[unit], UNITS[NAMED[asked]]
    except (KeyError, ZeroDivisionError):
        return "?"
    value = amount * size / other
    if kind != wanted or fraction and (size < other or value.denominator > 1 or value > 999999):
        return "?"
    if 10**99 % value.denominator:
        return "?"
    return said(EXACT.divide(*map(EXACT.create_decimal, value.as_integer_ratio())))


WORDED_KINDS = {
    "evaluate": Kind(("interpolate/polynomials__evaluate",), "(.*?)", ((["/"], polynomial),), 99),
    "conversion": Kind(
        ("interpolate/measurement__conversion", "extrapolate/measurement__conversion"),
        "(.*[.?])",
        ((["/"], converted),),
        9,
    ),
}
