"""Problems drawn from the table of kinds: their numbers, their words, their equations, answers."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from progtf.tasks.word_problems.expressions import OPERATORS
from progtf.tasks.word_problems.numbers import read_text, words_in
from progtf.tasks.word_problems.own.phrases import Said, Teller
from progtf.tasks.word_problems.own.table import Ask, Kind, kinds_written, postfix, word_lists
from progtf.tasks.word_problems.problem import WordProblem, value_of

_RANGE = re.compile(r"(\w+) (\d+)\.\.(\d+)(?:/(\d+))?")
_CHOICE = re.compile(r"(\w+) \(([^)]+)\)")
_PRICE = re.compile(r"(\w+) price (\d+)\.\.(\d+)")
_CENTS = ("0", "0", "0", "0", "1/2", "1/2", "1/4", "3/4", "3/10", "19/20", "99/100", "1/5")
TRIES = 200
IN_WORDS = (0.0, 0.0, 0.1, 0.35, 0.7)
"""How likely numbers of a problem are said in words."""


def draw_problems(count: int, seed: int) -> Iterator[WordProblem]:
    """So many problems, the same ones for the same seed; kinds with more phrases come oftener."""
    kinds, random = kinds_written(), Random(seed)  # noqa: S311  no secret is drawn
    often = [len(kind.stories) + len(kind.asks) for kind in kinds]
    for number, kind in enumerate(random.choices(kinds, often, k=count)):
        yield draw_problem(kind, random, f"{kind.name}:{number}")


def draw_problem(kind: Kind, random: Random, name: str = "") -> WordProblem:
    """A problem of a kind.

    Raises:
        ValueError: where the kind's lines do not fit each other.
    """
    story, ask = random.choice(kind.stories), random.choice(kind.asks)
    why = "no numbers fit"
    for _ in range(TRIES):
        if (values := _numbers(kind.draws, random)) is None:
            continue
        told = _told(story, ask, values, random)
        try:
            return _problem(told, ask, values, name or kind.name)
        except ValueError as error:  # words that may be read in two ways
            why = f"{error} in `{''.join(each.text for each in told)}`"
    raise ValueError(f"kind {kind.name}: {why}")


def _numbers(draws: Sequence[str], random: Random) -> dict[str, Fraction] | None:
    """The numbers of a problem; None, where a condition does not hold."""
    values: dict[str, Fraction] = {}
    for draw in draws:
        if found := _RANGE.fullmatch(draw):
            steps = int(found[4] or 1)
            first, last = int(found[2]) * steps, int(found[3]) * steps
            values[found[1]] = Fraction(random.randint(first, last), steps)
        elif found := _PRICE.fullmatch(draw):
            whole = random.randint(int(found[2]), int(found[3]))
            values[found[1]] = whole + Fraction(random.choice(_CENTS))
        elif found := _CHOICE.fullmatch(draw):
            values[found[1]] = Fraction(random.choice(found[2].split()))
        elif draw.startswith("if "):
            if not _holds(draw.removeprefix("if "), values):
                return None
        else:
            name, _, said = draw.partition("=")
            values[name.strip()] = _value(postfix(said), values)
    return values


def _holds(condition: str, values: Mapping[str, Fraction]) -> bool:
    """Whether a condition holds: `a > b`, `a != b`, `whole a`."""
    if condition.startswith("whole "):
        return _value(postfix(condition.removeprefix("whole ")), values).denominator == 1
    left, sign, right = re.split(r"(>|!=)", condition)
    first, second = _value(postfix(left), values), _value(postfix(right), values)
    return first > second if sign == ">" else first != second


def _value(names: Sequence[str], values: Mapping[str, Fraction]) -> Fraction:
    stack: list[Fraction] = []
    for name in names:
        if name in "+-*/":
            right, left = stack.pop(), stack.pop()
            match name:
                case "+":
                    stack.append(left + right)
                case "-":
                    stack.append(left - right)
                case "*":
                    stack.append(left * right)
                case _:
                    stack.append(left / right)
        else:
            stack.append(values[name] if name in values else Fraction(int(name)))
    return stack[0]


def _told(story: str, ask: Ask, values: Mapping[str, Fraction], random: Random) -> list[Said]:
    """A story with its question, perhaps with a sentence of no use among them."""
    teller = Teller(random, _with_unused(values, random), random.choice(IN_WORDS))
    if "{ask}" in story or not ask.text:
        return teller.told(story.replace("{ask}", ask.text))
    story, question = story.strip(), ask.text.strip()
    sentences = re.split(r"(?<=\.) (?=[^()]*(?:\(|$))", story)
    for place in range(1, len(sentences)):
        if random.random() < 0.1 and not sentences[place].startswith("("):
            opening = random.choice(word_lists()["opening"])
            sentences[place] = f"{opening} {sentences[place]}"
    draw = random.random()
    if draw < 0.12 and sentences[-1].endswith("."):
        last = sentences[-1].removesuffix(".")
        return teller.told(" ".join([*sentences[:-1], f"If {last}, {question}"]))
    if draw < 0.2 and len(sentences) == 1 and story.endswith(".") and question.endswith("?"):
        return teller.told(f"{question.removesuffix('?')} if {story.removesuffix('.')}?")
    if draw < 0.5:
        place = random.randint(0, len(sentences))
        sentences.insert(place, random.choice(word_lists()["aside"]))
    return teller.told(" ".join([*sentences, question]))


def _with_unused(values: Mapping[str, Fraction], random: Random) -> dict[str, Fraction]:
    return {**values, "unused": Fraction(random.randint(2, 60))}


def _problem(
    told: Sequence[Said], ask: Ask, values: Mapping[str, Fraction], name: str
) -> WordProblem:
    """A text as it is read, with the equations over the numbers that are read there.

    Raises:
        ValueError: if a number is not read as the one that it is.
    """
    read = read_text("".join(each.text for each in told).strip(), name)
    at = _places(told, read, values)
    return replace(
        read,
        equations=tuple(
            " ".join(_named(each, ask.wanted, at) for each in equation)
            for equation in ask.equations
        ),
        wanted=tuple(f"X_{n}" for n in range(len(ask.wanted))),
        answers=(tuple(float(values[each]) for each in ask.wanted),),
    )


def _places(
    told: Sequence[Said], read: WordProblem, values: Mapping[str, Fraction]
) -> dict[str, int]:
    """Which number of a text each name is: the first, where it is said more than once."""
    at: dict[str, int] = {}
    before = ""
    for piece in told:
        if piece.name and piece.name not in at:
            first = len(words_in(before))
            here = range(first, first + 2)  # a sign of money, or `a`, may stand before it
            found = [n for n, each in enumerate(read.numbers) if each.words[0] in here][:1]
            due = values.get(piece.name)
            if not found or due not in (None, value_of(read.numbers[found[0]].value)):
                raise ValueError(f"`{piece.text}` is not read as `{piece.name}`")
            at[piece.name] = found[0]
        before += piece.text
    return at


def _named(name: str, wanted: Sequence[str], at: Mapping[str, int]) -> str:
    """An entry of an equation as problems have it."""
    if name in wanted:
        return f"X_{wanted.index(name)}"
    if name in at:
        return f"N_{at[name]}"
    if name.isdecimal():
        return f"C_{name}"
    if name not in OPERATORS:
        raise ValueError(f"an equation has `{name}`, and the text does not say it")
    return name


def as_line(problem: WordProblem) -> str:
    """A problem as a line of a file of word problems."""
    said = {
        "id": problem.name,
        "text": problem.text,
        "numbers": [{"token": list(n.words), "value": n.value} for n in problem.numbers],
        "expr": [
            *([0, equation] for equation in problem.equations), [1, " ".join(problem.wanted)],
        ],
        "answer": problem.answers,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False)
