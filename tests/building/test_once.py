"""What a program is made of is worked out once, however often it is asked for."""

from collections import Counter

import pytest

from progtf.building.load import load, parse_program
from progtf.building.rules import feedforward
from progtf.notation import declare, files

PROGRAM = """
model:
  layers: auto
semes:
  for i in 0..999:
    s[i]
lexicon:
  x: +s[0]
layer:
  feedforward:
    for i in 1..999:
      s[i]: s[0]
"""


@pytest.fixture
def calls(monkeypatch):
    """How often some functions are called, by name."""
    counted: Counter[str] = Counter()

    def count(module, name):
        function = getattr(module, name)

        def counting(*arguments):
            counted[name] += 1
            return function(*arguments)

        monkeypatch.setattr(module, name, counting)

    count(declare, "spell_name")
    count(files, "parse_all")
    count(feedforward, "build_rule")
    return counted


def test_declaring_a_seme_does_not_spell_out_the_rest_of_its_family(calls):
    parse_program(PROGRAM)
    assert calls["spell_name"] <= 3 * 1000


def test_a_rule_that_is_placed_by_what_it_reads_is_built_once(calls):
    parse_program(PROGRAM)
    assert calls["build_rule"] == 999


def test_a_file_is_parsed_once_though_several_files_use_it(tmp_path, calls):
    for name in "ab":
        (tmp_path / f"{name}.seme").write_text('use "std/characters.seme"\n')
    uses = 'use "a.seme"\nuse "b.seme"\nuse "std/characters.seme"\n'
    (tmp_path / "main.seme").write_text(uses + "model:\n  tokens: chars\nlexicon:\n  x: 0\n")
    load(tmp_path / "main.seme")
    assert calls["parse_all"] == 3
