"""Every step of chains of questions made here, judged in exact numbers: right, or refused."""

import pytest

import progtf
from benchmarks.steps import chain_of
from progtf.data import generate
from tests.programs import ALL, loaded

pytestmark = pytest.mark.xdist_group("all.seme")

MODULES = (
    "algebra__linear_1d_composed",
    "algebra__linear_2d_composed",
    "algebra__polynomial_roots_composed",
    "calculus__differentiate_composed",
    "comparison__closest_composed",
    "comparison__kth_biggest_composed",
    "comparison__pair_composed",
    "comparison__sort_composed",
    "numbers__div_remainder_composed",
    "numbers__gcd_composed",
    "numbers__is_factor_composed",
    "numbers__is_prime_composed",
    "numbers__lcm_composed",
    "numbers__list_prime_factors_composed",
    "numbers__place_value_composed",
    "numbers__round_number_composed",
    "polynomials__add",
    "polynomials__compose",
    "polynomials__evaluate_composed",
    "polynomials__simplify_power",
)
EACH = 3
# Of each kind of definition one, and what is answered to it: worked out by hand.
TYPED = {
    "Let h = 63 - 66. What is the tens digit of 1/(5/15*h/(-409))?": "0",
    "Suppose x + y = 7, x - y = 1. Calculate the greatest common divisor of 8*x and 9*y.": "1",
    "Let f(x) = x**2 - 3. Let k be f(-4). Is k a prime number?": "True",
    "Let q(s) be the second derivative of s**4/12 - 4*s**3/3. What is q(2)?": "-12",
    "Let j = 2380 + -2375. Put -2/13, 86, j in increasing order.": "-2/13, j, 86",
    "Let c(p) = -8151*p. Let d(f) = 891*f. Determine c(d(v)).": "-7262541*v",
}


@pytest.fixture(scope="module")
def meant():
    return progtf.interpret(loaded(ALL))


def not_right(chain):
    """The steps that are wrong, or that the judge cannot read."""
    return [str(step) for step in chain.steps if step.verdict in ("wrong", "not judged")]


def test_each_step_to_an_answer_is_right(meant):
    chains = [chain_of(answer) for answer in meant.try_answers([*TYPED])]
    assert [chain.steps[-1].answer for chain in chains] == [*TYPED.values()]
    assert {step.verdict for chain in chains for step in chain.steps} == {"right"}


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES)
def test_no_step_is_wrong_and_the_judge_reads_all(meant, module):
    problems = generate("interpolate", module, 74, 0)[:EACH]
    answers = meant.try_answers([problem.question for problem in problems])
    for problem, chain in zip(problems, map(chain_of, answers), strict=True):
        assert not_right(chain) == []
        said = chain.steps[-1].answer
        assert said == problem.answer or chain.verdict == "refused"
