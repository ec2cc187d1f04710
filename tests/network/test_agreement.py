"""Compiled models compute what the interpreter says a program means."""

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from progtf import compile, load  # noqa: A004
from progtf.running.interpret import Interpreter, answer
from progtf.running.walk import residuals
from tests.network.programs import (
    LENGTH,
    TOKENS,
    built,
    inputs,
    keeps_its_promises,
    programs,
)

EXACT = 1e-6  # of the larger of 1 and the largest value, in float64


def assert_agrees(program, text: str) -> None:
    expected = answer(program, text)
    if not keeps_its_promises(Interpreter(program), text):
        event("breaks a promise")
        return
    event("keeps its promises")
    model = compile(program, "float64")
    got = model.answers([text])[0]
    assert expected.residual is not None
    assert got.residual is not None
    scale = max(1.0, float(np.abs(expected.residual).max()))
    assert np.abs(got.residual - expected.residual).max() <= EXACT * scale


@given(programs(), inputs)
def test_encoders_agree(text, given_text):
    assert_agrees(built(text), given_text)


@given(programs(), st.sampled_from(TOKENS))
def test_encoders_agree_at_full_length_on_equal_tokens(text, token):
    assert_agrees(built(text), " ".join([token] * LENGTH))


@given(programs(), st.sampled_from(TOKENS))
def test_encoders_agree_on_one_token(text, token):
    assert_agrees(built(text), token)


@given(programs("seq2seq"), st.lists(st.sampled_from(TOKENS), min_size=1, max_size=LENGTH - 2))
def test_decoders_write_the_same_unless_two_tokens_tie(text, words):
    program = built(text)
    model = compile(program, "float64")
    if not keeps_its_promises(Interpreter(program), " ".join(words)):
        event("breaks a promise")
        return
    event("keeps its promises")
    inputs = model.read([" ".join(words)])
    (got,), (meant,) = model.readouts(inputs), Interpreter(program).readouts(inputs)
    assume(got.gap is not None and got.gap > 1e-3)
    assert got.written == meant.written  # to the end, if there is one
    assert got.gap == pytest.approx(meant.gap, rel=EXACT)


@given(programs(), st.lists(inputs, min_size=2, max_size=5))
def test_a_batch_gives_what_single_inputs_give(text, texts):
    model = compile(built(text), "float64")
    for together, single in zip(
        model.answers(texts), map(model.answers, ([t] for t in texts)), strict=True
    ):
        np.testing.assert_allclose(together.residual, single[0].residual, atol=1e-9, rtol=1e-9)


def test_decoders_agree_where_they_read_their_own_output():
    program = load("examples/math/place_value.seme")
    model = compile(program, "float64")
    question = "What is the ten billions digit of 123456789012?"
    assert model.run(question) == answer(program, question).text == "2"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_an_addition_keeps_its_residual_in_every_format(dtype):
    program = load("examples/algorithms/addition.seme")
    question = "40312+59688="
    tokens = compile(program).reader.read(question)
    expected = residuals(program, tokens)[:, program.space.index["sum"]]
    moments = compile(program, dtype).trace(question)
    stream = next(m.residual for m in moments if m.label == "add")
    np.testing.assert_allclose(stream[:, program.space.index["sum"]], expected, atol=1e-6)
