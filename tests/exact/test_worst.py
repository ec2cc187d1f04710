"""What is left underived: the worst first, and a text that breaks it where there is one."""

import os
import subprocess
import sys
from itertools import islice

import pytest

import progtf
from progtf.exact import check
from progtf.exact.worst import MOST_TEXTS, worst_first
from progtf.running.tried import texts
from tests.running.test_promises import FLAG_OF_A_RULE

TWICE = f"""
model:
  length: {{length}}
{FLAG_OF_A_RULE.strip()}
examples:
  y y x w y -> FOUND
  y x w x y -> FOUND
"""
SUMMED = """
semes:
  n: 0..9
  m: 0..9
  k: 0..9
  big
lexicon:
  x: +5n
  y: +9m
layer:
  head before:
    at: -1
    value: n>k
  head after:
    at: +1
    value: n>k
layer:
  feedforward:
    big: m + k >= 3
classify:
  BIG: big
  otherwise: SMALL
"""
ENDLESS = """
semes:
  n: 0..9
  done
lexicon:
  x: +2n
  y: +n
loop halves up to 3 until done:
  layer:
    feedforward:
      done: n = 1
"""


def worst(text, folder):
    file = folder / "p.seme"
    file.write_text(text, encoding="utf-8")
    program = progtf.load(file)
    return program, worst_first(program, check(program))


def test_a_text_that_breaks_an_assumption_is_found_and_made_short(tmp_path):
    program, found = worst(TWICE.format(length=8), tmp_path)
    (broken,) = [each for each in found.assumed if each.breaking]
    assert broken.words.startswith("`b` stays in 0..1")
    assert broken.breaking.text == "x w x"
    says = "`b` is 2 at token 2, and the rule in line 18 of p.seme wants 0 or 1"
    assert broken.breaking.says == says
    (answer,) = progtf.interpret(program).answers([broken.breaking.text])
    assert says in map(str, answer.broken)


def test_what_no_short_text_can_break_has_none(tmp_path):
    _, found = worst(
        TWICE.format(length=2).replace("y y x w y", "x w").partition("  y x")[0], tmp_path
    )
    assert [each.held for each in found.assumed][:1] == [True]
    assert all(each.breaking is None for each in found.assumed)
    assert not found.besides
    assert found.tried > 9


def test_of_a_sum_the_seme_is_named_that_is_not_as_declared(tmp_path):
    _, found = worst(SUMMED, tmp_path)
    broken = {each.words.partition(" (")[0]: each.breaking for each in found.assumed}
    assert broken.keys() == {"`k` stays in 0..9"}
    assert broken["`k` stays in 0..9"].says.startswith("`m + k` is 19")


def test_a_loop_that_does_not_end_is_found(tmp_path):
    _, found = worst(ENDLESS, tmp_path)
    (first, *_) = found.assumed
    assert first.words.startswith("loop `halves` ends within 3 rounds")
    assert (first.breaking.text, first.breaking.says) == (
        "x",
        "loop `halves` is not done after 3 rounds",
    )


@pytest.mark.parametrize(
    "name", ["continue_pattern", "language/translation", "math/coefficient_named", "math/mul"]
)
def test_the_worst_comes_first(name):
    program = progtf.load(f"examples/{name}.seme")
    report = check(program)
    found = worst_first(program, report)
    ranks = [0 if each.breaking else 1 if each.held else 2 for each in found.assumed]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0
    lengths = [len(each.breaking.parts) for each in found.assumed if each.breaking]
    assert lengths == sorted(lengths)
    assert {each.number: each.words for each in found.assumed} == dict(
        enumerate(report.assumptions, start=1)
    )
    meant = progtf.interpret(program)
    for each in found.assumed:
        if each.breaking:
            (answer,) = meant.answers([each.breaking.text])
            assert each.breaking.says in map(str, answer.broken)


def test_of_what_a_network_answers_no_text_is_tried():
    program = progtf.load("examples/hybrid/tags.seme")
    found = worst_first(program, check(program))
    assert (found.tried, found.besides) == (0, ())


def test_texts_are_examples_words_pairs_changes_and_the_longest(tmp_path):
    program, _ = worst(TWICE.format(length=8), tmp_path)
    found = [" ".join(parts) for parts in islice(texts(program, 100), MOST_TEXTS)]
    assert found[:4] == ["y y x w y", "y x w x y", "y", "y y"]
    assert {"x", "w", "x w", "w x", "x x x x x x x x", "y x w x x y", "y x w x"} <= set(found)
    assert found == [" ".join(parts) for parts in islice(texts(program, 100), MOST_TEXTS)]
    assert max(len(parts) for parts in islice(texts(program, 6), MOST_TEXTS)) == 6


def test_no_hash_decides_what_is_printed(tmp_path):
    file = tmp_path / "p.seme"
    file.write_text(TWICE.format(length=8), encoding="utf-8")
    said = set()
    for seed in "0", "1", "2":
        told = [sys.executable, "-m", "progtf", "check", file, "examples/math/linear_1d.seme"]
        settings = {**os.environ, "PYTHONHASHSEED": seed}
        said.add(subprocess.run(told, env=settings, capture_output=True, check=True).stdout)
    assert len(said) == 1
