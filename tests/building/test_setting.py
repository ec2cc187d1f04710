"""``set x: value when condition``: the value in the place of what was there."""

from pathlib import Path

import pytest

import progtf
from progtf.building.load import analyse, flat_program
from progtf.exact import check
from progtf.program.interface import interface_of
from progtf.reference import Reference

TEXT = """\
semes:
  a: -9..9
  b: 0..9
  big
  small
lexicon:
  x: +3a +5b +small
  y: +7a +2b +big
layer:
  feedforward:
    {}
"""


@pytest.mark.parametrize(
    ("lines", "x", "y"),
    [
        ("set a: b", "+5a +5b +small", "+2a +2b +big"),
        ("set a: b when big", "+3a +5b +small", "+2a +2b +big"),
        ("set a: a + 1 when !big", "+4a +5b +small", "+7a +2b +big"),
        ("set a: 2a - b + 1 when small", "+2a +5b +small", "+7a +2b +big"),
        ("set a: 0 when big | small", "+5b +small", "+2b +big"),
        ("set big: a < b", "+3a +5b +big +small", "+7a +2b"),
        ("set big: a < b when big", "+3a +5b +small", "+7a +2b"),
        ("set b: a mod 3 when big", "+3a +5b +small", "+7a +b +big"),
        ("set b: abs(a)", "+3a +3b +small", "+7a +7b +big"),
        ("set b: abs(abs(a) - b)", "+3a +2b +small", "+7a +5b +big"),
        ("set b: abs(abs(a - 9) - 2b) when small", "+3a +4b +small", "+7a +2b +big"),
        ("set a: 1 when a >= 5\n    set a: 2 when a < 5", "+2a +5b +small", "+a +2b +big"),
        ("set big: small\n    set small: big", "+3a +5b +big", "+7a +2b +small"),
    ],
)
def test_a_value_stands_in_the_place_of_what_was_there(lines, x, y):
    program = progtf.parse_program(TEXT.format(lines))
    expected = f"x: {x} | y: {y}"
    assert progtf.interpret(program).run("x y") == expected
    model = progtf.compile(program)
    assert model.run("x y") == expected
    assert model.outcome.exact


def test_what_it_becomes_is_known():
    report = check(progtf.parse_program(TEXT.format("set b: a mod 3\n    set big: a < b")))
    assert report.exact
    assert not report.assumptions


def test_what_leaves_the_range_is_told():
    read = "set b: b + {}\nlayer:\n  feedforward:\n    big: b = 7"
    for more, told in ((4, 0), (5, 1)):
        report = check(progtf.parse_program(TEXT.format(read.format(more))))
        assert len([*report.found, *report.assumptions]) == told


@pytest.mark.parametrize(
    "lines",
    [
        "set a: b when big\n    set a: 1 when small",
        "set a: b\n    a: 1 when big",
        "a: 1 when big\n    set a: b when !big",
        "set a: b when a > 3\n    set a: 1 when b <= 3",
        "set a: b when big\n    bias2: +a",
        "mat1: small>unit\n    mat2: unit>a\n    set a: b when big",
    ],
)
def test_two_that_may_hold_together_are_refused(lines):
    program, found = analyse(TEXT.format(lines), "main.seme", Path())
    assert program is None
    assert [each.code for each in found] == ["set-twice"]


SHARED = TEXT.partition("layer:")[0]


def test_a_line_of_another_file_that_writes_what_is_set_stands_in_an_earlier_layer(tmp_path):
    (tmp_path / "shared.seme").write_text(SHARED)
    (tmp_path / "adds.seme").write_text('use "shared.seme"\nlayer:\n  feedforward:\n    a: 1\n')
    main = 'use "shared.seme"\nuse "adds.seme"\nlayer:\n  feedforward:\n    set a: {}\n'
    for value, x, y in ("2", 2, 2), ("b when a > 6", 4, 2), ("2 when a > 6 & b < 9", 4, 2):
        (tmp_path / "main.seme").write_text(main.format(value))
        program = progtf.load(tmp_path / "main.seme")
        assert progtf.interpret(program).run("x y") == f"x: +{x}a +5b +small | y: +{y}a +2b +big"
        reference = Reference(
            flat_program(main.format(value), "main", tmp_path), interface_of(program)
        )
        assert reference.ask("x y")[0].text == progtf.interpret(program).run("x y")


def test_files_that_set_one_seme_in_one_block_are_refused_where_both_may_hold(tmp_path):
    (tmp_path / "shared.seme").write_text(SHARED)
    (tmp_path / "sets.seme").write_text(
        'use "shared.seme"\nlayer:\n  feedforward:\n    set a: 1 when big\n'
    )
    main = 'use "shared.seme"\nuse "sets.seme"\nlayer:\n  feedforward:\n    set a: 2 when {}\n'
    for condition, codes in ("small", ["set-twice"]), ("!big", []):
        _, found = analyse(main.format(condition), "main.seme", tmp_path)
        assert [each.code for each in found if each.severity == "error"] == codes


def test_a_group_that_is_set_beside_another_mistake_is_told_and_no_traceback():
    text = TEXT.replace("+5b", "+5c").format("set a, b: 1 when nothing")
    program, found = analyse(text, "main.seme", Path())
    assert program is None
    assert {each.code for each in found} >= {"unknown-seme"}


def test_a_seme_called_set_is_written_as_any_other():
    text = TEXT.replace("small", "set").format("set: big\n    set b: 1 when set")
    assert progtf.interpret(progtf.parse_program(text)).run("x y") == (
        "x: +3a +b +set | y: +7a +2b +big +set"
    )
