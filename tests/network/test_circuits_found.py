"""Methods of circuit discovery against the edges that are written."""

import pytest

import progtf
from benchmarks.circuits.__main__ import auc, scored
from benchmarks.circuits.cases import Case
from benchmarks.circuits.methods import METHODS, nothing
from benchmarks.circuits.missed import Missed
from benchmarks.circuits.wired import Wired
from tests.weights.test_circuit import CHAIN

UP, ONE, TWO = "encoder.one.head up", "encoder.one.rules", "encoder.two.rules"


def wired(*texts, program=CHAIN):
    model = progtf.compile(progtf.parse_program(program), "float64")
    return Wired(model, progtf.circuit(model), list(texts or ("x x x", "x")))


def zeroed(writer):
    found = wired()
    return found.effects(found.direct(writer, nothing))


def test_direct_effects_are_those_of_edges_and_of_no_other_pair():
    effects = zeroed(UP)
    assert effects[ONE] == 1.0
    assert effects[TWO] == 0.0  # which reads only what the rules write
    assert effects[UP] == 0.0


def test_what_one_writer_hands_on_does_not_count_as_its_own():
    assert [name for name, effect in zeroed(ONE).items() if effect] == [TWO]


def test_what_follows_from_a_change_counts_where_nothing_is_kept():
    found = wired()
    assert found.effects(found.total(UP, nothing))[TWO] > 0.0


def test_the_area_counts_ties_half():
    assert auc([1.0, 0.0], [True, False]) == 1.0
    assert auc([0.0, 1.0], [True, False]) == 0.0
    assert auc([0.0, 0.0], [True, False]) == 0.5


@pytest.mark.parametrize(("texts", "reason"), [(("x x", "x x"), "still"), (("x y", "y y"), "idle")])
def test_a_missed_edge_is_explained_by_what_its_writer_and_its_reader_do(texts, reason):
    program = CHAIN.replace("  x: +a\n", "  x: +a\n  y: 0\n")
    found = wired(*texts, program=program)
    weights = found.model.weights
    scores = {name: METHODS[name](found) for name in ("swapped",)}
    assert scores["swapped"][ONE, TWO] == 0.0
    missed = Missed(found, progtf.circuit(weights), weights)
    assert missed.reason((ONE, TWO), "swapped", scores) == reason


CANCELLED = """
semes: a b c d
lexicon:
  x: +a
  y: 0
layer one:
  feedforward:
    b: a
    c: a
layer two:
  head sum:
    at: 0
    value: b>d, -c>d
"""


def test_what_cancels_matters_part_by_part():
    found = wired("x y", "y x", program=CANCELLED)
    weights, edge = found.model.weights, (ONE, "encoder.two.head sum")
    scores = {"swapped": METHODS["swapped"](found)}
    assert scores["swapped"][edge] == 0.0
    assert (
        Missed(found, progtf.circuit(weights), weights).reason(edge, "swapped", scores)
        == "cancelled"
    )


SCORED = """
semes: a b c
lexicon:
  x: +a
  y: 0
layer one:
  head up:
    at: -1
    value: a>b
layer two:
  head on:
    at: -1
    value: b>c
output:
  up: 2c
  down: 1
"""


def test_where_all_is_linear_gradients_find_what_path_patching_finds():
    program = progtf.parse_program(SCORED)
    weights = progtf.lower(program, "float64")
    texts = ["x y y y", "y x y y"]
    case = Case("linear", progtf.compile(weights), weights, texts, texts)
    row = scored(case)
    assert row["edges"] == row["pairs"] == 1
    assert row["attribution"]["missed"] == row["swapped"]["missed"] == {}
