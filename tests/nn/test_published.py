"""The published implementation's own numbers, and files that are not right."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from progtf.nn import (
    Shape,
    Symbols,
    TPTransformer,
    Transformer,
    greedy,
    load_published,
    published_tensors,
)

DATA = Path(__file__).parent.parent / "data" / "tp-reference"
FILES = ["tp", "vanilla"]
SMALL = Shape(11, d_model=12, d_ff=10, n_heads=3, n_encoder=1, n_decoder=2, max_length=9)


@pytest.mark.parametrize("name", FILES)
def test_logits_and_greedy_tokens_are_the_published_ones(name):
    path = DATA / f"{name}.safetensors"
    model, stored = load_published(path), load_file(path)
    with torch.no_grad():
        logits = model(stored["source"], stored["target"])
    real = stored["target"] != 1
    torch.testing.assert_close(logits[real], stored["logits"][real], rtol=0, atol=2e-5)
    tokens = greedy(model, stored["source"], 15, Symbols(end=None))
    assert torch.equal(tokens, stored["greedy"][:, 1:])


@pytest.mark.parametrize("name", FILES)
def test_the_files_own_example_tells_the_number_of_heads(name):
    assert load_published(DATA / f"{name}.safetensors").shape.n_heads == 4


@pytest.mark.parametrize("kind", [TPTransformer, Transformer])
def test_a_model_of_any_size_survives_the_published_names(kind, tmp_path):
    model = kind(SMALL).eval()
    path = tmp_path / "small.safetensors"
    save_file(published_tensors(model), path)
    again = load_published(path, n_heads=3)
    assert type(again) is kind
    assert again.shape == SMALL
    source, target = torch.randint(2, 11, (2, 7)), torch.randint(2, 11, (2, 5))
    assert torch.equal(again(source, target), model(source, target))


@pytest.mark.parametrize("name", FILES)
def test_every_missing_tensor_is_named_with_both_counts(name, tmp_path):
    weights = load_file(DATA / f"{name}.safetensors")
    path = tmp_path / "less.safetensors"
    for missing in [weight for weight in weights if weight.startswith("weights/")]:
        if missing == "weights/embedding.linear.weight":
            continue  # without it, the file is read as one without roles
        save_file({key: value for key, value in weights.items() if key != missing}, path)
        with pytest.raises(ValueError, match=missing.removeprefix("weights/")) as caught:
            load_published(path, n_heads=4)
        assert "holds" in str(caught.value)


def test_a_tp_file_without_eq_2s_map_is_refused(tmp_path):
    weights = load_file(DATA / "tp.safetensors")
    del weights["weights/embedding.linear.weight"]
    save_file(weights, tmp_path / "less.safetensors")
    with pytest.raises(ValueError, match=r"holds \d+ of \d+ tensors: .* is missing"):
        load_published(tmp_path / "less.safetensors", n_heads=4)


def test_a_tensor_of_another_shape_is_told_with_both_shapes(tmp_path):
    weights = load_file(DATA / "vanilla.safetensors")
    weights["weights/decoder.layers.1.encAttn.w_k.bias"] = torch.zeros(47)
    save_file(weights, tmp_path / "odd.safetensors")
    with pytest.raises(ValueError, match=r"encAttn.w_k.bias has shape \(47,\).*\(48,\)"):
        load_published(tmp_path / "odd.safetensors", n_heads=4)


def test_heads_that_do_not_divide_the_width_are_told_with_both_numbers():
    with pytest.raises(ValueError, match="5 heads do not divide a width of 48"):
        load_published(DATA / "tp.safetensors", n_heads=5)
