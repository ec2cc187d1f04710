"""Points of learned networks, by the names of TransformerLens."""

import pytest
import torch

from progtf.nn import Shape, TPTransformer, Transformer, greedy
from progtf.nn.lockstep import Lockstep
from progtf.nn.watching import watches
from tests.nn.models import tiny_model

SHAPE = Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=2, n_decoder=1, max_length=9)
ENCODER, DECODER = "encoder.blocks.0", "decoder.blocks.0"


def models():
    torch.manual_seed(3)
    return [TPTransformer(SHAPE).eval(), Transformer(SHAPE).eval(), tiny_model(2).eval()]


@pytest.fixture(params=range(3), ids=["roles", "no roles", "written and learned"])
def model(request):
    return models()[request.param]


@pytest.fixture
def given():
    torch.manual_seed(1)
    source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
    source[1, 4:] = 1
    return source, target


def every_point(name):
    return "hook_" in name


def test_a_hook_that_changes_nothing_changes_no_bit(model, given):
    with torch.no_grad():
        before = model(*given)
        after = model.run_with_hooks(given, [(every_point, lambda _tensor, hook: None)])
        copied = model.run_with_hooks(given, [(every_point, lambda tensor, hook: tensor.clone())])
    assert torch.equal(before, after)
    assert torch.equal(before, copied)


def test_names_are_those_of_other_tools(model):
    names = set(model.hooks())
    own = {"q", "k", "v", "pattern", "z"}
    assert {f"{ENCODER}.attn.hook_{each}" for each in own} <= names
    assert {f"{DECODER}.cross.hook_{each}" for each in own} <= names
    assert {f"{ENCODER}.hook_resid_{each}" for each in ("pre", "mid", "post")} <= names
    assert f"{ENCODER}.mlp.hook_post" in names
    assert f"{ENCODER}.cross.hook_q" not in names


def test_heads_without_roles_have_no_such_point():
    with_roles, without, _ = models()
    assert f"{ENCODER}.attn.hook_role" in with_roles.hooks()
    assert f"{ENCODER}.attn.hook_role" not in without.hooks()


@torch.no_grad()
def test_a_cache_has_every_point_with_its_axes(model, given):
    logits, cache = model.run_with_cache(given)
    assert torch.equal(logits, model(*given))
    assert set(cache) == set(model.hooks())
    assert all(cache[name].dim() == len(hook.axes) for name, hook in model.hooks().items())
    assert torch.equal(
        cache[f"{ENCODER}.hook_resid_post"], cache["encoder.blocks.1.hook_resid_pre"]
    )


@torch.no_grad()
@pytest.mark.parametrize("side", [f"{ENCODER}.attn", f"{DECODER}.attn", f"{DECODER}.cross"])
def test_what_is_kept_is_how_the_heads_compute(model, given, side):
    _, cache = model.run_with_cache(given)
    pattern, rest, value, found = (cache[f"{side}.hook_{n}"] for n in ("pattern", "rest", "v", "z"))
    real = slice(0, 1)  # without padding
    assert (pattern.sum(dim=-1) + rest).sub(1.0).abs().max() < 1e-5 or "attn" in side
    retrieved = torch.einsum("bhds,bshf->bdhf", pattern, value)
    heads = rest.amax(dim=(0, 2)) == 0  # those that rest nowhere
    torch.testing.assert_close(retrieved[real][:, :, heads], found[real][:, :, heads])


@torch.no_grad()
def test_what_is_bound_is_the_filler_times_its_role(given):
    _, cache = models()[0].run_with_cache(given)
    for side in (f"{ENCODER}.attn", f"{DECODER}.cross"):
        filler, role, bound = (cache[f"{side}.hook_{name}"] for name in ("z", "role", "bound"))
        assert torch.equal(filler * role, bound)


@torch.no_grad()
def test_each_point_can_be_changed(model, given):
    before, unheard = model(*given), []
    for name in model.hooks():
        after = model.run_with_hooks(given, [(name, lambda tensor, hook: tensor * 0.5 + 0.25)])
        if torch.equal(after, before):
            unheard.append(name)
    assert unheard in ([], [name for name in model.hooks() if name.endswith("hook_rest")])
    assert torch.equal(before, model(*given))


@torch.no_grad()
def test_a_change_in_place_counts_as_well(model, given):
    def silence(tensor, hook):
        tensor[:, :, 0] = 0.0

    def silenced(tensor, hook):
        changed = tensor.clone()
        changed[:, :, 0] = 0.0
        return changed

    name = f"{ENCODER}.attn.hook_z"
    first, second = (model.run_with_hooks(given, [(name, each)]) for each in (silence, silenced))
    assert torch.equal(first, second)
    assert not torch.equal(first, model(*given))


@torch.no_grad()
def test_a_cache_shows_what_hooks_leave(given):
    model = models()[0]
    name = f"{ENCODER}.hook_resid_mid"
    _, cache = model.run_with_cache(given, name, [(name, lambda tensor, hook: tensor + 1.0)])
    _, plain = model.run_with_cache(given, [name])
    assert list(cache) == [name]
    torch.testing.assert_close(cache[name], plain[name] + 1.0)


@torch.no_grad()
def test_a_pattern_that_is_changed_decides_what_is_read(given):
    model = models()[0]

    def only_first(pattern, hook):
        changed = torch.zeros_like(pattern)
        changed[..., 0] = 1.0
        return changed

    name = f"{ENCODER}.attn.hook_"
    _, cache = model.run_with_cache(given, None, [(f"{name}pattern", only_first)])
    first = cache[f"{name}v"][:, :1].expand_as(cache[f"{name}z"])
    torch.testing.assert_close(cache[f"{name}z"], first)


@torch.no_grad()
def test_nothing_is_computed_that_nobody_asked_for(given, monkeypatch):
    model, calls = models()[2], []
    for step in ("asked", "found", "shares", "bound"):
        plain = getattr(Lockstep, step)
        monkeypatch.setattr(
            Lockstep,
            step,
            lambda self, *given, s=step, p=plain: (calls.append(s), p(self, *given))[1],
        )
    model.run_with_cache(given, f"{ENCODER}.hook_resid_pre")
    model.run_with_cache(given, f"{ENCODER}.mlp.hook_post")
    assert calls == []
    model.run_with_cache(given, f"{ENCODER}.attn.hook_z")
    assert calls == ["asked", "found", "bound"]
    model.run_with_cache(given, f"{ENCODER}.attn.hook_pattern")
    assert calls[3:] == ["asked", "found", "shares", "bound"]


@torch.no_grad()
def test_hooks_see_every_step_of_a_decoder(model, given):
    seen = []
    name = f"{DECODER}.hook_resid_pre"
    look = lambda tensor, hook: seen.append((hook.first, tensor.shape[1]))  # noqa: E731
    with model.hooked([(name, look)]):
        written = greedy(model, given[0], 4, drop=False)
    assert torch.equal(written, greedy(model, given[0], 4, drop=False))
    assert seen[:3] == [(0, 1), (1, 1), (2, 1)]


def test_gradients_reach_what_is_kept(model, given):
    logits, cache = model.run_with_cache(given)
    grown = [cache[name] for name in cache if not name.endswith("hook_rest")]
    found = torch.autograd.grad(logits.square().sum(), grown, allow_unused=True)
    assert all(each is not None and each.isfinite().all() for each in found)


def test_mistakes_are_told(model, given):
    with pytest.raises(ValueError, match=r"nearest is `encoder.blocks.0.attn.hook_z`"):
        model.run_with_hooks(given, [("encoder.block.0.attn.hook_z", lambda tensor, hook: None)])
    name = f"{ENCODER}.hook_resid_pre"
    with pytest.raises(ValueError, match=r"shape \(2,\), due is \(3, 6, .\): batch, pos, d_model"):
        model.run_with_hooks(given, [(name, lambda tensor, hook: torch.zeros(2))])
    with pytest.raises(TypeError, match="a tensor or None is due"):
        model.run_with_hooks(given, [(name, lambda tensor, hook: "no")])
    with pytest.raises(TypeError, match="source and target"):
        model.run_with_hooks(given[0])
    _, cache = model.run_with_cache(given, name)
    with pytest.raises(KeyError, match="was not kept"):
        cache[f"{ENCODER}.attn.hook_z"]
    called = []
    handle = model.encoder.blocks[0].attention.layer.register_forward_hook(
        lambda *_: called.append(1)
    )
    with model.hooked([]):
        model.run_with_cache(given, f"{ENCODER}.attn.hook_z")
    handle.remove()
    assert called


@torch.no_grad()
def test_hooks_are_gone_afterwards(model, given):
    def fails(tensor, hook):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        model.run_with_hooks(given, [(f"{ENCODER}.hook_resid_pre", fails)])
    assert not watches()
    assert not model.encoder._forward_hooks
    model(*given)


def test_what_was_kept_with_the_old_name_loads():
    shape = Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=1, n_decoder=1, tied=False)
    model, other = TPTransformer(shape), TPTransformer(shape)
    old = {name.replace("unembed.", "output."): each for name, each in model.state_dict().items()}
    assert "output.weight" in old
    other.load_state_dict(old)
    assert torch.equal(other.unembed.weight, model.unembed.weight)
    outer = torch.nn.ModuleList([other])
    outer.load_state_dict({f"0.{name}": tensor for name, tensor in old.items()})
