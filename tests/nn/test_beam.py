"""Beam decoding and exact match, for every kind of model."""

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.nn import (
    GRU,
    LSTM,
    RecurrentShape,
    Shape,
    Symbols,
    TPTransformer,
    Transformer,
    all_beams,
    answer_all,
    beam,
    exact_match,
    greedy,
    pad_rows,
)
from tests.nn.models import tiny_model

SHAPE = Shape(7, d_model=6, d_ff=5, n_heads=2, n_encoder=1, n_decoder=1, max_length=9)
BUILDERS = {
    "tp": lambda: TPTransformer(SHAPE),
    "vanilla": lambda: Transformer(SHAPE),
    "lstm": lambda: LSTM(RecurrentShape(7, 4, 5)),
    "gru": lambda: GRU(RecurrentShape(7, 4, 5)),
    "written": tiny_model,
}
MODELS = pytest.mark.parametrize("name", BUILDERS)
ROWS = st.lists(st.lists(st.integers(2, 6), min_size=1, max_size=5), min_size=1, max_size=4)


def build(name):
    return BUILDERS[name]().double().eval()


@MODELS
@given(ROWS, st.integers(1, 6))
@settings(max_examples=5, deadline=None)
def test_one_beam_is_greedy(name, sources, n_steps):
    model, source = build(name), pad_rows(sources)
    assert torch.equal(beam(model, source, n_steps, 1), greedy(model, source, n_steps))


@pytest.mark.parametrize("name", ["tp", "vanilla", "lstm", "gru"])
def test_enough_beams_find_the_likeliest_answer(name):
    model, source = build(name), torch.tensor([[2, 4, 3, 5]])
    (answer,) = beam(model, source, 2, 7 * 7, Symbols(end=None))
    every = torch.tensor([[2, *rest] for rest in product(range(7), repeat=2)])
    logp = model(source.expand(len(every), -1), every[:, :2]).log_softmax(dim=-1)
    total = logp.gather(-1, every[:, 1:, None]).sum(dim=(1, 2))
    assert answer.tolist() == every[total.argmax(), 1:].tolist()


@pytest.mark.parametrize("name", ["tp", "lstm"])
def test_all_beams_are_whole_answers_with_their_scores_the_likeliest_first(name):
    model, source = build(name), torch.tensor([[2, 4, 3, 5]])
    symbols = Symbols(end=3)
    answers, scores = all_beams(model, source, 4, 5, symbols)
    assert 1 <= len(answers) <= 5
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)
    assert len({tuple(answer.tolist()) for answer in answers}) == len(answers)
    for answer, score in zip(answers.tolist(), scores.tolist(), strict=True):
        said = answer[: answer.index(3) + 1]
        target = torch.tensor([[symbols.start, *said]])
        logp = model(source, target[:, :-1]).log_softmax(dim=-1)
        assert logp.gather(-1, target[:, 1:, None]).sum().item() == pytest.approx(score)


class Fork:
    """Three symbols a step: the greedy first symbol leads to a poor end."""

    table = torch.tensor(
        [
            [0.0, 0, 0, 0, 0, 0],
            [0.0, 0, 0, 0, 0, 0],
            [0.0, 0, 0, 0.0, 0.6, 0.4],
            [0.0, 0, 0, 0, 0, 0],
            [0.0, 0, 0, 0.3, 0.35, 0.35],
            [0.0, 0, 0, 0.9, 0.05, 0.05],
        ]
    )

    def start(self, source):
        return (source,)

    def step(self, tokens, state):
        return self.table[tokens].log(), state


def test_two_beams_find_what_greedy_misses_and_ended_questions_rest():
    source = torch.tensor([[2], [2]])
    assert greedy(Fork(), source, 3)[0, 0] == 4
    assert beam(Fork(), source, 3, 2).tolist() == [[5, 3, 1], [5, 3, 1]]


def test_what_is_refused_comes_last_and_makes_nothing_else_likelier():
    class Seen(Fork):
        def step(self, tokens, state):
            return super().step(tokens, state)[0], (tokens,)

    def after(last, *symbols):
        wrong = torch.isin(torch.arange(6), torch.tensor(symbols))
        return lambda state: (state[0] == last)[:, None] & wrong

    source, endless = torch.tensor([[2]]), Symbols(end=None)
    assert beam(Seen(), source, 2, 2, endless).tolist() == [[5, 3]]
    assert beam(Seen(), source, 2, 2, endless, refused=after(2, 5))[0, 0] == 4
    # were 4 3 as likely as 4, which has .6, it would be likelier than 5 3, which has .36
    assert beam(Seen(), source, 2, 2, endless, refused=after(4, 4, 5)).tolist() == [[5, 3]]


def test_no_beam_at_all_is_refused():
    with pytest.raises(ValueError, match="at least 1 beam; got 0"):
        beam(Fork(), torch.tensor([[2]]), 3, 0)


@MODELS
@given(ROWS, st.data())
@settings(max_examples=5, deadline=None)
def test_teacher_forcing_and_greedy_give_the_same_verdict(name, sources, data):
    model, source = build(name), pad_rows(sources)
    answers = greedy(model, source, 6)
    targets = []
    for answer in answers.tolist():
        own = answer[: answer.index(3)] if 3 in answer else answer[:-1]
        kept = data.draw(st.booleans())
        targets.append([2, *(own if kept else data.draw(st.lists(st.integers(4, 6)))[:5]), 3])
    verdict = exact_match(model, source, pad_rows(targets))
    for row, target in enumerate(targets):
        due = target[1:] + [1] * (6 - len(target[1:]))
        assert verdict[row].item() == (answers[row, : len(due)].tolist() == due)


@MODELS
@given(ROWS, st.integers(1, 3))
@settings(max_examples=5, deadline=None)
def test_answers_to_many_come_in_the_order_of_the_questions(name, sources, batch_size):
    model = build(name)
    answers = answer_all(model, sources, 5, batch_size)
    for source, answer in zip(sources, answers, strict=True):
        alone = greedy(model, torch.tensor([source]), 5)[0].tolist()
        assert answer + [1] * (5 - len(answer)) == alone
