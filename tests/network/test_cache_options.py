"""`run_with_cache` takes what users of TransformerLens know, and means the same by it."""

import pytest
import torch

import progtf
from progtf.nn import Shape, Transformer
from tests.programs import ROOT, compiled

PLACE, QUESTION = ROOT / "examples/math/place_value.seme", "What is the tens digit of 1234?"
POST = "encoder.blocks.0.hook_resid_post"
PATTERN = "decoder.blocks.1.cross.hook_pattern"


@pytest.fixture(scope="module")
def model():
    return compiled(PLACE)


@pytest.fixture(scope="module")
def whole(model):
    return model.run_with_cache(QUESTION)[1]


@pytest.mark.parametrize(
    ("wanted", "due"),
    [
        (POST, {POST}),
        ([POST, PATTERN], {POST, PATTERN}),
        (lambda name: name.endswith("resid_post") and "encoder" in name, None),
        ("encoder.hit.hit", None),
        (None, None),
    ],
)
def test_names_are_filtered_by_name_list_or_function(model, whole, wanted, due):
    answer, cache = model.run_with_cache(QUESTION, names_filter=wanted)
    assert answer == "3"
    if due is not None:
        assert set(cache) == due
    if callable(wanted):
        assert set(cache) == {*filter(wanted, whole)}
    assert all(torch.equal(cache[name], whole[name]) for name in cache)


@pytest.mark.parametrize(
    "name",
    [
        POST,
        PATTERN,
        "encoder.hit.hit",
        "encoder.blocks.0.attn.hook_q",
        "encoder.blocks.0.attn.hook_rest",
        "decoder.answer.head digit",
    ],
)
@pytest.mark.parametrize(
    "places", [0, -1, 1, slice(0, 1), slice(-1, None), slice(None, None, 2), [0], [-1, 0], (1,)]
)
def test_positions_are_sliced_where_the_axis_is(model, whole, name, places):
    _, cache = model.run_with_cache(QUESTION, name, pos_slice=places)
    axes = model.hooks()[name].axes
    axis = next(n for n, each in enumerate(axes) if each in ("pos", "dst"))
    index = list(places) if isinstance(places, tuple) else places
    due = whole[name].movedim(axis, 0)[index]
    due = due if isinstance(places, int) else due.movedim(0, axis)
    assert torch.equal(cache[name], due)


def test_the_axis_of_texts_is_left_out(model, whole):
    _, cache = model.run_with_cache(QUESTION, remove_batch_dim=True, pos_slice=-1)
    assert torch.equal(cache[POST], whole[POST][0, -1])
    assert torch.equal(cache[PATTERN], whole[PATTERN][0, :, -1])
    with pytest.raises(ValueError, match="2 texts are given, and one is due"):
        model.run_with_cache([QUESTION, QUESTION], POST, remove_batch_dim=True)


def test_what_is_kept_is_put_on_a_device(model):
    answer, cache = model.run_with_cache(QUESTION, POST, device="meta")
    assert (answer, cache[POST].device.type) == ("3", "meta")


@pytest.mark.parametrize("layer", range(-8, 9))
def test_a_run_stops_before_a_layer(model, whole, layer):
    count = len(model.network.encoder.blocks)
    number = layer + count if layer < 0 else layer
    if not 0 <= number <= count:
        with pytest.raises(ValueError, match="and the encoder has"):
            model.run_with_cache(QUESTION, stop_at_layer=layer)
        return
    residual, cache = model.run_with_cache(QUESTION, stop_at_layer=layer)
    last = f"encoder.blocks.{number - 1}.hook_resid_post"
    assert torch.equal(residual, whole[last if number else "encoder.blocks.0.hook_resid_pre"])
    assert not residual.is_inference()
    before = [f"encoder.blocks.{each}." for each in range(number)]
    assert set(cache) == {name for name in whole if name.startswith(tuple(before))}
    assert model.run(QUESTION) == "3"


@pytest.mark.parametrize("path", ["a_or_an.seme", "continue_pattern.seme", "remainders.seme"])
def test_every_kind_stops(path):
    model = compiled(ROOT / "examples" / path)
    text = progtf.load(ROOT / "examples" / path).examples[0].input
    residual, _ = model.run_with_cache(text, stop_at_layer=1)
    stack = "encoder" if len(model.network.encoder.blocks) else "decoder"
    ids = model.batch([model.reader.read(text)])
    _, cache = model.run_with_cache(ids if stack == "encoder" else (ids, ids))
    due = cache[f"{stack}.blocks.0.hook_resid_post"].detach()
    torch.testing.assert_close(residual, due)


def test_gradients_are_kept_and_are_those_of_torch():
    network = Transformer(Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=2, n_decoder=1)).eval()
    given, name = (torch.tensor([[2, 4, 5]]), torch.tensor([[2, 4]])), POST
    scores, plain = network.run_with_cache(given)
    (due,) = torch.autograd.grad(scores.square().sum(), [plain[name]])
    _, cache = network.run_with_cache(given, incl_bwd=lambda out: out.square().sum())
    assert torch.allclose(cache[f"{name}_grad"], due)
    assert torch.equal(cache[name], plain[name].detach())
    assert {f"{each}_grad" for each in plain} <= set(cache)
    assert all(parameter.grad is None for parameter in network.parameters())
    with pytest.raises(ValueError, match="one number is due"):
        network.run_with_cache(given, incl_bwd=True)


@pytest.mark.parametrize(
    "path",
    [
        "math/place_value.seme",
        "a_or_an.seme",
        "attention/nearest_noun.seme",
        "hybrid/say_digit.seme",
    ],
)
def test_gradients_of_an_answer_are_those_of_its_loss(path):
    model, program = compiled(ROOT / "examples" / path), progtf.load(ROOT / "examples" / path)
    text = (*(each.input for each in program.examples), QUESTION)[0]
    if model.network.unembed is None and model.network.classifier is None:
        with pytest.raises(ValueError, match="no scores"):
            model.run_with_cache(text, incl_bwd=True)
        return
    answer, cache = model.run_with_cache(text, incl_bwd=True)
    assert answer == model.run(text)
    plain = model.run_with_cache(text)[1]
    for name in plain:
        if cache[name].shape == plain[name].shape:
            assert torch.allclose(cache[name].nan_to_num(), plain[name].nan_to_num(), atol=1e-4)
        gradient = cache[f"{name}_grad"]
        assert gradient.shape == cache[name].shape
        assert gradient.isfinite().all()
    ends = [name for name in plain if name.endswith("hook_resid_post")]
    assert any(cache[f"{name}_grad"].any() for name in ends)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_gradient_of_a_seme_has_its_name(model):
    _, cache = model.run_with_cache(QUESTION, incl_bwd=True)
    point = cache["encoder.blocks.0.hook_resid_post_grad"]
    name = next(n for n, hook in model._aliases.items() if hook.point == POST)
    alias = model._aliases[name]
    assert torch.equal(cache[f"{name}_grad"], point.select(alias.axis, alias.place))
