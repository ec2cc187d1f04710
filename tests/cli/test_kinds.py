"""What a program of parts says of a text that it has no answer to: the kinds of question it has."""

import pytest

from progtf.building.load import load
from progtf.program.asked import Answered, nearest_kinds
from progtf.program.packed import packed, unpacked
from tests.cli.forked import results_of

PART = """use "std/characters.seme"
use "std/say.seme"
use "std/refuse.seme"
model:
  kind: seq2seq
  tokens: chars
  length: 40 -> 4
semes: found
encoder:
  layer look:
    head found:
      where: is["z"]
      value: +found
  layer judge:
    feedforward:
      refused: found & is["{sign}"]
decoder:
  layer answer:
    feedforward:
      spoken: begin
      say: {digit} when begin
examples:
  {examples}
"""
WHOLE = """use "counts.seme" as counts when asked
use "names.seme" as names when named
model:
  kind: seq2seq
  tokens: chars
  length: 40 -> 4
semes: asked named
lexicon:
  ".": +asked
  "/": +named
decoder:
  layer fetch:
    head asked:
      from: encoder
      where: asked
      value: +asked
    head named:
      from: encoder
      where: named
      value: +named
"""
SHOWN = {
    "counts": '"how many dogs ." -> "1"\n  "count the cats ." -> "1"\n  "count a z ." -> "?"',
    "names": '"what is the name /" -> "2"',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    for digit, (name, examples) in enumerate(SHOWN.items(), start=1):
        part = PART.format(digit=digit, sign="./"[digit - 1], examples=examples)
        (folder / f"{name}.seme").write_text(part)
    (folder / "whole.seme").write_text(WHOLE)
    (folder / "plain.seme").write_text(PART.format(digit=3, sign=".", examples='"a" -> "3"'))
    return folder


def run(folder, *given):
    case = {"argv": ["run", *given]}
    env = {"PROGTF_CACHE": str(folder / "kept")}
    return results_of([case, case], cwd=folder, env=env)


@pytest.mark.parametrize("engine", [(), ("--engine", "reference"), ("--engine", "network")])
def test_a_text_without_an_answer_is_told_the_kinds_that_have_one(folder, engine):
    for status, out, err in run(folder, *engine, "whole.seme", "count the z .", "the names z /"):
        assert (status, out) == (0, "?\n?\n")
        first, second, *_, last = [line for line in err.splitlines() if "question" in line]
        assert first.startswith("text 1: no answer; nearest to it are questions such as ")
        assert first.endswith("`count the cats .` (counts), `what is the name /` (names)")
        assert second.endswith("`what is the name /` (names), `count the cats .` (counts)")
        assert last == "2 kinds of question are answered: counts, names"


def test_what_is_answered_and_programs_without_parts_are_told_nothing(folder):
    assert run(folder, "whole.seme", "count the cats .")[0] == [0, "1\n", ""]
    assert run(folder, "plain.seme", "z.")[0] == [0, "?\n", ""]


def test_of_many_texts_the_first_are_told(folder):
    _, out, err = run(folder, "whole.seme", *["a z ."] * 30)[0]
    assert out == "?\n" * 30
    assert err.count("no answer; nearest") == 20
    assert "30 inputs have no answer\n2 kinds" in err


def test_a_program_that_was_kept_knows_its_kinds(folder):
    program = load(folder / "whole.seme")
    counts, names = unpacked(packed(program)).answers
    assert (counts.name, counts.questions) == ("counts", ("how many dogs .", "count the cats ."))
    assert names == Answered("names", ("what is the name /",))


SOME = (
    Answered("sum", ("What is 3 plus 4?", "-2 + 5")),
    Answered("root", ("What is the third root of 27?",)),
    Answered("sort", ("Sort 3, 1, 2.", "Put 3, 1 and 2 in order.")),
)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("square root of 16", "root"), ("What is the ROOT?", "root"), ("9 + 9 + 9", "sum"),
        ("sort these: 5, 6", "sort"), ("order 5 6 7", "sort"), ("what is five plus six", "sum"),
    ],
)  # fmt: skip
def test_the_nearest_kind_comes_first(text, due):
    ranked = nearest_kinds(text, SOME)
    assert ranked[0][0].name == due
    assert {kind.name for kind, _ in ranked} == {"sum", "root", "sort"}
    assert all(question in kind.questions for kind, question in ranked)


@pytest.mark.parametrize("text", ["", "zzz", "?", "\x00", "9" * 10_000])
def test_a_text_that_is_like_nothing_gets_all_kinds(text):
    assert len(nearest_kinds(text, SOME)) == 3
