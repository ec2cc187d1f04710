"""What the meaning computes with: whole numbers and fractions, tokens, the hands of clocks."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from progtf.notation import spell
from progtf.program.promises import Broken, Kind
from progtf.program.tokens import InputError
from progtf.rational import fraction_of

Number = int | Fraction
Form = dict[str, Any]
"""A sum: the factor of each seme, and under "" the number beside them."""
Matrix = dict[str, Form]
"""An affine map: what is written, and the sum that is written there."""
HALF = Fraction(1, 2)
MOST_BITS = 4096
NULL = -1
"""The place of the null key."""


class Vector(dict[str, Number]):
    """A token: the number of each seme; what is not in it is 0.

    ``place``: where it stands in its text; ``broken``: the promises that the text has broken.
    """

    def __init__(self, numbers: Mapping[str, Number], place: int, broken: list[Broken]) -> None:
        super().__init__(numbers)
        self.place, self.broken = place, broken

    def but(self, numbers: Mapping[str, Number]) -> "Vector":
        """The same token with other numbers."""
        return Vector(numbers, self.place, self.broken)

    def plus(self, updates: Iterable[Form | None]) -> "Vector":
        """The same token with all that is added to it.

        Raises:
            InputError: for a number that is too long.
        """
        found = self.but(self)
        for update in updates:
            for name, value in (update or {}).items():
                if value:
                    new = found[name] = found.get(name, 0) + value
                    if max(abs(new.numerator), new.denominator).bit_length() > MOST_BITS:
                        raise InputError(f"no answer: `{name}` has more than {MOST_BITS:,} bits")
        return found

    def note(self, kind: Kind, what: str, value: Number, due: str = "") -> None:
        """A promise does not hold here: what the program says may be anything."""
        due = due or _DUE[kind]
        self.broken.append(Broken(kind, what, "the program", self.place, near(value), due))


_DUE = {
    "flag": "0 or 1",
    "one": "one member of what it matches",
    "distance": "one token to be so far away",
    "tie": "one answer to have the best score",
    "loop": "it to end by then",
    "set": "one line to set it",
}
Stream = list[Vector]
"""The tokens of a text."""
Shares = dict[int, Any]
"""Place of a key, and the share of it that is read."""


class Values(NamedTuple):
    """What a seme or a sum is promised to be: low, low + step, ..., high; step 0: all between."""

    low: Number
    high: Number
    step: Number


FLAG, HAND = Values(0, 1, 1), Values(-1, 1, 0)


def number(value: Any) -> Number:
    """The fraction that a number of the text stands for; a whole one is an int, which is faster."""
    exact = fraction_of(value)
    return exact.numerator if exact.denominator == 1 else exact


def near(value: Number) -> float:
    """The nearest float64."""
    with suppress(OverflowError):
        return float(value)
    return math.inf if value > 0 else -math.inf


def of(form: Form, vector: Mapping[str, Number]) -> Number:
    """The number of a sum at a token."""
    read = [factor * vector[name] for name, factor in form.items() if name in vector]
    return sum(read, form.get("", 0))


def add(form: Form, more: Mapping[str, Number], factor: Number = 1) -> None:
    """Adds a multiple of a sum to another one."""
    for name, value in more.items():
        form[name] = form.get(name, 0) + factor * value


def times(vector: Mapping[str, Number], matrix: Matrix) -> Form:
    """A vector times a matrix, and the bias."""
    return {name: of(form, vector) for name, form in matrix.items()}


def common_step(steps: Iterable[Number]) -> Number:
    """The largest step of which all are multiples; 0 if one of them is 0."""
    parts = [Fraction(step) for step in steps]
    below = math.lcm(*(step.denominator for step in parts))
    whole = Fraction(math.gcd(*(int(step * below) for step in parts)), below)
    return (number(whole) or 1) if all(parts) else 0


def hands(period: Number) -> tuple[str, str]:
    """What the hands of a clock are called."""
    shown = spell.number(float(period))
    return f"cos[{shown}]", f"sin[{shown}]"


@cache
def hand(period: Number, tokens: Number) -> tuple[Number, Number]:
    """The hand of a clock after so many tokens: cosine and sine, taken from the first eighth."""
    turn = Fraction(tokens) / period % 1
    half = min(turn, 1 - turn)
    quarter = min(half, HALF - half)
    angle = 2 * math.pi * float(min(quarter, HALF / 2 - quarter))
    cos, sin = number(math.cos(angle)), number(math.sin(angle))
    if quarter > HALF / 4:
        cos, sin = sin, cos
    return -cos if half > HALF / 2 else cos, -sin if turn > HALF else sin


@cache
def nearness(periods: tuple[Number, ...], tokens: int) -> Number:
    """How well all hands agree so many tokens apart: the number of clocks at 0, elsewhere less."""
    return sum((hand(period, tokens)[0] for period in periods), start=0)


MANY = 65_536
"""More tokens than that are not tried one by one."""


@cache
def nearly(periods: tuple[Number, ...], length: int) -> tuple[Number, Number]:
    """Above what hands agree, and by how much they agree less one token off.

    Of very many tokens a bound is enough: among periods that divide each other the first one that
    does not divide how far off it is turns its hand by one of its parts at least.
    """
    if length > MANY:
        ladder: list[Number] = [1]
        for period in sorted(periods):
            if period % ladder[-1] == 0 == max(periods) % period:
                ladder.append(period)
        gap = min(1 - hand(below, above)[0] for above, below in pairwise(ladder))
        return len(periods) - gap / Fraction(2), gap
    gap = len(periods) - max(nearness(periods, n) for n in range(1, max(2, length)))
    return len(periods) - gap / Fraction(2), gap


def power_of_two(least: Number) -> Number:
    """The smallest power of two that is not below a number."""
    return Fraction(2) ** math.ceil(math.log2(least))


def best(scores: Mapping[int, Any]) -> Shares:
    """Equal shares for what has the greatest score."""
    most = max(scores.values(), default=None)
    first = [each for each, score in scores.items() if score == most]
    return {each: number(Fraction(1, len(first))) for each in first}


def chosen(forms: Iterable[Form], vector: Vector) -> tuple[list[Number], int, Number]:
    """The scores, the first of the best, and how far it lies above the second-best."""
    scores = [of(form, vector) for form in forms]
    first = max(range(len(scores)), key=scores.__getitem__)
    second = max((*scores[:first], *scores[first + 1 :]), default=scores[first] - 1)
    if second == scores[first]:
        vector.note("tie", "", second)
    return scores, first, scores[first] - second


def flagged(form: Form, vector: Vector) -> Number:
    """The number of a sum of flags."""
    for name in form:
        if vector.get(name, 0) not in (0, 1):
            vector.note("flag", name, vector[name])
    return of(form, vector)


def nothing(*_given: Any) -> None:
    """What is asked or offered where only places or keys count; what all numbers mean alike."""


def settled(
    parts: Iterable[Any], holds: Callable[[Any, Vector], bool], vector: Vector, *, settles: bool
) -> bool:
    """``&``, which one that does not hold settles, or ``|``, which one that holds does.

    Where one part settles it for certain, it does not matter what the others promised.
    """
    begun, found = len(vector.broken), not settles
    for part in parts:
        known = len(vector.broken)
        if holds(part, vector) == settles:
            found = settles
            if len(vector.broken) == known:
                del vector.broken[begun:]
                break
    return found


def divided(scores: Sequence[Shares]) -> list[Shares]:
    """Each key divides itself among the readers with the best scores."""
    found: list[Shares] = [{} for _ in scores]
    for key in dict.fromkeys(key for mine in scores for key in mine):
        readers = {reader: mine[key] for reader, mine in enumerate(scores) if key in mine}
        for reader, share in best(readers).items():
            found[reader][key] = share
    return found


def pooled(stream: Stream, how: str) -> Vector:
    """One vector for a text."""
    if how in ("first", "last"):
        stream = stream[:1] if how == "first" else stream[-1:]
    share = Fraction(1, len(stream)) if how == "mean" else 1
    names = {name for vector in stream for name in vector}
    columns = {name: [vector.get(name, 0) for vector in stream] for name in names}
    found = {name: max(x) if how == "max" else sum(x) * share for name, x in columns.items()}
    return Vector(found, 0, stream[0].broken)
