"""What tokens give is held against what is declared."""

import pytest

from progtf.building.load import analyse
from progtf.program.forms import Values

PROGRAM = """\
semes: a b out
  height: 0..250 step 10
lexicon:
  x: {vector}
layer:
  feedforward:
    out: {rule}
"""


def analysed(vector, rule="b"):
    program, found = analyse(PROGRAM.format(vector=vector, rule=rule), "p.seme", None)
    return program, [d.code for d in found]


@pytest.mark.parametrize("value", ["300", "-10", "15"])
def test_a_value_outside_of_a_declared_range_is_refused(value):
    program, codes = analysed(f"+b +{value}height".replace("+-", "-"))
    assert program is None
    assert codes == ["out-of-range"]


@pytest.mark.parametrize("value", ["0", "10", "250"])
def test_a_value_on_the_grid_is_taken(value):
    assert analysed(f"+b +{value}height")[1] == []


def test_a_seme_that_tokens_give_other_values_is_no_flag():
    program, codes = analysed("+b -2.5a")
    assert codes == []
    assert program.space.ranges["a"] == Values(-2.5, 1.0, 0.5)


def test_reading_it_as_a_flag_is_refused():
    assert analysed("+b +2a", rule="a & b")[1] == ["not-a-flag"]
    assert analysed("+b +2a", rule="a = 2")[1] == []


def test_a_flag_that_a_token_gives_a_number_is_told_so():
    text = "semes: digit odd\nlexicon:\n  x: +5digit\nlayer:\n  feedforward:\n    odd: !digit\n"
    _, found = analyse(text, "<test>", None)
    assert [(d.code, d.label) for d in found] == [
        ("not-a-flag", "a token gives it 5, so it is no flag")
    ]
