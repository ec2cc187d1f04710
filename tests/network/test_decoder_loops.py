"""Loops in decoders: each place stops by itself, whether places come one by one or at once."""

import numpy as np
import pytest
import torch
from hypothesis import event, given
from hypothesis import strategies as st

import progtf
from progtf import compile, decompile, parse_program  # noqa: A004
from progtf.network.network import Network, read
from progtf.nn import Recall, Stack, present
from progtf.program.changes import added, set_to
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.running.trace import Trace
from progtf.weights.folder import packed, unpacked
from tests.network.programs import built, inputs, written_in_loops


@given(written_in_loops(), st.lists(inputs, min_size=1, max_size=5))
def test_a_batch_writes_what_each_text_writes_by_its_meaning(text, texts):
    program = built(text, ())
    model, meant = compile(program, "float64"), Interpreter(program)
    asked = model.read(texts)
    for place, (got, due) in enumerate(
        zip(model.readouts(asked), meant.readouts(asked), strict=True)
    ):
        (alone,) = model.readouts([asked[place]])
        assert got.written == alone.written == due.written
        assert got.unfinished == alone.unfinished == due.unfinished
        assert got.gap == pytest.approx(due.gap, abs=1e-6)
        assert got.gap == pytest.approx(alone.gap, abs=1e-9)
        event(f"unfinished: {due.unfinished is not None}")


@given(written_in_loops(), inputs)
def test_places_at_once_are_as_by_meaning_round_by_round(text, given_text):
    program = built(text, ())
    model, meant, trace = compile(program, "float64"), Interpreter(program), Trace()
    if isinstance(model.try_answers([given_text])[0], InputError):
        event("no answer")
        return
    steps = model.trace(given_text)
    meant.readout(*meant.read([given_text]), trace)
    assert [step.label for step in steps] == [step.label for step in trace.steps]
    for got, due in zip(steps, trace.steps, strict=True):
        assert np.abs(got.residual - due.residual).max() <= 1e-6


@given(written_in_loops(), st.lists(inputs, min_size=1, max_size=4), st.data())
def test_positions_in_parts_are_as_all_at_once(text, texts, data):
    model = compile(built(text, ()), "float64")
    source = model.batch([list(each) for each in model.read(texts)])
    parts, decoder = model.network.encoder_decoder(model.pad), model.network.decoder
    seq2seq = model.layout.kind == "seq2seq"
    memory = parts.encode(source) if seq2seq else (None, None)
    recalls = decoder.recalls(*memory) if seq2seq else tuple(Recall() for _ in decoder)
    with torch.no_grad():
        whole, state, done = parts.decode(source, *memory), parts.begin(recalls), []
        while len(done) < source.shape[1]:
            count = data.draw(st.integers(1, source.shape[1] - len(done)))
            next_ones = source[:, len(done) : len(done) + count]
            guessed = parts.go_on(next_ones.flip(1), state)[1]  # and taken back
            residual, state = parts.go_on(next_ones, guessed.back(count))
            done += residual.unbind(dim=1)
    there = present(source, model.pad)
    assert (torch.stack(done, dim=1) - whole)[there].abs().max() <= 1e-9


@given(written_in_loops())
def test_text_weights_and_folders_keep_loops_of_decoders(text):
    weights = progtf.lower(built(text, ()), "float64")
    again = progtf.lower(parse_program(decompile(weights)), "float64")
    assert (again.layout.decoder, again.layout.loops) == (
        weights.layout.decoder,
        weights.layout.loops,
    )
    assert progtf.diff(again, weights) == []
    assert read(Network(weights)) == weights
    assert unpacked(packed(weights)) == weights


# ------------------------------------------------------------------ a program that needs one

REMAINDERS = """
model:
  kind: decoder
  length: 2 -> 12
semes:
  number: 0..99
  rest: 0..99
  settled ended
lexicon:
  for n in 0..99:
    "{n}": +{n}number
layer before:
  head before:
    at: -1
    value: number>rest
loop divide up to MOST until settled:
  layer take:
    feedforward:
      set rest: rest - number when rest >= number & number > 0
  layer look:
    feedforward:
      set settled: rest < number | number = 0
layer end:
  feedforward:
    ended: number = 0
output:
  classify rest in 0..99
  <eos>: 20000ended
"""


def remainders(most: int = 100) -> str:
    return REMAINDERS.replace("MOST", str(most))


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_each_place_takes_as_many_rounds_as_it_needs(make):
    answering = make(parse_program(remainders()))
    assert answering.run(["99 1", "48 18", "89 55"]) == ["0", "12 6 0", "34 21 13 8 5 3 2 1 0"]


def test_a_step_takes_as_many_rounds_as_its_own_place(monkeypatch):
    model = compile(parse_program(remainders()))
    rounds = []
    turn = Stack.turn
    monkeypatch.setattr(Stack, "turn", lambda *given: rounds.append(1) or turn(*given))
    model.run("99 10")  # 9 by nine subtractions, then 1 by one and 0 by nine
    assert len(rounds) == 1 + 9 + 1 + 9 + 1


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_patch_changes_what_places_come_to_in_every_round_or_behind_the_loop(make):
    answering = make(parse_program(remainders()))
    for patch, answers in (
        ({"decoder.take": {"rest": added(1, at=1)}}, ["14 4 2 0", "3 0"]),  # 48 - 18 + 1 - 18 + 1
        ({"decoder.divide": {"rest": added(1, at=1)}}, ["13 5 3 2 1 0", "1 0"]),
        ({"decoder.look": {"settled": set_to(1)}}, ["30 18 12 6 6 0", "66 33 33 0"]),  # one round
    ):
        assert answering.patch(patch).run(["48 18", "99 33"]) == answers


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_place_that_is_not_done_is_refused_by_the_name_of_its_loop(make):
    answering = make(parse_program(remainders(8)))
    done, undone, last, short = answering.try_answers(["48 18", "99 10", "17 2", "16 2"])
    assert (done.text, last.text, short.text) == ("12 6 0", "1 0", "0")
    assert str(undone) == "loop divide: not done after 8 rounds"


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_program_that_hears_of_it_says_so_itself(make):
    told = remainders(8).replace(
        "classify rest", "many: 30000divide.unfinished - 0.5\n  classify rest"
    )
    assert make(parse_program(told)).run(["48 18", "98 10"]) == ["12 6 0", "many"]
