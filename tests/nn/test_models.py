"""The learned models: sizes, initial weights, bad input, and what a graph compiler sees."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from progtf.nn import (
    PUBLISHED_RECIPE,
    FeedForward,
    Outer,
    RoleAttention,
    RoleEmbedding,
    Shape,
    SymbolEmbedding,
    TPTransformer,
    Transformer,
    Unbound,
    greedy,
)
from progtf.nn.presets import report

SMALL = Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=2, n_decoder=2, max_length=7)
TP_OF_REPORT = Shape(9, 8, 10, 2, 1, 1, 7, norms="post", tied=False, role_embedding=False)


def n_parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def parts(model, kind):
    return [part for part in model.modules() if isinstance(part, kind)]


@pytest.mark.parametrize(
    ("kind", "count"), [(TPTransformer, 49_178_624), (Transformer, 44_188_160)]
)
def test_published_models_have_the_published_number_of_parameters(kind, count):
    with torch.device("meta"):
        assert n_parameters(kind.published(73)) == count


def test_the_report_s_student_size_has_the_counts_of_the_published_layout():
    shape = Shape(73, d_model=256, d_ff=512, n_encoder=3, n_decoder=3)
    assert n_parameters(TPTransformer(shape)) == 4_633_344
    assert n_parameters(Transformer(shape)) == 3_975_424


def test_report_models_are_post_norm_with_an_output_layer_of_their_own():
    model = Transformer.report()
    assert (len(list(model.encoder)), len(list(model.decoder))) == (3, 3)
    assert all(b.attention.before is None for b in model.encoder)
    assert all(isinstance(b.attention.after, nn.LayerNorm) for b in model.encoder)
    assert model.unembed.weight.shape == (256, 58)
    assert model.shape.dropout == 0.3
    assert TPTransformer.report().shape.dropout == 0


def test_published_models_norm_what_each_sublayer_reads_and_each_block_s_output():
    block = next(iter(Transformer(SMALL).decoder))
    for sublayer in (block.attention, block.cross, block.feed_forward):
        assert isinstance(sublayer.before, nn.LayerNorm)
    assert isinstance(block.feed_forward.after, nn.LayerNorm)
    assert block.attention.after is None


def uniform_bound(weight):
    return weight.abs().max().item()


@pytest.mark.parametrize(
    ("kind", "bound"), [(TPTransformer, 128**-0.5), (Transformer, (6 / 256) ** 0.5)]
)
def test_published_initial_weights_are_what_the_code_draws(kind, bound):
    shape = Shape(500, d_model=128, d_ff=384, n_encoder=1, n_decoder=1)
    model = kind(shape)
    table = parts(model, SymbolEmbedding)[0].table
    assert table.std().item() == pytest.approx(128**-0.5, rel=0.02)
    for attention in parts(model, RoleAttention):
        for weight, bias in attention.parts().values():
            if weight.numel():
                assert uniform_bound(weight) == pytest.approx(bound, rel=0.01)
                assert uniform_bound(bias) <= 128**-0.5
    for feed_forward in parts(model, FeedForward):
        assert uniform_bound(feed_forward.inner.weight) == pytest.approx((6 / 512) ** 0.5, rel=0.01)
    for embedding in parts(model, RoleEmbedding):
        assert embedding.role.weight.std().item() == pytest.approx(128**-0.5, rel=0.05)


def test_paper_initial_weights_are_what_the_text_says():
    shape = Shape(500, d_model=128, d_ff=384, n_encoder=1, n_decoder=1)
    model = TPTransformer(shape, scheme="paper")
    assert model.embedding.symbols.table.std().item() == pytest.approx(1, rel=0.02)
    assert model.embedding.role.weight.mean().item() == pytest.approx(1, abs=0.05)
    assert model.embedding.role.weight.std().item() == pytest.approx(1, rel=0.05)
    for attention in parts(model, RoleAttention):
        for weight, _ in attention.parts().values():
            assert uniform_bound(weight) == pytest.approx((6 / 256) ** 0.5, rel=0.01)


def test_eq_2_multiplies_symbol_and_place_by_a_role_about_one():
    symbols = SymbolEmbedding(9, 6, 5)
    embedding = RoleEmbedding(symbols)
    tokens = torch.tensor([[4, 2, 8]])
    place = symbols.table[tokens] * 6**0.5 + symbols.code[:3]
    role = place @ embedding.role.weight + embedding.role.bias + 1
    torch.testing.assert_close(embedding(tokens), place * role)
    later = embedding(tokens[:, 1:], first=1)
    torch.testing.assert_close(later, embedding(tokens)[:, 1:])


def test_the_recipe_is_adam_at_a_constant_rate():
    optimiser = PUBLISHED_RECIPE.optimiser(nn.Linear(1, 1))
    assert optimiser.defaults["lr"] == 1e-4
    assert optimiser.defaults["betas"] == (0.9, 0.995)
    assert optimiser.defaults["weight_decay"] == 0
    assert PUBLISHED_RECIPE.clip == 0.1


@pytest.mark.parametrize("shape", [SMALL, TP_OF_REPORT], ids=["published", "report"])
def test_a_tp_transformer_whose_roles_are_one_is_the_transformer(shape):
    plain = Transformer(shape).eval()
    bound = TPTransformer(shape).eval()
    load_without_roles(bound, plain)
    source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
    torch.testing.assert_close(bound(source, target), plain(source, target), rtol=0, atol=1e-5)


def test_without_a_binding_it_is_the_transformer_number_for_number():
    shape = replace(SMALL, role_embedding=False)
    unbound, plain = TPTransformer(shape, Unbound()).eval(), Transformer(shape).eval()
    unbound.load_state_dict(plain.state_dict())
    source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
    assert torch.equal(unbound(source, target), plain(source, target))


def load_without_roles(bound, plain):
    groups = zip(parts(bound, RoleAttention), parts(plain, RoleAttention), strict=True)
    for ours, theirs in groups:
        mine, others = ours.parts(), theirs.parts()
        mine["role"][0].zero_()
        mine["role"][1].fill_(1)
        for name in ("query", "key", "value", "out"):
            for left, right in zip(mine[name], others[name], strict=True):
                left.copy_(right)
    for embedding in parts(bound, RoleEmbedding):
        embedding.role.weight.data.zero_()
        embedding.role.bias.data.zero_()
    heads = {id(p) for group in parts(bound, RoleAttention) for p in group.parameters()}
    weights = dict(plain.named_parameters())
    for name, parameter in bound.named_parameters():
        if id(parameter) not in heads and "role" not in name:
            parameter.data.copy_(weights[name.replace("embedding.symbols.", "embedding.")])


def test_the_outer_binding_trains():
    model = TPTransformer(SMALL, Outer(3))
    source, target = torch.randint(2, 9, (2, 6)), torch.randint(2, 9, (2, 5))
    model(source, target).logsumexp(dim=-1).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize(
    ("run", "numbers"),
    [
        (lambda m: m(torch.tensor([[2, 9]]), torch.tensor([[2]])), "symbol 9 of a vocabulary of 9"),
        (lambda m: m(torch.tensor([[2]]), torch.tensor([[-1]])), "symbol -1 of a vocabulary of 9"),
        (
            lambda m: m(torch.full((1, 8), 2), torch.tensor([[2]])),
            "8 positions are past the maximum length of 7",
        ),
        (
            lambda m: greedy(m, torch.tensor([[2]]), 9),
            "8 positions are past the maximum length of 7",
        ),
    ],
)
def test_bad_input_is_told_with_both_numbers(run, numbers):
    model = Transformer(SMALL).eval()
    with torch.no_grad():
        model.embedding.table[3] = -model.embedding.table.sum(dim=0)
    with pytest.raises(ValueError, match=numbers):
        run(model)


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="3 heads do not divide a width of 8"):
        Transformer(Shape(9, d_model=8, n_heads=3))


def test_presets_take_the_size_of_the_vocabulary():
    assert Shape(50).n_symbols == report(50).n_symbols == 50
