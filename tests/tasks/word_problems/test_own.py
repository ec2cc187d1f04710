"""Word problems of this project's own: every kind is drawn, and its equations have its answers."""

from itertools import islice
from random import Random

import pytest

from progtf.tasks.word_problems import (
    Solver,
    own,
    read_word_problems,
    strictly_right,
    tokens_of,
)
from progtf.tasks.word_problems.own import Kind


def test_there_are_many_kinds_each_of_its_own_name():
    names = [kind.name for kind in own.kinds_written()]
    assert len(names) == len(set(names)) >= 250


def test_each_story_of_each_kind_is_told_with_numbers_that_are_read():
    random = Random(2)
    for kind in own.kinds_written():
        for story in kind.stories:
            told = own.draw_problem(Kind(kind.name, kind.draws, [story], kind.asks), random)
            assert tokens_of(told.equations, len(told.numbers))
            assert not set("()[]{}|").intersection(told.text), told.text
            assert len(told.equations) == len(told.wanted) == len(told.answers[0])


def test_each_question_of_each_kind_can_be_asked():
    random = Random(3)
    for kind in own.kinds_written():
        for ask in kind.asks:
            told = own.draw_problem(Kind(kind.name, kind.draws, kind.stories, [ask]), random)
            assert tokens_of(told.equations, len(told.numbers))
            assert len(told.wanted) == len(ask.wanted)


def test_equations_have_the_answers_that_were_drawn():
    drawn = list(own.draw_problems(120, seed=4))
    with Solver() as solver:
        for each in drawn:
            found = solver.solve(each.equations, [number.value for number in each.numbers])
            assert strictly_right(found, each.answers), (each.text, each.equations, found)


def test_the_same_seed_draws_the_same_problems_and_another_one_others():
    first = [each.text for each in own.draw_problems(20, seed=1)]
    assert first == [each.text for each in own.draw_problems(20, seed=1)]
    assert first != [each.text for each in own.draw_problems(20, seed=2)]
    assert first[:5] == [each.text for each in islice(own.draw_problems(20, seed=1), 5)]


def test_a_file_of_them_is_read_again(tmp_path):
    drawn = tuple(own.draw_problems(30, seed=5))
    (tmp_path / "own.jsonl").write_text("\n".join(map(own.as_line, drawn)))
    assert read_word_problems(tmp_path / "own.jsonl") == drawn


def test_numbers_are_said_in_digits_and_in_words_and_some_are_of_no_use():
    drawn = list(own.draw_problems(300, seed=6))
    said = [each.said(n) for each in drawn for n in range(len(each.numbers))]
    assert any("." in each for each in said)
    assert sum(each.replace("-", "").isalpha() for each in said) > 50
    unused = [
        each for each in drawn
        if any(f"N_{n}" not in " ".join(each.equations).split() for n in range(len(each.numbers)))
    ]  # fmt: skip
    assert 20 < len(unused) < 200


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["a 2..5", "x = a + b"], "b"),
        (["a 2..5", "if a > 9"], "no numbers fit"),
    ],
)
def test_a_kind_that_cannot_be_drawn_is_told(lines, told):
    kind = own.kinds_written()[0]
    with pytest.raises((KeyError, ValueError), match=told):
        own.draw_problem(Kind("none", lines, kind.stories, kind.asks), Random(1))
