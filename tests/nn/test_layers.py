"""The small layers: feed-forward, dense, norms, clocks, pooling, recurrence, masks."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.nn import (
    Affine,
    Dense,
    FeedForward,
    PoolClassifier,
    RoundNorm,
    SplitNorm,
    Sum,
    VanillaRNN,
    clock,
    full_precision,
    pool,
    sinusoid,
    store_weights,
)

LENGTHS = st.lists(st.integers(0, 4), min_size=1, max_size=3)


def test_an_affine_map_reads_rows_and_writes_columns():
    affine = Affine(3, 2)
    source = torch.randn(4, 3)
    torch.testing.assert_close(affine(source), source @ affine.weight + affine.bias)


def test_feed_forward_is_eq_7():
    layer = FeedForward.sized(3, 5).double()
    residual = torch.randn(2, 4, 3, dtype=torch.float64)
    hidden = (residual @ layer.inner.weight + layer.inner.bias).clamp(min=0)
    torch.testing.assert_close(layer(residual), hidden @ layer.outer.weight + layer.outer.bias)


def test_written_feed_forward_stays_in_float32_under_autocast():
    layer, residual = FeedForward.sized(3, 5, precision=full_precision), torch.randn(2, 4, 3)
    expected = layer(residual)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(layer(residual), expected)


def test_feed_forward_updates_add_up():
    layers, residual = [FeedForward.sized(3, 5), FeedForward.sized(3, 2)], torch.randn(1, 2, 3)
    both = Sum(layers)
    expected = residual + layers[0](residual) + layers[1](residual)
    assert torch.equal(both.add_to(residual, both(residual)), expected)
    with pytest.raises(ValueError, match="got 0"):
        Sum([])


@pytest.mark.parametrize("relu", [False, True])
def test_a_dense_layer_replaces_the_residual(relu):
    layer, residual = Dense(Affine(3, 2), relu=relu), torch.randn(1, 4, 3)
    image = residual @ layer.affine.weight + layer.affine.bias
    torch.testing.assert_close(layer(residual), image.clamp(min=0) if relu else image)


def test_stored_weights_are_half_the_size_and_nothing_else_changes_format():
    layer = Sum([Dense(Affine(3, 2)), SplitNorm(2, [0])])
    store_weights(layer, torch.bfloat16)
    assert layer.layers[0].affine.weight.dtype == torch.bfloat16
    assert layer.layers[1].norm.weight.dtype == torch.float32


def test_round_norm_gives_the_nearest_integers_and_passes_clocks():
    residual = torch.tensor([[[0.4, 0.6, -1.2, 2.5, 3.5, 0.75]]])
    assert RoundNorm(6)(residual).tolist() == [[[0, 1, -1, 2, 4, 1]]]
    assert RoundNorm(5)(residual).tolist() == [[[0, 1, -1, 2, 4, 0.75]]]


def test_split_norm_norms_the_named_dimensions_and_passes_the_others_bit_by_bit():
    residual = torch.randn(2, 3, 6)
    normed = SplitNorm(6, [4, 1, 5])(residual)
    expected = torch.nn.functional.layer_norm(residual[..., [4, 1, 5]], (3,))
    torch.testing.assert_close(normed[..., [4, 1, 5]], expected)
    assert torch.equal(normed[..., [0, 2, 3]], residual[..., [0, 2, 3]])


def test_split_norm_refuses_a_dimension_that_is_not_there():
    with pytest.raises(ValueError, match="dimension 6 of a residual of width 6"):
        SplitNorm(6, [1, 6])


def test_a_clock_shows_cos_and_sin_side_by_side():
    hands = clock([7, 40.5], 50, torch.float64)
    for position in (0, 1, 6, 49):
        expected = [
            turn(2 * math.pi * position / period)
            for period in (7, 40.5)
            for turn in (math.cos, math.sin)
        ]
        assert hands[position].tolist() == pytest.approx(expected, abs=1e-14)


def test_a_clock_comes_round_exactly_and_refuses_a_period_of_zero():
    hands = clock([8, 5], 81)
    assert torch.equal(hands[0], hands[80])
    with pytest.raises(ValueError, match=r"\[4, 0\]"):
        clock([4, 0], 3)


def test_the_sinusoid_is_vaswanis():
    code = sinusoid(6, 30, torch.float64)
    for position in (0, 1, 29):
        for pair in range(3):
            angle = position / 10000 ** (2 * pair / 6)
            expected = [math.sin(angle), math.cos(angle)]
            assert code[position, 2 * pair : 2 * pair + 2].tolist() == pytest.approx(expected)
    with pytest.raises(ValueError, match="5 is odd"):
        sinusoid(5, 3)


@pytest.mark.parametrize("how", ["max", "mean", "first", "last"])
@given(LENGTHS)
@settings(max_examples=15, deadline=None)
def test_pooling_sees_no_padding_and_gives_zeros_for_nothing(how, lengths):
    residual = torch.randn(len(lengths), 4, 3, dtype=torch.float64)
    present = torch.arange(4) < torch.tensor(lengths)[:, None]
    pooled = pool(residual, present, how)
    for row, length in enumerate(lengths):
        real = residual[row, :length]
        expected = (
            {
                "max": lambda real=real: real.amax(dim=0),
                "mean": lambda real=real: real.mean(dim=0),
                "first": lambda real=real: real[0],
                "last": lambda real=real: real[-1],
            }[how]()
            if length
            else torch.zeros(3, dtype=torch.float64)
        )
        torch.testing.assert_close(pooled[row], expected)


def test_a_classifier_scores_the_pooled_sequence():
    classifier = PoolClassifier(Affine(3, 4), "mean")
    residual, present = torch.randn(2, 5, 3), torch.ones(2, 5, dtype=torch.bool)
    torch.testing.assert_close(
        classifier(residual, present), classifier.score(residual.mean(dim=1))
    )


@pytest.mark.parametrize("activation", ["relu", "tanh", "clip", "none"])
def test_a_vanilla_rnn_is_its_equation_and_stands_still_at_padding(activation):
    layer = VanillaRNN(3, 4, activation).double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    present = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    trace = layer(inputs, present)
    act = {
        "relu": torch.relu,
        "tanh": torch.tanh,
        "clip": lambda h: h.clamp(-1, 1),
        "none": lambda h: h,
    }
    hidden = torch.zeros(2, 4, dtype=torch.float64)
    for position in range(5):
        driven = inputs[:, position] @ layer.inputs.weight + layer.inputs.bias
        moved = act[activation](driven + hidden @ layer.recurrent)
        hidden = torch.where(present[:, position, None], moved, hidden)
        torch.testing.assert_close(trace[:, position], hidden)
    assert torch.equal(trace[1, 2], trace[1, 4])


def test_a_vanilla_rnn_goes_on_from_a_given_state():
    layer = VanillaRNN(3, 4, "tanh").double()
    inputs = torch.randn(2, 5, 3, dtype=torch.float64)
    whole = layer(inputs)
    torch.testing.assert_close(layer(inputs[:, 2:], None, whole[:, 1]), whole[:, 2:])
    assert layer(inputs[:, :0]).shape == (2, 0, 4)
