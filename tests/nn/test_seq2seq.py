"""The recurrent baselines."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from progtf.nn import GRU, LSTM, RecurrentShape, ReportGRU, ResetInsideGRU, TorchCells, pad_rows

SHAPE = RecurrentShape(9, d_embedding=4, d_hidden=5, n_layers=2)
KINDS = pytest.mark.parametrize("kind", [LSTM, GRU, ReportGRU])
ROWS = st.lists(st.lists(st.integers(2, 8), min_size=1, max_size=5), min_size=1, max_size=3)


@KINDS
@given(ROWS)
@settings(max_examples=10, deadline=None)
def test_padding_changes_nothing(kind, sources):
    model = kind(SHAPE).double().eval()
    target = torch.randint(2, 9, (len(sources), 4))
    together = model(pad_rows(sources), target)
    for number, source in enumerate(sources):
        alone = model(torch.tensor([source]), target[number : number + 1])
        torch.testing.assert_close(together[number], alone[0], rtol=0, atol=1e-12)


@KINDS
def test_steps_give_the_logits_of_the_whole_target(kind):
    model = kind(SHAPE).double().eval()
    source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 4))
    state, whole = model.start(source), model(source, target)
    for position in range(4):
        logits, state = model.step(target[:, position], state)
        torch.testing.assert_close(logits, whole[:, position], rtol=0, atol=1e-12)


@KINDS
@pytest.mark.parametrize("forcing", [0.0, 0.5])
def test_in_training_some_symbols_fed_are_the_models_own(kind, forcing):
    shape = RecurrentShape(9, 4, 5, forcing=forcing)
    model = kind(shape).double()
    source, target = torch.randint(2, 9, (40, 6)), torch.randint(2, 9, (40, 4))
    logits = model.train()(source, target)
    forced = model.eval()(source, target)
    logits.sum().backward()
    torch.testing.assert_close(logits[:, 0], forced[:, 0], rtol=0, atol=1e-12)
    share = (logits[:, 1] - forced[:, 1]).abs().amax(dim=-1).lt(1e-12).double().mean().item()
    expected = forcing + (1 - forcing) / 7  # its own answer may happen to be the target's
    assert share == pytest.approx(expected, abs=0.3)
    assert share < 1


def test_the_report_s_gru_resets_inside_the_product():
    cells = ResetInsideGRU(3, 5, 1).double()
    inputs, hidden = torch.randn(2, 1, 3).double(), torch.randn(2, 5).double()
    outputs, after = cells(inputs, (hidden[:, None],))
    w_reset, w_keep, w_new = cells.inputs[0](inputs[:, 0]).chunk(3, dim=-1)
    u_reset, u_keep = cells.gates[0](hidden).chunk(2, dim=-1)
    reset, keep = (w_reset + u_reset).sigmoid(), (w_keep + u_keep).sigmoid()
    new = (w_new + (reset * hidden) @ cells.news[0].weight + cells.news[0].bias).tanh()
    expected = (1 - keep) * new + keep * hidden
    torch.testing.assert_close(outputs[:, 0], expected)
    torch.testing.assert_close(after[0][:, 0], expected)


def test_with_the_reset_gate_open_both_grus_agree():
    ours = ResetInsideGRU(3, 5, 1).double()
    theirs = TorchCells(nn.GRU(3, 5, batch_first=True)).double()
    cells = theirs.cells
    with torch.no_grad():
        cells.weight_ih_l0.copy_(ours.inputs[0].weight.T)
        cells.bias_ih_l0.copy_(ours.inputs[0].bias)
        cells.bias_ih_l0[:5] = 1e3
        ours.inputs[0].bias[:5] = 1e3
        cells.weight_hh_l0.copy_(torch.cat([ours.gates[0].weight, ours.news[0].weight], 1).T)
        cells.bias_hh_l0.copy_(torch.cat([ours.gates[0].bias, ours.news[0].bias]))
    inputs = torch.randn(2, 4, 3).double()
    torch.testing.assert_close(ours(inputs)[0], theirs(inputs)[0])


@KINDS
def test_an_unknown_symbol_is_told_with_both_numbers(kind):
    with pytest.raises(ValueError, match="symbol 9 of a vocabulary of 9"):
        kind(SHAPE)(torch.tensor([[9]]), torch.tensor([[2]]))


def test_cells_with_the_batch_on_the_wrong_axis_are_refused():
    with pytest.raises(ValueError, match="axis 1"):
        TorchCells(nn.GRU(3, 5))
