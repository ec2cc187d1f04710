"""What answers computes what the network computes, from the weights that the network has now."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import progtf
from progtf.compiler.lean import LeanBlock, lean
from progtf.compiler.model import Model
from progtf.nn import Block, present
from tests.compiler.programs import inputs, programs
from tests.compiler.test_agreement import built

SWITCH = """
semes: a b
lexicon:
  x: +a
  y: 0
layer:
  feedforward:
    b: a
"""


def both(model: Model, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """The residual at all real positions, by the network and by its lean parts."""
    source = model.batch([model.reader.read(text) for text in texts])
    parts, real = lean(model.network), present(source, model.pad)
    with torch.no_grad():
        mine = parts.encoder(parts.embedding(source), None if bool(real.all()) else real)
        return model.residual(source)[real], mine[real]


@settings(max_examples=12)
@given(programs(), st.lists(inputs, min_size=1, max_size=4))
def test_lean_parts_compute_what_the_network_does(text, texts):
    network, parts = both(progtf.compile(built(text), "float64"), texts)
    torch.testing.assert_close(parts, network, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("file", ["algorithms/hist", "attention/words_to_go", "attention/tallest"])
def test_examples_too(file):
    program = progtf.load(f"examples/{file}.seme")
    texts = [example.input for example in program.examples]
    network, parts = both(progtf.compile(program, "float64"), texts)
    torch.testing.assert_close(parts, network, rtol=1e-12, atol=1e-12)


def test_they_read_and_write_what_has_weights():
    model = progtf.compile(progtf.parse_program(SWITCH))
    (block,) = model.ready().encoder
    assert isinstance(block, LeanBlock)
    assert block.inner is not None
    assert block.outer is not None
    assert (len(block.inner.columns), len(block.outer.columns)) == (1, 1)


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
    assert before is not None
    assert after is not None
    assert before[0, 1] == 1
    assert after[0, 1] != before[0, 1]


def test_loaded_and_rounded_weights_count_at_once():
    model, other = (progtf.compile(progtf.parse_program(SWITCH)) for _ in range(2))
    assert model.run("x") == "x: +a +b"
    nn.init.zeros_(other.network.embedding.vectors)
    model.load_state_dict(other.state_dict())
    assert model.run("x") == "x: 0"
    with torch.no_grad():
        model.network.embedding.vectors[0, 0] = 1.0
    assert model.stored_as(torch.bfloat16).run("x") == "x: +a +b"


def test_learned_blocks_stay_as_they_are():
    model = progtf.compile(progtf.load("examples/hybrid/place_value.seme"))
    assert all(type(block) is Block for block in model.ready().decoder)
