"""Loops: a network runs them as the interpreter does, each text by itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import event, given
from hypothesis import strategies as st

import progtf
from progtf import compile, decompile, parse_program  # noqa: A004
from progtf.network.network import Network
from progtf.nn.leaving import Leaving
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.weights.folder import FolderError, packed, unpacked
from tests.network.programs import built, inputs, keeps_its_promises, loops

EUCLID = """
model:
  length: 8
semes:
  a: 0..60
  b: 0..60
lexicon:
  for n in 1..60:
    "{n}": +{n}a
encoder:
  layer next:
    head next:
      at: +1
      value: a>b
  loop euclid up to MOST until no unequal:
    semes: unequal
    layer step:
      feedforward:
        a: -b when a > b & b > 0
        b: -a when b > a
    layer look:
      feedforward:
        unequal: a != b & b > 0
score:
  pool: first
  value: a
"""


def euclid(most: int = 60, **changes: str) -> str:
    text = EUCLID.replace("MOST", str(most))
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


# ------------------------------------------------------------------ what is computed


@given(loops(), st.lists(inputs, min_size=1, max_size=6))
def test_a_batch_gives_what_each_text_gives_by_its_meaning(text, texts):
    program = built(text, ())
    model, meant = compile(program, "float64"), Interpreter(program)
    asked = model.read(texts)
    for place, (got, due) in enumerate(
        zip(model.readouts(asked), meant.readouts(asked), strict=True)
    ):
        (alone,) = model.readouts([asked[place]])
        assert got.unfinished == alone.unfinished
        assert np.abs(got.residual - alone.residual).max() <= 1e-9
        kept = keeps_its_promises(meant, texts[place])
        event(f"promises kept: {kept}, unfinished: {due.unfinished is not None}")
        if kept:
            assert got.unfinished == due.unfinished
            assert np.abs(got.residual - due.residual[:, : got.residual.shape[1]]).max() <= 1e-6


@given(loops(), inputs)
def test_a_trace_shows_every_round(text, given_text):
    program = built(text, ())
    if not keeps_its_promises(Interpreter(program), given_text):
        return
    steps = compile(program, "float64").trace(given_text)
    trace = progtf.running.trace.Trace()
    (asked,) = Interpreter(program).read([given_text])
    Interpreter(program).readout(asked, trace)
    assert [step.label for step in steps] == [step.label for step in trace.steps]
    for got, due in zip(steps, trace.steps, strict=True):
        assert np.abs(got.residual - due.residual).max() <= 1e-6


@given(loops())
def test_text_weights_and_folders_keep_loops(text):
    weights = progtf.lower(built(text, ()), "float64")
    again = progtf.lower(parse_program(decompile(weights)), "float64")
    assert (again.layout.encoder, again.layout.loops) == (
        weights.layout.encoder,
        weights.layout.loops,
    )
    assert again.layout.space == weights.layout.space
    assert progtf.diff(again, weights) == []
    assert progtf.network.network.read(Network(weights)) == weights
    assert unpacked(packed(weights)) == weights


def test_a_text_runs_as_many_rounds_as_it_needs():
    model = compile(parse_program(euclid()), "float32")
    rounds = {text: [s.label for s in model.trace(text)].count("look") for text in ("7 7", "1 60")}
    assert rounds == {"7 7": 1, "1 60": 59}
    assert model.run(["1 60", "7 7", "12 18", "60 59", "36 60"]) == ["1", "7", "6", "1", "12"]


COUNTS = """
model:
  length: 2
semes:
  due: 0..12
  n: 0..12
lexicon:
  for k in 1..12:
    "{k}": +{k}due
encoder:
  loop count up to 12 until done:
    semes: done
    layer more:
      feedforward:
        n: 1 when due >= 1
    layer look:
      feedforward:
        done: n >= due & due >= 1
score:
  pool: last
  value: n
"""
DUE = [3, 12, 1, 7, 12, 2, 11, 5, 12, 10, 9, 1]


@pytest.mark.parametrize("looks", ["nobody", "a hook", "a gradient"])
def test_rounds_behind_its_last_one_change_nothing_of_a_text(looks, monkeypatch):
    model, sizes, leave = compile(parse_program(COUNTS), "float32"), [], Leaving.leave

    def seen(leaving, ends, residual):
        sizes.append(len(ends))
        return leave(leaving, ends, residual)

    monkeypatch.setattr(Leaving, "leave", seen)
    if looks == "a hook":
        model.network.encoder.blocks[0].round.blocks[0].register_forward_hook(lambda *_: None)
    if looks == "a gradient":
        told = model(model.batch(model.read([*map(str, DUE)])))[:, -1, 1]
    else:
        told = [float(text) for text in model.run([*map(str, DUE)])]
    assert [*told] == DUE
    left = [sum(due >= turn for due in DUE) for turn in range(13)]
    assert sizes == ([12] * 8 + [6] * 4 + [3] if looks == "nobody" else left)


def test_the_last_round_counts():
    assert compile(parse_program(euclid(59))).run("1 60") == "1"


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_text_that_is_not_done_is_refused_by_the_name_of_the_loop(make):
    answering = make(parse_program(euclid(58)))
    done, undone = answering.try_answers(["2 60", "1 60"])
    assert done.text == "2"
    assert isinstance(undone, InputError)
    assert str(undone) == "loop euclid: not done after 58 rounds"


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_program_that_reads_it_says_itself_that_it_is_not_done(make):
    told = euclid(3, **{"value: a\n": "value: a - 100euclid.unfinished\n"})
    assert make(parse_program(told)).run(["2 60", "4 8"]) == ["-98", "4"]


DEAD_END = {
    "semes:\n": "semes:\n  told\n",
    "score:": "  layer tell:\n    feedforward:\n      told: euclid.unfinished\nscore:",
}


@pytest.mark.parametrize("make", [progtf.interpret, compile])
@pytest.mark.parametrize(
    "changes",
    [
        DEAD_END,  # somebody reads it, and the answer does not depend on what that one writes
        {"score:": "  layer tell:\n    feedforward:\n      a: 0euclid.unfinished\nscore:"},
        {"value: a\n": "value: a + 0euclid.unfinished\n"},
    ],
)
def test_a_program_that_makes_nothing_of_it_gets_no_answer_either(make, changes):
    program = parse_program(euclid(3, **changes))
    (undone,) = make(program).try_answers(["2 60"])
    assert str(undone) == "loop euclid: not done after 3 rounds"
    assumed = compile(program).outcome.assumptions
    assert any("loop `euclid` ends within 3 rounds" in line for line in assumed)


@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_program_that_hears_of_it_by_way_of_a_flag_or_a_loop_says_so_itself(make):
    told = euclid(3, **DEAD_END | {"value: a\n": "value: a - 100told\n"})
    again = "  loop again up to 2 until no told when told:\n    layer less:\n      feedforward:\n"
    again += "        set a: 7\n        set told: 0\nscore:"
    later = euclid(3, **DEAD_END | {"score:\n": "", "  pool": again + "\n  pool"})
    assert make(parse_program(told)).run(["2 60", "4 8"]) == ["-98", "4"]
    assert make(parse_program(later)).run(["2 60", "4 8"]) == ["7", "4"]


SILENCED = "  layer hush:\n    feedforward:\n      {}\nscore:"
DENSE = """
model:
  kind: dense
  length: 1
semes:
  a: 0..9
  more
loop down up to 3 until no more:
  layer less:
    feedforward:
      set a: a - 1 when a > 0
  layer look:
    feedforward:
      set more: a > 0
dense:
  weights: a>a
"""


@pytest.mark.parametrize(
    "changes",
    [
        {"score:": SILENCED.format("set euclid.unfinished: 0")},
        {"score:": SILENCED.format("-euclid.unfinished when euclid.unfinished")},
        {"score:": "  layer hush:\n    head hush:\n      value: -euclid.unfinished\nscore:"},
        {"+{n}a\n": "+{n}a -euclid.unfinished\n"},
        {"b: -a when b > a\n": "b: -a when b > a\n        euclid.unfinished: b > a\n"},
    ],
)
def test_nobody_but_its_loop_writes_that_it_did_not_end(changes):
    with pytest.raises(progtf.SemeError, match=r"`euclid.unfinished` cannot be written"):
        parse_program(euclid(3, **changes))


@pytest.mark.parametrize("again", [str, lambda text: decompile(compile(parse_program(text)))])
@pytest.mark.parametrize("make", [progtf.interpret, compile])
def test_a_dense_layer_keeps_that_a_loop_did_not_end(make, again):
    done, undone = make(parse_program(again(DENSE))).try_answers(["+3a", "+4a"])
    assert done.text == "0"
    assert str(undone) == "loop down: not done after 3 rounds"
    with pytest.raises(progtf.SemeError, match=r"`down.unfinished` cannot be written"):
        parse_program(DENSE + "  bias: -down.unfinished\n")


def test_rounds_share_their_weights_and_gradients_pass_through_all():
    weights = progtf.lower(parse_program(euclid(5)), "float64")
    network = Network(weights)
    with torch.enable_grad():
        model = compile(weights)
        residual = network.encode(model.batch([["9", "27"], ["4", "8"]]), model.pad)
        residual.sum().backward()
    written = [p.grad for p in network.encoder.parameters() if p.grad is not None]
    assert any(bool(grad.any()) for grad in written)
    assert (
        residual.detach().tolist()
        == network.encode(model.batch([["9", "27"], ["4", "8"]]), model.pad).tolist()
    )


# ------------------------------------------------------------------ where parts stand


def test_what_places_itself_never_stands_in_a_loop(tmp_path):
    (tmp_path / "count.seme").write_text(
        "semes:\n  twice: 0..120\nlayer:\n  feedforward:\n    twice: 2a\n"
    )
    text = (
        euclid()
        .replace("semes:", 'use "count.seme"\nsemes:', 1)
        .replace("value: a\n", "value: twice\n")
    )
    program = parse_program(text, folder=tmp_path)
    (own,) = [s for s in program.encoder if s.feedforward and "twice" in s.feedforward.targets]
    assert own.loop is None
    assert compile(program).run("12 18") == "12"  # what `a` comes to behind the loop


# ------------------------------------------------------------------ folders


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"most": 0}, "a loop of 0 rounds"),
        ({"most": 1025}, "a loop of 1025 rounds"),
        ({"until": "nothing"}, "a loop that reads semes that are not there"),
        ({"resets": ("cos[8]",)}, "a loop that reads semes that are not there"),
        ({"name": "other"}, "loops whose layers do not stand together"),
    ],
)
def test_a_folder_with_a_loop_that_cannot_be_is_refused(wrong, said):
    weights = progtf.lower(parse_program(euclid()))
    layout = weights.layout
    stages = [replace(s, loop=s.loop and replace(s.loop, **wrong)) for s in layout.encoder]
    loops = tuple(replace(loop, **wrong) for loop in layout.loops if "name" not in wrong)
    loops = loops or layout.loops
    damaged = replace(weights, layout=replace(layout, encoder=tuple(stages), loops=loops))
    with pytest.raises(FolderError, match=said):
        unpacked(packed(damaged))


def test_networks_with_other_loops_differ():
    one, other = (progtf.lower(parse_program(euclid(most))) for most in (60, 59))
    assert progtf.diff(one, other) == [
        "gone: loop euclid up to 60 until no unequal",
        "new: loop euclid up to 59 until no unequal",
    ]
