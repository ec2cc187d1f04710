"""The interpreter writes token by token what it would write if it read everything anew."""

from fractions import Fraction

import numpy as np
import pytest

from progtf.building.load import load, parse_program
from progtf.exact import check
from progtf.program.interface import interface_of
from progtf.program.model import BOS, Program
from progtf.program.tokens import InputError, Reader
from progtf.running.cells import Cells, rounded_by_float
from progtf.running.interpret import Interpreter
from progtf.running.prepared import prepared
from progtf.running.trace import Trace
from progtf.running.walk import generate

PROGRAMS = [
    ("examples/language/translation.seme", "I admire the child"),
    ("examples/language/scan.seme", "jump around left twice after walk"),
    ("examples/language/cogs.seme", "The cat said that Emma ran ."),
]


def written_at_once(program: Program, trace: Trace) -> list[str]:
    """The best token at every place of the decoder's last residual."""
    scores = prepared(program).outputs(Cells.of(trace.steps[-1].residual)).values
    return [tuple(program.outputs)[place] for place in scores.argmax(axis=1)]


@pytest.mark.parametrize(("path", "text"), PROGRAMS)
def test_each_token_is_the_best_one_of_a_decoder_that_sees_all(path, text):
    program, trace = load(path), Trace()
    produced, gap, _ = generate(program, Reader.of(interface_of(program)).read(text), trace)
    assert written_at_once(program, trace) == produced
    assert trace.tokens == (BOS, *produced[:-1])
    assert (produced, gap, None) == generate(program, Reader.of(interface_of(program)).read(text))


def test_what_only_float64_computes_is_taken_as_it_comes_also_among_fractions():
    found = rounded_by_float(np.array([[0.1, 2.0]]), exact=True)
    assert found.values.tolist() == [[Fraction(0.1), 2]]
    with pytest.raises(InputError, match="no finite number"):
        rounded_by_float(np.array([[np.inf]]), exact=True)


LARGE_BESIDE_A_THIRD = """
model:
  kind: encoder
  length: 4

semes:
  one two
  part: 0..2000000000000 step 1/3
  much

lexicon:
  a: +one
  b: +two
  c: +two

encoder:
  layer mean:
    head mean:
      value: one>part
  layer up:
    feedforward:
      part: 1099511627776
  layer down:
    feedforward:
      part: -1099511627776
  layer look:
    feedforward:
      much: part >= {1/3}

output:
  "yes": much
  "no": 0.5
"""


@pytest.mark.parametrize("native", [True, False])
def test_what_a_large_number_takes_from_a_third_is_known(native):
    (answer,) = Interpreter(parse_program(LARGE_BESIDE_A_THIRD), native=native).answers(["a b c"])
    assert (answer.text, answer.broken) == ("yes yes yes", ())


RAMPS = """\
semes:
  n: -9..9 step 0.1
  m: 0..9
  y
  z: 0..9
lexicon:
  a: +0.1n
  b: 0
  c: -0.1n +m
layer:
  feedforward:
    y: 1e+15 + 2n > 1e+15 + n
    z: 1e+15 + n + m mod 2
"""


def test_steps_that_float64_does_not_have_are_told_apart():
    program = parse_program(RAMPS)
    assert Interpreter(program).run("a b c") == "a: +0.1n +y +0.1z | b: 0 | c: -0.1n +m +0.9z"
    assert not check(program, "float64").exact
