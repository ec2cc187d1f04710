"""Programs as bytes: what comes back is the same, and foreign bytes do nothing."""

import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import progtf
from progtf.notation.sought import Sought
from progtf.program.packed import PackedError, packed, unpacked
from tests.programs import LARGE, PROGRAMS, loaded

SMALL = "semes: a b\nlexicon:\n  x: +a\n  y: {1/3}b\nlayer:\n  feedforward:\n    b: a\n"


@pytest.mark.parametrize(
    "path", [p for p in PROGRAMS if p not in LARGE], ids=lambda p: Path(p).stem
)
def test_a_program_comes_back_as_it_was(path):
    program = loaded(path)
    again = unpacked(packed(program))
    assert again == replace(program, sought=Sought())
    for example in program.examples[:2]:
        asked = [example.input]
        said, due = (progtf.interpret(each).try_answers(asked) for each in (again, program))
        assert [str(each) for each in said] == [str(each) for each in due]


def test_a_number_comes_back_as_its_fraction():
    program = progtf.parse_program(SMALL)
    assert (
        unpacked(packed(program)).lexicon["y"]["b"].fraction == program.lexicon["y"]["b"].fraction
    )


def test_what_comes_back_cannot_be_changed():
    again = unpacked(packed(progtf.parse_program(SMALL)))
    with pytest.raises(TypeError, match="frozen"):
        again.lexicon["z"] = {}
    with pytest.raises(AttributeError):
        again.encoder[0].name = "other"


class Harm:
    """What runs a command where it is read by pickle alone."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def test_bytes_that_would_run_something_are_refused(tmp_path):
    harm = pickle.dumps(Harm(tmp_path / "here"))
    with pytest.raises(PackedError, match="mkdir is no part of a program"):
        unpacked(harm)
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("data", [b"", b"nothing", pickle.dumps(1), pickle.dumps({"a": 1})])
def test_bytes_that_are_no_program_are_refused(data):
    with pytest.raises(PackedError):
        unpacked(data)


WHOLE = packed(progtf.parse_program(SMALL))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_bytes_that_were_spoilt_are_a_program_or_refused(place, byte):
    spoilt = bytearray(WHOLE)
    spoilt[place] = byte
    try:
        found = unpacked(bytes(spoilt))
    except PackedError:
        return
    assert isinstance(found, type(unpacked(WHOLE)))
