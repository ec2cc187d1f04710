"""What falls in every round ends a loop: proven where it does, and refused where it does not."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.refute.attack import Trial, going_on
from benchmarks.refute.claims import Claim
from benchmarks.refute.meaning import Oracle
from progtf import SemeError, check, parse_program
from progtf.exact.paths import Case, pieces
from progtf.program.curves import heights
from progtf.program.forms import Form, Space, Values

EUCLID = """\
model:
  length: 2
semes:
  a: 0..60
  b: 0..60
  number pair
lexicon:
  for n in 0..60:
    "{n}": +{n}a +number
layer next:
  head next:
    at: +1
    value: a>b, number>pair
loop subtract up to 241 until no unequal:
  falls: a + b
  semes: unequal
  layer take:
    feedforward:
      set a: a - b when pair & a > b & b > 0
      set b: b - a when pair & b > a & a > 0
      unequal: pair & a != b & a > 0 & b > 0
score:
  pool: first
  value: a
"""
TICKS = """\
semes:
  begin last
  t: 0..40
lexicon:
  <bos>: +begin
  x: 0
loop tick up to 41 until last:
  falls: -t
  layer:
    feedforward:
      t: 1 when begin
      set last: t >= 40
"""
PAIRS = """\
model:
  length: 8
semes: opens closes left
lexicon:
  "(": +opens +left
  ")": +closes +left
loop pair up to 9 until no pairs:
  falls: left
  semes: pairs after before
  layer look:
    head after:
      look: after
      nearest: left
      when: left
      value: closes>after
    head before:
      look: before
      nearest: left
      when: left
      value: opens>before
    feedforward:
      pairs: opens & after & left | closes & before & left
  layer leave:
    feedforward:
      set left: left & !pairs
"""


REMAINDERS = """
model:
  kind: decoder
  length: 2 -> 12
semes:
  number: 0..40
  rest: 0..40
  settled begin
lexicon:
  <bos>: +begin
  for n in 0..40:
    "{n}": +{n}number
layer before:
  head before:
    at: -1
    value: number>rest
loop divide up to 40 until settled:
  falls: rest
  layer take:
    feedforward:
      set rest: rest - number when rest >= number & number > 0
  layer look:
    feedforward:
      set settled: rest < number | number = 0
output:
  classify rest in 0..40
"""


def told(text):
    """What is said of what falls, and whether the end of a loop is assumed."""
    report = check(parse_program(text))
    assert not report.found
    ends = any("ends within" in each for each in report.assumptions)
    return [d.label for d in report.unproven if d.code == "falls"], ends


EACH = [EUCLID, TICKS, PAIRS, REMAINDERS]


@pytest.mark.parametrize("text", EACH, ids=["euclid", "ticks", "pairs", "remainders"])
def test_a_loop_in_which_something_falls_is_proven_to_end(text):
    without = "".join(line for line in text.splitlines(True) if "falls:" not in line)
    assert told(text) == ([], False)
    assert told(without) == ([], True)


WRONG = [
    (EUCLID, "falls: a + b", "falls: a"),  # b falls alone in some rounds
    (EUCLID, "falls: a + b", "falls: -a - b"),
    (EUCLID, "falls: a + b", "falls: 0.5a + 0.5b"),
    (EUCLID, " & b > 0\n", "\n"),  # of 5 and 0 nothing is taken off
    (EUCLID, "up to 241", "up to 240"),
    (EUCLID, "unequal: pair & a != b & a > 0 & b > 0", "unequal: pair"),
    (EUCLID, "set a: a - b", "set a: a + b"),
    (TICKS, "falls: -t", "falls: t"),
    (TICKS, "up to 41", "up to 40"),
    (TICKS, "t >= 40", "t >= 40 & begin & !begin"),
    (TICKS, "1 when begin", "1 when last"),
    (PAIRS, "up to 9", "up to 8"),
    (PAIRS, "set left: left & !pairs", "set left: left | pairs"),
    (PAIRS, "closes & before & left\n", "closes & before\n"),  # again and again
    (PAIRS, "until no pairs", "until pairs"),
    (REMAINDERS, "up to 40", "up to 39"),
    (REMAINDERS, " | number = 0", ""),  # for ever
    # The first place stops, and no other: of a text as a whole that would do.
    (REMAINDERS, "rest < number | number = 0", "begin"),
]


@pytest.mark.parametrize(("text", "right", "wrong"), WRONG)
def test_what_does_not_fall_is_refused_at_its_line(text, right, wrong):
    assert right in text
    program = parse_program(text.replace(right, wrong))
    report = check(program)
    (found,) = [d for d in report.unproven if d.code == "falls"]
    assert found.span.source.lines[found.span.line - 1].lstrip().startswith("falls:")


def test_a_loop_that_hears_of_its_end_is_held_to_what_it_says_as_well():
    heard = EUCLID.replace("value: a\n", "value: a - 100subtract.unfinished\n")
    assert told(heard) == ([], False)
    labels, ends = told(heard.replace("falls: a + b", "falls: a"))
    assert labels
    assert not ends


def test_what_falls_twice_is_refused_and_an_unknown_name_too():
    for text in (
        EUCLID.replace("falls: a + b", "falls: a\n  falls: b"),
        EUCLID.replace("falls: a + b", "falls: a + bb"),
    ):
        with pytest.raises(SemeError, match=r"twice|no seme is called `bb`"):
            parse_program(text)


# ------------------------------------------------------------------ lemmas

small = st.integers(-4, 4).map(float)
SPACE = Space.of(
    {"x": Values(-3.0, 6.0, 1.0), "y": Values(0.0, 4.0, 1.0), "f": Values(0.0, 1.0, 1.0)}
)
forms = st.builds(Form, st.fixed_dictionaries(dict.fromkeys(SPACE.names, small)), small)
points = st.fixed_dictionaries(
    {n: st.integers(int(v.low), int(v.high)).map(float) for n, v in SPACE.ranges.items()}
)


def at(form, point):
    return form.constant + sum(factor * point[name] for name, factor in form.coefficients.items())


@given(forms, st.lists(st.tuples(forms, small, small), max_size=4), points)
def test_what_is_known_of_a_sum_is_true_of_every_point_of_its_case(form, known, point):
    case = Case({name: Form({name: 1.0}) for name in SPACE.names}, SPACE.ranges)
    for other, low, high in known:
        assume(low <= at(other, point) <= high)
        case = case.between(other, low, high)
        assert case is not None  # the point is one of it
    assert at(form, point) <= case.highest(form) + 1e-9


FUNCTIONS = [
    "x >= 2",
    "x + y = 3",
    "x != y",
    "2x - y",
    "x + y mod 3",
    "x + y div 4",
    "clip(x + y, -1, 2)",
    "abs(x)",
    "sign(x - y)",
]


@pytest.mark.parametrize("said", FUNCTIONS)
def test_on_each_piece_a_curve_is_a_sum(said):
    program = parse_program(
        "model:\n  kind: dense\nsemes:\n  x: -3..6\n  y: 0..4\n  f\n  out: -20..20\n"
        f"layer:\n  feedforward:\n    out: {said} when f\n"
    )
    for rule in program.encoder[0].feedforward.rules:
        found = list(pieces(rule.curve, program.space))
        for x in range(-3, 7):
            for y in range(5):
                point = {"x": x, "y": y, "f": 1}
                read = 0.0 if rule.curve is None else at(rule.curve.form, point)
                due = 1.0 if rule.curve is None else next(heights(rule.curve, [read]))
                here = [value for low, high, value in found if low <= read <= high]
                assert here
                assert all(at(value, point) == due for value in here)


REGISTERS = ("a", "b")


@st.composite
def rounds(draw):
    """Programs over two numbers and two flags whose rounds do anything, and what they say falls."""
    lines = []
    for name in REGISTERS:
        other = "b" if name == "a" else "a"
        value = draw(
            st.sampled_from(
                [f"{name} - 1", f"{name} - {other}", other, "0", f"{name} + 1", f"{name} - 2"]
            )
        )
        test = draw(
            st.sampled_from(
                [f"{name} > 0", f"{name} > {other}", f"{name} >= 2", f"{other} > 0", "f"]
            )
        )
        more = draw(st.sampled_from(["", " & f", f" & {other} > 0", f" & {name} > 0"]))
        lines.append(f"set {name}: {value} when {test}{more}")
    goes_on = draw(
        st.sampled_from(["a > 0", "b > 0", "a != b", "a + b > 0", "a > 0 & b > 0", "a > 1"])
    )
    lines.append(f"set on: {goes_on}{draw(st.sampled_from(['', ' & f']))}")
    falls = draw(st.sampled_from(["a + b", "a", "b", "2a + b", "a - b", "a + 2b", "3a + 3b"]))
    until = draw(st.sampled_from(["until no on", "until on"]))
    body = "".join(f"      {line}\n" for line in lines)
    return (
        "model:\n  kind: dense\n  length: 3\nsemes:\n  a: 0..5\n  b: 0..5\n  f\n  on\n"
        f"loop go up to {draw(st.sampled_from([10, 60, 120]))} {until}:\n  falls: {falls}\n"
        f"  layer:\n    feedforward:\n{body}"
    )


@pytest.mark.long
@settings(max_examples=20)
@given(rounds(), st.integers(0, 10**6))
def test_no_loop_goes_on_that_is_proven_to_end(text, seed):
    program = parse_program(text)
    report = check(program)
    if any(d.code == "falls" for d in report.unproven):
        return
    rng, trial = random.Random(seed), Trial(Claim("float32", report), None, Oracle(program))
    for _ in range(12):
        words = [
            f"+{rng.randint(0, 5)}a +{rng.randint(0, 5)}b +{rng.randint(0, 1)}f" for _ in range(3)
        ]
        assert going_on(trial, [" | ".join(words[: rng.randint(1, 3)])]) is None
