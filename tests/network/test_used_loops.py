"""Loops in used files: they run in texts that ask for the file, and nowhere else."""

from itertools import pairwise

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import progtf
from progtf import SemeError, decompile, parse_program
from progtf.network.model import Model
from progtf.running.interpret import Interpreter
from progtf.running.trace import Trace
from progtf.weights.folder import packed, unpacked
from progtf.weights.narrow import can_be_narrowed, narrowed, written_once
from tests.network.programs import asking_inputs, used_in_decoders, used_loops
from tests.network.test_loops import EUCLID


def joined(folder, program, part):
    (folder / "part.seme").write_text(part)
    return parse_program(program, "main.seme", folder)


def used(folder, written):
    """Weights, network, interpreter and the flags that are asked for."""
    program = joined(folder, *written)
    weights = progtf.lower(program, "float64")
    assert can_be_narrowed(weights)
    flags = written_once(weights, weights.layout.held)
    return weights, Model(weights), Interpreter(program), flags


def said(answer):
    """The answer or the refusal; that a promise was broken before, too, only the meaning names."""
    return str(getattr(answer, "text", answer)).partition("; `")[0]


def left_in(read):
    """The loop that did not end; a part's resets only semes that somebody reads."""
    return read.unfinished and (read.unfinished.name, read.unfinished.most)


@given(used_loops(), st.lists(asking_inputs, min_size=1, max_size=4))
def test_texts_of_several_kinds_are_answered_as_alone_by_their_meaning_and_by_parts(
    tmp_path_factory, written, texts
):
    weights, model, meant, flags = used(tmp_path_factory.mktemp("used"), written)
    assert set(flags) == set(weights.layout.held)
    both = zip(texts, model.try_answers(texts), meant.try_answers(texts), strict=True)
    for text, got, due in both:
        closed = [flag for flag in flags if flag.removeprefix("asks.") not in text.split()]
        part = Model(narrowed(weights, closed))
        event(f"{len(flags) - len(closed)} asked, {len(list(part.layout.all_loops()))} loops left")
        others = (model.try_answers([text])[0], part.try_answers([text])[0], due)
        assert {said(got)} == {said(other) for other in others}
        if hasattr(got, "gap"):
            assert [other.gap for other in others] == pytest.approx([got.gap] * 3, abs=1e-6)


@given(used_in_decoders(), st.lists(asking_inputs, min_size=1, max_size=3))
def test_places_of_a_decoder_that_ask_and_that_do_not_are_answered_as_alone_and_by_their_meaning(
    tmp_path_factory, written, texts
):
    weights, model, meant, flags = used(tmp_path_factory.mktemp("used"), written)
    assert set(flags) == (set(weights.layout.held) if weights.layout.encoder else set())
    asked = model.read(texts)
    both = zip(asked, model.readouts(asked), meant.readouts(asked), strict=True)
    for given_tokens, got, due in both:
        closed = [flag for flag in flags if flag.removeprefix("asks.") not in given_tokens]
        parts = [model, *([Model(narrowed(weights, closed))] if closed else [])]
        others = [due, *(next(iter(part.readouts([given_tokens]))) for part in parts)]
        event(
            f"{weights.layout.kind}, {len(closed)} closed, unfinished: {due.unfinished is not None}"
        )
        for other in others:
            assert (got.written, left_in(got)) == (other.written, left_in(other))
            assert got.gap == pytest.approx(other.gap, abs=1e-6)


@given(st.one_of(used_loops(), used_in_decoders()))
def test_text_weights_and_folders_keep_them(tmp_path_factory, written):
    weights = progtf.lower(joined(tmp_path_factory.mktemp("used"), *written), "float64")
    again = progtf.lower(parse_program(decompile(weights)), "float64")
    for kept in ("encoder", "decoder", "loops", "space"):
        assert getattr(again.layout, kept) == getattr(weights.layout, kept)
    assert progtf.diff(again, weights) == []
    assert unpacked(packed(weights)) == weights


@given(used_loops(), asking_inputs)
def test_what_does_not_ask_for_a_loop_is_as_it_was(tmp_path_factory, written, text):
    program, trace = joined(tmp_path_factory.mktemp("used"), *written), Trace()
    meant = Interpreter(program)
    meant.readout(*meant.read([text]), trace)
    for before, step in pairwise(trace.steps):
        name = step.label.partition(".")[0]
        if step.label.endswith((".first", ".second")) and name not in text.split():
            assert (step.residual == before.residual).all()


@given(used_in_decoders(), asking_inputs)
def test_a_place_that_does_not_ask_for_a_loop_is_as_it_was(tmp_path_factory, written, text):
    program, trace = joined(tmp_path_factory.mktemp("used"), *written), Trace()
    meant = Interpreter(program)
    meant.readout(*meant.read([text]), trace)
    for before, step in pairwise(trace.steps):
        if step.stack == "decoder" and step.label.endswith((".first", ".second")):
            asks = program.space.index[f"asks.{step.label.partition('.')[0]}"]
            silent = step.residual[:, asks] == 0
            event(f"places ask: {not silent.all()}, do not: {silent.any()}")
            assert (step.residual[silent] == before.residual[silent]).all()


# ------------------------------------------------------------------ where they stand

ASKING = """
model:
  length: 8
use "euclid.seme" as one when asked
use "copies.seme"
semes:
  says asked
  result: 0..60
lexicon:
  for n in 1..60:
    "{n}": +{n}number
  gcd: +says
encoder:
  layer ask:
    head:
      where: says
      value: says>asked
score:
  pool: first
  value: result
"""
FILES = {
    "euclid": """
semes:
  a: 0..60
  b: 0..60
layer next:
  head next:
    at: +1
    value: number>b
  feedforward:
    a: number
"""
    + EUCLID[EUCLID.index("  loop") : EUCLID.index("score:")].replace("\n  ", "\n").lstrip()
    + """
layer end:
  feedforward:
    result: a
""",
    "copies": """
semes:
  number: 0..60
  twice: 0..120
layer:
  feedforward:
    twice: 2number
""",
}


def euclid(folder, most=60, **changes):
    text, files = ASKING, dict(FILES)
    for old, new in changes.items():
        text = text.replace(old, new)
        files = {name: each.replace(old, new) for name, each in files.items()}
    for name, each in files.items():
        (folder / f"{name}.seme").write_text(each.replace("MOST", str(most)))
    return parse_program(text, "main.seme", folder)


def test_nothing_of_another_file_stands_in_its_rounds(tmp_path):
    program = euclid(tmp_path)
    inside = [layer for layer in program.encoder if layer.loop is not None]
    written = {n for layer in inside for n in layer.feedforward.targets}
    assert inside
    assert not any(layer.heads for layer in inside)
    assert all(name.startswith(("one.", 'comparison["one.')) for name in written)
    assert progtf.compile(program).run("12 18 gcd") == "6"


@pytest.mark.parametrize("make", [progtf.interpret, progtf.compile])
def test_only_texts_that_ask_take_rounds(tmp_path, make):
    answering = make(euclid(tmp_path, most=58))
    texts = ["12 18 gcd", "1 60", "7 7 gcd", "1 60 gcd", "60 36"]
    *found, undone, last = answering.try_answers([*texts[:3], *texts[3:]])
    assert [said(each) for each in (*found, last)] == ["6", "0", "7", "0"]
    assert str(undone) == "loop one.euclid: not done after 58 rounds"


def test_a_text_that_does_not_ask_takes_no_round(tmp_path):
    model = progtf.compile(euclid(tmp_path))
    labels = {text: [s.label for s in model.trace(text)] for text in ("1 60", "1 60 gcd")}
    assert [each.count("look") for each in labels.values()] == [0, 59]


def test_a_loop_may_say_itself_which_texts_it_is_for():
    text = EUCLID.replace("MOST until no unequal", "60 until no unequal when says.gcd")
    text = text.replace("lexicon:", "  says.gcd\nlexicon:\n  gcd: +says.gcd")
    program = parse_program(text)
    for answering in (progtf.interpret(program), progtf.compile(program)):
        assert answering.run(["12 18 gcd", "12 18"]) == ["6", "12"]


def test_a_flag_that_comes_later_cannot_be_asked_for():
    text = EUCLID.replace("MOST until no unequal", "60 until no unequal when later")
    text = text.replace("lexicon:", "  later\nlexicon:")
    text = text.replace("score:", "  layer late:\n    feedforward:\n      later: a > 0\nscore:")
    with pytest.raises(SemeError, match="later"):
        parse_program(text)
