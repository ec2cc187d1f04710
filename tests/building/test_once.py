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


def test_a_file_is_parsed_once_though_several_files_and_programs_use_it(tmp_path, calls):
    (tmp_path / "shared.seme").write_text("semes: a\n")
    for name in ("one", "other"):
        (tmp_path / f"{name}.seme").write_text(
            f'use "shared.seme"\nsemes: {name}\nlexicon:\n  {name}: +a\n'
        )
    uses = 'use "one.seme"\nuse "other.seme"\nuse "shared.seme"\n'
    (tmp_path / "main.seme").write_text(uses + "lexicon:\n  x: +a\n")
    load(tmp_path / "main.seme")
    assert calls["parse_all"] == 3
    load(tmp_path / "one.seme")
    assert calls["parse_all"] == 3


def test_a_file_that_changed_is_read_anew(tmp_path):
    (tmp_path / "shared.seme").write_text("semes: a\n")
    (tmp_path / "main.seme").write_text('use "shared.seme"\nlexicon:\n  x: +a\n')
    assert load(tmp_path / "main.seme").space.names[:1] == ("a",)
    (tmp_path / "shared.seme").write_text("semes: b a\n")
    assert load(tmp_path / "main.seme").space.names[:2] == ("b", "a")
