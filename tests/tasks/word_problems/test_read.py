"""Files of word problems: what is read of them, and what is refused with its place."""

import json

import pytest

from progtf.data import DataError
from progtf.tasks.word_problems import read_word_problems
from tests.tasks.word_problems.problems import COINS, PERCENT, SHELF, saved


def test_a_line_is_a_problem_with_its_numbers_equations_and_answers(tmp_path):
    coins, percent = read_word_problems(saved(tmp_path, COINS, PERCENT))
    assert [number.value for number in coins.numbers] == ["21", "10", "5", "150"]
    assert [coins.words[number.words[0]] for number in coins.numbers] == ["21", "10", "5", "150"]
    assert coins.equations[0] == "X_0 X_1 + N_0 ="
    assert (coins.wanted, coins.answers) == (("X_0", "X_1"), ((9.0, 12.0),))
    assert percent.without_numbers == "what is # % of # ?"


def changed(**said):
    return json.dumps(json.loads(SHELF) | said)


WRONG = {
    "no JSON": "this line is no JSON: Expecting value",
    "[1, 2]": "no word problem: list indices",
    '{"text": "how many ?"}': "this problem lacks 'numbers'",
    changed(numbers=[{"token": [99], "value": "3"}]): "no word of the text is at [99]",
    changed(numbers=[{"token": [], "value": "3"}]): "no word of the text is at []",
    changed(numbers=[{"token": [0], "value": "9" * 31}]): "is no number of at most 30 digits",
    changed(numbers=[{"token": [0], "value": "1/0"}]): "'1/0' is no number",
    changed(expr=[[0, "X_0 N_7 ="]]): "`N_7`: the text has 2 numbers",
    changed(expr=[[0, "X_0 N_0 + ="]]): "an operator lacks operands",
    changed(expr=[[0, "X_0 N_0 +"]]): "is no equation in postfix",
    changed(expr=[[0, "X_0 9999 ="]]): "'9999' names no constant",
    changed(expr=[[0, "X_0 __import__ ="]]): "'__import__' names no constant",
    changed(answer=[[float("nan")]]): "an answer is no number",
    changed(expr=[[0, "X_40 N_0 ="]]): "more than 32 numbers, or 32 expression tokens",
    changed(numbers=[{"token": [4], "value": "13"}, {"token": [0], "value": "6.5"}]): (
        "its numbers are not in the order of the text"
    ),
}


@pytest.mark.parametrize(("text", "told"), WRONG.items(), ids=range(len(WRONG)))
def test_a_line_that_is_no_problem_is_refused_with_its_number(tmp_path, text, told):
    path = saved(tmp_path, COINS, text)
    with pytest.raises(DataError) as refused:
        read_word_problems(path)
    assert str(refused.value).startswith(f"{path}:2: ")
    assert told in str(refused.value)


def test_a_file_that_is_not_there_and_an_empty_one_are_told(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_word_problems(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="there are no problems in this file"):
        read_word_problems(saved(tmp_path))
