"""Texts in, texts out."""

from pathlib import Path

import pytest
import torch

from progtf import compile as compiled
from progtf.building.load import analyse, parse_program

PROGRAM = """
model:
  kind: seq2seq
  tokens: chars
  length: 4 -> 2
semes:
  begin vowel heard
lexicon:
  a: +vowel
  unknown: 0
  <bos>: +begin
decoder:
  layer:
    head:
      from: encoder
      when: begin
      where: vowel
      value: +heard
output:
  Y: 2heard
  N: 2begin - 4heard
  <eos>: 1 - 2begin
"""


def test_what_a_program_only_writes_it_reads_as_unknown() -> None:
    program, found = analyse(PROGRAM, "heard", Path())
    assert program is not None, found
    assert compiled(program).run(["a", "YaN", "YN", "NY"]) == ["Y", "Y", "N", "N"]


def test_its_residual_is_that_of_an_unknown_token() -> None:
    model = compiled(parse_program(PROGRAM))
    written = torch.tensor([[model.ids["<bos>"], model.ids["Y"], model.ids["<eos>"]]])
    unknown = written.where(written != model.ids["Y"], model.unknown)
    assert not torch.equal(written, unknown)
    assert torch.equal(model.residual(written), model.residual(unknown))


def test_batches_hold_what_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled(parse_program(PROGRAM))
    texts = ["aN", "a", "N", "aaa", "NNN", "NNa", "NaN"]
    whole, tokens = model.run(texts), [len(row) for row in model.read(texts)]
    assert [len(chosen) for chosen, _ in model.batches(model.read(texts))] == [7]
    width = 4 * model.layout.d_residual
    monkeypatch.setattr("progtf.network.model.ROOM", 7 * width)
    batches = [chosen for chosen, _ in model.batches(model.read(texts))]
    assert all(len(each) * max(tokens[k] for k in each) <= 7 or len(each) == 1 for each in batches)
    assert len(batches) > 2
    monkeypatch.setattr("progtf.network.model.ROOM", 1)
    assert [len(chosen) for chosen, _ in model.batches(model.read(texts))] == [1] * 7
    assert model.run(texts) == whole


@pytest.mark.parametrize(
    ("given", "said"), [(3, "3 is given"), (b"a", "b'a' is given"), (["a", None], "text 2: None")]
)
def test_what_is_no_text_is_refused(given: object, said: str) -> None:
    program, _ = analyse(PROGRAM, "heard", Path())
    assert program is not None
    with pytest.raises(TypeError, match=said):
        compiled(program).run(given)  # type: ignore[call-overload]


@pytest.mark.parametrize("given", ["YaN", ["YaN"], [[1, 2]]])
@pytest.mark.parametrize("method", ["residual", "embedded", "forward"])
def test_what_is_no_tensor_of_ids_is_refused(method: str, given: object) -> None:
    model = compiled(parse_program(PROGRAM))
    with pytest.raises(TypeError) as raised:
        getattr(model, method)(given)
    assert str(raised.value).startswith(f"ids: {given!r} is given, and a tensor of ids")
    assert "\n" not in str(raised.value)


def test_a_program_is_shown_in_a_line() -> None:
    program, _ = analyse(PROGRAM, "heard", Path())
    assert repr(program) == "<Program heard: seq2seq, 3 semes, 2 tokens, 1 layer, 1 head>"


ENDLESS = """
model:
  kind: decoder
  length: 6
semes: a b
lexicon:
  x: +a
  <bos>: 0
layer:
  head:
    at: -1
    value: a>b
LEARN
output:
  x: 1
"""


@pytest.mark.parametrize("learn", ["", "learn:\n  semes: 4\n  decoder: layers 1 heads 2"])
def test_a_decoder_has_room_for_its_input_and_as_much_again(learn):
    model = compiled(parse_program(ENDLESS.replace("LEARN", learn)))
    assert model.run("x x x x x") == "x x x x x x"
