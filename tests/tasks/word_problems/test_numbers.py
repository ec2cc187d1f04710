"""The reader of numbers: what people write, and what the published sets mark."""

from fractions import Fraction

import pytest

from progtf.tasks.word_problems.numbers import asks, numbers_in, read_text, value_said
from tests.tasks.word_problems.problems import published

SAID = {
    "10,000": "10000", "2.50": "2.50", ".5": "0.5", "-3": "-3", "3/4": "3/4", "2-digit": "2",
    "1st": "1", "seven": "7", "Twenty-three": "23", "one-third": "1/3", "three-fourths": "3/4",
    "half": "0.5", "twice": "2", "dozens": "12", "quarters": "0.25", "two-digit": "2",
    "1/0": None, "1,23,4": None, "number": None, "mp3": None, "": None,
    "2000-2001": None, "9" * 31: None,
}  # fmt: skip


@pytest.mark.parametrize(("word", "value"), SAID.items())
def test_words_and_digits_say_numbers(word, value):
    assert value_said(word) == value


def test_texts_of_people_are_cut_as_those_of_the_sets():
    problem = read_text("Ann's 3 pens cost $4.50, or 10% of $1,000. How much is one?")
    assert (
        " ".join(problem.words)
        == "Ann 's 3 pens cost $ 4.50 , or 10 % of $ 1,000 . How much is one ?"
    )
    assert [number.value for number in problem.numbers] == ["3", "4.50", "10", "1000", "1"]
    assert asks(problem)
    assert not asks(read_text("One and two."))


@pytest.mark.parametrize("name", ["alg514_fold?_test", "draw_*", "mawps_fold?_test"])
def test_the_numbers_that_the_sets_mark_are_found(name):
    """As they stand; where a number has several words, the sets mark its words: 100 and 62."""
    problems = [p for some in published(name).values() for p in some]
    same, apart = 0, 0
    for problem in problems:
        found = numbers_in(problem.words)
        several = {word for n in found if len(n.words) > 1 for word in n.words}
        mine, due = (
            {n.words[0]: float(Fraction(n.value)) for n in numbers}
            for numbers in (found, problem.numbers)
        )
        same += _agree(mine, due, set())
        parts = (any(word in due for word in n.words) for n in found if len(n.words) > 1)
        apart += _agree(mine, due, several) and all(parts)
    assert same >= 0.988 * len(problems)
    assert apart >= 0.994 * len(problems)


def _agree(mine, due, but):
    """Whether numbers are the same, without those that some words say."""
    mine, due = ({k: v for k, v in each.items() if k not in but} for each in (mine, due))
    return mine.keys() == due.keys() and all(abs(mine[k] - due[k]) < 1e-6 for k in due)
