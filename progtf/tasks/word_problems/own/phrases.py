"""Phrases of the table made texts: what may be said in several ways is drawn.

- ``(has|owns|)``: one of these, of which one may be nothing;
- ``{A} {B} {C}``: people, each another one; ``{A.he} {A.his} {A.him}``;
- ``{thing} {thing2}``: an entry of the list `thing`, and another one; ``{thing.one}``: one of it;
- ``[n]``: a number, in digits or in words; ``[n!]``: in digits;
- ``[$n] [n%] [n*]``: an amount of money, a percentage, `twice` or `three times`;
- ``[n/]``: a part, `1/3` or `a third`; ``[n:a dozen]``: a number that is said so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from progtf.tasks.word_problems.own.table import word_lists

_SLOT = re.compile(r"\[([^\]]+)\]|\{([^}]+)\}")
_PERSON = re.compile(r"[A-D](\.\w+)?")
_PRONOUNS = {
    "she": {"he": "she", "his": "her", "him": "her"},
    "he": {"he": "he", "his": "his", "him": "him"},
}
ROLES = 0.12
"""How likely a person has no name, but is a farmer or an aunt."""
_ONES = "zero one two three four five six seven eight nine".split()  # noqa: SIM905
_TEENS = [
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
]  # fmt: skip
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_TIMES = {2: ("twice", "two times", "double", "2 times"), 3: ("three times", "3 times", "triple")}
_PARTS = {
    Fraction(1, 2): ("half", "half", "1/2", "one half"),
    Fraction(1, 3): ("a third", "one third", "1/3"),
    Fraction(1, 4): ("a fourth", "one fourth", "1/4"),
    Fraction(1, 5): ("a fifth", "one fifth", "1/5"),
    Fraction(2, 3): ("two thirds", "2/3"),
    Fraction(3, 4): ("three fourths", "3/4"),
}


@dataclass(frozen=True)
class Said:
    """A piece of a text: some words, or how a number is said.

    Attributes:
        text: as it is written.
        name: of the number that it says; none, if it is words.
    """

    text: str
    name: str = ""


@dataclass
class Teller:
    """Draws how a problem is told: who is in it, of which things, and in which words.

    Attributes:
        values: of the numbers that phrases name.
        words: how likely a number is said in words.
    """

    random: Random
    values: Mapping[str, Fraction]
    words: float
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    people: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def told(self, phrases: str) -> list[Said]:
        """The pieces of a text, in order."""
        text = self._drawn(phrases)
        pieces, end = [], 0
        for found in _SLOT.finditer(text):
            pieces.append(Said(text[end : found.start()]))
            end = found.end()
            number, slot = found.groups()
            pieces.append(Said(self._slot(slot)) if slot else self._number(number))
        return [*pieces, Said(text[end:])]

    def _drawn(self, text: str) -> str:
        """The text with one of each `(this|that)`, from within outwards."""
        while (found := re.search(r"\(([^()]*)\)", text)) is not None:
            one = self.random.choice(found[1].split("|"))
            text = text[: found.start()] + one + text[found.end() :]
        return text

    def _slot(self, slot: str) -> str:
        if _PERSON.fullmatch(slot):
            return self._person(*slot.split("."))
        name, _, form = slot.partition(".")
        if name not in self.chosen:
            self.chosen[name] = self._entry(re.sub(r"\d", "", name))
        one, _, several = self.chosen[name].partition("/")
        return one if form == "one" else several or one

    def _entry(self, name: str) -> str:
        """An entry of a list that no other slot has."""
        left = [each for each in word_lists()[name] if each not in self.chosen.values()]
        return self.random.choice(left)

    def _person(self, name: str, form: str = "") -> str:
        if name not in self.people:
            taken = {said for said, _ in self.people.values()}
            kind = self.random.choice(("she", "he"))
            list_ = "role" if self.random.random() < ROLES else kind
            left = [each for each in word_lists()[list_] if each not in taken]
            self.people[name] = self.random.choice(left), kind
        said, kind = self.people[name]
        return _PRONOUNS[kind][form] if form else said

    def _number(self, slot: str) -> Said:
        name, _, literal = slot.partition(":")
        key = name.strip("$%!*/")
        value = self.values[key]
        if literal:
            return Said(literal, key)
        in_words = self.random.random() < self.words and "!" not in name
        if "$" in name:
            return Said(self._money(value), key)
        if "%" in name:
            return Said(digits_of(value) + self.random.choice(("%", "%", " percent")), key)
        if "*" in name:
            usual = (f"{said_in_words(value) if in_words else digits_of(value)} times",)
            return Said(self.random.choice(_TIMES.get(int(value), usual)), key)
        if "/" in name:
            return Said(self.random.choice(_PARTS.get(value, (digits_of(value),))), key)
        whole = value.denominator == 1
        return Said(said_in_words(value) if in_words and whole else digits_of(value), key)

    def _money(self, value: Fraction) -> str:
        if self.random.random() < 0.75:
            return "$" + digits_of(value, money=True)
        return digits_of(value, money=True) + (" dollar" if value == 1 else " dollars")


def digits_of(value: Fraction, *, money: bool = False) -> str:
    """A number in digits; a part that decimals cannot say as a fraction."""
    if value.denominator == 1:
        whole = int(value)
        return f"{whole:,}" if whole >= 10_000 else str(whole)
    thousandths = value * 1000
    if thousandths.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    said = f"{float(value):.3f}".rstrip("0")
    return f"{float(value):.2f}" if money and len(said.partition(".")[2]) < 2 else said


def said_in_words(value: Fraction) -> str:
    """A whole number below a thousand in words, others in digits."""
    if value.denominator != 1 or not 0 <= value < 1000:
        return digits_of(value)
    hundreds, rest = divmod(int(value), 100)
    tens, ones = divmod(rest, 10)
    if rest < 20:
        said = (_ONES + _TEENS)[rest]
    else:
        said = _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    if not hundreds:
        return said
    return f"{_ONES[hundreds]} hundred" + (f" {said}" if rest else "")
