"""Answers that are computed several steps at a time are those of one step after another."""

import pytest
import torch
from hypothesis import event, given

import progtf
from progtf.network import model as models
from progtf.network.decoder import Steps, looks
from progtf.program.model import BOS
from tests.network.programs import built, inputs, programs
from tests.programs import PROGRAMS, loaded

SORT = next(path for path in PROGRAMS if path.stem == "sort" and path.parent.name == "math")
QUICK = ("add_or_sub", "closest", "mul", "pair", "place_value", "sort", "rpn", "scan")
WRITERS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.long] * (path.stem not in QUICK))
    for path in PROGRAMS
    if path.parent.name in ("math", "algorithms", "language")
]

READER = """\
model:
  kind: seq2seq
  tokens: chars
  length: 8 -> 12
semes:
  is["a".."c"] due["a".."c"] last["a".."c"] begin
lexicon:
  for c in "abc":
    "{c}": +is[c]
  <bos>: +begin
  <eos>: 0
encoder:
  layer:
    head:
      look: self
      value: begin>begin
decoder:
  layer:
    head last:
      look: self
      value: for c in "abc": is[c]>last[c]
    feedforward:
      due["a"]: begin
      due["b"]: last["a"]
output:
  for c in "abc":
    "{c}": due[c]
  <eos>: 0.5
"""
"""Writes `a`, then what comes behind it: it reads what it has written."""

LAST = """\
model:
  kind: seq2seq
  tokens: chars
  length: 8 -> 12
semes:
  last: -1..5
  val: -1..5
  begin second third
  due["a".."c"] due[","]
lexicon:
  for c in "abc":
    "{c}": 0
  ",": -1val
  <bos>: +begin
  <eos>: +5val
encoder:
  layer:
    head:
      look: self
      value: begin>begin
decoder:
  layer:
    head last:
      look: self
      value: val>last
    head second:
      at: -1
      value: begin>second
    head third:
      at: -2
      value: begin>third
    feedforward:
      due["a"]: begin | second
      due[","]: third
      due["b"]: last = -1
      due["c"]: last = 5
output:
  for c in "abc":
    "{c}": due[c]
  ",": due[","]
  <eos>: 0.5
"""
"""Writes two letters, a comma, and what comes behind it: an end would be seen, if one were read."""


def ignores_itself(model):
    """Whether its decoder reads of what it has written nothing but how much there is."""
    found = looks(model)
    return found is not None and len(set(found)) == 1


def both_ways(model, texts, monkeypatch):
    """Answers as they are given, and one step after another."""
    given_now = model.answers(texts)
    with monkeypatch.context() as patch:
        patch.setattr(models, "looks", lambda _: None)
        return given_now, model.answers(texts)


def assert_same(one, other):
    assert [a.text for a in one] == [b.text for b in other]
    for a, b in zip(one, other, strict=True):
        assert a.gap == pytest.approx(b.gap, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("path", WRITERS)
def test_tokens_and_gaps_are_the_same(path, monkeypatch):
    program = loaded(path)
    model = progtf.compile(program)
    if not model.layout.writes:
        return
    texts = [example.input for example in program.examples][:12]
    one, other = both_ways(model, texts, monkeypatch)
    assert_same(one, other)
    assert_same([model.answers([text])[0] for text in texts[:2]], other[:2])


@given(programs("seq2seq"), inputs)
def test_generated_programs_too(text, given_text):
    model = progtf.compile(built(text))
    event(f"at once: {ignores_itself(model)}")
    found = model.try_answers([given_text])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "looks", lambda _: None)
        found += model.try_answers([given_text])
    assert str(getattr(found[0], "text", found[0])) == str(getattr(found[1], "text", found[1]))


def test_who_reads_what_it_has_written_goes_step_by_step():
    model = progtf.compile(progtf.parse_program(READER))
    assert not ignores_itself(model)
    assert model.run("c") == "ab"


@pytest.mark.parametrize(("text", "answer", "count"), [
    ("Sort 31, 5, -29, 8.", "-29, 5, 8, 31", 2),
    ("Sort 315, -29, 8, 207, 3.2.", "-29, 3.2, 8, 207, 315", 2),
    ("Put -5, 0, 0.2, 8/57, 86 in decreasing order.", "86, 0.2, 8/57, 0, -5", 2),
    ("Sort 315, -29, 8, 207, 3.25.", "-29, 3.25, 8, 207, 315", 3),  # one is longer than all before
])  # fmt: skip
def test_a_list_is_written_in_two_passes(text, answer, count, monkeypatch):
    """Of what it has written `sort` reads commas and blanks; all else looks alike."""
    model, counts = progtf.compile(loaded(SORT)), []
    steps = Steps.steps

    def counting(self, tokens, state):
        counts.append(tokens.shape[1])
        return steps(self, tokens, state)

    monkeypatch.setattr(Steps, "steps", counting)
    assert len(set(looks(model))) == 3
    assert model.run(text) == answer
    assert len(counts) == count


def test_several_lists_are_written_step_by_step_where_their_commas_stand_apart(monkeypatch):
    model = progtf.compile(loaded(SORT))
    texts = ["Sort 315, -29, 8.", "Sort 2.", "Sort 1, 0.", "Sort 12, 10, 31, 4.", "Sort 8, 8."]
    assert_same(*both_ways(model, texts, monkeypatch))
    assert model.run(texts) == ["-29, 8, 315", "2", "0, 1", "4, 10, 12, 31", "8, 8"]


def test_where_a_comma_stands_no_end_is_read(monkeypatch):
    """`<eos>` stands behind a question, commas before it: both end what stands before."""
    model = progtf.compile(progtf.parse_program(LAST))
    texts = ["a,b", "a", "a,b,c", ",,"]
    assert_same(
        [model.answers([text])[0] for text in texts], both_ways(model, texts, monkeypatch)[1]
    )
    assert model.run(texts) == ["aa,b"] * 4


def test_a_changed_weight_that_reads_it_is_seen():
    model = progtf.compile(progtf.load("examples/math/place_value.seme"))
    assert ignores_itself(model)
    with torch.no_grad():
        for block in model.network.decoder:
            for each in [] if block.feed_forward is None else block.feed_forward.layer.readers():
                model.network.embedding.vectors[model.ids["7"], each.reads] += 1
    assert not ignores_itself(model)
    assert BOS in model.ids


def test_a_hook_sees_every_step(monkeypatch):
    model = progtf.compile(progtf.load("examples/math/place_value.seme"))
    seen = []
    model.network.decoder.blocks[0].register_forward_hook(lambda *given: seen.append(given[2]))
    question = "What is the tens digit of 1234?"
    assert not ignores_itself(model)
    assert model.run(question) == "3"
    assert [tuple(each.shape[:2]) for each in seen] == [(1, 1)] * 2
