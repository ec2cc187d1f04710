"""Expression tokens: the same equations again, in every way that there is of writing them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.tasks.word_problems import Token, as_pair, equations_of, from_text, tokens_of
from progtf.tasks.word_problems.expressions import to_text
from progtf.training.solve import SYMBOLS
from tests.tasks.word_problems.problems import published

operands = st.sampled_from(["X_0", "X_1", "N_0", "N_1", "N_2", "C_0_01", "C_1_NEG"])
terms = st.recursive(
    operands,
    lambda inner: st.builds("{} {} {}".format, inner, inner, st.sampled_from("+-*/")),
    max_leaves=8,
)
systems = st.lists(st.builds("{} {} =".format, terms, terms), min_size=1, max_size=3)


@given(systems)
def test_equations_are_the_same_after_they_were_tokens(equations):
    tokens = tokens_of(equations, numbers=3)
    assert equations_of(tokens) == tuple(equations)
    assert from_text(to_text(tokens)) == tokens
    assert from_text(" ".join(equations)) == tokens


def test_the_equations_of_all_published_problems_are_the_same_after_they_were_tokens():
    problems = [p for some in published("*").values() for p in some]
    assert len(problems) == 5 * 514 + 1000 + 5 * 2373
    for problem in problems:
        tokens = tokens_of(problem.equations, len(problem.numbers))
        assert equations_of(from_text(to_text(tokens))) == problem.equations
        postfix = as_pair(problem, "operators").answer
        assert (from_text(postfix), len(postfix.split()) < SYMBOLS) == (tokens, True)


def test_unknowns_come_first_and_results_are_counted_with_them():
    assert tokens_of(["N_0 X_1 * X_0 ="], 1) == (
        Token("new"), Token("new"), Token("*", "N_0", "R_1"), Token("=", "R_2", "R_0"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        ("new . . + R_0", "5 words do not make whole tokens"),
        ("new . . + R_0 R_1", "`R_1` is no result of an earlier token"),
        ("new . . = R_0 C_1 + R_1 C_1", "`R_1` is no result of an earlier token"),
        ("new . . ** R_0 C_2", r"`\*\*` is no operator"),
        ("new . . + R_0 exec", "'exec' names no constant"),
        ("new . . + . C_1", r"'\.' names no constant"),
        ("X_0 N_0", "`X_0 N_0` is no equation in postfix"),
        ("X_0 N_0 = X_0 1 +", "`X_0 1 \\+` is no equation in postfix"),
        ("X_0 =", "an operator lacks operands"),
        ("X_0 N_0 N_1 =", "is no equation in postfix"),
        ("X_0 N_0 ** =", "names no constant"),
        ("N_0 =", "an operator lacks operands"),
        ("=", "1 words do not make whole tokens"),
        ("X_0 N_99 =", "the text has 32 numbers"),
    ],
)
def test_tokens_that_mean_nothing_are_refused(tokens, told):
    with pytest.raises(ValueError, match=told):
        equations_of(from_text(tokens))


def test_results_that_double_each_other_end_before_memory_does():
    doubled = [Token("new"), *(Token("+", f"R_{n}", f"R_{n}") for n in range(60))]
    with pytest.raises(ValueError, match="more than 4000 characters"):
        equations_of(doubled)
