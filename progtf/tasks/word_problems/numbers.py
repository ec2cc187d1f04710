"""Texts from people as word problems: words cut, numbers found."""

import re

from progtf.tasks.word_problems.counting import number_at
from progtf.tasks.word_problems.digits import IN_DIGITS, apart, refuse_two
from progtf.tasks.word_problems.problem import Number, WordProblem

MOST_WORDS, MOST_LETTERS = 250, 100_000
ASKING = frozenset(
    {"?", "find", "determine", "what", "how", "which", "calculate", "who", "when", "compute"}
)
_CUT = re.compile(
    rf"\$|%|{IN_DIGITS}|\w+(?='s\b)|'s\b|[\w&/]+(?:[-'.][\w&/]+)*|[^\s\w]", re.IGNORECASE
)


def read_text(text: str, name: str = "text") -> WordProblem:
    """A text with its numbers.

    Raises:
        ValueError: if it has no words, no numbers, or too many words or letters, and for what may
            be read as one number or as several.
    """
    if len(text) > MOST_LETTERS:
        raise ValueError(f"the text has {len(text):,} letters; at most {MOST_LETTERS:,} are read")
    refuse_two(text)
    words = words_in(text)
    if not words:
        raise ValueError("the text has no words")
    if len(words) > MOST_WORDS:
        raise ValueError(f"the text has {len(words):,} words; at most {MOST_WORDS} are read")
    numbers = numbers_in(words)
    if not numbers:
        raise ValueError("the text has no numbers, so that nothing can be calculated")
    return WordProblem(name, words, numbers)


def words_in(text: str) -> tuple[str, ...]:
    """The words of a text, with signs apart."""
    return tuple(word for found in _CUT.finditer(text) for word in apart(found.group()))


def numbers_in(words: tuple[str, ...]) -> tuple[Number, ...]:
    """The numbers that words say, in digits or in words, in the order of the text.

    Raises:
        ValueError: for what may be read as one number or as several.
    """
    found, place = [], 0
    while place < len(words):
        read = number_at(words, place)
        if read is not None:
            found.append(Number(tuple(range(place, place + read.words)), read.value))
        place += 1 if read is None else read.words
    return tuple(found)


def value_said(word: str) -> str | None:
    """The number that one word says, in digits; None if it says none, or one that is not read."""
    try:
        read = number_at((word,), 0)
    except ValueError:
        return None
    return None if read is None else read.value


def asks(problem: WordProblem) -> bool:
    """Whether a text asks for something."""
    return any(word.lower() in ASKING for word in problem.words)
