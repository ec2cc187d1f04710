"""The engine in C against the arrays of numpy, and against what is no program."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int32
from random import Random
from threading import Barrier, get_ident

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from progtf import parse_program
from progtf.program.answering import Input
from progtf.program.answers import Answer, Readout
from progtf.running.interpret import Interpreter
from progtf.running.native.engine import Engine, engine_of
from progtf.running.native.library import library
from progtf.running.native.packed import packed
from progtf.running.stop import STOP
from tests.network.programs import built, inputs, loops, programs, written_in_loops
from tests.programs import EVERY, LARGE, ROOT, loaded

COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="the engine needs a C compiler")


def assert_alike(program, texts):
    """Both say the same of some texts; how many of these the engine left aside."""
    quick, slow = Interpreter(program), Interpreter(program, native=False)
    engine, aside = engine_of(program), 0
    found = zip(texts, quick.try_answers(texts), slow.try_answers(texts), strict=True)
    for text, got, due in found:
        assert type(got) is type(due)
        if isinstance(due, Answer):
            assert (got.text, got.tokens, got.broken) == (due.text, due.tokens, due.broken)
            assert str(got.outcome) == str(due.outcome)
            assert (got.scores is None) == (due.scores is None)
            if due.scores is not None:
                assert got.scores == pytest.approx(due.scores, abs=1e-9)
            (asked,) = quick.read([text])
            told = None if engine is None else engine.told(tuple(asked))
            aside += told is None
            if told is not None and told.residual is not None:
                columns = range(told.residual.shape[1])
                up = [told.is_up(column) for column in columns]
                assert up == (told.residual != 0).any(axis=0).tolist()
                assert engine.touched(tuple(asked)).up == told.up
        else:
            assert str(got) == str(due)
    return aside


def test_it_was_built_where_it_can_be():
    assert library() is not None, "python scripts/native.py"


@pytest.mark.parametrize("path", EVERY)
def test_examples_are_answered_alike(path):
    program = loaded(path)
    texts = [example.input for example in program.examples][: 2 if path in LARGE else 4]
    assert_alike(program, texts)


@given(programs(), st.lists(inputs, min_size=1, max_size=4))
def test_random_programs_are_answered_alike(text, texts):
    event(f"aside: {assert_alike(built(text, ()), texts)} of {len(texts)}")


@given(loops(), st.lists(inputs, min_size=1, max_size=3))
def test_loops_are_answered_alike(text, texts):
    event(f"aside: {assert_alike(built(text, ()), texts)} of {len(texts)}")


@given(written_in_loops(), st.lists(inputs, min_size=1, max_size=3))
def test_loops_of_decoders_are_answered_alike(text, texts):
    event(f"aside: {assert_alike(built(text, ()), texts)} of {len(texts)}")


PLAIN = """
model:
  length: 8
semes:
  a b
  n: 0..9
  sum: 0..9
lexicon:
  x: +a +3n
  y: +b +1n
layer:
  head all:
    value: n>sum
"""


def test_a_third_is_a_third():
    program = parse_program(PLAIN)
    (given_,) = Interpreter(program).read(["x y y"])
    told = engine_of(program).told(tuple(given_))
    assert told.residual[0, program.space.index["sum"]] == 5 / 3


def test_a_promise_that_breaks_is_left_to_numpy():
    program = parse_program(PLAIN + "layer:\n  feedforward:\n    b: a when sum = 2\n")
    interpreter, engine = Interpreter(program), engine_of(program)
    for text, whole in (("x y", True), ("x y y", False)):
        (asked,) = interpreter.read([text])
        assert (engine.told(tuple(asked)) is not None) == whole
        assert bool(interpreter.answers([text])[0].broken) != whole


NEAR_AN_ADDRESS = """
model:
  kind: decoder
  length: 6 -> 8
clocks: /64
semes:
  a b
  saw: 0..9
  v: 0..9
lexicon:
  x: +a +1v
  z: +b +a +3v
decoder:
  layer:
    head h:
      look: upto
      nearest: a
      at: -2
      else: 0 below 1.5
      value: v>saw
output:
  x: 2saw - 1
  z: 6saw - 9
"""


def test_what_is_nearer_counts_beside_an_address():
    assert_alike(parse_program(NEAR_AN_ADDRESS), ["x z x", "z x x z"])


BEYOND = """
semes:
  b
  v: 0..9007199254740991
  u: 0..9
  saw: 0..9 step 0
lexicon:
  x: +9007199254740991v +1u
  y: +9007199254740991v +2u +b
layer:
  head h:
    query: +q
    key: v>q, u>q
    value: b>saw
"""


def test_keys_beyond_float64_are_told_apart():
    assert_alike(parse_program(BEYOND), ["x y", "x x y"])


def test_a_list_is_answered_by_several_threads(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    begun, read_out = list[int](), Interpreter._read_out
    both = Barrier(2, timeout=60)

    def noted(self: Interpreter, given: Input) -> Readout:
        begun.append(get_ident())
        if len(begun) in (2, 3):  # two of them are under way at the same time
            both.wait()
        return read_out(self, given)

    meant = loaded(ROOT / "examples/math/place_value.seme")
    texts = [f"What is the tens digit of {number}?" for number in range(100, 140)]
    expected = Interpreter(meant, native=False).answers(texts)
    monkeypatch.setattr(Interpreter, "_read_out", noted)
    found = Interpreter(meant).answers(texts)
    assert [each.text for each in found] == [each.text for each in expected]
    assert len({*begun}) == 3  # who asked, and two more


def test_threads_share_an_engine():
    program = loaded(ROOT / "examples" / "math" / "place_value.seme")
    texts = [example.input for example in program.examples] * 5
    due = [answer.text for answer in Interpreter(program).answers(texts)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda text: Interpreter(program).answers([text])[0].text, texts)
        assert list(found) == due


WRITES = """
model:
  kind: decoder
  length: 4 -> 9000
semes: a b saw
lexicon:
  x: +a
  y: +b
decoder:
  layer:
    head prev:
      look: before
      where: a
      value: a>saw
output:
  x: b
  y: a + 0.5
"""
LONG = """
import os, resource, signal, sys, threading
import progtf
from progtf.running.interpret import Interpreter
meant = Interpreter(progtf.parse_program(sys.stdin.read()))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
meant.try_answers(["x"])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024 < 40)
for texts in (["x"] * 2, ["x"] * 40):
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        while True:
            meant.try_answers(texts)
    except KeyboardInterrupt:
        print("stopped")
"""


def test_a_long_answer_takes_little_memory_and_can_be_interrupted():
    command = [sys.executable, "-c", LONG]
    done = subprocess.run(
        command, input=WRITES, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout.split(), done.stderr) == (["True", "stopped", "stopped"], "")


def test_numpy_stops_where_nobody_waits_any_more(monkeypatch):
    slow = Interpreter(loaded(ROOT / "examples/math/place_value.seme"), native=False)
    text = "What is the tens digit of 1234?"
    monkeypatch.setattr(STOP, "wanted", c_int32(0))
    assert slow.run(text) == "3"
    monkeypatch.setattr(STOP, "wanted", c_int32(1))
    with pytest.raises(KeyboardInterrupt):
        slow.run(text)


HOSTILE = (
    "algorithms/hist",
    "algorithms/parity",
    "algorithms/reverse",
    "math/gcd",
    "language/scan",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_program_is_none(name):
    program = loaded(ROOT / "examples" / f"{name}.seme")
    code, chance = packed(program), Random(1)
    (asked,) = Interpreter(program).read([program.examples[0].input])
    for cut in chance.sample(range(len(code)), 100):
        assert not Engine(program, code[:cut].copy(), library()).works
    assert not Engine(program, np.append(code, 0), library()).works
    for _ in range(200):
        changed = code.copy()
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(min(len(code), chance.choice([20, 200, 10_000])))
            changed[place] = chance.choice([-1, 0, 1, 2, 7, 100, 2**31, 2**62, -(2**63), 1 << 52])
        engine = Engine(program, changed, library())
        if engine.works:
            engine.told(tuple(asked))
