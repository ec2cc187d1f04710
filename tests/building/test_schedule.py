"""Where the heads and rules of used files stand, and what several files make of a program."""

from pathlib import Path

import pytest

from progtf import compile as compiled
from progtf.building.load import analyse, parse_program
from progtf.numbers import EXACT
from progtf.program.expected import agrees
from progtf.program.interface import interface_of
from progtf.program.model import Layer, Program
from progtf.running.interpret import answer

READER = """
semes:
  digit
  val: 0..9
  left: 0..9
  sum: 0..18
  big
lexicon:
  for d in 0..9:
    "{d}": +digit +{d}val
  unknown: 0
layer:
  feedforward:
    big: sum >= 10
  head left:
    at: -1
    value: val>left
layer:
  feedforward:
    sum: val + left
"""


def layers(program: Program) -> list[tuple[list[str], set[str]]]:
    """Per layer the names of its heads, and what its rules write."""
    found: list[tuple[list[str], set[str]]] = []
    for layer in program.encoder:
        assert isinstance(layer, Layer)
        rules = () if layer.feedforward is None else layer.feedforward.rules
        found.append(([head.name for head in layer.heads], {n for r in rules for n in r.writes}))
    return found


def program(folder: Path, text: str, **files: str) -> Program:
    for name, content in files.items():
        (folder / f"{name}.seme").write_text(content)
    return parse_program(text, "main.seme", folder)


def check(program: Program, text: str, expected: str) -> None:
    shape = interface_of(program)
    assert agrees(answer(program, text), expected, shape, EXACT)
    (done,) = compiled(program, "float32").answers([text])
    assert agrees(done, expected, shape, 1e-4)


def test_a_part_stands_in_the_earliest_layer_after_what_it_reads(tmp_path):
    text = 'use "reader.seme"\nsemes: word\nlexicon:\n  word: +word\n'
    made = program(tmp_path, text, reader=READER)
    assert layers(made) == [(["left"], {"sum"}), ([], {"big"})]
    check(made, "7 8", "8: +digit +8val +7left +15sum +big")


def test_the_program_s_own_layers_keep_their_order_and_wait(tmp_path):
    text = """
use "reader.seme"
semes: word first second
lexicon:
  word: +word
layer one:
  feedforward:
    first: word
layer two:
  feedforward:
    second: big & !first
"""
    made = program(tmp_path, text, reader=READER)
    assert layers(made) == [(["left"], {"sum", "first"}), ([], {"big"}), ([], {"second"})]
    assert [layer.name for layer in made.encoder] == ["one", "layer 2", "two"]
    check(made, "8 9", "9: +digit +9val +8left +17sum +big +second")


def test_nothing_of_a_used_file_is_repeated(tmp_path):
    adds = "semes:\n  la: 0..9\n  lb: 0..9\nlayer:\n  feedforward:\n    lb: la + 1\n"
    text = """
use "adds.seme"
semes:
  n: 0..9
  both: 0..9
lexicon:
  a: +1la +1n
layer go:
  repeat: 3
  feedforward:
    n: 1
layer later:
  feedforward:
    both: n + lb
"""
    made = program(tmp_path, text, adds=adds)
    assert [(layer.name, layer.repeat) for layer in made.encoder] == [
        ("layer 1", 1), ("go", 3), ("later", 1),
    ]  # fmt: skip
    check(made, "a", "a: +la +2lb +4n +6both")


def test_with_layers_auto_the_program_is_placed_as_well(tmp_path):
    made = program(tmp_path, "model:\n  layers: auto\n" + READER)
    assert layers(made) == [(["left"], {"sum"}), ([], {"big"})]


def test_a_reader_waits_for_all_writers(tmp_path):
    more = 'use "reader.seme"\nsemes: late seen\nlayer:\n  feedforward:\n    sum: 1 when big\n'
    text = 'use "more.seme"\nuse "reader.seme"\nlayer:\n  feedforward:\n    seen: sum >= 3\n'
    bad, found = analyse(text, "main.seme", _with(tmp_path, reader=READER, more=more))
    assert bad is None
    assert [d.code for d in found] == ["circular-layers"]
    assert "`big` needs `sum` needs `big`" in found[0].headline


def test_who_reads_what_nobody_writes_waits_for_its_family(tmp_path):
    rules = "layer:\n  feedforward:\n    for k in 0..2:\n      some[k]: figure[k] >= 1\n"
    digits = f"semes: figure[0..2]: 0..9\nsemes: some[0..2]\nlexicon:\n  unknown: 0\n{rules}"
    mine = "semes: a: 0..9\nlexicon:\n  a: +7a\nlayer one:\n  feedforward:\n    figure[0]: a\n"
    text = f'use "digits.seme"\n{mine}'
    check(program(tmp_path, text, digits=digits), "a", "a: +7a +7figure[0] +some[0]")


def _with(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        (folder / f"{name}.seme").write_text(content)
    return folder


def test_tokens_of_several_files_add_up(tmp_path):
    text = 'use "reader.seme"\nsemes: odd other\nlexicon:\n  "7": +odd\n  x: 0\n  unknown: +other\n'
    made = program(tmp_path, text, reader=READER)
    assert made.lexicon["7"] == {"digit": 1, "val": 7, "odd": 1}
    assert made.lexicon["8"] == {"digit": 1, "val": 8, "other": 1}
    assert made.lexicon["x"] == {}
    assert made.unknown == {"other": 1}


def test_a_file_without_a_prefix_is_shared_and_one_with_a_prefix_is_not(tmp_path):
    other = 'use "reader.seme"\nsemes: tens\nlayer:\n  feedforward:\n    tens: sum div 10\n'
    text = 'use "reader.seme"\nuse "other.seme" as one\nuse "reader.seme" as own\n'
    made = program(tmp_path, text, reader=READER, other=other)
    semes = made.space.names[: made.semes]
    reader = ("digit", "val", "left", "sum", "big")
    assert semes == (*reader, "one.tens", *(f"own.{name}" for name in reader))
    assert layers(made)[1] == ([], {"big", "one.tens", "own.big"})


def test_scores_of_several_files_add_up(tmp_path):
    one = "semes: a\nlexicon:\n  a: +a\noutput:\n  a: 2a\n"
    text = 'use "one.seme"\nsemes: b\nlexicon:\n  b: +b\noutput:\n  a: b\n  b: b - 1\n'
    made = program(tmp_path, text, one=one)
    assert dict(made.outputs["a"].coefficients) == {"a": 2, "b": 1}
    assert made.outputs["b"].constant == -1


@pytest.mark.parametrize("asked", ["up", "down"])
def test_when_holds_back_what_a_file_writes_to_others(tmp_path, asked):
    up = "semes:\n  up: 0..9\nlayer:\n  head:\n    at: -1\n    value: n>up, n>out\n"
    down = "layer:\n  feedforward:\n    out: n\n"
    text = """
use "up.seme" as rise when says_up
use "down.seme" as fall when says_down
semes:
  says_up says_down
  n: 0..9
  out: 0..9
lexicon:
  up: +says_up +4n
  down: +says_down +7n
  3: +3n
"""
    made = program(tmp_path, text, up=up, down=down)
    expected = {"up": "+says_up +4n +3rise.up +3out", "down": "+says_down +7n +7out"}
    check(made, f"3 {asked}", f"{asked}: {expected[asked]}")


def test_circuits_phrases_and_the_decoder_are_placed_too(tmp_path):
    words = 'semes: says\nlayer:\n  phrase "ab" > says\n'
    text = """
use "words.seme"
model:
  kind: seq2seq
  tokens: chars
  length: 8 -> 2
semes: is["a".."c"] more heard begin
lexicon:
  for c in "abc":
    "{c}": +is[c]
  <bos>: +begin
  <eos>: 0
encoder:
  layer own:
    phrase "bc" > more
  layer later:
    head heard:
      where: says
      value: more>heard
decoder:
  layer:
    head any:
      from: encoder
      query: begin>here
      key: more>here
      else: 0
      value: more>heard
output:
  a: heard
  b: begin - 0.5
  <eos>: 0.75 - begin
"""
    made = program(tmp_path, text, words=words)
    assert [len(layer.heads) for layer in made.encoder if isinstance(layer, Layer)] == [1, 1]
    assert layers(made)[0][1] == {"says", "more"}
    assert compiled(made, "float32").run(["abc", "abab"]) == ["a", "b"]


def test_files_under_one_prefix_use_each_other(tmp_path):
    other = 'use "reader.seme"\nsemes: tens\nlayer:\n  feedforward:\n    tens: sum div 10\n'
    text = 'use "other.seme" as two\nuse "reader.seme" as two\nlexicon:\n  x: 0\n'
    made = program(tmp_path, text, reader=READER, other=other)
    reader = ("digit", "val", "left", "sum", "big")
    assert set(made.space.names[: made.semes]) == {f"two.{n}" for n in (*reader, "tens")}
    assert layers(made)[1] == ([], {"two.big", "two.tens"})
