"""The interpreter writes token by token what it would write if it read everything anew."""

import pytest

import progtf
from progtf.building.load import load
from progtf.program.interface import interface_of
from progtf.program.model import BOS, Program
from progtf.program.tokens import Reader
from progtf.running.cells import Cells
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
    text = """
model:
  norm: layer
semes:
  a
  share: 0..1 step 1/3
  big
lexicon:
  x: +a +{1/3}share
layer:
  head sum:
    value: share>share
layer:
  feedforward:
    big: a & share >= 1/3
"""
    (found,) = progtf.interpret(progtf.parse_program(text)).answers(["x x x"])
    assert found.fractions
    assert found.tokens == ("x", "x", "x")
