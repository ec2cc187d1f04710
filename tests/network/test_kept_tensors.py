"""What is watched can be worked on: tensors of caches and hooks are ordinary ones."""

import io

import pytest
import safetensors.torch
import torch
from torch import nn

import progtf
from progtf.nn import Shape, Transformer, greedy
from tests.programs import EACH, compiled, loaded

FEW = {"vectors", "place_value", "sentiment", "continue_pattern", "euclid", "say_digit", "sort"}
CASES = [
    pytest.param(path, id=path.stem, marks=[] if path.stem in FEW else pytest.mark.long)
    for (path,) in (case.values for case in EACH)
    if path.parent.name != "hybrid" or path.stem == "say_digit"
]


def text_of(path):
    examples = loaded(path).examples
    return examples[0].input if examples else pytest.skip("no examples")


def numbers(tensor):
    return tensor.detach().clone().numpy().tobytes()


def works(kept):
    """A probe is trained on it, it is written into, saved and shown to numpy."""
    assert not kept.is_inference()
    if not kept.requires_grad:
        kept.numpy()
    probe = nn.Linear(kept.shape[-1], 2, dtype=kept.dtype)
    probe(kept.nan_to_num()).square().sum().backward()
    assert probe.weight.grad.isfinite().all()
    file = io.BytesIO()
    torch.save(kept, file)
    kept.detach().add_(1)
    kept.mul_(2)


@pytest.mark.parametrize("path", CASES)
def test_a_probe_is_trained_on_what_was_kept_which_is_nobody_elses(path):
    model, text = compiled(path), text_of(path)
    answer, cache = model.run_with_cache(text)
    some = some_of_each_kind(model.hooks())
    before = {name: numbers(cache[name]) for name in some if _there(cache, name)}
    if not before:
        pytest.skip("no block")
    safetensors.torch.save({name: cache[name] for name in before})
    for name, value in before.items():
        assert numbers(cache[name]) == value, "another one was written into"
        works(cache[name])
    again, fresh = model.run_with_cache(text)
    assert again == answer == model.run(text)
    assert {name: numbers(fresh[name]) for name in before} == before


def some_of_each_kind(names):
    """Of the tensors whose names end alike a dozen, the first and the last among them."""
    kinds = {}
    for name in names:
        kinds.setdefault(name.rpartition(".")[2], []).append(name)
    return [each[round(i * (len(each) - 1) / 11)] for each in kinds.values() for i in range(12)]


def _there(cache, name):
    try:
        return cache[name].shape[-1] > 0
    except KeyError:
        return False


@pytest.mark.parametrize("path", CASES)
def test_a_probe_is_trained_on_what_hooks_saw(path):
    model, text, kept = compiled(path), text_of(path), []
    names = [name for name in model.hooks() if "resid" in name or "hook_" not in name][:40]
    hooks = [(name, lambda tensor, hook: kept.append(tensor)) for name in names]
    if not names:
        pytest.skip("no block")
    assert model.run_with_hooks(text, hooks) == model.run(text)
    assert kept
    for tensor in kept:
        works(tensor)
    assert model.run_with_hooks(text, hooks) == model.run(text)


@pytest.mark.parametrize("path", CASES)
def test_a_probe_is_trained_on_what_hooks_of_torch_saw(path):
    model, text, kept = progtf.compile(loaded(path)), text_of(path), []

    def keep(module, given, found):
        kept.extend(each for each in (*given, found) if isinstance(each, torch.Tensor))

    answer, modules = model.run(text), [*model.network.modules()]
    handles = [module.register_forward_hook(keep) for module in modules]
    assert model.run(text) == answer
    for handle in handles:
        handle.remove()
    assert kept
    assert not any(each.is_inference() for each in kept)
    for each in kept[:: len(kept) // 400 or 1]:
        if each.is_floating_point() and each.dim() and each.shape[-1]:
            nn.Linear(each.shape[-1], 2, dtype=each.dtype)(each).sum().backward()


@pytest.mark.parametrize("path", [case for case in CASES if case.id in ("place_value", "vectors")])
def test_who_asks_in_inference_mode_gets_ordinary_tensors_too(path):
    model, text, kept = compiled(path), text_of(path), []
    name = "encoder.blocks.0.hook_resid_post"
    look = [(name, lambda tensor, hook: kept.append(tensor))]
    if name not in model.hooks():
        pytest.skip("no block")
    with torch.inference_mode():
        _, cache = model.run_with_cache(text, None, look)
        first = cache[name]
    for tensor in (first, cache["encoder.blocks.0.hook_resid_pre"], *kept):
        works(tensor)


def test_what_learned_networks_write_is_ordinary_too():
    model = Transformer(Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=1, n_decoder=1)).eval()
    source, kept = torch.tensor([[2, 4, 5, 3]]), []
    plain = greedy(model, source, 3)
    assert not plain.is_inference()
    name = "decoder.blocks.0.hook_resid_post"
    with model.hooked([(name, lambda tensor, hook: kept.append(tensor))]):
        assert torch.equal(greedy(model, source, 3), plain)
    handle = model.decoder.blocks[0].register_forward_hook(lambda *given: kept.append(given[-1]))
    assert torch.equal(greedy(model, source, 3), plain)
    handle.remove()
    for tensor in kept:
        works(tensor)
    plain.add_(1)
