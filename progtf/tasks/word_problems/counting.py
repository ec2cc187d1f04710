"""Numbers in words, of one word or several: ``two hundred and five``, ``two thirds``, ``a dozen``.

A number begins at some word and is as long as it can be. It is a whole number, a number with a
fraction behind it (``two and a half``), digits with a scale (``1.5 million``), a part (``two
thirds``), or one word that says how often (``twice``). A dozen is a number of its own, as the
published sets mark it: their equations for ``4 dozen eggs`` have the 4 and a constant 12.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from progtf.tasks.word_problems.digits import (
    FRACTIONS,
    MONEY,
    TwoReadingsError,
    decimal,
    in_digits,
    two_units,
)
from progtf.tasks.word_problems.problem import value_of


def _named(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * n for n, word in enumerate(words.split())}


_ONES = _named("one two three four five six seven eight nine", 1)
_TEENS = _named(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
_TENS = _named("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_SMALL = {"zero": 0, **_ONES, **_TEENS, **_TENS}
_SCALES = {"trillion": 10**12, "billion": 10**9, "million": 10**6, "thousand": 10**3}
_HUNDREDS = {"hundred": 100, **_SCALES}
_TIMES = {
    "dozen": 12, "once": 1, "twice": 2, "double": 2, "doubled": 2, "thrice": 3, "triple": 3,
    "tripled": 3, "quadruple": 4, "quadrupled": 4,
}  # fmt: skip
_ONE_WORD = _SMALL | _HUNDREDS | _TIMES
_ORDINAL_ONES = _named("third fourth fifth sixth seventh eighth ninth", 3)
_ORDINALS = {
    **_ORDINAL_ONES,
    **{f"{word}th": n for word, n in _TEENS.items() if n != 12},
    **{f"{word[:-1]}ieth": n for word, n in _TENS.items()},
    **{f"{word}th": n for word, n in _HUNDREDS.items()},
    "twelfth": 12,
}
"""Without `first` and `second`, which tell things apart and are no numbers."""
_UNDER = {"half": 2, "halve": 2, "quarter": 4, **_ORDINALS}
_ALONE = {"half": "0.5", "halves": "0.5", "quarter": "0.25", "quarters": "0.25"}
_WHOLE_OF = frozenset("of as the that its his her their my your our more less".split())  # noqa: SIM905
"""What stands behind a part: `a third of`, but not `a third number`."""
_NOBODY_KNOWS = frozenset(("several", "few", "many", "some"))
"""What stands before `hundred` where nobody says how many; so does `hundreds of`."""
_TWO_OF = frozenset(("sum", "product", "difference"))
_LONGEST = 24
"""Words of a number."""


class Read(NamedTuple):
    """A number, and how many words say it."""

    value: str
    words: int


def number_at(words: Sequence[str], place: int) -> Read | None:
    """The longest number that begins at a word.

    Raises:
        ValueError: for what may be read in two ways, or has too many digits.
    """
    here = [word.lower() for word in words[place : place + _LONGEST]]
    before = ["", "", *(word.lower() for word in words[max(place - 2, 0) : place])][-2:]
    text = "".join(f" {word}" for word in here)
    _refuse_two(text)
    if re.match(_HUNDREDS_OF, text) or (here[0] in _HUNDREDS and before[1] in _NOBODY_KNOWS):
        return None
    for looked, ending in ((text, _AT_A_BLANK), (f" {here[0]}", _AT_A_HYPHEN)):
        found = [read for form in _FORMS if (read := _read(form, looked, ending))]
        if found:
            said, value = max(found, key=lambda read: len(read[0]))
            left, joint, _ = said.rpartition(" and ")
            if joint and _two_of(before, here[said.count(" ") :]):
                return Read(decimal(_whole(left)), left.count(" "))
            return Read(value, said.count(" "))
    value = _of_one_word(here[0], before[1], "".join(here[1:2]))
    return None if value is None else Read(value, 1)


def _two_of(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether `and` parts two numbers: `the sum of one hundred and five`, with no `and` behind."""
    two = before[1] == "between" or (before[1] == "of" and before[0] in _TWO_OF)
    return two and behind[:1] not in (["and"], [","])


def _refuse_two(text: str) -> None:
    """Refuses `nineteen ninety-nine` and `twenty-second`."""
    if found := re.match(rf" ({_any(_TEENS)}) ({_any(_TENS)}(?:-{_any(_ONES)})?)(?= |$)", text):
        first, second = str(_whole(found[1])), str(_whole(found[2]))
        raise TwoReadingsError(found.group()[1:], first + second, first, second)
    if found := re.match(rf" ({_any(_TENS)})-second(?= |$|-)", text):
        tens = _SMALL[found[1]]
        raise two_units(found.group()[1:], f"{tens + 2}nd", *[f"{tens} seconds"] * 2)


def _read(form: "_Form", text: str, ending: str) -> tuple[str, str] | None:
    """The words of a form at the start of a text, and what they say."""
    found = re.match(form.words + ending, text)
    value = form.value(found) if found and found.group() else None
    return None if found is None or value is None else (found.group(), value)


def _of_one_word(word: str, before: str, behind: str) -> str | None:
    """What a word says that is no number of several words."""
    if (digits := in_digits(word, money=before in MONEY)) is not None:
        return digits
    first, *rest = re.split("(?<=.)-", word, maxsplit=1)
    if rest and (digits := in_digits(first)) is not None:
        return None if rest[0].isdecimal() else digits
    if first in _ORDINALS:
        part = before in ("a", "an") and behind in _WHOLE_OF
        return f"1/{_ORDINALS[first]}" if part else str(_ORDINALS[first])
    if first in _ALONE or (first == "couple" and behind == "of"):
        return _ALONE.get(first, "2")
    known = (first, first.removesuffix("s"), first.removesuffix("fold"))
    return next((str(_ONE_WORD[each]) for each in known if each in _ONE_WORD), None)


# Forms of several words. Each piece begins with what stands before it: a blank, or the hyphen of
# `twenty-three`; before the first word there is a blank.


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


_AT_A_BLANK, _AT_A_HYPHEN = "(?= |$)", "(?= |$|-)"
_ALSO = "[ -](?:and[ -])?"
_BELOW_100 = rf"(?:{_any(_TENS)}(?:[ -]{_any(_ONES)})?|{_any(_TEENS)}|{_any(_ONES)})"
_COUNT = rf"(?:{_BELOW_100}|\d[\d,]*(?:\.\d+)?)"
_HUNDRED = rf"(?:{_COUNT}[ -])?hundreds?(?:{_ALSO}{_BELOW_100}(?![ -]hundred))?"
_GROUP = rf"(?:{_HUNDRED}|{_BELOW_100})"
_HUNDREDS_OF = rf" {_any(_HUNDREDS)}s of\b"
_SCALED = "".join(rf"(?:{_ALSO}(?:(?:{_GROUP}|{_COUNT})[ -])?{scale}s?)?" for scale in _SCALES)
_WHOLE = (
    rf"(?=[ -])(?! and )(?!{_HUNDREDS_OF})"
    rf"{_SCALED}(?:{_ALSO}{_GROUP}(?![ -]{_any(_SCALES)}))?"
)
_PART = rf"{_any(_UNDER)}s?"


class _Form(NamedTuple):
    """How words of several pieces look, and what they say."""

    words: str
    value: Callable[[re.Match[str]], str | None]


def _whole(said: str) -> Fraction:
    """What words say that are a whole number, or digits with a scale."""
    total = group = Fraction(0)
    for word in re.findall(r"[-−]?\d[\d,.]*|[a-z]+", said):
        single = word.removesuffix("s")
        if word in _SMALL:
            group += _SMALL[word]
        elif single == "hundred":
            group = (group or 1) * 100
        elif single in _SCALES:
            total, group = total + (group or 1) * _SCALES[single], Fraction(0)
        elif word != "and":
            group = Fraction(word.replace(",", "").replace("−", "-"))
    return total + group


def _under(part: str) -> int:
    return _UNDER[part if part in _UNDER else part.removesuffix("s")]


def _ordinal(found: re.Match[str]) -> str:
    return str(_SMALL[found[1]] + _ORDINAL_ONES.get(found[2], 1))


def _pointed(found: re.Match[str]) -> str | None:
    digits = "".join(str(_SMALL[word]) for word in re.split("[ -]", found[2])[1:])
    return f"{_whole(found[1])}.{digits}" if found[1] else None


def _mixed(found: re.Match[str]) -> str | None:
    if found["fraction"]:
        part = value_of(in_digits(found["fraction"]) or "0")
    else:
        part = _whole(found["over"] or "one") / _under(found["under"])
    if not found["whole"] or not 0 < part < 1:
        return None
    whole = _whole(found["whole"])
    value = whole + part if whole >= 0 else whole - part
    return str(value) if found["scale"] is None else decimal(value * _HUNDREDS[found["scale"]])


def _part(found: re.Match[str]) -> str | None:
    return f"{_whole(found[1])}/{_under(found[2])}" if found[1] else None


_FORMS = (
    _Form(rf" ({_any(_TENS)})-({_any(_ORDINAL_ONES)}|first)", _ordinal),
    _Form(rf"({_WHOLE}| zero)[ -]point((?:[ -](?:zero|{_any(_ONES)}))+)", _pointed),
    _Form(
        rf"(?P<whole>{_WHOLE}| [-−]?\d+)(?:[ -]and[ -](?:an?|(?P<over>{_BELOW_100}))"
        rf"[ -](?P<under>{_PART})| (?P<fraction>{FRACTIONS})(?:-[a-z-]+)?)"
        rf"(?: (?P<scale>{_any(_HUNDREDS)}))?",
        _mixed,
    ),
    _Form(
        rf"({_WHOLE}| \d+)[ -]((?<=-){_PART}|{_any(_UNDER)}s(?<! quarters)"
        rf"|quarters(?= of )|(?<=\bone )(?:half|{_PART}(?= {_any(_WHOLE_OF)}\b)))",
        _part,
    ),
    _Form(
        r" \d{1,3}(?= (?:\d{3} )*0\d\d)(?: \d{3})+",
        lambda found: found.group().replace(" ", ""),
    ),
    _Form(_WHOLE, lambda found: decimal(_whole(found.group()))),
)
