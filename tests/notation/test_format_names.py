"""Formatting keeps the difference between a seme and the name of a vector or matrix."""

from progtf.notation.format import format_text


def test_the_name_of_a_matrix_gets_no_sign() -> None:
    text = "mat1: pig>pig\n\ndense:\n  weights: mat1\n  bias: -vec1\n"
    assert format_text(text) == text


def test_a_seme_gets_its_sign() -> None:
    assert format_text("layer:\n  head:\n    query: asked\n") == (
        "layer:\n  head:\n    query: +asked\n"
    )


def test_an_offset_with_a_name_keeps_its_braces() -> None:
    text = "layer:\n  for i in 1..2:\n    head:\n      at: +{i}\n      value: a>b\n"
    assert format_text(text) == text
