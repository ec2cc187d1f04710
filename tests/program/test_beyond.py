"""What is proven for declared values is said of no other ones."""

import pytest

import progtf
from progtf.program.outcome import NotExactError
from progtf.running.interpret import Interpreter

DENSE = """
model:
  kind: dense
semes:
  pig: 0..9
  hen: -1..1 step 0.5
  cat
  cow: -2..4 step 2
  ewe: 0..1 step 0.1
  ram: 0..1 step 1/3
half: 0.5pig>pig, hen>hen, cat>cat, cow>cow, ewe>ewe, ram>ram
dense:
  weights: half
examples:
  +2pig -> +pig
"""
WITHIN = [
    "+pig", "+9pig", "+0pig", "-hen", "-0.5hen", "+hen", "+cat", "+pig +cat", "-2cow", "+4cow",
    "+2cow +0.5hen", "+0.3ewe", "+0.7ewe", "+0.1ewe", "+ewe", "+0.3333333333333333ram",
]  # fmt: skip
BEYOND = [
    ("-pig", "pig"), ("+10pig", "pig"), ("+0.5pig", "pig"), ("+8.999999pig", "pig"),
    ("+1.5hen", "hen"), ("-1.5hen", "hen"), ("+0.25hen", "hen"), ("+2cat", "cat"),
    ("-cat", "cat"), ("+0.999999cat", "cat"), ("+cow", "cow"), ("-4cow", "cow"), ("+6cow", "cow"),
    ("+pig +2cat", "cat"), ("+1000000pig", "pig"),
    ("+0.35ewe", "ewe"), ("+0.3000001ewe", "ewe"), ("+0.3333ram", "ram"),
]  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.parse_program(DENSE))


@pytest.mark.parametrize("text", WITHIN)
def test_an_answer_to_declared_values_is_exact(model, text):
    assert model.answers([text])[0].outcome.exact
    assert model.run([text], strict=True)


@pytest.mark.parametrize(("text", "seme"), BEYOND)
def test_nothing_is_proven_of_an_answer_to_others(model, text, seme):
    said = model.answers([text])[0].outcome
    assert said.verdict == "not proven"
    assert f"`{seme} " in said.problems[0]
    with pytest.raises(NotExactError, match=f"`{seme} "):
        model.run([text], strict=True)


@pytest.mark.parametrize(("text", "seme"), BEYOND[:3])
def test_others_of_the_same_list_stay_exact(model, text, seme):
    said = [each.outcome.exact for each in model.try_answers([WITHIN[0], text, WITHIN[1]])]
    assert said == [True, False, True]


def test_the_meaning_has_no_range():
    (answer,) = Interpreter(progtf.parse_program(DENSE)).answers(["-pig"])
    assert answer.outcome.verdict == "by meaning"
