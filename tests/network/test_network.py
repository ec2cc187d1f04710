"""One network: what is read of it is what it was made from, and every way in gives the same."""

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

import progtf
from progtf.network.network import Network, read
from progtf.nn import Block, RoleAttention
from progtf.program.formats import FormatError
from progtf.weights.formats import FORMATS
from tests.network.programs import TOKENS, built, inputs, programs
from tests.programs import LARGE, PROGRAMS, QUICK, loaded

SWITCH = """
semes: a b
lexicon:
  x: +a
  y: 0
layer:
  feedforward:
    b: a
"""
# All formats of the small ones, two of the others.
STORED = [
    pytest.param(
        path,
        dtype,
        id=f"{path.stem}-{dtype}",
        marks=[pytest.mark.long]
        * (dtype != "float32" and path in LARGE and path.stem not in QUICK),
    )
    for path in PROGRAMS
    for dtype in (FORMATS[1:3] if path in LARGE else FORMATS)
]
some = settings(max_examples=12)


# ------------------------------------------------------------------ the law


@pytest.mark.parametrize(("path", "dtype"), STORED)
def test_a_network_is_its_weights(path, dtype):
    try:
        weights = progtf.lower(loaded(path), dtype)
    except FormatError:
        pytest.skip(f"{path.stem} has weights that {dtype} cannot hold")
    assert read(Network(weights)) == weights


@given(st.sampled_from(["encoder", "seq2seq"]).flatmap(programs), st.sampled_from(FORMATS))
def test_the_network_of_a_written_program_is_its_weights(text, dtype):
    weights = progtf.lower(built(text), dtype)
    network = Network(weights)
    assert read(network) == weights
    assert read(Network(read(network))) == weights


def test_what_is_written_is_an_entry_and_what_is_not_is_none():
    weights = progtf.lower(progtf.parse_program(SWITCH.replace("y: 0", "y: +0b -0a")))
    assert weights["lexicon / vector"].entries == {("x", "a"): 1, ("y", "a"): 0, ("y", "b"): 0}
    assert str(weights["lexicon / vector"].entries["y", "a"]) == "-0.0"
    assert read(Network(weights)) == weights


def test_entries_are_added_to_weights_and_the_network_is_made_anew():
    weights = progtf.lower(progtf.parse_program(SWITCH))
    more = weights.with_entries({"lexicon / vector": {("y", "a"): 1.0}})
    assert (progtf.compile(weights).run("y"), progtf.compile(more).run("y")) == ("y: 0", "y: +a +b")
    with pytest.raises(KeyError, match="z"):
        weights.with_entries({"lexicon / vector": {("z", "a"): 1.0}})


# ------------------------------------------------------------------ hooks and changes


@pytest.mark.parametrize("kind", [Block, RoleAttention])
@pytest.mark.parametrize("file", ["attention/tallest", "attention/nearest_noun", "a_or_an"])
def test_hooks_are_seen_in_answers(file, kind):
    model = progtf.compile(progtf.load(f"examples/{file}.seme"))
    texts = [example.input for example in progtf.load(f"examples/{file}.seme").examples]
    before = [(answer.residual, answer.scores) for answer in model.answers(texts)]
    parts = [part for part in model.network.modules() if isinstance(part, kind)]
    hooks = [part.register_forward_hook(lambda _m, _g, out: out + 1.0) for part in parts]
    after = [(answer.residual, answer.scores) for answer in model.answers(texts)]
    for hook in hooks:
        hook.remove()
    assert parts
    assert str(before) != str(after)
    assert str([(a.residual, a.scores) for a in model.answers(texts)]) == str(before)


def test_hooks_are_seen_in_decoding_at_every_step():
    model = progtf.compile(progtf.load("examples/math/place_value.seme"))
    question = "What is the tens digit of 1234?"
    steps: list[int] = []
    last = list(model.network.decoder)[-1]
    hook = last.register_forward_hook(lambda _m, _g, out: steps.append(out.shape[1]))
    assert model.run(question) == "3"
    assert steps == [1, 1]
    hook.remove()
    silenced = last.register_forward_hook(lambda _m, _g, out: torch.zeros_like(out))
    assert model.run(question) != "3"
    silenced.remove()
    assert model.run(question) == "3"


def test_what_hooks_keep_is_not_changed_later():
    model = progtf.compile(progtf.load("examples/attention/tallest.seme"))
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    for block in model.network.encoder:
        block.register_forward_hook(lambda _m, _g, out: kept.append((out, out.clone())))
    model.run(progtf.load("examples/attention/tallest.seme").examples[0].input)
    assert len(kept) == len(model.network.encoder.blocks)
    assert all(torch.equal(out, copy) for out, copy in kept)


def test_a_residual_that_is_given_is_not_changed():
    model = progtf.compile(progtf.load("examples/attention/tallest.seme"))
    given_residual = torch.randn(2, 4, model.layout.width)
    copy = given_residual.clone()
    with torch.no_grad():
        model.network.encoder(given_residual)
    assert torch.equal(given_residual, copy)


@pytest.mark.parametrize("kind", ["blocks", "heads"])
def test_a_change_in_place_counts_at_once(kind):
    program = progtf.load("examples/attention/tallest.seme")
    model = progtf.compile(program)
    text = program.examples[0].input
    before = model.answers([text])[0].residual
    with torch.no_grad():
        for part in model.network.encoder.modules():
            if isinstance(part, RoleAttention if kind == "heads" else Block):
                for parameter in part.parameters():
                    parameter.mul_(2.0)
    assert not (model.answers([text])[0].residual == before).all()


# ------------------------------------------------------------------ training


@pytest.mark.parametrize(
    "optimiser",
    [torch.optim.SGD, torch.optim.AdamW, lambda p, lr: torch.optim.AdamW(p, lr, fused=True)],
)
def test_a_step_of_training_counts_at_once(optimiser):
    model = progtf.compile(progtf.parse_program(SWITCH))
    before = model.answers(["x"])[0].residual
    model(model.batch([["x"]]))[..., 1].sum().backward()
    optimiser(model.parameters(), lr=0.125).step()
    after = model.answers(["x"])[0].residual
    assert before[0, 1] == 1
    assert after[0, 1] != before[0, 1]


def test_whole_blocks_that_were_trained_are_read_with_their_new_entries():
    program = progtf.load("examples/attention/tallest.seme")
    model, texts = progtf.compile(program, "float64"), [e.input for e in program.examples]
    before = model.weights
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            parameter.add_(0.01 * noise * (parameter != 0).any())
    after = model.weights
    assert after.count > before.count
    again = progtf.compile(after)
    for mine, theirs in zip(model.answers(texts), again.answers(texts), strict=True):
        torch.testing.assert_close(
            torch.from_numpy(mine.residual), torch.from_numpy(theirs.residual)
        )


def test_loaded_and_rounded_weights_count_at_once():
    model, other = (progtf.compile(progtf.parse_program(SWITCH)) for _ in range(2))
    assert model.run("x") == "x: +a +b"
    nn.init.zeros_(other.network.embedding.vectors)
    model.load_state_dict(other.state_dict())
    assert model.run("x") == "x: 0"
    with torch.no_grad():
        model.network.embedding.vectors[0, 0] = 1.0
    assert model.stored_as("bfloat16").run("x") == "x: +a +b"


def test_vectors_of_tokens_that_changed_count_at_once():
    embedding = progtf.compile(progtf.parse_program(SWITCH)).network.embedding
    tokens = torch.tensor([[0, 1, 0]])
    with torch.no_grad():
        before = embedding(tokens)
        embedding.vectors.mul_(2.0)
        assert torch.equal(embedding(tokens), 2 * before)
        embedding.vectors[1, 1] = 3.0
        after = embedding(tokens)
        embedding.vectors.data[1] *= 2
        again = embedding(tokens)
    assert before.any()
    assert after[0, 1, 1] == 3.0
    assert again[0, 1, 1] == 6.0
    assert torch.equal(again, embedding(tokens).detach())


# ------------------------------------------------------------------ one answer, whichever way


def by_forward(model, text):
    """The residual of a text as a training loop computes it, with gradients."""
    return model(model.batch([model.reader.read(text)]))[0].detach().double().numpy()


@some
@given(programs(), st.lists(inputs, min_size=1, max_size=4))
def test_forward_answers_and_batches_agree(text, texts):
    assume("norm: round" not in text)  # an exact half is rounded up or down by the last bit
    model = progtf.compile(built(text), "float64")
    together = model.answers(texts)
    for one, answer in zip(texts, together, strict=True):
        (alone,) = model.answers([one])
        semes = by_forward(model, one)[:, : len(model.semes)]
        torch.testing.assert_close(
            torch.from_numpy(semes), torch.from_numpy(answer.residual), rtol=1e-9, atol=1e-9
        )
        assert alone.residual == pytest.approx(answer.residual, rel=1e-9, abs=1e-9)


@some
@given(programs("seq2seq"), st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5))
def test_a_decoder_writes_what_its_forward_scores_highest(text, words):
    model = progtf.compile(built(text), "float64")
    (answer,) = model.readouts(model.read([" ".join(words)]))
    said = list(answer.written)
    source = model.batch([model.reader.read(" ".join(words))])
    scores = model(source, model.batch([["<bos>", *said]])).detach()[0]
    if answer.gap > 1e-6:
        due = [model.layout.outputs[int(row.argmax())] for row in scores]
        assert due[: len(said)] == said
