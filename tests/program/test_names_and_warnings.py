"""Small things that a writer of programs stumbled over."""

from pathlib import Path

from progtf.notation.diagnostics import Diagnostic
from progtf.program.load import analyse
from progtf.program.model import Layer, Program


def checked(text: str, folder: Path | None = None) -> tuple[Program, tuple[Diagnostic, ...]]:
    """A program that must load, with its warnings."""
    program, found = analyse(text, "<test>", folder)
    assert program is not None, [d.headline for d in found]
    return program, found


def test_a_head_may_be_called_like_a_family() -> None:
    program, found = checked(
        """
semes: right[0..9] word
lexicon:
  word: +word
layer right:
  head right:
    value: word>right[3]
"""
    )
    (layer,) = program.encoder
    assert isinstance(layer, Layer)
    assert (layer.name, [head.name for head in layer.heads], found) == ("right", ["right"], ())


def test_a_phrase_of_three_words_has_one_writer() -> None:
    program, found = checked(
        """
semes: a b c whole
lexicon:
  a: +a
  b: +b
  c: +c
layer:
  phrase "a b c" > whole
"""
    )
    assert 'phrase["a b c"]' in program.space.index
    assert found == ()


def test_two_heads_that_write_the_same_seme_are_still_noticed() -> None:
    _, found = checked(
        """
semes: a b
lexicon:
  a: +a
layer:
  head one:
    value: a>b
  head two:
    value: a>b
"""
    )
    assert [d.code for d in found] == ["two-writers"]
