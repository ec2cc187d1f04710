"""Texts from people as word problems: words cut, numbers found."""

import re

from progtf.tasks.word_problems.problem import Number, WordProblem

MOST_WORDS, MOST_LETTERS = 250, 100_000
ASKING = frozenset(
    {"?", "find", "determine", "what", "how", "which", "calculate", "who", "when", "compute"}
)
_DIGITS = re.compile(
    r"(-?(?:\d{1,3}(?:,\d{3})+|\d{1,30})?(?:\.\d{1,30})?(?:/0*[1-9]\d{0,8})?)[a-z]{0,3}"
)
_CUT = re.compile(
    r"\$|%|(?<![\w.])-?(?:\d[\d,]{0,60}\d|\d)?(?:\.\d{1,60}|\d)(?:/\d{1,60})?(?:-[a-z]+)*(?![\w])"
    r"|\w+(?='s\b)|'s\b|[\w&/]+(?:[-'.][\w&/]+)*|[^\s\w]",
    re.IGNORECASE,
)
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_TEENS = "fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WHOLE = {
    **{word: n for n, word in enumerate(f"{_UNITS} {_TEENS}".split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), start=2)},
    "hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12,
    "once": 1, "twice": 2, "double": 2, "doubled": 2, "thrice": 3, "triple": 3, "tripled": 3,
}  # fmt: skip
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "hundredth": 100,
}  # fmt: skip
_ALONE = {"half": "0.5", "quarter": "0.25"}


def read_text(text: str, name: str = "text") -> WordProblem:
    """A text with its numbers.

    Raises:
        ValueError: if it has no words, no numbers, or too many words or letters.
    """
    if len(text) > MOST_LETTERS:
        raise ValueError(f"the text has {len(text):,} letters; at most {MOST_LETTERS:,} are read")
    words = tuple(found.group() for found in _CUT.finditer(text))
    if not words:
        raise ValueError("the text has no words")
    if len(words) > MOST_WORDS:
        raise ValueError(f"the text has {len(words):,} words; at most {MOST_WORDS} are read")
    numbers = numbers_in(words)
    if not numbers:
        raise ValueError("the text has no numbers, so that nothing can be calculated")
    return WordProblem(name, words, numbers)


def numbers_in(words: tuple[str, ...]) -> tuple[Number, ...]:
    """The numbers that words say, in digits or in words; `a third` and `one-third` are parts."""
    read = ((place, value_said(word)) for place, word in enumerate(words))
    return tuple(Number((place,), value) for place, value in read if value is not None)


def value_said(word: str) -> str | None:
    """The number that a word says, in digits; None if it says none."""
    lower = word.lower()
    first, _, rest = lower[1:].partition("-")
    first = lower[:1] + first
    if (digits := _in_digits(first)) is not None:
        return digits if not rest.isdecimal() else None
    if rest:
        return _compound(first, rest)
    if lower in _ALONE:
        return _ALONE[lower]
    value = _WHOLE.get(lower, _WHOLE.get(lower.removesuffix("s")))
    if value is None and lower in ("quarters", "halves"):
        return _ALONE["quarter" if lower == "quarters" else "half"]
    value = _PARTS.get(lower) if value is None else value
    return None if value is None else str(value)


def _in_digits(word: str) -> str | None:
    found = _DIGITS.fullmatch(word)
    if found is None or not any(map(str.isdecimal, found[1])):
        return None
    digits = found[1].replace(",", "")
    return digits.replace(".", "0.", 1) if digits.lstrip("-").startswith(".") else digits


def _compound(first: str, rest: str) -> str | None:
    """`twenty-three`, `one-third`, `two-digit`."""
    value = _WHOLE.get(first)
    if value is None:
        return _ALONE.get(first)
    singular = rest.removesuffix("s").replace("halve", "half")
    if singular in _PARTS:
        return f"{value}/{_PARTS[singular]}"
    more = _WHOLE.get(rest)
    return str(value + more) if more is not None and value >= 20 > more else str(value)


def asks(problem: WordProblem) -> bool:
    """Whether a text asks for something."""
    return any(word.lower() in ASKING for word in problem.words)
