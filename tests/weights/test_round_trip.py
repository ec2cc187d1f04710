"""Text to weights to text to weights: the same bits."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import progtf
from progtf.building.load import analyse
from progtf.notation.format import format_text
from progtf.notation.grammar import grammar_text
from progtf.program.formats import FormatError
from progtf.weights.changes import changes, shown
from progtf.weights.decompile import decompile
from progtf.weights.formats import FORMATS, LARGEST
from tests.network.programs import built, programs
from tests.programs import ALL, EACH, LARGE, QUICK, loaded, same

SEMES = ["pig", "peregrine", "wombat"]
# Formats differ in how a number is spelled: the small programs and the generated ones show that.
EXAMPLES = [
    pytest.param(
        path, dtype, id=f"{path.stem}-{dtype}",
        marks=[pytest.mark.long] * (dtype != "float32" or path in LARGE and path.stem not in QUICK),
    )
    for (path,) in (case.values for case in EACH)
    for dtype in (FORMATS[1:2] if path in LARGE else FORMATS)
]  # fmt: skip


def fits(program, dtype):
    weights = progtf.lower(program, "float64")
    sizes = [np.abs(each.numbers).max(initial=0) for each in weights.maps.values()]
    return max(sizes) <= LARGEST[dtype]


@pytest.mark.parametrize(("path", "dtype"), EXAMPLES)
def test_decompiling_keeps_every_bit(path, dtype):
    program = loaded(path)
    if not fits(program, dtype):
        with pytest.raises(FormatError, match=dtype):
            progtf.lower(program, dtype)
        return
    model = progtf.lower(program, dtype)
    text = decompile(model)
    again = progtf.lower(progtf.parse_program(text), dtype)
    assert same(model, again)
    assert decompile(again).partition("\n")[2] == text.partition("\n")[2]


@pytest.mark.long
def test_decompiling_keeps_every_bit_of_all_programs_in_one():
    test_decompiling_keeps_every_bit(ALL, "float32")


# Every word that the grammar has: a seme may be called so, or is refused.
WORDS = sorted({*re.findall("[a-z]{2,}[12]?", grammar_text())} - {"as"})
NAMED = """
semes: other f["a"] {declared}
lexicon:
  x: +f["a"] +2{name}
  y: +other
  z: -0.5{name} +f["a"] -other
layer one:
  head h:
    look: before
    value: {name}>other, 2f["a"]>{name}
  feedforward:
    other: 2f["a"] + 3{name} - 2 >= 2{name}
    +2{name} -f["a"] when 2{name} = 2
    -{name} +f["a"] when !(other >= 3{name})
output:
  x: 2f["a"] + 2{name}
  y: 2{name} - f["a"]
"""


@pytest.mark.parametrize("spelled", ["{}", "{}.rest", "x.{}", "{}[1]"])
def test_a_seme_with_a_word_of_the_grammar_in_its_name_reads_back_or_is_refused(spelled):
    for word in WORDS:
        name = spelled.format(word)
        text = NAMED.format(name=name, declared=name.replace("[1]", "[1..3]"))
        program, found = analyse(text, "<text>", Path())
        if program is None:
            assert spelled in ("{}", "{}[1]"), name
            assert {"reserved-name"} & {each.code for each in found}, name
            continue
        weights = progtf.lower(program)
        assert same(weights, progtf.lower(progtf.parse_program(decompile(weights)))), name


@given(programs(), st.sampled_from(FORMATS))
def test_decompiling_keeps_every_bit_of_written_programs(text, dtype):
    model = progtf.lower(built(text), dtype)
    assert same(model, progtf.lower(progtf.parse_program(decompile(model)), dtype))


@given(programs("seq2seq"))
def test_decompiling_keeps_encoder_decoders(text):
    model = progtf.lower(built(text))
    assert same(model, progtf.lower(progtf.parse_program(decompile(model))))


@pytest.mark.parametrize("path", EACH)
def test_formatting_keeps_the_weights_and_is_done_after_once(path):
    once = format_text(path.read_text())
    assert format_text(once) == once
    before = progtf.lower(loaded(path))
    again = progtf.parse_program(once, str(path), path.parent)
    assert same(before, progtf.lower(again))


@given(programs())
def test_formatting_keeps_the_weights_of_written_programs(text):
    program = built(text)
    once = format_text(text)
    assert format_text(once) == once
    assert same(progtf.lower(program), progtf.lower(progtf.parse_program(once)))


def test_formatting_keeps_comments():
    text = "#  first\nsemes:   a b   # of two\n\n\n\nlexicon:\n    # before\n    x:  +a   -2 b#c\n"
    expected = (
        "#  first\nsemes: a b         # of two\n\nlexicon:\n  # before\n  x: +a -2b          #c\n"
    )
    assert "".join(format_text(text).split()) == "".join(
        text.replace("a   -2 b", "+a -2b").replace("++", "+").split()
    )
    assert [line.partition("#")[2] for line in format_text(text).splitlines()] == [
        line.partition("#")[2] for line in expected.splitlines()
    ]


@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.float16]),
        3,
        elements={"allow_nan": False, "allow_infinity": False},
    )
)
def test_vectors_as_text_read_back_to_the_same_bits(array):
    text = progtf.to_text(array, SEMES)
    assert progtf.vector(text, SEMES).astype(array.dtype).tobytes() == array.tobytes()


@given(arrays.arrays(np.float64, (3, 3), elements={"allow_nan": False, "allow_infinity": False}))
def test_matrices_as_text_read_back_to_the_same_bits(array):
    text = progtf.to_text(array, SEMES)
    assert progtf.matrix(text, SEMES).tobytes() == array.tobytes()


def test_a_change_is_shown_in_notation_largest_first():
    head = "layer l:\n  head h:\n    query: +f\n    key: 2a>f\n    value: a>b\n"
    text = "semes: a b\nlexicon:\n  x: +a\n" + head
    one = progtf.lower(progtf.parse_program(text))
    other = progtf.lower(
        progtf.parse_program(text.replace("2a>f", "2.5a>f").replace("+a\n", "+3a\n"))
    )
    assert [shown(change) for change in changes(one, other)] == [
        "lexicon / vector: x>a -> 3x>a",
        "encoder / 1 l / head h / key: 2a>f -> 2.5a>f",
    ]
    assert changes(one, one) == []


def test_models_are_compared_and_written_out_in_python():
    text = "semes: a b\nlexicon:\n  x: +a\nlayer:\n  head:\n    look: before\n    value: a>b\n"
    one = progtf.compile(progtf.parse_program(text))
    other = progtf.compile(progtf.parse_program(text.replace("+a", "+2a").replace("a b", "a b c")))
    assert progtf.diff(one, progtf.compile(progtf.parse_program(progtf.decompile(one)))) == []
    assert progtf.diff(one, other) == ["semes: 2 -> 3; new: c", "lexicon / vector: x>a -> 2x>a"]


EMPTY = """
semes: a b c
lexicon:
  x: +a
layer one:
  head h:
    look: self
    value: a>b
layer two:
  feedforward:
    bias2: 0
layer three:
  feedforward:
    c: b
"""


def test_a_layer_that_comes_to_nothing_keeps_its_place():
    weights = progtf.lower(progtf.parse_program(EMPTY))
    assert same(weights, progtf.lower(progtf.parse_program(decompile(weights))))
