"""The arrays of a program are found once and live no longer than it."""

import gc
from dataclasses import replace
from weakref import ref

import pytest

import progtf
from progtf.program.model import Layer
from progtf.running.interpret import Interpreter, answer
from progtf.running.prepared import prepared
from progtf.running.sight import Sight
from tests.programs import ROOT

EVERY = ("euclid.seme", "larger_of_two.seme", "language/translation.seme", "math/place_value.seme")


@pytest.fixture(params=EVERY)
def program(request):
    return progtf.load(ROOT / "examples" / request.param)


def test_they_are_found_once_whoever_asks(program, monkeypatch):
    text, made = program.examples[0].input, []
    plain = Sight.of
    monkeypatch.setattr(
        Sight, "of", lambda head, *around: made.append(id(head)) or plain(head, *around)
    )
    first = answer(program, text).text
    asked = len(made)
    assert [answer(program, text).text for _ in range(2)] == [first, first]
    assert Interpreter(program).answers([text])[0].text == first
    assert len(made) == asked == len(set(made))


def test_a_program_that_differs_has_its_own(program):
    other = replace(program)
    assert prepared(program) is prepared(program)
    assert prepared(other) is not prepared(program)


@pytest.mark.parametrize("name", EVERY)
def test_they_go_with_the_program(name):
    program = progtf.load(ROOT / "examples" / name)
    answer(program, program.examples[0].input)
    mine, found = ref(program), ref(prepared(program))
    assert found() is not None
    del program
    gc.collect()
    assert (mine(), found()) == (None, None)


def test_arrays_of_parts_that_programs_share_go_with_the_program_that_asked():
    program = progtf.load(ROOT / "examples" / "language" / "translation.seme")
    other = replace(program)
    answer(other, other.examples[0].input)
    found = [ref(prepared(other).sight(head)) for head in heads_of(other)]
    assert found
    del other
    gc.collect()
    assert [each() for each in found] == [None] * len(found)
    assert heads_of(program)


def heads_of(program):
    """All heads of a program."""
    layers = [stage for stage in (*program.encoder, *program.decoder) if isinstance(stage, Layer)]
    return [head for layer in layers for head in (*layer.heads, *layer.cross)]
