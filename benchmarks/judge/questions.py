"""Questions of the Mathematics Dataset: what each means, and which answers to it are right.

A question means a kind, and exact values; two texts that mean the same are asked for the same. So
`What is h(2)?` behind `Let h(x) = x**2.` and `What is 4?` mean the same, and so do `Expand` and
`Give`. Where an answer is one of the things that were named in the question, their names belong to
the meaning.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import sympy
from sympy import Expr

from benchmarks.judge.definitions import DERIVATIVE, Scope, Values, sentences, solutions
from benchmarks.judge.expressions import Meaningless, Unreadable, number

Item: TypeAlias = tuple[str, Expr]
"""A thing that is compared: as it is written, and its value."""


@dataclass(frozen=True)
class Meaning:
    """What a text asks.

    Attributes:
        kind: of the question: `values`, `factor`, `digit`, ...
        about: its exact values, and what else tells it from others of its kind.
    """

    kind: str
    about: tuple[Any, ...]

    def right(self, answer: str) -> bool:
        """Whether an answer is right, and written as one."""
        return _RIGHT[self.kind](answer, *self.about)

    def same(self, other: "Meaning") -> bool:
        """Whether another asks the same: to sort roots is what is left of an equation."""
        if self.kind == "values" and other.kind == "sort":
            down, *items = other.about
            named = {str(value): value for value in self.about}
            return not down and len(items) == len(named) and dict(items) == named
        return self == other

    @property
    def nameless(self) -> tuple[Any, ...]:
        """The same with values in the places of what is named."""
        return self.kind, *(each[1] if isinstance(each, tuple) else each for each in self.about)


@lru_cache(maxsize=10_000)
def meaning(text: str) -> Meaning:
    """What a text asks, definitions put in.

    Raises:
        Unreadable: if the judge cannot read it.
        Meaningless: if it asks for something that is not there, as a number divided by zero.
    """
    definitions, question = sentences(text)
    scope, why = Scope.of(definitions), Unreadable(f"no question: {question}")
    for form, read in _FORMS:
        if found := form.fullmatch(question):
            try:
                return read(scope, *found.groups())
            except Unreadable as error:
                why = error
    raise why


def _form(pattern: str) -> re.Pattern[str]:
    """A pattern in which `E` is an expression, `X` a name, `L` a list, `Q` equations."""
    parts = {"E": r"(.+?)", "L": r"(.+?)", "Q": r"(.+?=.+?)", "X": r"([A-Za-z])"}
    return re.compile(re.sub(r"\b[ELQX]\b", lambda found: parts[found[0]], pattern))


# What is computed.


def _values(scope: Scope, text: str) -> Meaning:
    several = scope.fixed().get(text)
    if isinstance(several, Values):
        return Meaning("values", several.all)
    return Meaning("values", (scope.evaluated(text),))


def _simplified(scope: Scope, text: str, name: str) -> Meaning:
    scope.positive = True
    meant = _values(scope, text)
    if not {each.name for value in meant.about for each in value.free_symbols} <= {name}:
        raise Unreadable(f"more than {name} is to be simplified: {text}")
    return meant


def _derivative(scope: Scope, text: str) -> Meaning:
    found = DERIVATIVE.fullmatch(text)
    if found is None:
        raise Unreadable(f"no derivative: {text}")
    return Meaning("values", (scope.derived(found[1], found[2], found[3]),))


def _differentiated(scope: Scope, text: str) -> Meaning:
    return _derivative(scope, f"the derivative of {text}")


def _given(scope: Scope, name: str, equations: str) -> Meaning:
    return _solved(scope, equations, name)


def _solved(scope: Scope, equations: str, name: str | None = None) -> Meaning:
    if name is not None:
        scope.must_be_free(name)
    said = solutions([scope.equation(each) for each in equations.split(", ")])
    if name is None:
        if len(said) != 1:
            raise Unreadable(f"for what? {equations}")
        (name,) = said
    found = said.get(name)
    if found is None:
        raise Meaningless(f"{name} may be anything")
    if isinstance(found, Meaningless):
        raise found
    return Meaning("values", found.all)


def _are_values(answer: str, *values: Expr) -> bool:
    if all(value.is_Rational for value in values):
        said = [number(each) for each in answer.split(", ")]
        return bool(values) and said == sorted(values)
    (value,) = values
    positive = any(each.is_positive for each in value.free_symbols)
    try:
        same = Scope(positive=positive).evaluated(answer) == value
    except (Unreadable, Meaningless):
        return False
    return same and (positive and _POWER.fullmatch(answer) is not None or answer == str(value))


_POWER = re.compile(
    r"[A-Za-z](?:\*\*(?:\d+|\((?:-\d+|-?\d+/\d+)\)))?|(?:1/)?sqrt\([A-Za-z]\)|1/[A-Za-z]"
)


def _factor(scope: Scope, text: str) -> Meaning:
    return Meaning("factor", (scope.evaluated(text),))


def _are_factors(answer: str, value: Expr) -> bool:
    try:
        return Scope().evaluated(answer) == value and answer == str(sympy.factor(value))
    except (Unreadable, Meaningless):
        return False


# Whole numbers.


def _whole(scope: Scope, text: str) -> int:
    value = scope.evaluated(text)
    if not value.is_Integer:
        raise Meaningless(f"{text} is no whole number")
    return int(value)


def _two(kind: str) -> Callable[..., Meaning]:
    def read(scope: Scope, one: str, other: str) -> Meaning:
        return Meaning(kind, (_whole(scope, one), _whole(scope, other)))

    return read


def _one(kind: str) -> Callable[..., Meaning]:
    def read(scope: Scope, text: str) -> Meaning:
        return Meaning(kind, (_whole(scope, text),))

    return read


def _denominators(scope: Scope, one: str, other: str) -> Meaning:
    return Meaning("lcm", tuple(int(_number(scope, each).q) for each in (one, other)))


def _multiple(scope: Scope, whole: str, part: str) -> Meaning:
    return Meaning("divides", (_whole(scope, part), _whole(scope, whole)))


def _even(scope: Scope, text: str) -> Meaning:
    return Meaning("divides", (2, _whole(scope, text)))


def _is(answer: str, value: object) -> bool:
    return answer == str(value)


def _is_remainder(answer: str, one: int, other: int) -> bool:
    return other > 0 and _is(answer, one % other)


def _is_divided(answer: str, part: int, whole: int) -> bool:
    return part != 0 and _is(answer, whole % part == 0)


def _are_prime_factors(answer: str, value: int) -> bool:
    return abs(value) > 1 and answer == ", ".join(map(str, sympy.primefactors(abs(value))))


_PLACES = ("units", "tens", "hundreds", "thousands", "ten thousands", "hundred thousands",
           "millions", "ten millions", "hundred millions", "billions", "ten billions",
           "hundred billions", "trillions")  # fmt: skip


def _digit(scope: Scope, place: str, text: str) -> Meaning:
    if place not in _PLACES:
        raise Unreadable(f"no place: {place}")
    return Meaning("digit", (_PLACES.index(place), _whole(scope, text)))


def _is_digit(answer: str, place: int, value: int) -> bool:
    return _is(answer, abs(value) // 10**place % 10)


_WORDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
          "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}  # fmt: skip
_NEAREST = {"integer": 0, "ten": 1, "hundred": 2, "thousand": 3, "ten thousand": 4,
            "hundred thousand": 5, "million": 6, "ten million": 7}  # fmt: skip


def _round_to_places(scope: Scope, text: str, places: str) -> Meaning:
    if not places.isdigit() and places not in _WORDS:
        raise Unreadable(f"no number of places: {places}")
    return _rounded(scope, text, -int(_WORDS.get(places, places)))


def _round_to_nearest(scope: Scope, text: str, nearest: str) -> Meaning:
    nearest = nearest.removeprefix("one ")
    if re.fullmatch("10*", nearest):
        return _rounded(scope, text, len(nearest) - 1)
    if nearest not in _NEAREST:
        raise Unreadable(f"no place: {nearest}")
    return _rounded(scope, text, _NEAREST[nearest])


def _rounded(scope: Scope, text: str, power: int) -> Meaning:
    return Meaning("round", (power, _number(scope, text)))


def _is_rounded(answer: str, power: int, value: Expr) -> bool:
    """Halves go away from zero."""
    unit = Fraction(10) ** power
    scaled = Fraction(int(value.p), int(value.q)) / unit
    nearest = math.floor(abs(scaled) + Fraction(1, 2)) * unit * (1 if scaled > 0 else -1)
    return number(answer) == sympy.Rational(nearest.numerator, nearest.denominator)


# Comparisons.


_NAMED = re.compile(r"[A-Za-z]|-?[\d./]+")


def _items(scope: Scope, text: str) -> Iterator[Item]:
    """What is compared: `2/3, h`, or `(a) 2/3  (b) h`, of which the letter is the answer.

    What is neither a name nor a number, as `f(3)`, is answered by its value.
    """
    lettered = re.split(r"(?:^| )\(([a-z])\) (?=\S)", text)
    if len(lettered) > 1 and not lettered[0]:
        pairs = [*zip(lettered[1::2], lettered[2::2], strict=True)]
    else:
        pairs = [(each, each) for each in text.split(", ")]
    for name, each in pairs:
        value = _number(scope, each)
        yield (name if _NAMED.fullmatch(name) else str(value)), value


def _number(scope: Scope, text: str) -> Expr:
    value = scope.evaluated(text)
    if not value.is_Rational:
        raise Meaningless(f"{text} is no number")
    return value


def _closest(scope: Scope, target: str, items: str) -> Meaning:
    return Meaning("closest", (_number(scope, target), *_items(scope, items)))


def _is_closest(answer: str, to: Expr, *items: Item) -> bool:
    """Of equally near ones each is."""
    near = min(abs(value - to) for _, value in items)
    return answer in [name for name, value in items if abs(value - to) == near]


def _kth(scope: Scope, order: str | None, end: str, items: str) -> Meaning:
    names = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ")
    if (order or "") not in names:
        raise Unreadable(f"no order: {order}")
    return Meaning("kth", (names.index(order or ""), end, *_items(scope, items)))


def _is_kth(answer: str, place: int, end: str, *items: Item) -> bool:
    """Equal values have a place each, and any of their names is right."""
    ordered = sorted((value for _, value in items), reverse=end == "biggest")
    return place < len(ordered) and (answer, ordered[place]) in items


def _sort(scope: Scope, items: str, order: str | None = None) -> Meaning:
    return Meaning("sort", (order in ("descending", "decreasing"), *_items(scope, items)))


def _is_sorted(answer: str, down: bool, *items: Item) -> bool:
    """Of equal values the first comes first."""
    ordered = sorted(items, key=lambda item: item[1], reverse=down)
    return answer == ", ".join(name for name, _ in ordered)


def _greater(scope: Scope, which: str, one: str, other: str) -> Meaning:
    items = (item for text in (one, other) for item in _items(scope, text))
    return Meaning("greater", (which == "smaller", *items))


def _is_greater(answer: str, smaller: bool, *items: Item) -> bool:
    best = (min if smaller else max)(value for _, value in items)
    return answer in [name for name, value in items if value == best]


_RELATIONS = {
    "<": r"<|less than|smaller than", ">": r">|greater than|bigger than",
    "<=": r"<=|at most as big as|less than or equal to|at most",
    ">=": r">=|at least as big as|greater than or equal to|at least",
    "!=": r"!=|not equal to", "=": r"=|equal to",
}  # fmt: skip


def _pair(scope: Scope, one: str, relation: str, other: str) -> Meaning:
    named = next((name for name, words in _RELATIONS.items() if re.fullmatch(words, relation)), "")
    return Meaning("pair", (_number(scope, one), named, _number(scope, other)))


def _alike(relation: str) -> Callable[..., Meaning]:
    def read(scope: Scope, one: str, other: str) -> Meaning:
        return _pair(scope, one, relation, other)

    return read


def _is_pair(answer: str, left: Expr, relation: str, right: Expr) -> bool:
    return _is(answer, {
        "<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right,
        "!=": left != right, "=": left == right,
    }[relation])  # fmt: skip


_ANY = "|".join(sorted(re.split(r"\|", "|".join(_RELATIONS.values())), key=len, reverse=True))
_GCD, _LCM = (
    r"(?:greatest|highest) common (?:divisor|factor)",
    r"(?:least|lowest|smallest) common multiple",
)
_ASKED, _ROUND = r"(?:What is|Calculate|Find)", r"(?:Round|What is) E(?: rounded)?"
_FORMS: list[tuple[re.Pattern[str], Callable[..., Meaning]]] = [
    (_form(pattern), read)
    for pattern, read in (
        (r"Simplify E assuming X is positive\.", _simplified),
        (rf"{_ASKED} the remainder when E is divided by E[.?]", _two("remainder")),
        (rf"{_ASKED} the {_GCD} of E and E[.?]", _two("gcd")),
        (rf"{_ASKED} the {_LCM} of E and E[.?]", _two("lcm")),
        (rf"{_ASKED} the common denominator of E and E[.?]", _denominators),
        (r"What is the ([a-z ]+) digit of E\?", _digit),
        (rf"{_ROUND} to (\w+) (?:decimal places?|dps?)[.?]", _round_to_places),
        (rf"{_ROUND} to the nearest ([\w ]+)[.?]", _round_to_nearest),
        (r"(?:List|What are) the prime factors of E[.?]", _one("factors")),
        (r"Is E (?:prime|a prime number)\?", _one("prime")),
        (r"Is E (?:composite|a composite number)\?", _one("composite")),
        (r"Is E a factor of E\?", _two("divides")),
        (r"Does E divide E\?", _two("divides")),
        (r"Is E a multiple of E\?", _multiple),
        (r"Is E even\?", _even),
        (r"What is the (?:closest|nearest) to E in L\?", _closest),
        (r"Which is the (?:closest|nearest) to E\? L", _closest),
        (r"What is the (\w+ )?(biggest|smallest) value in L\?", _kth),
        (r"Which is the (\w+ )?(biggest|smallest) value\? L", _kth),
        (r"(?:Sort|Put) L(?: in (ascending|increasing|descending|decreasing) order)?\.", _sort),
        (r"Which is (smaller|bigger|greater): E or E\?", _greater),
        (rf"Is E ({_ANY}) E\?", _pair),
        (r"Are E and E equal\?", _alike("=")),
        (r"Does E = E\?", _alike("=")),
        (r"Do E and E have the same value\?", _alike("=")),
        (r"Are E and E (?:unequal|non-?equal)\?", _alike("!=")),
        (r"Do E and E have different values\?", _alike("!=")),
        (r"Factor E\.", _factor),
        (r"Solve Q for X\.", _solved),
        (r"Solve Q\.", _solved),
        (r"(?:What is|Find|Determine|Calculate) X in Q[.?]", _given),
        (r"(?:Find|Determine) X(?:,? such that|,? given that|,? so that) Q\.", _given),
        (r"(?:What is|Find|Calculate) (the \w* ?derivative of .+?)[.?]", _derivative),
        (r"Differentiate (.+?)\.", _differentiated),
        (r"(?:What is|Calculate|Give|Determine|Find|Evaluate|Expand) E[.?]", _values),
        (r"Calculate E", _values),
    )
]  # fmt: skip
_RIGHT: dict[str, Callable[..., bool]] = {
    "values": _are_values,
    "factor": _are_factors,
    "remainder": _is_remainder,
    "gcd": lambda answer, one, other: _is(answer, math.gcd(one, other)),
    "lcm": lambda answer, one, other: _is(answer, math.lcm(one, other)),
    "digit": _is_digit,
    "round": _is_rounded,
    "factors": _are_prime_factors,
    "prime": lambda answer, value: _is(answer, bool(sympy.isprime(value))),
    "composite": lambda answer, value: _is(answer, value > 1 and not sympy.isprime(value)),
    "divides": _is_divided,
    "closest": _is_closest,
    "kth": _is_kth,
    "sort": _is_sorted,
    "greater": _is_greater,
    "pair": _is_pair,
}
