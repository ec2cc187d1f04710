"""Comparisons that decide over numbers are exact in float32, wherever rules can stand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import progtf
from progtf.network.network import Network, read
from progtf.running.interpret import answer
from tests.building.oracle import expected, flat_rules

RANGES = [(0, 100), (-50, 50), (0, 4000), (0, 10_000), (-10_000, 10_000)]
NAMES, FLAGS = ("a", "b", "c"), ("p", "q")
SIGNS = ["=", "!=", "<", "<=", ">", ">="]
COEFFICIENTS = ["", "-", "2", "-3"]

terms = st.tuples(st.sampled_from(COEFFICIENTS), st.sampled_from(NAMES)).map("".join)
offsets = st.sampled_from(["", " + 1", " - 7", " + 5000"])
sums = st.tuples(terms, st.sampled_from(["", " + b", " - 2c"]), offsets).map("".join)
compared = st.tuples(
    sums, st.sampled_from(SIGNS), st.one_of(sums, st.sampled_from(["0", "3", "9999"]))
)
tests = st.one_of(compared.map(" ".join), st.sampled_from(["p", "!q"]))
conditions = st.tuples(
    st.lists(tests, min_size=1, max_size=3), st.sampled_from([" & ", " | "])
).map(lambda drawn: drawn[1].join(drawn[0]))
rules = st.one_of(
    st.builds("s: {} when {}".format, sums, conditions),
    st.builds("s: abs({}) when {}".format, sums, conditions),
    st.builds("t: {}".format, conditions),
)


@st.composite
def programs(draw):
    """A program over vectors, with the ranges of its numbers."""
    ranges = {name: draw(st.sampled_from(RANGES)) for name in NAMES}
    declared = "".join(f"  {name}: {low}..{high}\n" for name, (low, high) in ranges.items())
    body = "".join(f"    {rule}\n" for rule in draw(st.lists(rules, min_size=1, max_size=3)))
    semes = f"semes:\n{declared}  p q\n  s: -200000..200000\n  t: 0..3\n"
    return f"model:\n  kind: dense\n{semes}layer:\n  feedforward:\n{body}", ranges


@st.composite
def points(draw, ranges):
    """Numbers of these ranges: their ends, what lies next to each other, anything."""
    at = {
        n: draw(st.one_of(st.sampled_from(ends), st.integers(*ends))) for n, ends in ranges.items()
    }
    if draw(st.booleans()):
        low, high = ranges["b"]
        at["b"] = min(max(low, at["a"] + draw(st.integers(-1, 1))), high)
    return at | {flag: draw(st.integers(0, 1)) for flag in FLAGS}


def written(point) -> str:
    return " ".join(f"{value:+d}{name}" for name, value in point.items())


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_float32_gives_what_the_rules_say_bit_for_bit(data):
    text, ranges = data.draw(programs())
    some = data.draw(st.lists(points(ranges), min_size=8, max_size=8))
    program = progtf.parse_program(text)
    asked = " | ".join(map(written, some))
    meant = answer(program, asked).residual
    got = progtf.compile(program).answers([asked])[0].residual
    for name in ("s", "t"):
        column = program.space.index[name]
        mine = [rule for rule in flat_rules(text) if rule.targets[0].terms[0].name == name]
        said = [sum(expected(rule, at) for rule in mine) for at in some]
        assert meant[:, column].tolist() == said
        assert got[:, column].tolist() == said


@settings(max_examples=15, deadline=None)
@given(programs())
def test_split_programs_come_back_from_text_and_network(drawn):
    weights = progtf.lower(progtf.parse_program(drawn[0]))
    assert read(Network(weights)) == weights
    assert progtf.diff(progtf.parse_program(progtf.decompile(weights)), weights) == []


RULES = """
  feedforward:
    s: 2a - b when a + 1 > b & a != 3
    s: -a when a < b
    up: a > b & a > 10"""
HEAD = """
  head next:
    at: +1
    value: a>b"""
SEMES = """
semes:
  begin end up
  a: -10000..10000
  b: -10000..10000
  s: -30000..30000
lexicon:
  <bos>: +begin
  <eos>: +end
"""
NUMBERS = "".join(f'  "{n}": {n:+d}a\n' for n in (-10_000, -9_999, -1, 0, 1, 3, 4, 9_999, 10_000))
PLACES = {
    "a layer of its own": f"layer:{HEAD}\nlayer:{RULES}",
    "after heads": f"layer:{HEAD}{RULES}",
    "automatic": f"layer:{RULES}{HEAD}",
    "an encoder": f"encoder:\n  layer one:{HEAD}{RULES}".replace("\n  ", "\n    "),
}


def layered(place: str) -> str:
    model = "model:\n  length: 4\n" + "  layers: auto\n" * (place == "automatic")
    layers = PLACES[place].replace("encoder:\n    layer", "encoder:\n  layer")
    return model + SEMES + NUMBERS + layers + "\n"


@pytest.mark.parametrize("place", PLACES)
def test_comparisons_are_exact_in_every_place(place):
    program = progtf.parse_program(layered(place))
    model = progtf.compile(program)
    numbers = [int(token) for token in program.lexicon if token[-1].isdigit()]
    pairs = [(a, b) for a in numbers for b in numbers]
    answers = model.answers([f"{a} {b}" for a, b in pairs])
    for (a, b), got in zip(pairs, answers, strict=True):
        row = dict(zip(program.space.names, got.residual[1], strict=False))
        s = (2 * a - b) * (a + 1 > b and a != 3) - a * (a < b)
        assert (row["s"], row["up"]) == (s, a > b and a > 10), (a, b)


def test_flags_of_comparisons_are_no_part_of_answers():
    model = progtf.compile(progtf.parse_program(layered("after heads")))
    assert [name for name in model.layout.names if name.startswith("comparison")] == [
        'comparison["a + 1 > b"]',
        'comparison["a = 3"]',
        'comparison["a > b"]',
        'comparison["a > 10"]',
    ]
    assert model.run("4 3") == '"4": +4a +3b +5s | "3": +3a'
    moments = {moment.label: moment.residual for moment in model.trace("4 3")}
    assert list(moments) == ["embedding", "layer_1.tests", "layer_1"]
    column = model.layout.names.index('comparison["a + 1 > b"]')
    assert moments["layer_1.tests"][1, column] == 1
    assert moments["layer_1"][1, model.layout.names.index("s")] == 5


DECODER = """
model:
  kind: seq2seq
  length: 4 -> 2
semes:
  BEGIN END said
  n: -50..50
  a: -50..50
  b: -50..50
  apart: 0..100
lexicon:
  for k in -50..50:
    "{k}": +{k}n
  <bos>: +BEGIN
  <eos>: +END
encoder:
  layer read:
    head a:
      at: +1
      value: n>a
    head b:
      at: +2
      value: n>b
decoder:
  layer say:
    head bring:
      from: encoder
      query: +start
      key: BEGIN>start
      value: a>a, b>b
    feedforward:
      apart: a - b when a > b & BEGIN
      apart: b - a when a < b & BEGIN
      said: !BEGIN
output:
  for k in 0..50:
    "{k}": {2*k}apart - {k*k}
  <eos>: 10000said
"""


def test_a_decoder_compares_what_it_brings():
    program = progtf.parse_program(DECODER)
    assert [layer.name for layer in program.decoder] == ["say.tests", "say"]
    pairs = [(a, b) for a in range(-25, 26, 5) for b in range(-25, 26, 6)]
    model = progtf.compile(program)
    answers = [answer.text for answer in model.answers([f"{a} {b}" for a, b in pairs])]
    assert answers == [str(abs(a - b)) for a, b in pairs]


EUCLID = """
model:
  length: 2
semes:
  a: 0..40
  b: 0..40
lexicon:
  for n in 1..40:
    "{n}": +{n}a
layer next:
  head next:
    at: +1
    value: a>b
layer euclid:
  repeat: 39
  feedforward:
    a: -b when a > b & b > 0
    b: -a when b > a
score:
  pool: first
  value: a
"""


def test_a_repeated_layer_compares_anew_in_every_round():
    model = progtf.compile(progtf.parse_program(EUCLID))
    pairs = [(a, b) for a in range(1, 41) for b in range(1, 41)]
    answers = [answer.score for answer in model.answers([f"{a} {b}" for a, b in pairs])]
    assert answers == [math.gcd(a, b) for a, b in pairs]


def test_what_is_learned_beside_a_layer_stays_beside_its_rules():
    learn = "learn:\n  semes: 4\n  encoder: layers 2..3 heads 1 filter 4\n"
    program = progtf.parse_program(layered("a layer of its own") + learn)
    assert [layer.name for layer in program.encoder] == ["layer 1", "layer_2.tests", "layer_2"]
    assert program.learn is not None
    assert list(program.learn.encoder) == [3, 4]
