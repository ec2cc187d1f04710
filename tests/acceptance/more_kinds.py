"""Questions about digits, sequences, orders, times and roots, as `kinds` has them."""

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import partial
from math import comb, factorial, prod

from tests.acceptance.kinds import ANY, DECIMAL, EXACT, WHOLE, Kind, Rule
from tests.acceptance.questions import numeral, said

ORDINALS = ["", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth "]
ORDINALS += ["ninth ", "tenth "]
LETTERS = "abcdefghij"
SCALES = ["thousands", "millions", "billions", "trillions"]
PLACES = ["units", "tens", "hundreds"]
PLACES += [f"{raised}{scale}" for scale in SCALES for raised in ("", "ten ", "hundred ")]


def listed(number: str, least: int, most: int) -> str:
    """A regular expression for so many numbers with commas between them."""
    return f"({number}(?:, {number}){{{least - 1},{most - 1}}})"


def options(count: int) -> str:
    """So many numbers with letters."""
    return "".join(f"  ({letter}) /" for letter in LETTERS[:count])


def digit(place: int) -> Callable[[str], str]:
    return lambda number: number[-1 - place] if place < len(number) else "?"


def next_term(text: str) -> str:
    terms = [int(term) for term in reversed(text.split(", "))]
    factors = [3, -3, 1] if len(terms) == 3 else [4, -6, 4, -1]
    return str(sum(a * b for a, b in zip(factors, terms, strict=False)))


def order(texts: Sequence[str], key: Callable[[Fraction], Fraction]) -> list[int]:
    """The numbers from the least key on; of equal ones the first in the text comes first."""
    return sorted(range(len(texts)), key=lambda n: key(Fraction(texts[n])))


def ranked(k: int, turn: int) -> Callable[[str], str]:
    def value(text: str) -> str:
        texts = text.split(", ")
        return texts[order(texts, lambda n: turn * n)[k]] if k < len(texts) else "?"

    return value


def ranked_letter(k: int, turn: int) -> Callable[..., str]:
    def value(*texts: str) -> str:
        return LETTERS[order(texts, lambda n: turn * n)[k]] if k < len(texts) else "?"

    return value


def closest(text: str) -> str:
    target, _, rest = text.partition(" in ")
    texts = rest.split(", ")
    return texts[order(texts, lambda n: abs(n - Fraction(target)))[0]]


def closest_letter(target: str, *texts: str) -> str:
    return LETTERS[order(texts, lambda n: abs(n - Fraction(target)))[0]]


def minutes(hour: str, minute: str, half: str) -> int | None:
    """Since midnight; None for a time that no clock shows."""
    if not 1 <= int(hour) <= 12 or int(minute) > 59:
        return None
    return int(hour) % 12 * 60 + int(minute) + 720 * (half.upper() == "P")


def between(*parts: str) -> str:
    first, second = minutes(*parts[:3]), minutes(*parts[3:])
    span = None if first is None or second is None else (second - first) % 1440
    return "?" if span is None or span >= 1000 else str(span)


def moved(sign: int) -> Callable[..., str]:
    def value(span: str, *time: str) -> str:
        start = minutes(*time)
        if start is None or int(span) > 999:
            return "?"
        hour, minute = divmod((start + sign * int(span)) % 1440, 60)
        return f"{(hour + 11) % 12 + 1}:{minute:02} {'AM' if hour < 12 else 'PM'}"

    return value


def in_base(sign: int) -> Callable[[str, str, str], str]:
    """Letters beyond the base are no digits of it."""

    def value(base: str, a: str, b: str) -> str:
        if not base.isdecimal() or len(base) > 2 or not 2 <= int(base) <= 16:
            return "?"
        try:
            total = int(a, int(base)) + sign * int(b, int(base))
        except ValueError:
            return "?"
        return numeral(total, int(base))

    return value


def linear(left: str, right: str, unknown: str) -> str:
    """A whole solution of ten digits at most, of a factor up to 100000."""
    factor = rest = 0
    for side, turn in ((left, 1), (right, -1)):
        for sign, digits, letter in re.findall(r"(-?) ?(?:(\d+)\*?)?([a-z]?)(?: [+]? ?|$)", side):
            if not digits and not letter:
                continue
            if letter not in ("", unknown):
                return "?"
            value = turn * (-1 if sign else 1) * int(digits or 1)
            factor, rest = (factor + value, rest) if letter else (factor, rest + value)
    if not 0 < abs(factor) <= 100000 or rest % factor:
        return "?"
    return str(-rest // factor) if abs(rest // factor) < 10**10 else "?"


TERM = r"(?:\d+\*[a-z]|\d+|[a-z])"
SIDE = rf"(-?{TERM}(?: [-+] {TERM})*)"


def root(degree: int) -> Callable[[str], str]:
    def value(text: str) -> str:
        number, low, high = int(text), 0, 10**4
        if number > 10**8:
            return "?"
        while low < high:  # the largest root with (root - 1/2)**degree <= number
            middle = (low + high + 1) // 2
            fits = (2 * middle - 1) ** degree <= number * 2**degree
            low, high = (middle, high) if fits else (low, middle - 1)
        return str(low)

    return value


def roots() -> list[Rule]:
    names = [[], [], ["square", "second"], ["cube", "third"]]
    names += [[name.strip()] for name in ORDINALS[3:]]
    rules: list[Rule] = []
    for degree in range(2, 11):
        named = [f"What is the {n} root of / to the nearest integer?" for n in names[degree]]
        power = rf"(\d+) to the power of 1/{degree}"
        rules.append((named, root(degree)))
        rules.append((["What is /, to the nearest integer?"], root(degree), power))
    return rules


WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven"]
TENS = ["integer", "ten", "one hundred", "one thousand", "ten thousand", "one hundred thousand"]
TENS += ["one million"]
UNITS = ["dp", "dps", "decimal place", "decimal places"]


def rounded(power: int) -> Callable[[str], str]:
    def value(text: str) -> str:
        scaled = EXACT.scaleb(Decimal(text), -power)
        whole = scaled.quantize(Decimal(1), ROUND_HALF_UP, EXACT)
        return said(EXACT.scaleb(whole, power))

    return value


def rounding() -> list[Rule]:
    rules: list[Rule] = []
    for asked, to, mark in (("Round", "to", "."), ("What is", "rounded to", "?")):
        for k, word in enumerate(WORDS):
            units = ["dp", "decimal place"] if k == 1 else ["dps", "decimal places"]
            rules.append(([f"{asked} / {to} {word} {unit}{mark}" for unit in units], rounded(-k)))
            texts = [f"{asked} / {unit}{mark}" for unit in UNITS]
            rules.append((texts, rounded(-k), f"{DECIMAL} {to} {k}"))
        for k, word in enumerate(TENS):
            rules.append(([f"{asked} / {to} the nearest {word}{mark}"], rounded(k)))
            number = f"{DECIMAL} {to} the nearest {10**k}"
            rules.append(([f"{asked} /{mark}"], rounded(k), number))
    return rules


TURNS = {"smallest": 1, "biggest": -1}
VALUES: list[Rule] = [
    ([f"What is the {name}{end} value in /?"], ranked(k, turn), listed(ANY, 1, 10))
    for end, turn in TURNS.items()
    for k, name in enumerate(ORDINALS)
]
LETTERED: list[Rule] = [
    (
        [f"Which is the {name}{end} value?{options(n)}" for n in range(1, 11)],
        ranked_letter(k, turn),
    )
    for end, turn in TURNS.items()
    for k, name in enumerate(ORDINALS)
]
NEAR = ["nearest", "closest"]
TIME = r"(\d{1,2}):(\d\d) ([AP])M"


def expression(text: str) -> tuple[int, str]:
    """The value of the longest sum that a text begins with, and what follows.

    Raises:
        ValueError: if it begins with none.
    """
    value, rest = term(text)
    while rest[:3] in {" + ", " - "}:
        more, after = term(rest[3:])
        value, rest = value + more * (1 if rest[1] == "+" else -1), after
    return value, rest


def term(text: str) -> tuple[int, str]:
    if text.startswith("("):
        value, rest = expression(text[1:])
        if not rest.startswith(")"):
            raise ValueError
        return value, rest[1:]
    found = re.match(r"-?\d+", text)
    if found is None:
        raise ValueError
    return int(found[0]), text[found.end() :]


def total(text: str) -> str:
    try:
        value, rest = expression(text)
    except ValueError:
        return "?"
    return "?" if rest or abs(value) > 9999 else str(value)


def product(text: str) -> tuple[Fraction, str]:
    """The value of the longest product that a text begins with, and what follows.

    Raises:
        ValueError: if it begins with none.
        ZeroDivisionError: if it divides by 0.
    """
    value, rest = factor(text)
    while rest[:1] in {"*", "/"}:
        more, after = factor(rest[1:])
        value, rest = value * more if rest[0] == "*" else value / more, after
    return value, rest


def factor(text: str) -> tuple[Fraction, str]:
    if text.startswith("("):
        value, rest = product(text[1:])
        if not rest.startswith(")"):
            raise ValueError
        return value, rest[1:]
    found = re.match(r"-?(0|[1-9]\d*)(?!\d)", text)
    if found is None:
        raise ValueError
    return Fraction(found[0]), text[found.end() :]


def whole_product(text: str) -> str:
    try:
        value, rest = product(text)
    except ValueError:
        return "?"
    too_many = len(re.findall(r"\d+", text)) > 12
    return "?" if rest or too_many or abs(value) > 600 or value.denominator > 1 else str(value)


COUNTS = ["one", "two", "three", "four", "five"]
LETTER, NAMED = "(?-i:[a-z])", r"(\d (?-i:[a-z])(?:(?:, | and )\d (?-i:[a-z]))*)"
BAG = rf"((?-i:[a-z]+)|\{{{LETTER}: \d+(?:, {LETTER}: \d+)*\}})"


def numbered(letters: list[str], counts: list[str]) -> dict[str, int] | None:
    """How many there are of each letter; None if one is named twice, or a number begins with 0."""
    sound = len(set(letters)) == len(letters) and not any(n.startswith("0") for n in counts)
    return dict(zip(letters, map(int, counts), strict=True)) if sound else None


def lettered(text: str) -> dict[str, int] | None:
    """What `aab`, `{a: 2, b: 1}` and `2 a and 1 b` name."""
    if text.startswith("{"):
        return numbered(re.findall("[a-z]", text), re.findall(r"\d+", text))
    if text.isalpha():
        return {letter: text.count(letter) for letter in text}
    return numbered(re.findall(r"\d ([a-z])", text), re.findall(r"\d+", text))


def drawn(count: int, bag: str, event: str, *, ordered: bool) -> str:
    """The probability of drawing so many of each letter, or of one order of these."""
    there, asked = lettered(bag), lettered(event)
    if there is None or asked is None or sum(asked.values()) != count:
        return "?"
    total = sum(there.values())
    if total > 20 or total < count or not all(letter in there for letter in asked):
        return "?"
    ways = prod(comb(there[letter], n) for letter, n in asked.items())
    orders = factorial(count) // prod(factorial(n) for n in asked.values())
    return str(Fraction(ways, comb(total, count) * (orders if ordered else 1)))


def event_first(value: Callable[[str, str], str], event: str, bag: str) -> str:
    return value(bag, event)


def draws() -> list[Rule]:
    rules: list[Rule] = []
    for count, word in enumerate(COUNTS, 1):
        drawing = f"{word} letter{'s' * (count > 1)} picked without replacement from"
        for event, ordered in ((f"sequence ({LETTER}+)", True), (f"picking {NAMED}", False)):
            last = partial(drawn, count, ordered=ordered)
            first = partial(event_first, last)
            asked = [f"{verb} prob of /" for verb in ("What is", "Calculate")]
            rules.append((asked, first, f"{event} when {drawing} {BAG}"))
            ends = [f"{drawing} /"]
            rules += [
                (ends, last, rf"{BAG}\. {verb} prob of {event}") for verb in ("What is", "Give")
            ]
    return rules


MORE_KINDS = {
    "add_or_sub_in_base": Kind(
        ("arithmetic__add_or_sub_in_base",),
        "(-?[0-9a-f]+)",
        (
            (["In base /, what is / + /?"], in_base(1)),
            (["In base /, what is / - /?"], in_base(-1)),
        ),
        30,
    ),
    "add_sub_multiple": Kind(
        ("arithmetic__add_sub_multiple", "arithmetic__add_sub_multiple_longer"),
        r"([-+() \d]+)",
        (
            (
                ["/", "Evaluate /.", "Calculate /.", "What is /?", "What is the value of /?"],
                total,
            ),
        ),
        6,
    ),
    "mul_div_multiple": Kind(
        ("extrapolate/arithmetic__mul_div_multiple_longer",),
        r"([-*/()\d]+)",
        (
            (
                ["/", "Evaluate /.", "Calculate /.", "What is /?", "What is the value of /?"],
                whole_product,
            ),
        ),
        10,
    ),
    "linear_1d": Kind(
        ("algebra__linear_1d",),
        rf"{SIDE} = {SIDE} for ([a-z])",
        ((["Solve /."], linear),),
        12,
    ),
    "place_value": Kind(
        ("numbers__place_value", "numbers__place_value_big"),
        WHOLE,
        tuple(([f"What is the {n} digit of /?"], digit(k)) for k, n in enumerate(PLACES)),
        29,
    ),
    "round_number": Kind(
        ("numbers__round_number", "numbers__round_number_big"), DECIMAL, tuple(rounding()), 19
    ),
    "swr_p": Kind(
        (
            "probability__swr_p_sequence",
            "probability__swr_p_level_set",
            "extrapolate/probability__swr_p_sequence_more_samples",
            "extrapolate/probability__swr_p_level_set_more_samples",
        ),
        "",
        tuple(draws()),
        2,
    ),
    "sequence_next_term": Kind(
        ("algebra__sequence_next_term",),
        listed(r"-?\d+", 3, 10),
        (
            (
                ["What is the next term in /?", "What comes next: /?", "What is next in /?"],
                next_term,
            ),
        ),
        9,
    ),
    "kth_biggest": Kind(
        ("interpolate/comparison__kth_biggest", "extrapolate/comparison__kth_biggest_more"),
        f"({ANY})",
        (*VALUES, *LETTERED),
        12,
    ),
    "closest": Kind(
        ("interpolate/comparison__closest", "extrapolate/comparison__closest_more"),
        f"({ANY})",
        (
            (
                [f"What is the {n} to /?" for n in NEAR],
                closest,
                f"({ANY} in {listed(ANY, 1, 9)[1:-1]})",
            ),
            (
                [f"Which is the {n} to /?{options(k)}" for n in NEAR for k in range(1, 10)],
                closest_letter,
            ),
        ),
        9,
    ),
    "time": Kind(
        ("measurement__time",),
        TIME,
        (
            (["How many minutes are there between / and /?"], between),
            (["What is /?"], moved(1), rf"(\d+) minutes after {TIME}"),
            (["What is /?"], moved(-1), rf"(\d+) minutes before {TIME}"),
        ),
        4,
    ),
    "nearest_integer_root": Kind(("arithmetic__nearest_integer_root",), WHOLE, tuple(roots()), 9),
}
