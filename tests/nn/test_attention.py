"""Learned and written heads on one path, against a plain spelling-out of Eq. 3-6."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.nn import (
    Hadamard,
    HeadGroups,
    HeadSizes,
    Outer,
    RoleAttention,
    ScaledSoftmax,
    Unbound,
    WrittenSoftmax,
    WrittenSoftmaxOverReaders,
    full_precision,
    store_weights,
)
from progtf.nn.patterns import LOOKS, check_look

LOOK = st.sampled_from(LOOKS)
SCORE = st.none() | st.floats(-2, 2).map(lambda score: round(score, 2))
MAY_LOOK = {
    "all": lambda dst, src: dst >= 0 <= src,
    "before": lambda dst, src: src < dst,
    "upto": lambda dst, src: src <= dst,
    "after": lambda dst, src: src > dst,
    "self": lambda dst, src: src == dst,
    "notself": lambda dst, src: src != dst,
}


def by_hand(attention, residual, n_real, binding=torch.mul):
    """One row, one reader, one head at a time, from the definition in the notation."""
    parts = attention.parts()
    (heads,) = attention
    sizes, pattern = heads.sizes, heads.pattern
    update = parts["out"][1].repeat(len(residual), 1)
    for head in range(sizes.n_heads):
        query, key, role, value = (
            (residual @ weight + bias).chunk(sizes.n_heads, dim=-1)[head]
            for weight, bias in (parts[name] for name in ("query", "key", "role", "value"))
        )
        out = parts["out"][0].chunk(sizes.n_heads, dim=0)[head]
        for dst in range(len(residual)):
            open_ = [s for s in range(n_real) if MAY_LOOK[pattern.looks[head]](dst, s)]
            scores = [query[dst] @ key[src] for src in open_]
            fillers = [value[src] for src in open_]
            if pattern.owns_null[head]:
                scores.append(pattern.null_score[head])
                fillers.append(pattern.null_filler[head])
            filler = torch.zeros(sizes.d_filler, dtype=residual.dtype)
            if scores:
                share = (torch.stack(scores) * pattern.sharpness[head]).softmax(dim=0)
                filler = share @ torch.stack(fillers)
            update[dst] += binding(filler, role[dst]) @ out
    return update


def written(n_heads, looks, null_score, d_key=3, d_filler=2, **causal):
    pattern = WrittenSoftmax(d_filler, [1.5] * n_heads, looks, null_score, **causal)
    pattern.null_filler.copy_(torch.randn_like(pattern.null_filler))
    pattern.null_filler[~pattern.owns_null] = 0
    sizes = HeadSizes(6, n_heads, d_key, d_filler)
    return RoleAttention.sized(sizes, pattern, Hadamard(), full_precision)


def run(attention, residual, present=None):
    return attention(residual, attention.keys_values(residual), present)


def no_padding(n_real, length):
    return torch.arange(length) < n_real


@given(st.lists(st.tuples(LOOK, SCORE), min_size=1, max_size=3), st.integers(0, 4), st.data())
@settings(max_examples=40, deadline=None)
def test_written_heads_compute_what_the_notation_says(heads, n_real, data):
    attention = written(len(heads), *zip(*heads, strict=True)).double()
    length = data.draw(st.integers(max(n_real, 1), 5))
    residual = torch.randn(length, 6, dtype=torch.float64)
    update = run(attention, residual[None], no_padding(n_real, length)[None])[0, :n_real]
    due = by_hand(attention, residual, n_real)[:n_real]  # at padding, anything
    torch.testing.assert_close(update, due, rtol=0, atol=1e-12)


@pytest.mark.parametrize("look", ["before", "after", "notself"])
def test_a_reader_with_no_allowed_position_reads_exactly_zero(look):
    pattern = WrittenSoftmax(2, [1e6], [look])
    alone = torch.randn(1, 1, 1, 2)
    assert torch.equal(pattern(alone, alone, alone), torch.zeros(1, 1, 1, 2))


def test_a_sequence_of_padding_alone_reads_exactly_zero_and_has_finite_gradients():
    attention = written(2, ["all", "upto"], None)
    residual = torch.randn(2, 3, 6, requires_grad=True)
    present = torch.tensor([[True, True, False], [False, False, False]])
    update = run(attention, residual, present)
    update.sum().backward()
    assert torch.equal(update[1], attention.out.bias.expand(3, -1))
    assert residual.grad.isfinite().all()


def test_a_head_rests_on_its_null_key_where_nothing_scores_higher():
    pattern = WrittenSoftmax(1, [1e4], ["all"], [0.5])
    query, value = torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1)
    assert pattern(query, torch.full_like(query, 0.25), value).item() == 0
    assert pattern(query, torch.full_like(query, 0.75), value).item() == 1
    assert pattern(query, torch.full_like(query, 0.5), value).item() == 0.5


def test_heads_without_features_read_the_mean():
    attention = written(2, ["all", "before"], [None, None], d_key=0).double()
    residual = torch.randn(1, 4, 6, dtype=torch.float64)
    expected = by_hand(attention, residual[0], 4)
    torch.testing.assert_close(run(attention, residual)[0], expected, rtol=0, atol=1e-12)


@given(st.lists(st.tuples(LOOK, SCORE), min_size=1, max_size=3), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_padding_changes_nothing(heads, n_real):
    attention = written(len(heads), *zip(*heads, strict=True)).double()
    residual = torch.randn(1, 5, 6, dtype=torch.float64)
    padded = run(attention, residual, no_padding(n_real, 5)[None])
    torch.testing.assert_close(
        padded[:, :n_real], run(attention, residual[:, :n_real]), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("stored", [torch.bfloat16, torch.float16])
def test_weights_stored_in_half_compute_as_if_in_float32(stored):
    attention = written(2, ["all", "before"], [0.25, None])
    store_weights(attention, stored)
    residual = torch.randn(2, 4, 6)
    halved = run(attention, residual)
    widened = run(attention.float(), residual)
    assert halved.dtype == torch.float32
    assert torch.equal(halved, widened)


def test_autocast_leaves_written_heads_in_float32_and_takes_learned_ones_along():
    sizes = HeadSizes.split(8, 2)
    learned = RoleAttention.sized(sizes, ScaledSoftmax(), Hadamard())
    sharp = WrittenSoftmax(4, [1.0, 1.0], ["all", "all"])
    exact = RoleAttention.sized(sizes, sharp, Hadamard(), full_precision)
    residual = torch.randn(2, 4, 8)
    expected = run(exact, residual)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(run(exact, residual), expected)
        assert run(learned, residual).dtype == torch.bfloat16


@pytest.mark.parametrize("causal", [False, True])
def test_learned_heads_scale_by_the_root_of_their_key_size(causal):
    sizes = HeadSizes(6, 2, 3, 4)
    learned = RoleAttention.sized(sizes, ScaledSoftmax(causal=causal), Hadamard()).double()
    look = "upto" if causal else "all"
    pattern = WrittenSoftmax(4, [3**-0.5] * 2, [look] * 2)
    same = RoleAttention.sized(sizes, pattern, Hadamard()).double()
    same.load_state_dict(learned.state_dict(), strict=False)
    residual = torch.randn(2, 5, 6, dtype=torch.float64)
    torch.testing.assert_close(run(learned, residual), run(same, residual), rtol=0, atol=1e-12)


def test_the_diagonal_of_the_outer_product_is_the_hadamard_product():
    sizes = HeadSizes(6, 2, 3, 4)
    hadamard = RoleAttention.sized(sizes, ScaledSoftmax(), Hadamard()).double()
    outer = RoleAttention.sized(sizes, ScaledSoftmax(), Outer(4)).double()
    weights = hadamard.state_dict()
    diagonal = torch.zeros(2, 4, 4, 6, dtype=torch.float64)
    diagonal[:, range(4), range(4)] = weights["out.weight"].unflatten(0, (2, 4))
    outer.load_state_dict({**weights, "out.weight": diagonal.flatten(0, 2)})
    residual = torch.randn(2, 5, 6, dtype=torch.float64)
    torch.testing.assert_close(run(outer, residual), run(hadamard, residual), rtol=0, atol=1e-12)


def test_unbound_heads_are_hadamard_heads_whose_role_is_one():
    sizes = HeadSizes(6, 2, 3, 4)
    plain = RoleAttention.sized(sizes, ScaledSoftmax(), Unbound()).double()
    bound = RoleAttention.sized(sizes, ScaledSoftmax(), Hadamard()).double()
    with torch.no_grad():
        for name, parts in bound.parts().items():
            for part, source in zip(parts, plain.parts()[name], strict=True):
                part.copy_(source) if source.numel() else part.fill_(0)
        bound.parts()["role"][1].fill_(1)
    residual = torch.randn(2, 5, 6, dtype=torch.float64)
    torch.testing.assert_close(run(plain, residual), run(bound, residual), rtol=0, atol=1e-12)


def test_roles_are_computed_where_the_filler_lands():
    attention = written(1, ["all"], None)
    residual, memory = torch.randn(1, 2, 6), torch.randn(1, 3, 6)
    with torch.no_grad():
        for part in attention.parts()["role"]:
            part.zero_()
        attention.parts()["role"][0][0] = 1
    residual[..., 0] = torch.tensor([0.0, 1.0])
    update = attention(residual, attention.keys_values(memory))
    assert torch.equal(update[0, 0], attention.out.bias)
    assert not torch.equal(update[0, 1], attention.out.bias)


def test_groups_of_unlike_sizes_add_up():
    groups = [written(2, ["all", "self"], None), written(1, ["before"], [0.1], 1, 5)]
    together = HeadGroups(groups)
    residual = torch.randn(2, 4, 6)
    expected = residual + run(groups[0], residual) + run(groups[1], residual)
    assert torch.equal(together.add_to(residual, run(together, residual)), expected)


@given(st.lists(LOOK, min_size=1, max_size=3), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_over_readers_each_source_is_shared_out_among_those_who_may_read_it(looks, n_real):
    pattern = WrittenSoftmaxOverReaders([2.0] * len(looks), looks)
    query, key = torch.randn(2, 1, len(looks), 5, 3, dtype=torch.float64)
    value = torch.eye(5, dtype=torch.float64).expand(1, len(looks), 5, 5)
    share = pattern(query, key, value, no_padding(n_real, 5)[None])[0]
    for head, look in enumerate(looks):
        for src in range(5):
            readers = [d for d in range(n_real) if MAY_LOOK[look](d, src) and src < n_real]
            expected = torch.zeros(5, dtype=torch.float64)
            if readers:
                scores = query[0, head, readers] @ key[0, head, src]
                expected[readers] = (2.0 * scores).softmax(dim=0)
            torch.testing.assert_close(share[head, :, src], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("build", "numbers"),
    [
        (lambda: HeadSizes.split(10, 4), ("4", "10")),
        (lambda: WrittenSoftmax(2, [1.0], ["all", "all"]), ("2 looks", "1 sharpness")),
        (lambda: WrittenSoftmax(2, [1.0], ["all"], [None, None]), ("1 looks", "2 null_score")),
        (lambda: check_look("sideways"), ("sideways",)),
        (lambda: WrittenSoftmax(2, [1.0], ["after"], causal=True), ("after",)),
        (lambda: WrittenSoftmax(2, [1.0], ["all"]).check(1, 3), ("2", "3")),
        (lambda: HeadGroups([]), ("0",)),
    ],
)
def test_mistakes_are_told_with_both_numbers(build, numbers):
    with pytest.raises(ValueError, match=".*".join(numbers)):
        build()
