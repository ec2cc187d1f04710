"""Word problems from JSON lines, as the expression-pointer transformer's authors keep them."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from progtf.data.errors import STRICT, DataError, Told
from progtf.data.forms import form_of
from progtf.data.pairs import records_of
from progtf.tasks.word_problems.expressions import tokens_of
from progtf.tasks.word_problems.problem import Number, WordProblem, value_of
from progtf.tasks.word_problems.symbols import NUMBERS, RESULTS

_DUE = 'a line is {"text": ..., "numbers": [{"token": [3], "value": "56"}], "expr": ..., ...}'
_EQUATION, _WANTED = 0, 1


def has_word_problems(path: Path) -> bool:
    """Whether a file has word problems, by its content or else by its name."""
    return form_of(path) == "word problems"


def read_word_problems(path: Path, told: Told = STRICT) -> tuple[WordProblem, ...]:
    """The problems of a file of JSON lines.

    Each has ``text``, words with blanks between; ``numbers``, each with its ``token``, the places
    of its words, and its ``value``; and, where they are known, ``expr``, pairs of 0 and an equation
    in postfix or of 1 and the unknowns that are asked for, and ``answer``, lists of their values.

    Args:
        path: The file.
        told: Hears of lines that are no problems.

    Raises:
        DataError: if the file is not there, or is empty.
    """
    found = tuple(_read(path, told))
    if not found and not told.count:
        raise DataError("there are no problems in this file", path)
    return found


def _read(path: Path, told: Told) -> Iterator[WordProblem]:
    for number, said in records_of(path, told):
        try:
            problem = _problem(said, f"{path.stem}:{number}")
            _check(problem)
        except KeyError as error:
            told.refuse(DataError(f"this problem lacks {error}", path, number, help=_DUE))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            told.refuse(DataError(f"no word problem: {error}", path, number, help=_DUE))
        else:
            yield problem


def _problem(said: dict[str, Any], name: str) -> WordProblem:
    numbers = (Number(tuple(n["token"]), n["value"]) for n in said["numbers"])
    parts = said.get("expr", ())
    return WordProblem(
        name=str(said.get("id", name)),
        words=tuple(said["text"].split()),
        numbers=tuple(numbers),
        equations=tuple(text for kind, text in parts if kind == _EQUATION),
        wanted=tuple(name for kind, text in parts if kind == _WANTED for name in text.split()),
        answers=tuple(tuple(map(float, values)) for values in said.get("answer", ())),
    )


def _check(problem: WordProblem) -> None:
    """Raises ValueError for places that no word has, values and equations that are none."""
    firsts = [number.words[:1] for number in problem.numbers]
    if firsts != sorted(firsts):
        raise ValueError("its numbers are not in the order of the text")
    for number in problem.numbers:
        value_of(number.value)
        if not number.words or not all(0 <= n < len(problem.words) for n in number.words):
            raise ValueError(f"no word of the text is at {list(number.words)}")
    if not all(isfinite(value) for values in problem.answers for value in values):
        raise ValueError("an answer is no number")
    tokens = tokens_of(problem.equations, len(problem.numbers))
    if len(problem.numbers) > len(NUMBERS) or len(tokens) > len(RESULTS):
        raise ValueError(f"more than {len(NUMBERS)} numbers, or {len(RESULTS)} expression tokens")
