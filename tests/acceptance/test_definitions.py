"""`examples/math/definitions.seme`: every step is that of exact arithmetic."""

import random
import re
from fractions import Fraction

import pytest

import progtf
from tests.programs import MATH, loaded

PATH = MATH / "definitions.seme"
DIGITS = ["units", "tens", "hundreds", "thousands"]
SENTENCE = re.compile(r"(?:Let ([a-z]) (?:=|be) |Suppose )(.*?)\. (?=[A-Z])")
EQUATION = re.compile(r"Solve ([^=.?;]+) = ([^=.?;]+) for ([a-z])\.")
QUESTION = re.compile(rf"(?i:What is )(?:the ({'|'.join(DIGITS)}) digit of )?([^=.?;]+)[?.]?")
SUM = re.compile(r"[-+*/() 0-9a-z]+")


class NoTextError(Exception):
    """What has no meaning as definitions and a question."""


def value(said, known):
    """The value of a sum as fractions have it; of known names alone."""
    if SUM.fullmatch(said) is None or re.search(r"\*\*|//|[a-z]{2}|[a-z0-9] ?\(|\d [0-9a-z]", said):
        raise NoTextError(said)
    parts = re.sub(r"\d+", lambda number: f"Fraction({int(number[0])})", said)
    try:
        return Fraction(eval(parts, {"Fraction": Fraction, "__builtins__": {}} | known))
    except (SyntaxError, NameError, TypeError, ZeroDivisionError) as error:
        raise NoTextError(said) from error


def solution(left, right, name, known):
    """Where two sides of a linear equation are the same."""
    off = [value(f"({left}) - ({right})", known | {name: Fraction(at)}) for at in (0, 1)]
    if off[0] == off[1]:
        raise NoTextError(f"{left} = {right}")
    return off[0] / (off[0] - off[1])


def defined(let: str | None, said: str, known) -> tuple[str, Fraction | None]:
    """What a sentence says of which name; nothing where it says none, which only users miss."""
    names = [each for each in re.findall(r"[a-z]", said) if each not in known]
    name = let or next(iter(names), "")
    left, _, right = said.partition(" = ")
    try:
        return name, value(said, known) if let else solution(left, right, name, known)
    except NoTextError:
        return name, None


def meaning(text):
    """What a text asks for, with Python's fractions; equations have one unknown."""
    if solved := EQUATION.fullmatch(text):
        left, right, name = solved.groups()
        return str(solution(left, right, name, {}))
    known, place = dict[str, Fraction | None](), 0
    while found := SENTENCE.match(text, place):
        let, said = found.groups()
        name, amount = defined(let, said, known)
        if name in known:
            raise NoTextError(text)
        known[name] = amount
        place = found.end()
    asked = QUESTION.fullmatch(text, place)
    if asked is None:
        raise NoTextError(text)
    amount = value(asked[2], known)
    if asked[1] is None:
        return str(amount)
    if amount.denominator > 1 or amount < 0 or amount < 10 ** DIGITS.index(asked[1]):
        raise NoTextError(text)
    return str(amount // 10 ** DIGITS.index(asked[1]) % 10)


def a_sum(draw, known, most):
    """A sum of small numbers and known names."""
    said = ""
    for place in range(draw.randint(1, most)):
        bare = draw.choice([*known]) if known and draw.random() < 0.5 else str(draw.randint(1, 60))
        if draw.random() < 0.3:
            bare = f"({bare} {draw.choice('+-')} {draw.randint(1, 9)})"
        opens = bare.startswith("(")  # no program takes `-(3 + h)`
        sign = (
            draw.choice([" + ", " - ", "*", "/"])
            if place
            else ""
            if opens
            else draw.choice("-  ").strip()
        )
        said += sign + bare
    return said


def drawn(draw, most_definitions):
    """A text, and what is right."""
    while True:
        text, known = "", dict[str, Fraction]()
        for name in draw.sample("bcdfghijklmnopqrtuvwxyz", draw.randint(0, most_definitions)):
            try:
                if draw.random() < 0.35:
                    root = draw.randint(-40, 40)
                    times, beside = draw.randint(2, 9), draw.randint(0, 30)
                    text += f"Suppose {times}*{name} + {beside} = {times * root + beside}. "
                    known[name] = Fraction(root)
                else:
                    said = a_sum(draw, known, 3)
                    text += f"Let {name} {draw.choice(['=', 'be'])} {said}. "
                    known[name] = value(said, known)
            except NoTextError:
                break
        digit = draw.choice([*DIGITS[:2], None])
        what = f"the {digit} digit of " if digit else ""
        text += f"What is {what}{a_sum(draw, known, 4)}?"
        try:
            right = meaning(text)
        except NoTextError:
            continue
        if len(text) <= 150:
            return text, right


def texts(seed, count, most_definitions=3):
    draw = random.Random(seed)
    return [drawn(draw, most_definitions) for _ in range(count)]


def as_read(text, reader):
    return "".join(token for token in reader.read(text) if token[0] != "<")


def judge(answer, right, reader):
    """Whether there is an answer; every step of it is right.

    A step that is asked again means what the one before means; what a step asks is answered with
    its value, and that stands before the text that waits.
    """
    given = list[str]()
    for place, step in enumerate(answer.steps):
        waiting, _, text = as_read(step.text, reader).rpartition("; ")
        if step.answer.text == "?" or waiting == "?":
            assert answer.text == "?"
            return False
        if step.answer.asks:
            given.append(meaning(step.answer.text))
        elif step.answer.again:
            assert meaning(step.answer.text) == meaning(text), step
        else:
            assert step.answer.text == meaning(text), step
        if waiting:
            assert waiting == given.pop()
        assert step.depth == len(given) - step.answer.asks, place
    assert (answer.text, given) == (right, [])
    return True


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_step_is_that_of_exact_arithmetic(seed):
    asked = texts(seed, 120)
    meant = progtf.interpret(loaded(PATH))
    answers = meant.answers([text for text, _ in asked])
    found = [
        judge(each, right, meant.reader) for each, (_, right) in zip(answers, asked, strict=True)
    ]
    assert not any(each.broken for each in answers)
    assert max(len(each.steps) for each in answers) > 8
    assert sum(found) > 0.9 * len(found)


@pytest.mark.long
def test_the_network_takes_the_same_steps():
    asked = [text for text, _ in texts(4, 20)]
    model = progtf.compile(loaded(PATH))
    meant = progtf.interpret(loaded(PATH)).answers(asked)
    assert model.outcome.exact
    steps = [[step.text for step in each.steps] for each in model.answers(asked)]
    assert steps == [[step.text for step in each.steps] for each in meant]


def test_who_reads_by_hand_reads_right():
    assert meaning("Let h = 63 - 66. What is h/(5 - h)?") == "-3/8"
    assert meaning("Suppose 3*x + 2 = 17. Let y be x*x. What is the tens digit of y + 7?") == "3"


def test_a_name_may_be_defined_behind_what_needs_it():
    (answer,) = progtf.interpret(loaded(PATH)).answers(["Let h = k. Let k = 3. What is h?"])
    assert answer.text == "3"


SPOILED = [
    "Let h = 3. What is k?", "Let h = k. Let k = h. What is h?", "Let h = 3. Let h = 4. What is h?",
    "Let h = h. What is h?", "Let hh = 3. What is hh?", "Let h = 3 + . What is h?",
    "Let h = 3. What is h + + 2?", "Let h = 3. What is h 2?", "Let h = 3. What is 2h?",
    "Let h = 3. What is (-2 + h?", "Let h = 3. What is -2) + h?", "Let h = 3/0. What is h?",
    "Let h = 3. What was h?", "lets h = 3. What is h?", "Let h = 3 What is h?", "Let h = 3.",
    "Suppose 0 = 0. What is 3 + x?", "Suppose x = x. What is x?", "Suppose x + y = 3. What is x?",
    "What is 2 + 3? What is 4?", "What is 2 + 3. Let h = 3.", "?", "What is +?",
]  # fmt: skip


@pytest.mark.parametrize("text", SPOILED)
def test_what_is_no_such_text_has_no_answer(text):
    (answer,) = progtf.interpret(loaded(PATH)).try_answers([text])
    assert isinstance(answer, progtf.InputError) or answer.text == "?"


def spoiled(draw, text):
    """A text with a character changed, dropped, doubled or put in."""
    at, sign = draw.randrange(len(text)), draw.choice("0123456789abchxyzLWS =+-*/().?")
    return draw.choice(
        [
            text[:at] + sign + text[at + 1 :],
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + sign + text[at:],
        ]
    )


def test_a_spoiled_text_has_an_answer_only_where_it_is_another_one():
    draw, meant = random.Random(57), progtf.interpret(loaded(PATH))
    asked = [spoiled(draw, text) for text, _ in texts(57, 900)]
    seen = 0
    for text, answer in zip(asked, meant.try_answers(asked), strict=True):
        if isinstance(answer, progtf.InputError) or answer.text == "?":
            continue
        assert judge(answer, meaning(as_read(text, meant.reader)), meant.reader), text
        seen += 1
    assert seen > 50
