"""What is accepted is exact at full length, and what is measured is never worse than the bounds."""

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from progtf import compile, load  # noqa: A004
from progtf.exact import check
from progtf.exact.kept import broken
from progtf.numbers import FINE
from progtf.running.interpret import Interpreter, answer
from progtf.running.margins import margins_of
from tests.network.programs import LENGTH, TOKENS, built, inputs, programs


def accepted(text):
    """A program that is accepted, with its bounds."""
    program = built(text)
    report = check(program)
    event(f"{'exact' if report.exact else 'refused'}, {min(len(report.assumptions), 1)} assumed")
    assume(report.exact)
    return program, report


def keeps(program, report, words):
    """Whether a text keeps to what is assumed."""
    meant = Interpreter(program)
    return not broken(meant, meant.read([words])[0], report.held)


@given(programs(), inputs, st.sampled_from([*TOKENS, "all"]))
def test_what_is_accepted_agrees_at_full_length_and_on_equal_tokens(text, given_text, token):
    program, report = accepted(text)
    model = compile(program)
    longest = " ".join((given_text.split() * LENGTH)[:LENGTH])
    for words in (given_text, longest, " ".join([token] * LENGTH)):
        if not keeps(program, report, words):
            continue
        expected = answer(program, words).residual
        got = model.answers([words])[0].residual
        assert expected is not None
        assert got is not None
        allowed = FINE * max(1.0, float(np.abs(expected).max()))
        assert np.abs(got - expected).max() <= allowed, words


@given(programs(), inputs)
def test_measured_margins_are_never_worse_than_the_bounds(text, given_text):
    program, report = accepted(text)
    if not keeps(program, report, given_text):
        return
    measured = margins_of(program, [given_text])
    gaps = [row.gap for row in report.heads]
    margins = [row.margin for row in report.rules if row.margin is not None]
    if measured.attention is not None:
        assert measured.attention[0] >= min(gaps)
    if measured.threshold is not None:
        assert measured.threshold[0] >= min(margins)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_an_addition_is_exact_and_its_measured_margins_keep_to_the_bounds(dtype):
    program = load("examples/algorithms/addition.seme")
    report = check(program, dtype)
    assert report.exact
    questions = [example.input for example in program.examples]
    measured = margins_of(program, questions)
    gaps = [made.gap or 0.0 for made in compile(program, dtype).answers(questions)]
    assert measured.attention is not None
    assert measured.attention[0] >= min(row.gap for row in report.heads)
    assert measured.threshold is not None
    assert measured.threshold[0] >= min(row.margin or 0.0 for row in report.rules)
    assert report.output is not None
    assert report.output.gap is not None
    assert min(gaps) >= report.output.gap > 0.5


def test_what_nobody_writes_is_0_though_its_steps_leave_that_out():
    text = "model:\n  kind: rnn\nsemes: n: -1..129 step 2\n  p\nlexicon:\n  x: +p\ncell:\n"
    text += "classify:\n  C: 2.7n\n  otherwise: REST\n"
    assert any("keeps to its steps" in said for said in check(built(text)).assumptions)


def test_a_copy_of_what_keeps_to_no_steps_keeps_to_none():
    text = "model:\n  kind: rnn\n  length: 8\nsemes: n: 0..40\n  m: -80..0 step 2\nlexicon:\n"
    text += "  x: +3n\n  unknown: 0\ncell:\n  input: n>n\n  recurrent: 0.1n>n\n  activation: tanh\n"
    text += "layer:\n  feedforward:\n    m: -2n\nclassify:\n  A: 3m\n  B: m\n  otherwise: C\n"
    said = check(built(text), "float64").assumptions
    assert any(said_of.startswith("`m` keeps to its steps") for said_of in said), said
