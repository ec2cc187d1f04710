"""Programs that are certified, in float32: one answer by every way in, alone and in any batch."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import progtf
from progtf.nn import present
from tests.network.programs import built, inputs, programs
from tests.programs import LARGE, PROGRAMS, loaded

NEAR = 1e-4  # of the larger of 1 and the number: what certificates leave to softmax
SMALL = [path for path in PROGRAMS if path not in LARGE or path.stem in ("mul", "sort", "dyck2")]
few = settings(max_examples=settings.default.max_examples // 4)


def certified(program):
    report = progtf.check(program)
    return not report.found and not report.unproven


def numbers(answer):
    """What an answer is made of, beside its text."""
    given_scores = [] if answer.scores is None else list(answer.scores.values())
    shown = [] if answer.residual is None else answer.residual.ravel().tolist()
    return np.array([*given_scores, *shown, 0.0 if answer.score is None else answer.score])


def assert_same(one, other):
    assert one.text == other.text or one.residual is not None
    scale = np.maximum(1.0, np.abs(numbers(one)))
    assert (np.abs(numbers(one) - numbers(other)) <= NEAR * scale).all()


def by_forward(model, texts):
    """The classes or the residual of several texts, as a training loop computes them."""
    rows = [model.reader.read(text) for text in texts]
    source, network = model.batch(rows), model.network
    with torch.enable_grad():
        residual = model(source)
    if network.classifier is not None:
        return network.classifier(residual, present(source, model.pad)).detach().numpy()
    return residual.detach().numpy()[..., : len(model.semes)]


def assert_one_answer(program, texts):
    model = progtf.compile(program)
    alone = [model.answers([text])[0] for text in texts]
    for order in (texts, texts[::-1], [*texts, *texts[:1]] * 2):
        for text, answer in zip(order, model.answers(order), strict=True):
            assert_same(alone[texts.index(text)], answer)
    if model.layout.takes_vectors or model.layout.writes or model.reads_last:
        return
    for answer, found in zip(alone, by_forward(model, texts), strict=True):
        if answer.residual is not None and model.layout.kind != "rnn":
            got, wanted = found[: len(answer.tokens)].ravel(), answer.residual.ravel()
            assert got == pytest.approx(wanted, abs=NEAR, rel=NEAR)
        if answer.scores is not None:
            assert found == pytest.approx(list(answer.scores.values()), abs=NEAR, rel=NEAR)


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_an_example_has_one_answer(path):
    program = loaded(path)
    if not program.examples or program.learn is not None or not certified(program):
        pytest.skip("no examples, something to learn, or no certificate")
    assert_one_answer(program, list({example.input: None for example in program.examples}))


@few
@given(programs(), st.lists(inputs, min_size=2, max_size=4, unique=True))
def test_a_written_program_has_one_answer(text, texts):
    program = built(text)
    assume(certified(program))
    assert_one_answer(program, texts)


def test_a_decoder_s_forward_prefers_what_it_wrote():
    program = progtf.load("examples/math/place_value.seme")
    assert certified(program)
    model = progtf.compile(program)
    for example in program.examples:
        source = model.batch([model.reader.read(example.input)])
        target = model.batch([["<bos>", *model.run(example.input)]])
        best = model(source, target).argmax(dim=-1)[0]
        assert [model.layout.outputs[i] for i in best] == [*model.run(example.input), "<eos>"]
