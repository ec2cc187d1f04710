"""`examples/math/definitions.seme`: each step of its chains is that of exact arithmetic."""

import random
import re

import pytest

import progtf
from tests.programs import MATH, loaded

PATH = MATH / "definitions.seme"
LITERAL = r"-?\d+|\(-\d+\)"
SUM = re.compile(rf"(?<= )({LITERAL}) ([+-]) ({LITERAL})(?=[ .?])")
LET = re.compile(rf"Let ([a-z]) = ({LITERAL})\. ")
QUESTION = re.compile(rf"What is ({LITERAL})\?")


def number(text):
    return int(text.strip("()"))


def begins_its_sum(text, place):
    """Whether nothing stands before a place in its sentence but "Let x = " or "What is "."""
    sentence = text[:place].rpartition(". ")[2]
    return sentence == "What is " or re.fullmatch("Let [a-z] = ", sentence) is not None


def next_text(text):
    """What a step makes of a text, and whether it goes on; by hand, with Python's numbers."""
    found = [each for each in SUM.finditer(text) if begins_its_sum(text, each.start())]
    if found:
        first, sign, second = found[0].groups()
        total = number(first) + number(second) * (1 if sign == "+" else -1)
        if found[0].group() == text[len("What is ") : -1]:
            return str(total), False
        return text[: found[0].start()] + str(total) + text[found[0].end() :], True
    if done := QUESTION.fullmatch(text):
        return done[1].strip("()"), False
    definition = LET.match(text)
    assert definition is not None, text
    name, value = definition.groups()
    rest = text[definition.end() :]
    places = [each.start() for each in re.finditer(rf"(?<= ){name}(?=[ .?])", rest)]
    places = [place for place in places if not rest[:place].endswith("Let ")]
    if places:
        at = places[0]
        joined = rest[at - 2] in "+-" and value[0] == "-"
        rest = rest[:at] + (f"({value})" if joined else value) + rest[at + 1 :]
    return (rest if len(places) < 2 else definition[0] + rest), True


def steps_of(text):
    texts, goes_on = [text], True
    while goes_on:
        text, goes_on = next_text(text)
        texts.append(text)
    return texts


def drawn(draw, most_definitions, digits, most_terms):
    """A text, and its value."""
    values, sentences = dict[str, int](), []
    names = draw.sample("abcdefghijklmnopqrstuvwxyz", most_definitions)
    for name in [*names[: draw.randint(0, most_definitions)], None]:
        said, value = "", 0
        for place in range(draw.randint(1, most_terms)):
            if values and draw.random() < 0.6:
                term = draw.choice([*values])
                one = values[term]
            else:
                one = draw.randint(-(10 ** draw.randint(1, digits)), 10 ** draw.randint(1, digits))
                bare = one >= 0 or draw.random() < 0.3
                term = str(one) if bare else f"({one})"
            sign = draw.choice("+-") if place else ""
            said += f" {sign} {term}" if place else term
            value += -one if sign == "-" else one
        if name is None:
            return "".join(sentences) + f"What is {said}?", value
        values[name] = value
        sentences.append(f"Let {name} = {said}. ")
    raise AssertionError


def texts(seed, count, **sizes):
    draw, found = random.Random(seed), []
    while len(found) < count:
        text, value = drawn(draw, **sizes)
        steps = steps_of(text)
        if max(map(len, steps)) <= 200 and len(steps) <= 60:
            assert steps[-1] == str(value)
            found.append(text)
    return found


SIZES = {"most_definitions": 3, "digits": 4, "most_terms": 4}
LONG = {"most_definitions": 2, "digits": 20, "most_terms": 2}


def shown(steps):
    return [step.text for step in steps] + [steps[-1].answer.text]


@pytest.mark.parametrize(("seed", "sizes"), [(1, SIZES), (2, LONG)], ids=["short", "long"])
def test_every_step_is_that_of_exact_arithmetic(seed, sizes):
    asked = texts(seed, 60, **sizes)
    answers = progtf.interpret(loaded(PATH)).answers(asked)
    assert [shown(each.steps) for each in answers] == [*map(steps_of, asked)]
    assert not any(each.broken for each in answers)
    assert max(len(each.steps) for each in answers) > 5


def test_the_network_takes_the_same_steps():
    asked = texts(3, 30, **SIZES)
    model = progtf.compile(loaded(PATH))
    assert model.outcome.exact
    answers = model.answers(asked)
    assert [shown(each.steps) for each in answers] == [*map(steps_of, asked)]
    (short,) = model.answers(["Let h = 63 - 66. What is h + 5?"])
    assert [step.answer.outcome.verdict for step in short.steps] == ["exact"] * 3


def test_who_reads_by_hand_takes_the_steps_of_the_page():
    assert steps_of("Let h = 63 - 66. What is h + 5?") == [
        "Let h = 63 - 66. What is h + 5?", "Let h = -3. What is h + 5?", "What is -3 + 5?", "2",
    ]  # fmt: skip


SPOILED = [
    "Let h = 3. What is k?", "Let h = k. Let k = 3. What is h?", "Let h = 3. Let h = 4. What is h?",
    "Let h = h. What is 3?", "Let hh = 3. What is hh?", "Let h = 3 + . What is h?",
    "Let h = 3.5. What is h?", "Let h = 3. What is h + + 2?", "Let h = 3. What is h 2?",
    "Let h = 3. What is h - (2)?", "Let h = 3. What is (-2 + h?", "Let h = 3. What is -2) + h?",
    "Let h = 3. What is -h?", "Let h = 3. What was h?", "let h = 3. What is h?",
    "Let h= 3. What is h?", "Let h = 3 What is h?", "Let h = 3. What is h? 2", "What is 2*3?",
    "What is 2 + 3? What is 4?", "What is 2 + 3. Let h = 3.", "Let h = 3?", "?", "What is +?",
    f"What is {10**30} + 1?",
]  # fmt: skip


@pytest.mark.parametrize("text", SPOILED)
def test_what_is_no_such_text_has_no_answer(text):
    (step,) = progtf.interpret(loaded(PATH)).steps(text)
    assert (step.answer.text, step.answer.again) == ("?", False)


TERM = rf"(?:{LITERAL}|[a-z])"
TEXT = re.compile(
    rf"((?:Let [a-z] = {TERM}(?: [+-] {TERM})*\. )*)What is {TERM}(?: [+-] {TERM})*\?"
)


def is_one(text):
    """Whether a text is one of the program's, as it is read."""
    if TEXT.fullmatch(text) is None:
        return False
    known = set[str]()
    for sentence in text.split(". "):
        head, _, said = (
            sentence.partition(" = ") if sentence.startswith("Let") else ("", "", sentence[8:])
        )
        if not {*re.findall(r"[a-z]", said)} <= known or head[4:] in known:
            return False
        known |= {head[4:]}
    return True


def spoiled(draw, text):
    """A text with a character changed, dropped, doubled or put in."""
    at, sign = draw.randrange(len(text)), draw.choice("0123456789abchxyzLW =+-().?")
    return draw.choice(
        [
            text[:at] + sign + text[at + 1 :],
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + sign + text[at:],
        ]
    )


def test_a_spoiled_text_has_an_answer_only_where_it_is_another_one():
    draw, meant = random.Random(4), progtf.interpret(loaded(PATH))
    asked = [spoiled(draw, text) for text in texts(5, 150, **SIZES)]
    seen = [0, 0]
    for text, answer in zip(asked, meant.try_answers(asked), strict=True):
        if isinstance(answer, progtf.InputError):
            continue  # a character that nobody knows, or a step that grew too long
        read = "".join(token for token in meant.reader.read(text) if token[0] != "<")
        good = is_one(read)
        seen[good] += 1
        assert shown(answer.steps) == ([text, *steps_of(read)[1:]] if good else [text, "?"])
    assert min(seen) > 20
