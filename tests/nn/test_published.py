"""The published implementation's own numbers, and files that are not right."""

import re
from collections import OrderedDict
from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

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
        save_file({key: value for key, value in weights.items() if key != missing}, path)
        with pytest.raises(ValueError, match=missing.removeprefix("weights/")) as caught:
            load_published(path, n_heads=4)
        assert "holds" in str(caught.value)


def test_a_tp_file_without_eq_2s_map_is_refused(tmp_path):
    weights = load_file(DATA / "tp.safetensors")
    for part in ("weight", "bias"):
        del weights[f"weights/embedding.linear.{part}"]
    save_file(weights, tmp_path / "less.safetensors")
    told = r"holds 106 of 108 tensors: missing are embedding.linear.weight, embedding.linear.bias$"
    with pytest.raises(ValueError, match=told):
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


def test_the_page_lists_every_name_with_its_shape():
    page = (Path(__file__).parents[2] / "docs/layers.md").read_text()
    table = page.split("## Names of the published code")[1].split("Weights are torch's")[0]
    sizes = {"symbols": 11, "positions": 9, "d": 12, "f": 10, "1": 1}
    for kind in (TPTransformer, Transformer):
        roles = kind is TPTransformer
        (parts,) = re.finditer(
            rf"`P` is (.*){'in a TP' if roles else '; (.*) in a Transformer'}", table
        )
        projections = re.findall(r"`(\w+)`", parts[1 if roles else 2])
        told = {}
        for row in re.findall(r"^\| (`.*) \| (.*) \| (.*)\|$", table, re.MULTILINE):
            if "with roles" in row[0] and not roles:
                continue
            shapes = [
                [sizes[size] for size in cell.split(" × ")]
                for cell in map(str.strip, row[1:])
                if cell
            ]
            for name in re.findall(r"`([^`]+)`", row[0]):
                layers = range(2 if name.startswith("decoder") else 1)
                for layer, part in product(layers, projections):
                    whole = name.replace(".N.", f".{layer}.").replace(".P", f".{part}")
                    ends = ("",) if len(shapes) == 1 else (".weight", ".bias")
                    told |= {whole + end: shape for end, shape in zip(ends, shapes, strict=True)}
        assert told == {
            name: list(each.shape) for name, each in published_tensors(kind(SMALL)).items()
        }


def plain():
    """Weights of a small model, by their names."""
    torch.manual_seed(1)
    return published_tensors(TPTransformer(SMALL))


def behind(prefix, weights):
    return {f"{prefix}{name}": tensor for name, tensor in weights.items()}


@pytest.mark.parametrize(
    "saved",
    [
        lambda weights: weights,
        OrderedDict,
        lambda weights: {"model": weights},
        lambda weights: {"state_dict": weights, "epoch": 3},
        lambda weights: {"model_state_dict": weights, "loss": 0.5},
        lambda weights: {"model": {"state_dict": weights}},
        lambda weights: behind("module.", weights),
        lambda weights: behind("module.model.", weights),
        lambda weights: behind("_orig_mod.", weights),
        lambda weights: {"model": behind("module.", weights), "global_step": 7, "optimizer": {
            "state": {0: {"step": 3, "exp_avg": torch.zeros(2)}}, "param_groups": [{"lr": 1e-4}]}},
        lambda weights: {name: nn.Parameter(tensor) for name, tensor in weights.items()},
        lambda weights: {name: tensor.double() for name, tensor in weights.items()},
    ],
)  # fmt: skip
@pytest.mark.parametrize("old", [False, True])
def test_what_trainers_save_is_read_as_the_weights_in_it(saved, old, tmp_path):
    path = tmp_path / "best_eval_model.pt"
    torch.save(saved(plain()), path, _use_new_zipfile_serialization=not old)
    found = published_tensors(load_published(path, 3))
    assert found.keys() == plain().keys()
    assert all(torch.equal(found[name], each) for name, each in plain().items())


def test_a_name_of_a_file_says_nothing_of_its_format(tmp_path):
    save_file(behind("module.", plain()), tmp_path / "a.pt")
    torch.save(plain(), tmp_path / "b.safetensors")
    assert load_published(tmp_path / "a.pt", 3).shape == SMALL
    assert load_published(tmp_path / "b.safetensors", 3).shape == SMALL


def test_numbers_of_half_a_word_become_those_of_a_whole_one(tmp_path):
    torch.save({name: each.bfloat16() for name, each in plain().items()}, tmp_path / "a.pt")
    found = published_tensors(load_published(tmp_path / "a.pt", 3))
    assert all(torch.equal(each, plain()[name].bfloat16().float()) for name, each in found.items())


TABLE, FILTER = "embedding.tok_embedding.weight", "encoder.layers.0.densefilter.linear1.weight"
QUERY = "decoder.layers.1.encAttn.W_q.weight"


def without(*names):
    return lambda weights: {name: each for name, each in weights.items() if name not in names}


def having(**others):
    return lambda weights: (
        weights | {name.replace("__", "."): each for name, each in others.items()}
    )


def shaped(name, *shape):
    return lambda weights: weights | {name: torch.zeros(shape)}


def called(old, new):
    return lambda weights: {name.replace(old, new): each for name, each in weights.items()}


def example(**others):
    ids = torch.full((2, 5), 4)
    return having(**{"source": ids, "target": ids, "logits": torch.zeros(2, 5, 11), **others})


WRONG = [
    (shaped("embedding.pe", 9, 12), r"pe has shape \(9, 12\); .* be \(1, positions, width\)"),
    (shaped("embedding.pe", 9), r"embedding.pe has shape \(9,\)"),
    (shaped("embedding.pe"), r"embedding.pe has shape \(\)"),
    (shaped("embedding.pe", 2, 9, 12), r"embedding.pe has shape \(2, 9, 12\)"),
    (shaped("embedding.pe", 1, 9, 10), r"shape \(1, 9, 10\); the rest calls for \(1, 9, 12\)"),
    (shaped(TABLE, 12), r"tok_embedding.weight has shape \(12,\); it has to be \(symbols, width\)"),
    (shaped(TABLE, 0, 12), r"tok_embedding.weight has shape \(0, 12\)"),
    (shaped(TABLE, 11, 6), r"linear.weight has shape \(12, 12\); the rest calls for \(6, 6\)"),
    (shaped(FILTER, 10), r"linear1.weight has shape \(10,\); it has to be \(filter, width\)"),
    (shaped(FILTER, 20, 12), r"linear1.bias has shape \(10,\); the rest calls for \(20,\)"),
    (shaped(QUERY, 12, 13), r"W_q.weight has shape \(12, 13\); the rest calls for \(12, 12\)"),
    (shaped(QUERY), r"encAttn.W_q.weight has shape \(\)"),
    (shaped("encoder.layers.0.layernorm2.bias", 1), r"layernorm2.bias has shape \(1,\)"),
    (lambda w: w | {"embedding.pe": w["embedding.pe"].long()}, "pe has dtype int64; plain numbers"),
    (lambda w: w | {QUERY: w[QUERY].bool()}, "W_q.weight has dtype bool"),
    (lambda w: w | {QUERY: w[QUERY].to(torch.complex64)}, "W_q.weight has dtype complex64"),
    (lambda w: w | {QUERY: w[QUERY].to_sparse()}, r"W_q.weight has dtype float32 \(sparse_coo\)"),
    (lambda w: w | {TABLE: w[TABLE].int()}, "tok_embedding.weight has dtype int32"),
    (lambda w: w | {QUERY: w[QUERY] * torch.nan}, "W_q.weight has numbers that are none"),
    (lambda w: w | {TABLE: w[TABLE] / 0}, "tok_embedding.weight has numbers that are none"),
    (without(QUERY), r"holds \d+ of \d+ tensors: decoder.layers.1.encAttn.W_q.weight is missing$"),
    (called("W_q", "query"), r"are encoder.layers.0.MHA.W_q.weight, .* and 7 more; it"),
    (called("W_q", "query"), r"; it has decoder.layers.0.encAttn.query.bias, .* and 7 more there$"),
    (called("r.layers.1", "r.layers.2"), r"r.layers.1.* and 29 more; it has decoder.layers.2"),
    (called("layers.1.", "layers.01."), r"missing are decoder.layers.1.* it has decoder.layers.01"),
    (called("decoder.layers", "decoder.blocks"), "others that mean nothing here: decoder.blocks"),
    (called("tok_embedding", "symbols"), "not embedding.tok_embedding.weight; it begins with"),
    (called(".", "_"), r"tok_embedding.weight nor encoder.layers.0\..*, embedding.pe; it"),
    (lambda _: {}, "holds 0 tensors, but not embedding.tok_embedding.weight"),
    (having(extra=torch.zeros(2)), "holds all .* and others that mean nothing here: extra$"),
    (having(encoder__scale=torch.zeros(1)), "mean nothing here: encoder.scale"),
    (lambda w: behind("module.", w) | {QUERY: w[QUERY]}, "W_q.weight twice, with `module.`"),
    (lambda w: {**w, 3: w[QUERY]}, "a dictionary of weights by their names is due"),
    (lambda w: list(w.values()), "a dictionary of weights by their names is due"),
    (lambda w: w | {"global_step": 3}, "global_step is no tensor, but of type int; .* `model`"),
    (lambda w: {"network": w}, "network is no tensor, but of type dict"),
    (example(source=torch.zeros(2, 5)), r"source has shape \(2, 5\) and dtype float32"),
    (example(target=torch.full((5,), 4)), r"target has shape \(5,\)"),
    (example(source=torch.full((2, 10), 4)), "9 symbols at most"),
    (example(source=torch.full((2, 5), 11)), "numbers of none of the 11 symbols"),
    (example(logits=torch.zeros(2, 5, 12)), r"shape \(2, 5, 12\) .* calls for \(2, 5, 11\)"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "told"), WRONG)
def test_a_file_that_is_none_of_the_published_code_is_told_why(changed, told, tmp_path):
    path = tmp_path / "wrong.pt"
    torch.save(changed(plain()), path)
    with pytest.raises(ValueError, match=told) as caught:
        load_published(path, None if "target" in changed(plain()) else 3)
    assert str(caught.value).startswith(str(path))


class Code:
    def __init__(self, there):
        self.there = there

    def __reduce__(self):
        return (Path.touch, (self.there,))


def test_what_a_pickle_would_run_is_never_run(tmp_path):
    path = tmp_path / "w.pt"
    torch.save({"model": plain(), "by": Code(tmp_path / "there")}, path)
    with pytest.raises(
        ValueError, match=r"holds more than weights \(`.*`\), .* save the weights alone"
    ):
        load_published(path)
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("kept", [0, 1, 8, 9, 100, -1000, -1])
@pytest.mark.parametrize("form", ["new", "old", "safetensors"])
def test_a_file_that_was_cut_short_is_told(form, kept, tmp_path):
    path = tmp_path / "w"
    if form == "safetensors":
        save_file(plain(), path)
    else:
        torch.save(plain(), path, _use_new_zipfile_serialization=form == "new")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(
        ValueError, match=r"empty|neither a safetensors file nor|a damaged safetensors"
    ):
        load_published(path, 3)


@pytest.mark.parametrize(
    "said", [b"hello", b"PK\3\4 nothing", b"{}", b"\x80\x02}.", b"\x80\x05K\x01.", b"\0" * 64]
)
def test_what_is_no_file_of_weights_is_told(said, tmp_path):
    (tmp_path / "w").write_bytes(said)
    with pytest.raises(ValueError, match=r"neither a safetensors file nor|a dictionary of weights"):
        load_published(tmp_path / "w", 3)
