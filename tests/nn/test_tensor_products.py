"""Cells that bind symbols to roles: their equations, gradients, directions, and what they cost."""

import pytest
import torch

from progtf.nn.tensor_products import TensorShape, TPRCell, TPRLSTMCell, sparsity

SMALL = TensorShape(symbols=5, roles=4, d_symbol=3, d_role=2)
SOME = TensorShape(symbols=5, roles=4, d_symbol=3, d_role=2, written=2)


def cells(shape=SMALL):
    return [TPRCell(3, shape).double(), TPRLSTMCell(3, 2, shape).double()]


def told(shape, inputs):
    return torch.rand(*inputs.shape[:2], shape.written, dtype=inputs.dtype)


def by_hand(cell, inputs, direction, written):
    """Equations 1.1 to 1.3 of one row, word by word."""
    shape, width = cell.shape, cell.d_hidden
    hidden, memory, tensor = torch.zeros(width), torch.zeros(width), torch.zeros(shape.d_tensor)
    found = []
    words = list(zip(inputs, written, strict=True))
    for x, known in words if direction == 0 else words[::-1]:
        asked = x @ cell.inputs[direction] + cell.bias[direction]
        asked = asked + torch.cat([hidden, tensor]).double() @ cell.recurrent[direction]
        gates, symbols, roles = asked.split([4 * width, shape.symbols, shape.roles - len(known)])
        if width:
            take, keep, show, new = gates.chunk(4)
            memory = keep.sigmoid() * memory + take.sigmoid() * new.tanh()
            hidden = show.sigmoid() * memory.tanh()
        symbols, roles = symbols.sigmoid(), torch.cat([known, roles.sigmoid()])
        filler = cell.symbol_vectors[direction].T @ symbols
        role = cell.role_vectors[direction].T @ roles
        tensor = torch.outer(filler, role).flatten()
        found.append((torch.cat([hidden, tensor]).double(), symbols, roles))
    return [torch.stack(each) for each in zip(*found[:: 1 if direction == 0 else -1], strict=True)]


@pytest.mark.parametrize("shape", [SMALL, SOME])
@pytest.mark.parametrize("number", [0, 1])
def test_both_directions_are_the_equations(number, shape):
    cell, inputs = cells(shape)[number], torch.randn(2, 6, 3, dtype=torch.float64)
    written = told(shape, inputs)
    outputs, symbols, roles = cell(inputs, torch.ones(2, 6).bool(), written)
    for row in range(2):
        due = [by_hand(cell, inputs[row], way, written[row]) for way in (0, 1)]
        torch.testing.assert_close(outputs[row], torch.cat([due[0][0], due[1][0]], dim=-1))
        torch.testing.assert_close(symbols[row], torch.stack([due[0][1], due[1][1]], dim=1))
        torch.testing.assert_close(roles[row], torch.stack([due[0][2], due[1][2]], dim=1))


@pytest.mark.parametrize("shape", [SMALL, SOME])
@pytest.mark.parametrize("number", [0, 1])
def test_gradients_are_those_of_differences(number, shape):
    cell = cells(shape)[number]
    cell.steepest = torch.inf
    inputs = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    real, written = torch.tensor([[True] * 4, [True] * 3 + [False]]), told(shape, inputs.detach())
    names, values = zip(*cell.named_parameters(), strict=True)

    def put(inputs, *values):
        given = dict(zip(names, values, strict=True))
        outputs, symbols, roles = torch.func.functional_call(cell, given, (inputs, real, written))
        penalty = sparsity(symbols, real) + sparsity(roles, real, "note")
        return outputs * real[..., None], penalty

    assert torch.autograd.gradcheck(put, (inputs, *values))


@pytest.mark.parametrize("number", [0, 1])
def test_padding_changes_no_word(number):
    cell, inputs = cells()[number], torch.randn(2, 7, 3, dtype=torch.float64)
    real = torch.arange(7) < torch.tensor([[7], [4]])
    together, alone = cell(inputs, real), cell(inputs[1:, :4], real[1:, :4])
    for mine, due in zip(together, alone, strict=True):
        torch.testing.assert_close(mine[1:, :4], due)


def test_written_roles_are_given_back_first_and_never_computed():
    cell, inputs = cells(SOME)[0], torch.randn(1, 4, 3, dtype=torch.float64)
    written, real = told(SOME, inputs), torch.ones(1, 4).bool()
    assert cell(inputs, real, written).roles[..., :2].equal(written[:, :, None].expand(1, 4, 2, 2))
    assert cell.inputs.shape[-1] == 5 + 4 - 2
    with pytest.raises(ValueError, match="0 roles are told, 2 are written"):
        cell(inputs, real)
    with pytest.raises(ValueError, match="4 of 4 roles cannot be written"):
        TensorShape(roles=4, written=4)


def test_the_penalty_is_as_published_and_as_the_note_has_it():
    attention = torch.tensor([[[[0.5, 0.25, 0.0]], [[0.0, 1.0, 0.0]], [[0.5, 0.5, 0.5]]]])
    real = torch.tensor([[True, True, False]])
    several = (0.3125 - 1) ** 2
    published = 0.25 * 0.25 + 0.0625 * 0.5625 + several
    note = 0.25 * 0.5625 + 0.0625 * 0.9375**2 + several
    assert sparsity(attention, real).tolist() == pytest.approx([published])
    assert sparsity(attention, real, "note").tolist() == pytest.approx([note])
    assert sparsity(torch.zeros(1, 1, 1, 3), torch.tensor([[True]])).tolist() == [1.0]


@pytest.mark.parametrize("number", [0, 1])
def test_no_gradient_of_a_state_by_the_next_is_beyond_the_bound(number):
    cell = cells()[number]
    cell.recurrent.data.fill_(1.0)

    def first_words(steepest):
        inputs = torch.randn(1, 6, 3, dtype=torch.float64, generator=torch.manual_seed(1))
        inputs.requires_grad_(True)
        cell.steepest = steepest
        outputs = cell(inputs, torch.ones(1, 6).bool()).outputs
        width = outputs.shape[-1] // 2
        (1e6 * outputs[0, -1, :width].sum()).backward()
        return outputs, inputs.grad[0, :-1].abs().max()

    free, bounded, none = (first_words(steepest) for steepest in (torch.inf, 0.1, 0.0))
    assert free[0].equal(bounded[0])
    assert free[1] != bounded[1] > 0
    if not number:  # an LSTM's memory is another way back
        assert free[1] > 100 > bounded[1]
        assert none[1] == 0


def test_what_a_state_begins_with_is_no_larger_than_that_of_an_lstm():
    """With entries of size 1, a tensor of 10 by 5 numbers begins at several."""
    torch.manual_seed(1)
    inputs, real = torch.randn(8, 50, 200), torch.ones(8, 50).bool()
    outputs = TPRCell(200, TensorShape(d_role=5))(inputs, real).outputs
    plain = torch.nn.LSTM(200, 50, batch_first=True)(inputs)[0]
    assert plain.std() / 2 < outputs.std() < 2 * plain.std()
