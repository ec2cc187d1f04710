"""Texts answered by the part of a program that they ask for, as by the whole of it."""

import gc
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from weakref import ref

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import progtf
from progtf import parse_program
from progtf.program.changes import set_to
from progtf.program.narrow import can_be_narrowed, holding, narrowed, written_once
from progtf.running import kinds as of_kinds
from progtf.running.interpret import Interpreter, answer
from progtf.running.kinds import Cut, by_part, kinds
from progtf.running.trace import Trace
from tests.network.programs import (
    LENGTH,
    TOKENS,
    asking_inputs,
    built,
    programs,
    used_in_decoders,
    used_loops,
)
from tests.programs import ALL, loaded

PART = """\
semes:
  size: 0..4
  twice: 0..3
  below
  tiny
  left: 0..8
layer double:
  feedforward:
    twice: size
layer judge:
  head before:
    look: before
    nearest: marked
    value: size>last
  feedforward:
    below: twice < 3
    tiny: twice < 9
    left: size
layer:
  head:
    look: self
    value: size>echo
  feedforward:
    out: 2size when below
    low: tiny & below
loop fall up to MOST until no busy:
  semes:
    busy
  layer take:
    feedforward:
      left: -1 when left >= 1
  layer look:
    feedforward:
      busy: left >= 1
layer end:
  feedforward:
    out: 1 when left <= 0
"""
"""`twice` copies what may be 4 and is declared to be 3 at most; `tiny` is true by its range."""

ASKED = """\
use "part.seme" as one when first
use "part.seme" as two when second
model:
  kind: seq2seq
  tokens: words
  length: 7 -> 3
  layers: auto
semes:
  says.first says.second first second marked begin
  given: 0..4
  out: 0..20
  last: 0..8
  echo: 0..8
  low: 0..2
  loud
  got: 0..20
  heard: 0..8
lexicon:
  one: +says.first
  two: +says.second
  a: +marked +one.size +two.size
  b: +marked +2one.size
  c: +marked +4two.size
  <bos>: +begin
  <eos>: 0
encoder:
  layer ask:
    head first:
      where: says.first
      value: says.first>first
    head second:
      where: says.second
      value: says.second>second
decoder:
  layer read:
    head read:
      from: encoder
      where: marked
      value: out>got, echo>heard, low>low, last>last
  layer say:
    feedforward:
      loud: got >= 2
output:
  <eos>: 0.75begin + 0.25got + 99marked
  a: 0.5begin + heard
  b: 0.5loud + 0.75low + 0.5last
"""


def program(folder, asked=ASKED, most=9):
    (folder / "part.seme").write_text(PART.replace("MOST", str(most)))
    return parse_program(asked, "asked.seme", folder)


def said(meant, text):
    """The answer to a text, or why there is none."""
    (found,) = meant.try_answers([text])
    return str(getattr(found, "text", found))


def by_the_whole(meant, text):
    """What the whole program comes to."""
    (given_tokens,) = meant.read([text])
    return meant.readout(given_tokens, Trace(keeps=False))


def assert_alike(got, due):
    """Two readouts say the same; the first one may say less of what is nobody's in the text."""
    assert (got.tokens, got.written, got.tied) == (due.tokens, due.written, due.tied)
    assert (got.unfinished and got.unfinished.name) == (due.unfinished and due.unfinished.name)
    assert got.gap == pytest.approx(due.gap, rel=1e-12, abs=1e-12)
    assert due.fractions or not got.fractions
    assert due.outside is not None or got.outside is None
    if len(due.broken) < of_kinds.MOST_BROKEN:
        assert set(got.broken) <= set(due.broken)


def assert_same(program, text):
    """A text is answered by its part as by the whole; gives both readouts."""
    meant = Interpreter(program)
    (got,), due = meant.readouts(meant.read([text])), by_the_whole(meant, text)
    assert_alike(got, due)
    return got, due


TEXTS = [
    " ".join(words)
    for count in (1, 2, 3)
    for words in product(("one", "two", "a", "b", "c"), repeat=count)
]


def test_every_kind_of_text_is_answered_as_by_the_whole(tmp_path):
    asked = program(tmp_path)
    assert holding(asked) == kinds(asked).flags == ("first", "second")
    pairs = [assert_same(asked, text) for text in TEXTS]
    assert len({got.written for got, _ in pairs}) > 2
    assert any(got.fractions is False and due.broken for got, due in pairs)


def test_only_promises_of_what_is_asked_are_named(tmp_path):
    meant = Interpreter(program(tmp_path))
    texts = ["c", "one c", "two c", "one two c", "two b"]
    named = [
        {broken.what for broken in found.broken} for found in meant.readouts(meant.read(texts))
    ]
    whole = [{broken.what for broken in by_the_whole(meant, text).broken} for text in texts]
    assert ["two.twice" in found for found in whole] == [True, True, True, True, False]
    assert ["two.twice" in found for found in named] == [False, False, True, True, False]


def test_what_leaves_its_range_is_told_where_it_is_asked_for(tmp_path):
    meant = Interpreter(program(tmp_path))
    outside = [found and found.outside for found in meant.readouts(meant.read(["one c", "two c"]))]
    assert [by_the_whole(meant, text).outside.seme for text in ("one c", "two c")] == [
        "two.twice"
    ] * 2
    assert (outside[0], outside[1].seme) == (None, "two.twice")


def test_a_loop_that_does_not_end_is_told_where_it_is_asked_for(tmp_path):
    meant = Interpreter(program(tmp_path, most=2))
    found = meant.try_answers(["two c", "one c", "c", "one b"])
    assert str(found[0]).startswith("loop two.fall: not done after 2 rounds; `two.twice` is 4 at")
    assert [type(each).__name__ for each in found[1:]] == ["Answer"] * 3


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("one: +says.first", "one: +says.first +first", ("second",)),
        (
            "    head second:",
            "    feedforward:\n      first: says.first\n    head second:",
            ("second",),
        ),
        ("decoder:", "  layer again:\n    feedforward:\n      second: begin\ndecoder:", ("first",)),
        ("  layer ask:", "  layer ask:\n    repeat: 2", ()),
    ],
)
def test_flags_of_tokens_or_that_are_written_twice_are_no_kinds(tmp_path, old, new, left):
    asked = program(tmp_path, ASKED.replace("  layers: auto\n", "").replace(old, new, 1))
    assert holding(asked) == ("first", "second")
    assert written_once(asked, holding(asked)) == kinds(asked).flags == left
    for text in ("a", "one b", "two b", "one two c"):
        assert_same(asked, text)


def test_a_part_has_what_it_needs_and_nothing_else(tmp_path):
    asked = program(tmp_path)
    for zero, gone in (
        (["first"], ["one."]),
        (["second"], ["two."]),
        (["first", "second"], ["one.", "two."]),
    ):
        part = narrowed(asked, zero).program
        left = [*part.space.names[: part.semes]]
        assert not [name for name in left if name.startswith(tuple(gone))]
        assert part.width < asked.width
        assert {name.split(".")[0] for name in left} >= {"one", "two"} - {
            each[:-1] for each in gone
        }


def test_programs_that_write_no_text_are_answered_whole(tmp_path):
    asked = ASKED[: ASKED.index("decoder:")].replace("  kind: seq2seq\n", "").replace(" -> 3", "")
    asked = program(tmp_path, f"{asked}classify:\n  pool: max\n  OUT: out\n  otherwise: NONE\n")
    assert (holding(asked), kinds(asked).flags) == (("first", "second"), ())
    assert progtf.interpret(asked).run(["one b", "b"]) == ["OUT", "NONE"]


def test_patches_and_traces_are_of_the_whole(tmp_path):
    asked = program(tmp_path)
    trace = Trace()
    answer(asked, "one b", trace)
    assert {step.residual.shape[1] for step in trace.steps} == {asked.width}
    patched = progtf.interpret(asked).patch({"encoder.layer 1": {"first": set_to(0)}})
    assert (
        said(patched, "one b") == said(Interpreter(asked), "b") != said(Interpreter(asked), "one b")
    )


def test_kinds_that_were_asked_for_last_are_kept_and_threads_share_them(tmp_path, monkeypatch):
    asked, made = program(tmp_path), []
    plain = of_kinds.narrowed
    monkeypatch.setattr(of_kinds, "MOST", 2)
    monkeypatch.setattr(
        of_kinds, "narrowed", lambda *given: made.append(given[1:]) or plain(*given)
    )
    meant = Interpreter(asked)
    for text in ("a", "one b", "a", "two a", "a", "one b"):
        said(meant, text)
    assert len(made) == 1 + 4  # the flags; none, first, second, and first anew
    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(partial(said, meant), TEXTS)]
    assert found == [said(Interpreter(asked), text) for text in TEXTS]


def test_kinds_go_with_the_program(tmp_path):
    asked = program(tmp_path)
    said(Interpreter(asked), "one b")
    mine, found = ref(asked), ref(kinds(asked))
    assert found() is not None
    del asked
    gc.collect()
    assert (mine(), found()) == (None, None)


# ------------------------------------------------------------------ programs that are drawn


def joined(folder, written):
    whole, part = written
    (folder / "part.seme").write_text(part)
    return parse_program(whole, "main.seme", folder)


@given(st.one_of(used_loops(), used_in_decoders()), st.lists(asking_inputs, min_size=1, max_size=4))
def test_drawn_programs_that_use_others_are_answered_as_by_the_whole(
    tmp_path_factory, written, texts
):
    asked = joined(tmp_path_factory.mktemp("used"), written)
    for text in texts:
        got, due = assert_same(asked, text)
        event(f"{len(kinds(asked).flags)} flags, {len(due.broken) - len(got.broken)} fewer broken")


@given(programs("seq2seq"), st.lists(st.sampled_from(TOKENS), min_size=1, max_size=LENGTH - 2))
def test_without_what_nobody_reads_drawn_programs_are_answered_the_same(text, words):
    program = built(text)
    assume(can_be_narrowed(program))
    meant, part = Interpreter(program), narrowed(program, ())
    (tokens,) = meant.read([" ".join(words)])
    assert_alike(by_part(Cut.of(part), tokens), by_the_whole(meant, " ".join(words)))
    event(f"{program.width - part.program.width} names fewer")


# ------------------------------------------------------------------ the large one

EXAMPLES = 6


@pytest.mark.long
@pytest.mark.xdist_group("all.seme")
def test_all_modules_are_answered_by_their_parts_as_by_the_whole():
    program = loaded(ALL)
    meant = Interpreter(program)
    assert kinds(program).flags == holding(program)
    held_back = re.findall(r'^use .* when (asks\[".*"\])$', ALL.read_text(), re.MULTILINE)
    assert {*kinds(program).flags} == {*held_back}
    for example in program.examples[:: len(program.examples) // EXAMPLES]:
        got, _ = assert_same(program, example.input)
        assert got.broken == ()
    for example in program.examples:
        (found,) = meant.answers([example.input])
        assert (found.text, found.broken) == (example.output, ())
