"""Lines, their depth, their comments."""

import pytest

from progtf.building.load import analyse
from progtf.notation.diagnostics import Source
from progtf.notation.outline import outline, strip_comment


@pytest.mark.parametrize(
    ("line", "content", "comment"),
    [
        ("  dog: +noun  # a comment  ", "dog: +noun", "# a comment"),
        ('"#": +hash # sign', '"#": +hash', "# sign"),
        ("'#': +hash", "'#': +hash", ""),
        ("don't # this", "don't", "# this"),
        ('"a \\" # b": +x', '"a \\" # b": +x', ""),
        ('"open # not closed', '"open', "# not closed"),
        ("#", "", "#"),
        ("", "", ""),
    ],
)
def test_a_comment_begins_at_a_hash_outside_of_quotes(line, content, comment):
    assert strip_comment(line) == (content, comment)


def test_quotes_that_never_close_may_be_many():
    text = '"\\' * 50_000
    assert strip_comment(text + "#") == (text, "#")
    assert strip_comment("' \"" * 50_000)[1] == ""


def shape(lines):
    return [(line.content, shape(line.children)) for line in lines]


def test_indentation_makes_a_forest():
    lines, found = outline(Source("t", "a:\n  b:\n    c\n  d\n\n# x\ne\n"))
    assert not found
    assert shape(lines) == [("a:", [("b:", [("c", [])]), ("d", [])]), ("e", [])]


@pytest.mark.parametrize("text", ["a:\n    b\n  c\n", " a\n", "a:\n  b\n   \n c\n"])
def test_a_line_between_two_columns_belongs_to_no_block(text):
    _, found = outline(Source("t", text))
    assert [d.code for d in found] == ["indentation"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_end_of_line_and_a_mark_before_the_first_will_do(end, mark):
    text = mark + "semes: a b\nlexicon:\n  x: +a # yes\n  y: +b\n".replace("\n", end)
    program, found = analyse(text, "t", None)
    assert not found
    assert dict(program.lexicon) == {"x": {"a": 1.0}, "y": {"b": 1.0}}


def test_the_first_tab_is_the_only_one_reported():
    _, found = outline(Source("t", "a:\n\tb\n\tc\n  d\n"))
    assert [(d.code, d.span.line) for d in found] == [("tab", 2)]
