"""Logical forms are the same up to the names of variables and the order of conjuncts."""

import random
import re

import pytest

from progtf.analysis import same_meaning

CHAIN = " AND ".join(
    ["cat ( x _ 0 )"]
    + [f"cat . nmod . in ( x _ {k} , x _ {k + 1} ) AND cat ( x _ {k + 1} )" for k in range(40)]
)
SWAPPED = "r ( x _ 1 , x _ 2 ) AND r ( x _ 2 , x _ 1 )"


def renamed(form: str, choice: random.Random) -> str:
    """With other numbers, and its conjuncts in another order."""
    numbers = sorted(set(re.findall(r"x _ (\d+)", form)))
    others = dict(zip(numbers, choice.sample(range(1000), len(numbers)), strict=True))
    parts = re.sub(r"x _ (\d+)", lambda found: f"x _ {others[found[1]]}", form).split(" AND ")
    return " AND ".join(choice.sample(parts, len(parts)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("dog ( x _ 1 )", "dog ( x _ 7 )", True),
        ("dog ( x _ 1 )", "cat ( x _ 1 )", False),
        ("dog ( x _ 1 )", "* dog ( x _ 1 ) ;", False),
        ("* dog ( x _ 1 ) ; r ( x _ 2 , x _ 1 )", "* dog ( x _ 4 ) ; r ( x _ 1 , x _ 4 )", True),
        ("run . agent ( x _ 2 , Emma )", "run . agent ( x _ 2 , Liam )", False),
        ("see . agent ( x _ 1 , x _ 2 )", "see . agent ( x _ 1 , x _ 1 )", False),
        ("see . agent ( x _ 1 , x _ 1 )", "see . agent ( x _ 1 , x _ 2 )", False),
        ("a ( x _ 1 ) AND a ( x _ 1 )", "a ( x _ 1 )", True),
        ("a ( x _ 1 ) AND a ( x _ 2 )", "a ( x _ 1 )", False),
        ("a ( x _ 1 ) AND b ( x _ 1 )", "a ( x _ 1 ) AND b ( x _ 2 )", False),
        (SWAPPED, "r ( x _ 1 , x _ 1 ) AND r ( x _ 2 , x _ 2 )", False),
        ("?", "?", True),
        ("?", "dog ( x _ 1 )", False),
    ],
)  # fmt: skip
def test_forms_are_the_same_if_a_renaming_makes_them_so(one, other, same):
    assert same_meaning(one, other) is same
    assert same_meaning(other, one) is same


def test_long_forms_of_one_noun_are_told_apart_at_once():
    choice = random.Random(1)
    assert same_meaning(CHAIN, renamed(CHAIN, choice))
    turned = CHAIN.replace("( x _ 20 , x _ 21 )", "( x _ 21 , x _ 20 )")
    assert not same_meaning(CHAIN, renamed(turned, choice))
