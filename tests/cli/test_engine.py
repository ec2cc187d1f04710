"""What answers, as it is chosen: the network, the interpreter or the reference."""

import json

import pytest

from tests.running.test_promises import FLAG_OF_A_RULE

SHOP = """\
use "std/counting.seme"
semes:
  begin
  count: 0..9
  price: 0..9
  cost: 0..81
  bill: 0..200
lexicon:
  <bos>: +begin
  for n in 1..9:
    "{n}": +{n}count
  tea:  +2price
  cake: +3price
  and:  0
layer multiply:
  head amount:
    at: -1
    bind: count*price > cost
layer add:
  use total(begin, cost, bill)
classify:
  pool: first
  for n in 0..200:
    "{n}": {2*n}bill - {n*n}
"""
TRAINED = "semes: a b\nlexicon:\n  x: +a\nlearn:\n  semes: 4\n"


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.seme"
    path.write_text(FLAG_OF_A_RULE)
    return path


def test_strict_refuses_a_text_that_breaks_a_promise(progtf, two, tmp_path):
    status, out, err = progtf("run", "--strict", two, "x y x")
    assert (status, out) == (1, "\n")
    assert "text 1: a promise of the program does not hold" in err
    assert "`b` is 2 at token 2, and the rule in line 16 of two.seme wants 0 or 1" in err
    assert progtf("run", "--strict", two, "x y w", "w x") == (0, "NONE\nFOUND\n", "")
    shop = tmp_path / "shop.seme"
    shop.write_text(SHOP)
    status, out, err = progtf("run", "--strict", shop, "9 tea", "9 cake " * 8)
    assert (status, out) == (1, "18\n\n")
    assert "`bill` is 216 at token 1, and the answer wants 0..200" in err


@pytest.mark.parametrize(
    ("file", "kept", "broken", "status"),
    [
        ("tests/golden/inexact/leaves_range.seme", "cat", "dog", 1),
        ("examples/language/sentiment.seme", "a terrible film", None, 3),
    ],
    ids=["not exact", "not proven"],
)
def test_strict_answers_exactly_where_the_network_would_not(progtf, file, kept, broken, status):
    answered = progtf("run", "--strict", file, kept)
    assert answered[0] == 0
    assert answered == progtf("run", "--engine", "reference", file, kept)
    assert broken is None or progtf("run", "--strict", file, broken)[:2] == (1, "\n")
    assert progtf("check", "--quiet", file)[0] == status
    refused, out, err = progtf("run", "--strict", "--engine", "network", file, kept)
    assert (refused, out) == (status, "")
    assert "--strict asks for exact answers" in err


@pytest.mark.parametrize("more", [(), ("--engine", "interpreter")])
def test_the_interpreter_names_the_promise_and_goes_on(progtf, two, more):
    status, out, err = progtf("run", *more, "--json", two, "x y x", "x y w")
    assert status == 0
    broken, kept = map(json.loads, out.splitlines())
    assert broken["outcome"]["verdict"] == "broken promise"
    assert broken["broken"] == [
        {
            "kind": "flag", "what": "b", "by": "the rule in line 16 of two.seme",
            "token": 1, "value": 2.0, "due": "0 or 1",
        }
    ]  # fmt: skip
    assert kept["outcome"]["verdict"] == "by meaning"
    assert "broken" not in kept
    assert "text 1: a promise of the program does not hold" in err


@pytest.mark.parametrize("engine", ["network", "interpreter", "reference"])
def test_all_of_them_answer(progtf, two, engine):
    status, out, _ = progtf("run", "--engine", engine, two, "x y w", "w x")
    assert (status, out) == (0, "NONE\nFOUND\n")


def test_what_an_engine_cannot_do_is_said(progtf, two, tmp_path):
    status, _, err = progtf("run", "--engine", "reference", "--dtype", "float32", two, "x")
    assert status != 0
    assert "--engine reference computes exactly; leave --dtype out" in err
    status, _, err = progtf("run", "--engine", "reference", "--trace", "a", two, "x")
    assert status != 0
    assert "--engine reference answers; leave --trace and --margins out" in err
    trained = tmp_path / "trained.seme"
    trained.write_text(TRAINED)
    status, _, err = progtf("run", "--engine", "reference", trained, "x")
    assert status != 0
    assert "`learn:` is the network's only" in err
