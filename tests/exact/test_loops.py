"""What is proven of loops: whichever round is the last one, and nothing of one round of another."""

from textwrap import indent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf import compile, load, parse_program  # noqa: A004
from progtf.exact import check, loops
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.running.trace import Trace
from tests.network.programs import inputs, written_in_loops
from tests.network.programs import loops as programs
from tests.network.test_loops import euclid

FLIPS = """
semes: y f g t done
lexicon:
  a: +y
  b: 0
layer before:
  feedforward:
    f: y
    g: !y
AGAIN
layer sum:
  feedforward:
    t: f
    t: g
score:
  pool: max
  value: t
"""


FLIP = """  feedforward:
    set y: !y
    f: y & !f
    g: !y & !g
"""
LOOP = f"loop flip up to 9 until done:\n  layer:\n{indent(FLIP, '  ')}      done: f & g\n"


@pytest.mark.parametrize(
    "again",
    [
        f"layer:\n  repeat: 2\n{FLIP}",
        f"layer:\n  repeat: 9\n{FLIP}",
        LOOP,
    ],
)
def test_flags_of_different_rounds_may_hold_together(again):
    program = parse_program(FLIPS.replace("AGAIN", again))
    assert Interpreter(program).run("a") == "2"
    report = check(program)
    assert not report.exact or any("`t` stays in 0..1" in each for each in report.assumptions)


def test_that_a_loop_ends_is_assumed_unless_the_program_hears_if_not():
    unheard, heard = (
        check(parse_program(euclid(60, **change)))
        for change in ({}, {"value: a\n": "value: a - 100euclid.unfinished\n"})
    )
    said = "loop `euclid` ends within 60 rounds"
    assert unheard.exact
    assert any(each.startswith(said) for each in unheard.assumptions)
    assert not any(each.startswith(said) for each in heard.assumptions)


@pytest.mark.parametrize("name", ["div", "div_remainder", "gcd", "is_factor", "lcm", "mixed"])
def test_whole_numbers_that_are_only_added_up_and_scaled_by_powers_of_two_stay_exact(name):
    report = check(load(f"examples/math/{name}.seme"), "float64")
    assert report.exact
    assert not any("ends within" in each for each in report.assumptions)


def test_registers_that_pass_a_staircase_stay_exact_for_a_hundred_rounds():
    report = check(load("progtf/std/long_division.seme"))
    assert report.exact
    assert not any("ends within" in each for each in report.assumptions)


STOPPED = """
model:
  kind: decoder
  length: 2 -> 1
semes: first waits stop got
lexicon:
  c: +first
  b: +waits
  d: 0
loop wait up to 4 until stop:
  semes: late seen
  layer look:
    head:
      at: -1
      value: late>seen
    feedforward:
      set got: seen
      set stop: seen | !waits
  layer end:
    feedforward:
      late: first
output:
  d: got
  c: 0.5
"""


def test_what_a_place_left_that_has_stopped_is_read_in_every_layer_of_a_round():
    program = parse_program(STOPPED)  # `late` is 0 where it is read, but at a place that is done
    assert (
        Interpreter(program).run(["c b", "c c"])
        == compile(program).run(["c b", "c c"])
        == ["d", "c"]
    )
    bounds = bounds_behind(program, "float32")[1]
    assert bounds["wait"].at(program.space.index["got"]).high >= 1


def bounds_behind(program, dtype):
    """What is proven, and the bounds of all numbers behind every loop."""
    bounds, end = {}, loops._with_end

    def noted(walk, loop, stream):
        bounds[loop.name] = end(walk, loop, stream)
        return bounds[loop.name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "_with_end", noted)
        return check(program, dtype), bounds


@given(
    st.one_of(programs(), written_in_loops()),
    st.lists(inputs, min_size=1, max_size=4),
    st.sampled_from(["float32", "bfloat16"]),
)
def test_what_a_loop_leaves_lies_within_its_bounds(text, texts, dtype):
    tenths = text.replace("k: 0..3", "k: 0..3 step 0.1").replace(
        "near: 0..3", "near: 0..3 step 0.1"
    )
    tenths = tenths.replace("n + k mod", "n + 1 mod").replace(" div 1", "").replace("+2k", "+1.7k")
    program = parse_program(tenths)
    report, bounds = bounds_behind(program, dtype)
    if not report.exact:
        return
    model, meant = compile(program, dtype), Interpreter(program)
    for asked, answer in zip(texts, model.try_answers(texts), strict=True):
        if model.layout.writes and isinstance(answer, InputError):
            continue
        trace = Trace()
        meant.readout(meant.read([asked])[0], trace)
        for got, due in zip(model.trace(asked), trace.steps, strict=True):
            if due.label not in bounds:
                continue
            bound, semes = bounds[due.label], slice(program.semes)
            exact, runs = due.residual[:, semes], got.residual[:, semes]
            low, high = bound.low[semes] - 1e-9, bound.high[semes] + 1e-9
            if ((exact < low) | (exact > high)).any():
                return  # what is assumed does not hold
            assert (np.abs(runs - exact) <= bound.error[semes] + 1e-9).all()
