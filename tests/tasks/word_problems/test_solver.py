"""Systems are solved by a child, and judged; whatever it is given, it answers or is stopped."""

import time

import pytest

from progtf.tasks.word_problems import (
    Solver,
    UnsolvableError,
    leniently_right,
    strictly_right,
)
from tests.tasks.word_problems.problems import published


@pytest.fixture(scope="module")
def solver():
    with Solver() as made:
        yield made


def test_linear_and_quadratic_systems_have_their_real_solutions(solver):
    coins = ["X_0 X_1 + N_0 =", "N_1 X_0 * N_2 X_1 * + N_3 ="]
    assert solver.solve(coins, ["21", "10", "5", "150"]) == [{0: 9.0, 1: 12.0}]
    assert solver.solve(["X_0 X_0 * N_0 ="], ["9"]) == [{0: -3.0}, {0: 3.0}]
    assert solver.solve(["X_0 X_0 * C_1_NEG ="], []) == []
    assert solver.solve(["X_0 N_0 N_1 / ="], ["1/3", "0.5"]) == [{0: pytest.approx(2 / 3)}]


@pytest.mark.parametrize(
    ("equations", "values", "told"),
    [
        (["X_0 N_0 ="], [], "no number `N_0`"),
        (["X_0 N_0 ="], ["__import__('os')"], "is no number"),
        (["X_0 N_0 ="], ["1e999999999"], "is no number"),
        (["X_0 C_0 / N_0 ="], ["1"], "divided by 0"),
        (["X_0 C_9 ^ N_0 ="], ["1"], "names no constant"),
        (["X_0 (1) ="], [], "names no constant"),
        (["X_0 X_1 X_2 ="], [], "left with operands"),
        (["="], [], "lacks operands"),
        (["X_0 " + "N_0 " * 14 + "* " * 13 + "="], ["9" * 30], "past 1.8e308"),
    ],
)
def test_what_is_no_system_is_told_and_nothing_is_evaluated(solver, equations, values, told):
    with pytest.raises(UnsolvableError, match=told):
        solver.solve(equations, values)
    assert solver.solve(["X_0 N_0 ="], ["4"]) == [{0: 4.0}]


def test_a_system_that_takes_too_long_is_stopped_and_the_next_one_solved():
    power = "X_0" + " X_0 *" * 40
    system = [
        f"{power} X_1 {power} * + X_2 + N_0 =",
        f"{power} X_2 * X_1 - N_0 =",
        "X_1 X_2 * X_0 =",
    ]
    with Solver(seconds=2) as solver:
        begun = time.monotonic()
        with pytest.raises(UnsolvableError, match="not solved in 2 seconds"):
            solver.solve(system, ["7"])
        assert time.monotonic() - begun < 60
        assert solver.solve(["X_0 N_0 ="], ["4"]) == [{0: 4.0}]


def test_the_strict_judge_asks_for_every_value_and_the_lenient_one_does_not():
    answers = [(9.0, 12.0)]
    assert strictly_right([{0: 12.0, 1: 9.0}], answers)
    assert not strictly_right([{0: 12.05, 1: 9.0}], answers)
    assert leniently_right([{0: 12.05, 1: 9.0}], answers)
    assert not strictly_right([{0: 9.0}], answers)
    assert leniently_right([{0: 9.0}], answers)
    assert not leniently_right([{0: 9.0, 1: 9.0}], answers)
    assert not strictly_right([{0: 9.0, 1: 12.0, 2: 3.0}], answers)
    assert strictly_right([{0: -3.0}, {0: 3.0}], [(3.0,)])
    for judge in (strictly_right, leniently_right):
        assert not judge([], answers)
        assert not judge([{}], answers)
        assert not judge([{0: 1.0}], [])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("draw", (1, 1)),
        pytest.param("alg514", (0, 0), marks=pytest.mark.long),
        pytest.param("mawps", (24, 21), marks=pytest.mark.long),
    ],
)
def test_the_equations_of_published_problems_come_to_their_answers(solver, name, wrong):
    problems = [p for some in published(f"{name}*_test").values() for p in some]
    found = [solver.solve(p.equations, [n.value for n in p.numbers]) for p in problems]
    for judge, count in zip((strictly_right, leniently_right), wrong, strict=True):
        right = [judge(some, p.answers) for some, p in zip(found, problems, strict=True)]
        assert right.count(False) == count
