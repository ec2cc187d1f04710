"""Stacks of written and learned heads: padding, causality, cached steps, decoding."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.nn import (
    Block,
    EncoderDecoder,
    Stack,
    Sublayer,
    Symbols,
    continue_greedily,
    greedy,
    select_rows,
)
from tests.nn.models import D_MODEL, mixed_heads, tiny_model

NO_END = Symbols(end=None)
ROW = st.lists(st.integers(2, 8), min_size=1, max_size=5)
ROWS = st.lists(ROW, min_size=1, max_size=4)


def padded(rows, pad=1):
    length = max(len(row) for row in rows)
    return torch.tensor([row + [pad] * (length - len(row)) for row in rows])


def close(left, right):
    torch.testing.assert_close(left, right, rtol=0, atol=1e-10)


@given(ROWS, ROWS)
@settings(max_examples=8, deadline=None)
def test_a_padded_batch_gives_each_row_what_it_gets_alone(sources, targets):
    model = tiny_model()
    rows = list(zip(sources, targets, strict=False))
    together = model(padded([s for s, _ in rows]), padded([t for _, t in rows]))
    for number, (source, target) in enumerate(rows):
        alone = model(torch.tensor([source]), torch.tensor([target]))
        close(together[number, : len(target)], alone[0])


@given(ROW, ROW, st.integers(2, 8))
@settings(max_examples=8, deadline=None)
def test_no_position_of_the_decoder_sees_the_future(source, target, other):
    model = tiny_model()
    source = torch.tensor([source])
    before = model(source, torch.tensor([[*target, other]]))
    after = model(source, torch.tensor([[*target, 11 - other if other > 2 else 3]]))
    assert torch.equal(before[:, :-1], after[:, :-1])


@given(ROWS, st.integers(1, 6))
@settings(max_examples=8, deadline=None)
def test_cached_steps_give_the_logits_of_the_whole_sequence(sources, n_steps):
    model = tiny_model(n_blocks=2)
    source = padded(sources)
    target = torch.randint(2, 9, (len(sources), n_steps))
    state = model.start(source)
    whole = model(source, target)
    for position in range(n_steps):
        logits, state = model.step(target[:, position], state)
        close(logits, whole[:, position])


@given(ROWS, st.integers(1, 8))
@settings(max_examples=8, deadline=None)
def test_cached_greedy_is_uncached_greedy_and_dropping_rows_changes_nothing(sources, n_steps):
    model = tiny_model()
    source = padded(sources)
    expected = uncached_greedy(model, source, n_steps, end=3)
    assert torch.equal(greedy(model, source, n_steps), expected)
    assert torch.equal(greedy(model, source, n_steps, drop=False), expected)
    endless = uncached_greedy(model, source, n_steps, end=None)
    assert torch.equal(greedy(model, source, n_steps, NO_END), endless)


def uncached_greedy(model, source, n_steps, end, pad=1):
    target = torch.full((len(source), 1), 2)
    ended = torch.zeros(len(source), dtype=torch.bool)
    for _ in range(n_steps):
        following = model(source, target)[:, -1].argmax(dim=-1)
        following[ended] = pad
        target = torch.cat([target, following[:, None]], dim=1)
        ended |= following == end
    return target[:, 1:]


class Counter:
    """Writes the next number after each symbol; its state has nothing in it."""

    def start(self, source):
        return (torch.zeros(len(source)),)

    def step(self, tokens, state):
        return torch.nn.functional.one_hot((tokens + 1).clamp(max=9), 10).float(), state


def test_prompts_are_continued_from_where_each_ends():
    tokens = continue_greedily(Counter(), padded([[4], [2, 6, 5]]), 3, Symbols(end=8))
    assert tokens.tolist() == [[4, 5, 6, 7, 8, 1], [2, 6, 5, 6, 7, 8]]


def test_rows_of_a_state_are_dropped_and_reordered_in_every_nest():
    state = (3, None, (torch.arange(4), (torch.arange(8).view(4, 2),)))
    chosen = select_rows(state, torch.tensor([2, 0]))
    assert chosen[:2] == (3, None)
    assert chosen[2][0].tolist() == [2, 0]
    assert chosen[2][1][0].tolist() == [[4, 5], [0, 1]]


def test_a_block_refuses_cross_attention_with_looks():
    with pytest.raises(ValueError, match="all"):
        Block(cross=Sublayer(mixed_heads()))


def test_heads_that_see_the_future_take_no_steps():
    stack = Stack([Block(Sublayer(mixed_heads()))]).double()
    with pytest.raises(ValueError, match="block 0"):
        stack.step(
            torch.randn(1, 1, D_MODEL).double(), (), stack.recalls(torch.ones(1, 1, 6), None)
        )


def test_a_decoder_of_heads_that_see_the_future_is_refused():
    model = tiny_model()
    with pytest.raises(ValueError, match="block 0"):
        EncoderDecoder(model.embedding, model.encoder, model.encoder, model.unembed)


def test_cross_attention_without_an_encoder_is_refused():
    stack = Stack([Block(cross=Sublayer(mixed_heads(cross=True)))])
    with pytest.raises(ValueError, match="memory"):
        stack(torch.randn(1, 1, D_MODEL))
