"""nnsight traces networks as they are: no module has a name that it keeps for itself."""

import pytest
import torch

import progtf
from progtf.nn import Shape, TPTransformer
from progtf.training import begin

nnsight = pytest.importorskip("nnsight")

QUESTION = "What is the tens digit of 1234?"


@pytest.mark.parametrize("file", ["math/place_value", "hybrid/place_value"])
def test_compiled_programs_and_hybrids_are_traced_and_changed(file):
    model = progtf.compile(progtf.load(f"examples/{file}.seme"))
    if file.startswith("hybrid"):
        torch.nn.init.normal_(begin(model).network.get_parameter("unembed.learned.weight"))
    source = model.batch([model.reader.read(QUESTION)])
    target = model.batch([["<bos>", "3"]])
    parts = model.network.encoder_decoder(model.pad)
    scores, cache = model.run_with_cache((source, target), lambda name: "resid_post" in name)
    traced = nnsight.NNsight(parts)
    with traced.trace(source, target):
        seen = traced.encoder.blocks[0].output.save()
        logits = traced.unembed.output.save()
    assert torch.equal(seen, cache["encoder.blocks.0.hook_resid_post"])
    assert torch.equal(logits, scores)
    with traced.trace(source, target):
        traced.encoder.blocks[0].output[:] = 0
        silenced = traced.unembed.output.save()
    assert not torch.equal(silenced, scores)


def test_learned_networks_are_traced():
    model = TPTransformer(Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=1, n_decoder=1)).eval()
    source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
    _, cache = model.run_with_cache((source, target), "encoder.blocks.0.hook_resid_post")
    traced = nnsight.NNsight(model)
    with traced.trace(source, target):
        seen = traced.encoder.blocks[0].output.save()
    assert torch.equal(seen, cache["encoder.blocks.0.hook_resid_post"])
