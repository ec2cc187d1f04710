"""Numbers in digits, as people write them: ``$1,234.50``, ``1/3rd``, ``3.5e3``, ``2½``, ``60km``.

A comma or a point is read where it can mean one thing. ``1,234`` has a thousand, and ``3,5,7`` are
three numbers. ``3,5`` may be 3.5, or 3 and 5, and is refused by name.
"""

import re
import unicodedata
from decimal import Decimal, localcontext
from fractions import Fraction

from progtf.tasks.word_problems.problem import MOST_DIGITS, value_of

PARTS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
"""Fractions that are one character."""
MONEY = frozenset("$€£¥₹")
FRACTIONS = rf"(?:\d+[/⁄]\d+|[{PARTS}])"
"""What stands behind a whole number: ``2 1/2``, ``2 ½``."""
_THIN = "\u00a0\u2009\u202f"
"""Blanks that do not break a line, which stand between thousands."""
_BODY = rf"\d+(?:[.,]\d+|['’{_THIN}]\d{{3}}(?!\d))*|\.\d+"
_FORM = (
    rf"(?P<sign>[-−]?)(?:(?P<body>{_BODY})(?P<power>e[-+]?\d+)?(?:[/⁄](?P<under>\d+))?"
    rf"(?P<part>[{PARTS}]?)|(?P<alone>[{PARTS}]))(?P<unit>[a-z]*)"
)
_NUMBER = re.compile(_FORM, re.IGNORECASE)
IN_DIGITS = (
    r"(?:(?<![\w.])|(?<=\d[x×]))"
    + re.sub(r"\?P<\w+>", "?:", _FORM)
    + r"(?:-[a-z]+)*(?:(?=x\d)|(?![\w]|[.,/⁄]\d))|(?<=\d)x(?=\d)"
)
"""What is cut from a text as one word of digits; also the x of ``4x6``."""
_THOUSANDS = re.compile(r"([1-9]\d{0,2}(,\d{3})+|[1-9]\d?(,\d{2})+,\d{3})(\.\d+)?")
_POINTED = re.compile(r"[1-9]\d{0,2}((\.\d{3})+,\d+|(\.\d{3}){2,})")
_TIMES = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_LARGEST_POWER = 99


class TwoReadingsError(ValueError):
    """Something that may be one number, or several."""

    def __init__(self, said: str, one: str, *several: str) -> None:
        apart = ", ".join(several[:-1]) + f" and {several[-1]}"
        instead = f"write `{one}` or `{', '.join(several)}`"
        super().__init__(f"`{said}` may be {one}, or {apart}; {instead}")


def in_digits(word: str, *, money: bool = False) -> str | None:
    """The number that a word in digits says; None if it is none.

    Args:
        word: such as ``1,234.50``, ``2/3rds`` or ``5kg``.
        money: whether a sign of money stands before it, so that ``5k`` is 5000.

    Raises:
        ValueError: for more digits than a number may have, and for what may be read in two ways.
    """
    digits = (str(unicodedata.decimal(each, each)) for each in word)  # of any script
    found = _NUMBER.fullmatch("".join(digits))
    if found is None:
        return None
    unit, part = found["unit"].lower(), found["part"] or found["alone"]
    plain = _plain(found["body"]) if found["body"] else "0"
    if plain is None or (found["under"] and not int(found["under"])):
        return None
    times = _TIMES.get(unit, 1) if money else 1
    if unit == "k" and not money:
        number = word[:-1]
        thousand = decimal(Fraction(plain) * 1000)
        raise two_units(word, thousand, f"{number} of a unit", f"{number} k")
    power = int(found["power"][1:]) if found["power"] else 0
    if abs(power) > _LARGEST_POWER or len(plain) + len(found["under"] or "") > 4 * MOST_DIGITS:
        raise ValueError(f"{word[:80]!r} is no number of at most {MOST_DIGITS} digits")
    if power or times != 1:
        plain = decimal(Fraction(plain) * Fraction(10) ** power * times)
    if part:
        plain = str(Fraction(plain) + part_of(part))
    sign = "-" if found["sign"] else ""
    said = sign + plain + (f"/{found['under']}" if found["under"] else "")
    try:
        value_of(said)
    except ValueError:
        raise ValueError(f"{word[:80]!r} is no number of at most {MOST_DIGITS} digits") from None
    return said


def part_of(character: str) -> Fraction:
    """The fraction that a character such as ``½`` is."""
    return Fraction(unicodedata.numeric(character)).limit_denominator(10)


def decimal(value: Fraction) -> str:
    """A number as ``12.5``, or as ``1/3`` where its digits do not end."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return str(value)
    with localcontext() as context:
        context.prec = 8 * MOST_DIGITS
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def _plain(body: str) -> str | None:
    """Digits and at most a point; None where commas or points stand as in no number."""
    body = re.sub(rf"['’{_THIN}]", "", body)
    if _THOUSANDS.fullmatch(body):
        return body.replace(",", "")
    if _POINTED.fullmatch(body):
        return body.replace(".", "").replace(",", ".")
    if "," in body or body.count(".") > 1:
        return None
    return f"0{body}" if body.startswith(".") else body


def apart(word: str) -> tuple[str, ...]:
    """A word that is a list of numbers, such as ``3,5,7``, cut into its words; any other as it is.

    Raises:
        TwoReadingsError: for ``3,5``.
    """
    if "," not in word or not re.fullmatch(r"[\d.,]+", word) or _plain(word) is not None:
        return (word,)
    *others, last = parts = word.split(",")
    if not all(_plain(part) for part in parts):
        return (word,)
    front = _plain(",".join(others))
    if front is not None and "." not in word:
        raise TwoReadingsError(word, f"{front}.{last}", front, last)
    return tuple(found for part in parts for found in (",", part))[1:]


def refuse_two(text: str) -> None:
    """Refuses what is written in digits and may be one number or several.

    Raises:
        TwoReadingsError: for ``12 345`` and ``2-1/2``.
    """
    for found in re.finditer(r"(?<![\w.,'’/-])\d{1,3}(?: \d{3})+(?![\w%]|[.,/]\d)", text):
        groups = found.group().split(" ")
        some_zero = any(group.startswith("0") for group in groups[1:])
        if not some_zero and len(groups) <= MOST_DIGITS // 3:
            raise TwoReadingsError(found.group(), "".join(groups), *groups)
    for found in re.finditer(r"(?<![\w.,/-])(\d+)-(\d+/\d+)(?![\w/])", text):
        whole, part = found.groups()
        one, other = f"{whole} {part}", f"{whole} less {part}"
        raise two_units(found.group(), one, other, f"{whole} - {part}")


def two_units(said: str, one: str, other: str, instead: str) -> ValueError:
    """The error of what may be one thing or another, and what to write for each."""
    return ValueError(f"`{said}` may be {one}, or {other}; write `{one}` or `{instead}`")
