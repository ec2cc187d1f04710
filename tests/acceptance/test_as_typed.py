"""Questions as people type them: what has one reading is answered as the published form of it."""

import pytest

import progtf
from tests.programs import ALL, loaded

pytestmark = pytest.mark.xdist_group("all.seme")

TYPED = {
    "What is 2+3?": "5",
    "What is 10 - 3": "7",
    "What is 10-3?": "?",  # `4 -3` may be what is left of `4 y`
    "2+3": "5",
    "2 + 3 =": "5",
    "10-3 = ?": "7",
    "What is 2 + 3 * 4?": "14",
    "What is (1 + 2) * 3?": "9",
    "6 / 2 =": "3",
    "what is 2 + 3": "5",
    "What is 3*-2?": "-6",
    "What is 3 × 4?": "12",
    "What is 3x4?": "12",
    "What is 12÷4?": "3",
    "What is 1+2+3?": "6",
    "What is (1+2)*3?": "9",
    "  What is   7 − 9 ? ": "-2",
    "What is 1,000,000, 2+3?": "?",
    "Differentiate x^2.": "2*x",
    "What is the derivative of 3*x^2 + x?": "6*x + 1",
    "Let x = 3. What is x + 4+1?": "8",
    "Let y = -3. What is 4 y?": "?",
    "Let n = 3/2. Differentiate 4*x**n wrt x.": "?",  # as 4*x**3/2 it was 6*x**2
    "Let n = 1/2. Find the second derivative of 8*x**n wrt x.": "?",
    "Let n = 3. Differentiate 4*x**n wrt x.": "12*x**2",
    "Let l = 144 - i. Determine l*q + 3/": "?",  # of which a part was answered
    "Is 7 prime": "True",
    "Is 91 a prime number?": "False",
}


@pytest.fixture(scope="module")
def answering():
    return progtf.interpret(loaded(ALL))


@pytest.mark.parametrize(("text", "due"), TYPED.items(), ids=TYPED)
def test_a_question_as_typed_has_the_answer_of_its_published_form(answering, text, due):
    assert answering.run(text)[: len(due)] == due
