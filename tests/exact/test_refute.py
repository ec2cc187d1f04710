"""The attack on certificates: what it writes are programs, and what is wrong it finds."""

import json
from pathlib import Path

import pytest

import progtf
from benchmarks.refute.assumptions import broken
from benchmarks.refute.attack import Trial, attack, claimed
from benchmarks.refute.chance import Chance
from benchmarks.refute.claims import Claim, Got
from benchmarks.refute.known_flaws import FLAWS
from benchmarks.refute.meaning import Oracle
from benchmarks.refute.programs import random_program
from benchmarks.refute.shrink import Case, seen, shrunk
from progtf import SemeError
from progtf.exact import Report
from progtf.program.outcome import Held

CERTIFICATES = Path("tests/data/certificates")

STORED = """\
model:
  length: 4
semes: a b
lexicon:
  x: +a
  y: +b
  z: 0
classify:
  A: 1.003a
  B: b
"""


def is_program(text):
    try:
        progtf.parse_program(text)
    except SemeError:
        return False
    return True


def test_most_of_what_is_written_at_random_is_a_program():
    read = [is_program(random_program(Chance(f"program {place}"))) for place in range(60)]
    assert sum(read) > 40


def test_the_same_seed_writes_the_same_program():
    assert random_program(Chance("x")) == random_program(Chance("x"))


def test_every_flaw_replaces_something_that_is_there():
    for flaw in FLAWS.values():
        with flaw.there():
            pass


def test_a_flaw_that_is_put_back_is_found():
    program = progtf.parse_program(STORED)
    assert {outcome.dtype for outcome in attack(program, Chance("1")) if outcome.found} == set()
    with FLAWS["storing"].there():
        outcomes = attack(program, Chance("1"))
    false = {outcome.dtype: outcome.found.promise for outcome in outcomes if outcome.found}
    assert false.keys() >= {"bfloat16", "float16"}
    assert set(false.values()) <= {"answer", "error", "gap"}


def test_a_case_is_made_smaller_and_still_differs():
    with FLAWS["storing"].there():
        program = progtf.parse_program(STORED)
        outcome = next(o for o in attack(program, Chance("1")) if o.dtype == "bfloat16")
        case = shrunk(Case(STORED, outcome.found), seconds=1.0)
        assert seen(case) is not None
    assert len(case.text) < len(STORED)
    assert len(case.found.texts[-1].split()) == 1


ASSUMED = """\
model:
  length: 4
semes: noun
  size: 0..9
  of: 0..9
  big
lexicon:
  dog: +noun +4size
  cat: +noun +2size
layer:
  head one:
    where: noun
    value: size>of
layer:
  feedforward:
    big: of >= 4
classify:
  BIG: big
  otherwise: SMALL
"""


def assuming(text, held):
    report = Report("float64", 4)
    report.assume(text, None, held)
    return report


@pytest.mark.parametrize(("text", "breaks"), [("dog dog", False), ("dog cat", True)])
def test_an_input_that_breaks_an_assumption_refutes_nothing(text, breaks):
    program = progtf.parse_program(ASSUMED)
    oracle = Oracle(program)
    report = assuming("tokens that match equally give `of` the same value", Held("same", "of"))
    readout, watch = oracle.meant(text).readout, oracle.watched(text)
    assert broken(program, report, readout, watch) == breaks


def test_the_interpreter_keeps_every_promise_and_another_answer_none():
    program = progtf.parse_program(STORED)
    claim, oracle = claimed(program, "float64"), Oracle(program)
    assert isinstance(claim, Claim)
    meant, other = oracle.meant("x"), oracle.meant("y")
    assert claim.broken_by(meant, Got(meant.answer, meant.readout), alone=True) == ""
    assert claim.broken_by(meant, Got(other.answer, other.readout), alone=True) == "answer"


def test_a_certified_model_is_tried_in_batches():
    texts = json.loads((CERTIFICATES / "inputs.json").read_text())["half_step"]
    program = progtf.load(CERTIFICATES / "half_step.seme")
    claim = claimed(program, "float64")
    trial = Trial(claim, progtf.compile(program, "float64"), Oracle(program))
    got, _ = trial.tried(texts)
    assert [one.answer.text for one in got] == progtf.compile(program, "float64").run(texts)


SHARED_UNIT = """\
model:
  length: 4
semes:
  p
  n: 0..1 step 0
  m: 0..6.1 step 0
lexicon:
  x: +p
  y: 0
layer:
  feedforward:
    n: 1 when p = 1
    n: 0.1 when p = 0
layer:
  head:
    look: self
    value: 5n>m, +1.1m
classify:
  pool: first
  A: m
  B: 0
"""
"""Both lines read one hidden unit: 0.9 is stored, not 1 and 0.1."""

NO_STEP = """\
model:
  length: 4
semes:
  a
  b
  c
  f
lexicon:
  x: +a +c
  y: 0
  z: +a
layer:
  feedforward:
    b: a
layer:
  head:
    where: b
    value: c>f
    else: +0.1f
classify:
  pool: first
  A: f + 0.2857
  B: 0.4286
  C: 0.1
"""
"""What is given where nothing matches is no step of a flag."""

BESIDE_A_GATE = """\
semes:
  f
  p[0..3]
  n5: 0..12345679
  n8: 0..49382728345679 step 0
  n9: -98765456691358..0.7 step 0
lexicon:
  z: +f +p[3]
layer:
  head:
    when: p[2] & !p[3]
    value: +12345679n5
  feedforward:
    n8: 4000001n5
layer:
  feedforward:
    n9: 0.7f - 2n8 when p[3] & f
"""
"""A flag that is read stands in the gate too: 2^47 + 0.7 is no number of float64."""


@pytest.mark.parametrize("text", [SHARED_UNIT, NO_STEP])
def test_what_was_refuted_once_is_not_refuted_again(text):
    outcomes = attack(progtf.parse_program(text), Chance("1"))
    assert [outcome.found for outcome in outcomes if outcome.found] == []
    assert any(outcome.verdict in ("exact", "assumed") for outcome in outcomes)


HALF_OPEN = """\
semes:
  f0
  f1
  f4
  f7
  n2: 0..1 step 0.25
  n8: 0..4000000 step 0.015625
lexicon:
  every: +f0 +f1 +n2
cell:
  activation: tanh
layer:
  feedforward:
    f4: 65536f1 >= 0
layer:
  feedforward:
    f7: f0 & f1 & f4
layer:
  head h8:
    where: f7
    value: +4000000n8
"""
"""The flags of a gate come out of a cell: 0.76 is no step of a flag, and what they open is none."""


def test_a_gate_that_a_cell_opens_by_half_makes_no_flag():
    outcomes = attack(progtf.parse_program(HALF_OPEN), Chance("1"))
    assert [outcome.found for outcome in outcomes if outcome.found] == []


def test_what_is_lost_in_adding_weights_up_is_counted():
    program = progtf.parse_program(BESIDE_A_GATE)
    outcomes = attack(program, Chance("1"))
    assert [outcome.found for outcome in outcomes if outcome.found] == []
    assert not progtf.check(program, "float64").exact
