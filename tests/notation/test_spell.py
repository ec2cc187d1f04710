"""Numbers as text read back to the same bits."""

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Source
from progtf.notation.expand import expand
from progtf.notation.files import Files
from progtf.notation.parser import parse_all

names = st.from_regex(r"\A[a-zäß_][a-z0-9_ß]{0,5}(\.[a-z]{1,3}){0,2}\Z")
floats = st.floats(allow_nan=False, allow_infinity=False)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def read(text: str) -> tuple[f.Entry, ...]:
    file, found = parse_all(Source("t", f"value: {text}"))
    flat, more = expand(file, Files())
    assert not found
    assert not more
    (statement,) = flat.statements
    assert isinstance(statement, f.NamedValue)
    return statement.value


@given(floats)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(2.0**53 + 2)
@example(1e22)
@example(1e-7)
@example(0.1)
def test_a_number_reads_back_to_its_bits(value):
    assert bits(float(spell.number(value))) == bits(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_the_notation_lacks_is_refused(value):
    with pytest.raises(ValueError, match="cannot be written"):
        spell.number(value)


@given(st.dictionaries(names, floats, min_size=1, max_size=4))
def test_a_vector_reads_back_to_its_bits(vector):
    entries = read(spell.vector(vector.items()))
    assert [e.terms[0].name for e in entries] == list(vector)
    assert [bits(e.terms[0].coefficient) for e in entries] == [bits(v) for v in vector.values()]


@given(st.lists(st.tuples(names, names, floats), min_size=1, max_size=4))
def test_a_matrix_reads_back_to_its_bits(matrix):
    entries = read(spell.matrix(matrix))
    assert [(e.terms[0].name, e.terms[1].name) for e in entries] == [(a, b) for a, b, _ in matrix]
    products = [e.terms[0].coefficient * e.terms[1].coefficient for e in entries]
    assert [bits(p) for p in products] == [bits(value) for _, _, value in matrix]


@given(st.text(max_size=8))
def test_a_quoted_token_reads_back(text):
    line = f"lexicon:\n  {spell.quoted(text)}: +a"
    if "\n" in text or "{" in text:
        return
    file, found = parse_all(Source("t", line))
    assert not found
    assert file.statements[0].children[0].token == text


@pytest.mark.parametrize(
    ("token", "spelled"),
    [
        ("dog", "dog"),
        ("it's", "it's"),
        ("<bos>", "<bos>"),
        (":", '":"'),
        ("two words", '"two words"'),
        ("unknown", '"unknown"'),
        ("7", '"7"'),
        ('"', '"\\""'),
    ],
)
def test_a_token_is_bare_where_that_reads_back(token, spelled):
    assert spell.token(token) == spelled
    file, found = parse_all(Source("t", f"lexicon:\n  {spelled}: +a"))
    assert not found
    assert file.statements[0].children[0].token == token


@pytest.mark.parametrize(
    ("coefficients", "constant", "text"),
    [
        ({}, 0.0, "0"),
        ({"a": 1.0}, 0.0, "a"),
        ({"a": -1.0, "b": 2.5}, -4.0, "-a + 2.5b - 4"),
        ({"a": 1e300}, 0.0, "1e+300 a"),
    ],
)
def test_a_form_as_rules_have_it(coefficients, constant, text):
    assert spell.form(coefficients, constant) == text
