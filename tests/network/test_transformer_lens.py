"""TransformerLens' activation patching finds in a program what its circuit is."""

from types import SimpleNamespace

import pytest
import torch

import progtf

patching = pytest.importorskip("transformer_lens.patching")

CLEAN, CORRUPTED = "What is the tens digit of 1234?", "What is the tens digit of 1274?"
DIGIT = 1 + CLEAN.index("3")  # behind <bos>


class Encoder:
    """The encoder of a program as TransformerLens asks a model: names without a side."""

    def __init__(self, model):
        self.model = model
        layers = len([name for name in model.hooks() if name.startswith("encoder.blocks.")
                      and name.endswith("resid_post")])  # fmt: skip
        self.cfg = SimpleNamespace(n_layers=layers, n_heads=1, device="cpu")
        self.target = model.batch([["<bos>"]])

    def to_tokens(self, text):
        return self.model.batch([self.model.reader.read(text)])

    def run_with_cache(self, tokens):
        scores, cache = self.model.run_with_cache((tokens, self.target))
        return scores, {name.removeprefix("encoder."): cache[name] for name in cache}

    def run_with_hooks(self, tokens, fwd_hooks=()):
        named = [(f"encoder.{name}", function) for name, function in fwd_hooks]
        return self.model.run_with_hooks((tokens, self.target), named)


def test_activation_patching_finds_the_digit_that_is_asked_for():
    model = progtf.compile(progtf.load("examples/math/place_value.seme"))
    encoder = Encoder(model)
    clean, corrupted = encoder.to_tokens(CLEAN), encoder.to_tokens(CORRUPTED)
    due, other = (model.layout.outputs.index(digit) for digit in "37")

    def lead(scores):
        return scores[0, -1, due] - scores[0, -1, other]

    scores, cache = encoder.run_with_cache(clean)
    assert lead(scores) == -lead(encoder.run_with_hooks(corrupted)) > 0
    found = patching.get_act_patch_resid_pre(encoder, corrupted, cache, lead)
    assert found.shape == (encoder.cfg.n_layers, clean.shape[1])
    restored = torch.isclose(found, lead(scores))
    assert restored[:, DIGIT].all()
    assert restored.sum() == encoder.cfg.n_layers  # nowhere else
