"""Texts that are nearly questions: what people mistype, leave out and paste twice."""

import random
import re
from collections.abc import Iterator

TYPED = "ax -+*/.,()=?"
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def mutated(question: str, rng: random.Random) -> Iterator[str]:
    """One text for each way of spoiling a question; some of them may still be questions."""
    yield from other_numbers(question, rng)
    yield from other_words(question, rng)
    cut, minus = rng.randrange(len(question)), "\N{MINUS SIGN}"
    yield question.replace("-", minus) if "-" in question else minus + question
    yield from (question[:cut], question[cut:], question + question, f"{question} {question}")
    yield from (f"{question} please", f"please {question}", f"{question} 7")
    yield question[:cut] + question[cut + 1 :]
    yield question[:cut] + question[cut] + question[cut:]
    yield question[:cut] + rng.choice(TYPED) + question[cut:]
    yield question[:cut] + rng.choice(TYPED) + question[cut + 1 :]


def other_numbers(question: str, rng: random.Random) -> Iterator[str]:
    """Something else in the place of a number."""
    spans = [match.span() for match in NUMBER.finditer(question)]
    start, end = rng.choice(spans) if spans else (len(question), len(question))
    n = question[start:end]
    others = [f"{n} + 1", f"{n}, {n}", f"1,{n}", f"{n}.5.5", f"{n}x", f"{n} {n}", f"1/{n}", f"-{n}"]
    for other in (*others, f"{n}.", f".{n}", "7" * 40, ""):
        yield question[:start] + other + question[end:]


def other_words(question: str, rng: random.Random) -> Iterator[str]:
    """A word twice, a word left out, two words the other way round."""
    words = question.split(" ")
    at = rng.randrange(len(words))
    yield " ".join([*words[:at], words[at], *words[at:]])
    yield " ".join([*words[:at], *words[at + 1 :]])
    yield " ".join([*words[:at], *words[at : at + 2][::-1], *words[at + 2 :]])
