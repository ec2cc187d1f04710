"""Numbers that are printed are the exact ones, rounded once: to the nearest float64."""

from fractions import Fraction

import pytest

from progtf import parse_program
from progtf.building.load import flat_program
from progtf.program.interface import interface_of
from progtf.reference import Reference
from progtf.running.interpret import Interpreter

TEXTS = [" ".join("x" * k + "y" * (n - k)) for n in range(1, 15) for k in range(n + 1)]

CLASSES = """
semes: a b
lexicon:
  x: +a
  y: +b
classify:
  pool: mean
  A: a
  B: b
  otherwise: C
"""
HALF_OPEN = """
semes:
  a b g h
  m: 0..1 step 0
  c: 0..9
  d: 0..9
lexicon:
  x: +a +g
  y: +b +g
layer one:
  head mean:
    value: a>m
layer two:
  feedforward:
    h: m when g
layer three:
  feedforward:
    c: 3 when h & g
    d: 2 when g
    d: 1 when a
"""


def answerers(text):
    program = parse_program(text)
    reference = Reference(flat_program(text, program.name, None), interface_of(program))
    return Interpreter(program), Interpreter(program, native=False), reference


@pytest.mark.parametrize("who", [0, 1, 2], ids=["native", "numpy", "reference"])
def test_scores_and_how_far_they_lie_apart_are_rounded_once(who):
    answering = answerers(CLASSES)[who]
    for text in TEXTS:
        count = len(text.split())
        scores = {"A": Fraction(text.count("x"), count), "B": Fraction(text.count("y"), count)}
        scores["C"] = Fraction(1, 2)
        *_, second, first = sorted(scores.values())
        (answer,) = answering.answers([text])
        assert answer.scores == {name: float(score) for name, score in scores.items()}, text
        assert answer.gap == float(first - second), text


@pytest.mark.parametrize("who", [0, 1], ids=["native", "numpy"])
def test_what_a_gate_lets_through_that_reads_a_fraction_is_rounded_once(who):
    answering = answerers(HALF_OPEN)[who]
    for text in TEXTS:
        share = Fraction(text.count("x"), len(text.split()))
        opened = (
            min(max(Fraction(3, 2) - 2 * (1 - share), 0), 1) if 1 - share < Fraction(3, 4) else 0
        )
        (answer,) = answering.answers([text])
        assert {each.kind for each in answer.broken} <= {"flag"}
        assert bool(answer.broken) == (share not in (0, 1))
        names = answering.semes
        rows = [dict(zip(names, row, strict=False)) for row in answer.residual.tolist()]
        assert {row["c"] for row in rows} == {float(3 * opened)}, text
        assert {row["m"] for row in rows} == {float(share)}, text
