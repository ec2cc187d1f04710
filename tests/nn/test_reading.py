"""The attention flow network: its equations, padding, and where answers are."""

from dataclasses import replace

import pytest
import torch

from progtf.nn.reading import (
    AttentionFlow,
    LSTMPhrases,
    ReaderShape,
    SpanReader,
    TextDropout,
    likeliest,
)
from progtf.nn.tensor_products import TensorShape, TPRCell, TPRLSTMCell
from progtf.nn.word_vectors import LETTERS, Highway, LetterFilters, WordVectors

PAD, START, END, DIVIDER = 1, 2, 3, 4
SYMBOLS = 30
SHAPE = TensorShape(symbols=6, roles=4, d_symbol=2, d_role=2)


def vectors():
    letters = torch.randint(0, 257, (SYMBOLS, LETTERS))
    rows = torch.arange(SYMBOLS).clamp(max=9)
    return WordVectors(letters, rows, torch.randn(10, 3), 4, 0.0)


def phrases(kind):
    return {
        "lstm": lambda: LSTMPhrases(7, 4),
        "narrow": lambda: LSTMPhrases(7, 4, narrow=3),
        "tpr": lambda: TPRCell(7, SHAPE),
        "tprlstm": lambda: TPRLSTMCell(7, 2, TensorShape(6, 4, 2, 1)),
    }[kind]()


def network(kind="tpr"):
    shape = ReaderShape(width=4, dropout=0.0, sparsity=(1e-2, 1e-2), divider=DIVIDER, pad=PAD)
    return SpanReader(vectors(), phrases(kind), shape).double().eval()


def row(asked, passage, length):
    ids = [START, *asked, DIVIDER, *passage, END]
    return ids + [PAD] * (length - len(ids))


@pytest.mark.parametrize("kind", ["lstm", "narrow", "tpr", "tprlstm"])
def test_other_rows_and_padding_change_no_logit_and_no_cost(kind):
    reader = network(kind)
    one = row([5, 6, 7], [8, 9, 10, 11], 20)
    other = row([5] * 6, [6] * 11, 20)
    both = reader(torch.tensor([one, other]))
    alone = reader(torch.tensor([row([5, 6, 7], [8, 9, 10, 11], 10)]))
    torch.testing.assert_close(both.start[:1, :4], alone.start)
    torch.testing.assert_close(both.end[:1, :4], alone.end)
    assert both.start[0, 4:].eq(-torch.inf).all()
    assert both.end.shape == (2, 11)
    torch.testing.assert_close(both.penalty[:1], alone.penalty)
    assert bool(alone.penalty > 0) == kind.startswith("tpr")


def test_symbols_and_roles_cost_apart():
    source, costs = torch.tensor([row([5, 6, 7], [8, 9, 10, 11], 10)]), {}
    reader = network()
    for much in ((1e-2, 0.0), (0.0, 1e-2), (1e-2, 3e-2), (0.0, 0.0)):
        reader.shape = replace(reader.shape, sparsity=much)
        costs[much] = reader(source).penalty
    symbols, roles = costs[1e-2, 0.0], costs[0.0, 1e-2]
    assert symbols > 0
    assert roles > 0
    assert symbols != roles
    torch.testing.assert_close(costs[1e-2, 3e-2], symbols + 3 * roles)
    assert costs[0.0, 0.0] == 0


def test_question_and_passage_are_cut_out_without_what_is_around_them():
    source = torch.tensor([row([5, 6], [7, 8, 9], 9), row([5, 6, 7], [8], 9)])
    (asked, asked_real), (passage, real) = network().apart(source)
    assert asked.tolist() == [[5, 6, PAD], [5, 6, 7]]
    assert passage.tolist() == [[7, 8, 9], [8, PAD, PAD]]
    assert asked_real.equal(asked != PAD)
    assert real.equal(passage != PAD)


def test_every_word_of_question_and_passage_is_seen():
    reader, source = network("lstm"), torch.tensor([row([5, 6], [7, 8, 9], 8)])
    before = reader(source).start
    for place in (1, 2, 4, 5, 6):
        changed = source.clone()
        changed[0, place] = 12
        assert not torch.allclose(reader(changed).start, before)


def test_attention_flows_by_its_equations():
    flow = AttentionFlow(3).double()
    passage, asked = torch.randn(4, 3).double(), torch.randn(2, 3).double()
    weight = torch.cat([flow.passage.weight[0], flow.asked.weight[0], flow.product])
    score = torch.stack([
        torch.stack([weight @ torch.cat([h, u, h * u]) for u in asked]) for h in passage
    ])  # fmt: skip
    score = score + flow.passage.bias
    seen = score.softmax(dim=1) @ asked
    whole = score.amax(dim=1).softmax(dim=0) @ passage
    alike = torch.tensor([0, 1, 0, 1, 0, 0]).bool()[None, :, None]
    flow.alike.data = torch.randn(3).double()
    product = passage * seen
    product[[1, 3]] += flow.alike
    due = torch.cat([passage, seen, product, passage * whole], dim=-1)
    padded = torch.cat([passage, torch.randn(2, 3).double()])[None]
    real, real_asked = torch.arange(6)[None] < 4, torch.tensor([[True, True, False]])
    more = torch.cat([asked, torch.randn(1, 3).double()])[None]
    torch.testing.assert_close(flow(padded, more, real, real_asked, alike)[0, :4], due)


def test_words_of_the_question_are_told_from_others_before_anything_is_learned():
    reader = network("lstm")
    told = []
    hook = reader.flow.register_forward_pre_hook(lambda _, given: told.append(given[4]))
    source = torch.tensor([row([5, 6], [7, 6, 9, 5], 12), row([5, 6, 7], [8, 7], 12)])
    before = reader(source).start
    assert told[0][..., 0].tolist()[0] == [False, True, False, True]
    assert told[0][1, :2, 0].tolist() == [False, True]
    reader.flow.alike.data.zero_()
    assert not torch.allclose(reader(source).start, before)
    hook.remove()


def test_highways_and_filters_are_as_published():
    highway, rows = Highway(3), torch.randn(5, 3)
    weight, bias = highway.both.weight, highway.both.bias
    changed, gate = (
        (rows @ weight[:3].T + bias[:3]).relu(),
        (rows @ weight[3:].T + bias[3:]).sigmoid(),
    )
    torch.testing.assert_close(highway(rows), gate * changed + (1 - gate) * rows)
    filters, letters = LetterFilters(4, 0.0), torch.randint(0, 257, (2, LETTERS))
    seen = filters.table(letters)
    windows = torch.stack([seen[:, at : at + 5].flatten(1) for at in range(LETTERS - 4)])
    kernel = filters.filters.weight.mT.flatten(1)
    torch.testing.assert_close(
        filters(letters), (windows @ kernel.T + filters.filters.bias).relu().amax(dim=0)
    )


def test_dropout_leaves_out_the_same_numbers_of_all_words_of_a_text():
    rows = torch.ones(3, 50, 40)
    found = TextDropout(0.25).train()(rows)
    assert found.equal(found[:, :1].expand_as(found))
    assert sorted(found.unique().tolist()) == pytest.approx([0, 4 / 3])
    assert not found[0].equal(found[1])
    assert TextDropout(0.25).eval()(rows).equal(rows)


def test_a_word_has_one_vector_wherever_it_stands():
    found = vectors()(torch.tensor([[5, 6, 5], [7, 5, 6]]))
    assert found[0, 0].equal(found[0, 2])
    assert found[0, 1].equal(found[1, 2])
    assert not found[0, 0].equal(found[0, 1])


@pytest.mark.parametrize("_", range(20))
def test_the_likeliest_words_are_those_of_all_pairs(_):
    start, end = torch.randn(2, 7), torch.randn(2, 7)
    start[1, 5:] = end[1, 5:] = -torch.inf
    for row_number, (first, last) in enumerate(likeliest(start, end).tolist()):
        pairs = {
            (k, m): float(start[row_number, k] + end[row_number, m])
            for k in range(7)
            for m in range(k, 7)
        }
        assert (first, last) == max(pairs, key=pairs.__getitem__)


def test_gradients_pass_to_every_part():
    reader = network("tpr").train()
    spans = reader(torch.tensor([row([5, 6], [7, 8, 6], 8)]))
    chance = spans.start.log_softmax(-1)[0, 1] + spans.end.log_softmax(-1)[0, 2]
    (chance + spans.penalty.sum()).backward()
    still = {name for name, each in reader.named_parameters() if each.grad.abs().max() < 1e-12}
    assert still == {"flow.passage.bias", "start.bias", "end.bias"}  # the same for every word
