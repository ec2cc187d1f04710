"""Texts answered by the part of a network that their kind needs, as by the whole of it."""

import random
from dataclasses import replace
from statistics import median

import pytest
import torch
from hypothesis import assume, given

import progtf
from progtf.exact import check
from progtf.network.model import Model
from progtf.weights.lower import lower
from progtf.weights.narrow import can_be_narrowed, narrowed, written_once
from progtf.weights.narrow import program as program_of_some
from progtf.weights.narrow.program import Part, told
from tests.network.programs import built, inputs, programs
from tests.programs import ALL, compiled, loaded, same

SHOUT = """\
semes:
  size: 0..2
  more: 0..2
lexicon:
  a: +size
  b: +2size +2more
layer:
  feedforward:
    size: more
layer:
  head:
    look: self
    value: size>echo
  feedforward:
    out: size
    loud: size >= 1
"""
"""Of `b` its size becomes 4, which is beyond its range, and passes gates."""

ASKED = """\
use "shout.seme" as one when first
use "shout.seme" as two when second
model:
  kind: seq2seq
  tokens: words
  length: 6 -> 3
semes:
  says.first says.second first second
  out: 0..2
  echo: 0..2
  loud begin
  got: 0..2
lexicon:
  one: +says.first
  two: +says.second
  a: 0
  b: 0
  <bos>: +begin
  <eos>: 0
encoder:
  layer:
    head:
      where: says.first
      value: says.first>first
    head:
      where: says.second
      value: says.second>second
decoder:
  layer:
    head:
      from: encoder
      where: loud
      value: out>got
output:
  <eos>: 0.5begin + got
  a: 0.25begin
  b: 0
"""
LONGER = "the answer does not end: the output's length is 3 tokens, and no <eos> follows them"


def program(folder, asked=ASKED, shout=SHOUT):
    (folder / "shout.seme").write_text(shout)
    (folder / "asked.seme").write_text(asked)
    return progtf.load(folder / "asked.seme")


@pytest.fixture
def asked(tmp_path):
    """All that it reads keeps to its range, so that it is exact."""
    return program(tmp_path, shout=SHOUT.replace("+2size +2more", "+size +more"))


def residual(model, text):
    """What the encoder leaves of a text, token by token."""
    names = model.layout.names
    rows = model.read([text])
    found = model.network.encode(model.batch(rows), model.pad)[0]
    return [dict(zip(names, row, strict=False)) for row in found.tolist()]


@torch.no_grad()
def test_what_is_held_back_passes_nothing_beyond_its_range(tmp_path):
    model = progtf.compile(program(tmp_path))
    for text, passes in (("b", False), ("a b", False), ("two b", True)):
        *_, last, _ = residual(model, text)
        assert last["one.size"] == last["two.size"] == 4
        assert (last["out"] > 0, last["echo"] > 0, last["loud"] > 0) == (passes,) * 3, text


def parts_of(weights, kinds):
    held = written_once(weights, weights.layout.held)
    assert can_be_narrowed(weights)
    return [Model(narrowed(weights, [name for name in held if name not in kind])) for kind in kinds]


def test_a_part_has_what_it_needs_and_nothing_else(asked):
    weights = lower(asked)
    assert written_once(weights, weights.layout.held) == ("first", "second")
    (part,) = parts_of(weights, [["first"]])
    assert {"one.size", "one.more"} <= set(part.layout.names)
    assert not [name for name in part.layout.names if name.startswith("two.")]
    assert part.weights.count < weights.count / 2


def test_flags_of_tokens_or_of_two_layers_are_no_kinds(tmp_path):
    weights = lower(program(tmp_path, ASKED.replace("one: +says.first", "one: +says.first +first")))
    assert weights.layout.held == ("first", "second")
    assert written_once(weights, weights.layout.held) == ("second",)


@given(programs("seq2seq"), inputs)
def test_without_what_cannot_matter_generated_programs_answer_the_same(text, given_text):
    program = built(text)
    weights = lower(program, "float64")
    assume(can_be_narrowed(weights))
    whole, part = Model(weights), Model(narrowed(weights, ()))
    one, other = (each.try_answers([given_text])[0] for each in (whole, part))
    assert str(getattr(one, "text", one)) == str(getattr(other, "text", other))
    if hasattr(one, "gap") and one.gap is not None:
        assert other.gap == pytest.approx(one.gap, rel=1e-6, abs=1e-6)


def spoiled(text, letters, rng):
    """The text with one to four characters put in, left out or changed."""
    chars = list(text)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(chars))
        chars[place : place + rng.randint(0, 1)] = rng.choice(["", *letters])
    return "".join(chars) or "?"


def questions():
    """Every fifth example of all files that `all.seme` uses, and the same spoiled."""
    names = [path for path in ALL.parent.glob("*.seme") if f'"{path.name}"' in ALL.read_text()]
    given = [e.input for path in [ALL, *sorted(names)] for e in loaded(path).examples[::5]]
    rng, letters = random.Random(0), sorted({*"".join(given)})
    return [*given, *(spoiled(text, letters, rng) for text in given)]


@pytest.mark.xdist_group("all.seme")
@pytest.mark.long
def test_all_questions_are_answered_by_their_parts_as_by_the_whole(monkeypatch):
    everything, texts = compiled(ALL), questions()
    asked = everything.try_answers(texts)
    parts = everything._parts()
    assert parts is not None
    assert len(parts.parts) >= 11
    widths = [part.layout.width for part in parts.parts.values()]
    assert median(widths) < everything.layout.width / 4
    monkeypatch.setattr(Model, "_parts", lambda _: None)
    for text, one, other in zip(texts, asked, everything.try_answers(texts), strict=True):
        assert str(getattr(one, "text", one)) == str(getattr(other, "text", other)), text
        if hasattr(one, "gap"):
            # A part may be proven exact in float32 where the whole runs in float64.
            assert one.gap == pytest.approx(other.gap, rel=1e-6, abs=1e-5), text
            assert one.outside is None or other.outside is not None, text


BIG = """\
semes:
  large: 0..70000000
layer:
  feedforward:
    large: 34567891begins
layer:
  feedforward:
    out: 2 when large >= 34567891
    loud: large >= 34567891
"""
"""A number that float32 has not."""


@pytest.fixture
def large(tmp_path):
    (tmp_path / "big.seme").write_text(BIG)
    shown = ASKED.replace('use "shout.seme" as two', 'use "big.seme" as two')
    shown = shown.replace("loud begin", "loud begin begins").replace("a: 0\n  b", "a: +begins\n  b")
    return program(tmp_path, shown, SHOUT.replace("+2size +2more", "+size +more"))


def test_each_kind_settles_its_own_arithmetic(large):
    model = progtf.compile(large)
    assert (model.outcome.dtype, model.outcome.lighter) == ("float64", ("first",))
    assert "of 1 kind of texts in float32" in str(model.outcome)
    texts = ["one a b", "two a", "a", "one two a b"]
    found = model.try_answers(texts)[: len(texts)]
    formats = {kind: part.network.weights.dtype for kind, part in model._parts().parts.items()}
    assert formats == {
        frozenset({"first"}): "float32",
        frozenset({"second"}): "float64",
        frozenset(): "float32",
        frozenset({"first", "second"}): "float64",
    }
    for text, got, due in zip(
        texts, found, progtf.interpret(large).try_answers(texts), strict=True
    ):
        assert str(getattr(got, "text", got)) == str(getattr(due, "text", due)), text


def test_what_is_proven_of_a_part_is_proven_of_what_runs(large):
    weights = lower(large, "float64")
    for flag, dtypes in (("first", {"float32", "float64"}), ("second", {"float64"})):
        closed = [each for each in weights.layout.held if each != flag]
        part = Part.of(large, weights, closed).program
        exact = {dtype for dtype in ("float32", "float64") if check(part, dtype).exact}
        assert exact == dtypes
        again = narrowed(lower(part, "float64"), closed)
        assert list(told(again)) == list(told(narrowed(weights, closed)))
        assert again.count < weights.count * 2 / 3


def test_a_part_that_is_not_what_runs_is_told_from_it(large, monkeypatch):
    weights = lower(large, "float64")
    assert Part.of(large, weights, ["second"]).answers_alike()
    kept = program_of_some._rules

    def too_few(block, path, back):
        return kept(replace(block, rules=block.rules[1:]), path, back)

    monkeypatch.setattr(program_of_some, "_rules", too_few)
    assert not Part.of(large, weights, ["second"]).answers_alike()


def test_whoever_watches_or_changes_the_network_gets_the_whole(asked):
    model = progtf.compile(asked)
    texts = ["one a", "two b", "a"]
    found = model.run(texts)
    assert model._parts() is not None
    seen = []
    hook = model.network.encoder.blocks[0].register_forward_hook(lambda *_: seen.append(1))
    assert model.run(texts) == found
    assert seen
    hook.remove()
    assert model._parts() is not None
    with torch.no_grad():
        model.network.unembed.bias[model.layout.outputs.index("<eos>")] -= 9
    assert model._parts() is None
    assert {str(each) for each in model.try_answers(texts)} == {LONGER}


def test_a_saved_folder_has_parts_too(asked, tmp_path):
    progtf.save_model(progtf.compile(asked), tmp_path / "folder")
    assert progtf.load_model(tmp_path / "folder")._parts() is not None


def test_decompiled_it_has_the_same_bits(asked):
    again = progtf.parse_program(progtf.decompile(asked))
    assert same(lower(again), lower(asked))


BOUND = """\
semes: first mark seen half found
lexicon:
  a: +first +mark
  b: +mark
layer:
  head one:
    look: before
    nearest: mark
    value: first>seen
  head two:
    look: before
    nearest: mark
    value: first>half
    role: mark>half - 0.5half
  head three:
    look: before
    nearest: mark
    value: first>found
    role: mark>found
classify:
  yes: seen + half + found
  otherwise: no
"""


def test_a_role_that_is_1_everywhere_is_left_out_of_a_part_and_no_other():
    whole = lower(built(BOUND), "float64")
    part = narrowed(whole, ())
    roles = {path[-1] for path, field in part.maps if field == "role"}
    assert roles == {"head two", "head three"}
    texts = ["a b", "b a b", "a a", "b"]
    for one, other in zip(Model(whole).answers(texts), Model(part).answers(texts), strict=True):
        assert (one.text, one.gap, one.scores) == (other.text, other.gap, other.scores)
