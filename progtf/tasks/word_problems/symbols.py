"""Word problems as pairs of texts, and the symbols that these are made of.

A question has its words in lower case, and a mark for each number: ``#``, ``#.`` for one that is
not whole, ``#two`` for a usual word, ``#word`` for another one. An
answer is expression tokens, three words each, or postfix, an operator or operand a word.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from progtf.data.problem import Problem
from progtf.data.words import Words
from progtf.tasks.word_problems.expressions import (
    EQUALS,
    MOST_NUMBERS,
    NEW,
    NOTHING,
    OPERATORS,
    equations_of,
    to_text,
    tokens_of,
)
from progtf.tasks.word_problems.problem import Number, WordProblem, value_of

MARK = "#"
USUAL = frozenset({
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen",
    "hundred", "thousand", "million", "once", "twice", "thrice", "double", "triple", "half",
    "third", "fourth", "quarter", "quarters",
})  # fmt: skip
MARKS = (MARK, f"{MARK}.", f"{MARK}word", *sorted(MARK + word for word in USUAL))
"""All marks of numbers."""
NUMBERS = tuple(f"N_{n}" for n in range(MOST_NUMBERS))
RESULTS = tuple(f"R_{n}" for n in range(32))
UNKNOWNS = tuple(f"X_{n}" for n in range(8))
"""Those that are named where answers are postfix."""
Equations = Literal["expressions", "operators"]
SELDOM = f"{MARK}seldom"
OFTEN = 2
"""A word that fewer training texts have is taken for an unknown one."""


def as_pair(problem: WordProblem, equations: Equations = "expressions") -> Problem:
    """A problem as a question and its answer.

    Args:
        problem: with its equations.
        equations: how they are written: as expression tokens, or as the plain symbols of postfix.
    """
    tokens = tokens_of(problem.equations, len(problem.numbers))
    answer = " ".join(equations_of(tokens)) if equations == "operators" else to_text(tokens)
    return Problem(" ".join(marked(problem)), answer)


def marked(problem: WordProblem) -> tuple[str, ...]:
    """The words of a question: what `placed` says of each, the other words of numbers left out."""
    return tuple(symbol for symbol, _ in placed(problem))


def placed(problem: WordProblem) -> list[tuple[str, int]]:
    """The words of a question, each with the place of the word of the text that it is."""
    firsts: dict[int, list[Number]] = {}
    for number in problem.numbers:
        firsts.setdefault(number.words[0], []).append(number)
    inside = {word for number in problem.numbers for word in number.words}
    found = []
    for place, word in enumerate(problem.words):
        if place in firsts:
            found += [(_mark(word, number), place) for number in firsts[place]]
        elif place not in inside:
            found.append((word.lower().lstrip(MARK) or "number", place))
    return found


def _mark(word: str, number: Number) -> str:
    if not any(character.isnumeric() for character in word):
        usual = word.lower() in USUAL and len(number.words) == 1
        return MARK + (word.lower() if usual else "word")
    return MARK if value_of(number.value).denominator == 1 else f"{MARK}."


def symbols_of(problems: Iterable[Problem], others: Iterable[Problem] = ()) -> Words:
    """The symbols of word problems; a network has vectors for those before ``SELDOM`` alone.

    First come those of answers: operators, nothing, constants, numbers, results, and unknowns where
    answers name them. Then marks, the words that training texts have often, ``SELDOM``, and all
    other words.

    Args:
        problems: to train on.
        others: whose words are symbols as well.
    """
    counts, names = Counter[str](), set[str]()
    for problem in problems:
        counts.update(set(problem.question.split()))
        names |= set(problem.answer.split())
    constants = sorted(name for name in names if name.startswith("C_"))
    unknowns = UNKNOWNS if not names.isdisjoint(UNKNOWNS) else ()
    outputs = (*_OPERATORS, NOTHING, *constants, *NUMBERS, *RESULTS, *unknowns)
    first = (*outputs, *MARKS)
    often = {word for word, count in counts.items() if count >= OFTEN}.difference(first)
    words = {word for problem in others for word in problem.question.split()} | counts.keys()
    seldom = words.difference(first, often)
    return Words((*first, *sorted(often), SELDOM, *sorted(seldom)), open=True)


_OPERATORS = (NEW, EQUALS, *(sign for sign in OPERATORS if sign != EQUALS))
