"""Programs with ``<eos>`` that can never write it are called by that name, and never exact."""

import pytest

from progtf import check, interpret, parse_program
from tests.exact.endless import ENDS, NEVER


def codes(found):
    return [each.code for each in found]


@pytest.mark.parametrize("text", [*NEVER.values()], ids=[*NEVER])
def test_what_can_never_end_is_refused_by_that_name(text):
    for dtype in ("float32", "float64"):
        report = check(parse_program(text), dtype)
        assert "endless" in codes(report.found)
        assert not report.exact


@pytest.mark.parametrize("text", [*ENDS.values()], ids=[*ENDS])
def test_what_ends_for_some_input_is_not(text):
    report = check(parse_program(text))
    assert "endless" not in codes((*report.found, *report.unproven))


LONG = NEVER["a first word that is always said again"].replace("3 -> 3", "40 -> 9")


def test_where_no_end_is_found_and_none_is_ruled_out_nothing_is_called_exact():
    report = check(parse_program(LONG))
    assert "endless" in codes(report.unproven)
    assert not report.exact
    by_name = LONG + "examples:\n  x -> y\n"  # its answer does not end, so that it shows nothing
    assert not check(parse_program(by_name)).exact


RARE = """
model:
  kind: seq2seq
  length: 4 -> 3
semes: v: 0..99 first: 0..99 second: 0..99 end
lexicon:
  <bos>: 0
  <eos>: 0
  for n in 0..99:
    "{n}": +{n}v
decoder:
  layer look:
    head first:
      from: encoder
      at: 1
      value: v>first
    head second:
      from: encoder
      at: 2
      value: v>second
  layer tell:
    feedforward:
      end: 1 when first = 77 & second = 33
output:
  "1": 0.5
  <eos>: end
"""


def test_an_example_shows_that_answers_can_end():
    """One pair of words in ten thousand has an answer that ends."""
    assert codes(check(parse_program(RARE)).unproven) == ["endless"]
    shown = parse_program(RARE + 'examples:\n  77 33 -> ""\n')
    assert interpret(shown).run("77 33") == ""
    assert check(shown).exact


def test_what_knows_no_end_and_what_may_learn_it_is_left_alone():
    without = NEVER["a decoder below a constant"].replace("  <eos>: 0\n", "  z: 0\n")
    assert check(parse_program(without)).exact
    learns = parse_program(NEVER["a seme of the input alone"].replace("a>b", "?a>b"))
    assert learns.hybrid
    report = check(learns)
    assert "endless" not in codes((*report.found, *report.unproven))
