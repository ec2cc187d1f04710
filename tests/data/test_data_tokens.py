import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.data import CHARACTERS, LOWERED, PAPER, SPECIALS

texts = st.text(st.sampled_from(CHARACTERS))


def test_the_paper_has_69_characters_in_ascii_order():
    assert len(set(CHARACTERS)) == 69
    assert list(CHARACTERS) == sorted(CHARACTERS)


def test_symbols_are_specials_then_characters():
    assert PAPER.symbols[:4] == SPECIALS == ("<unk>", "<pad>", "<sos>", "<eos>")
    assert PAPER.symbols[4:] == tuple(CHARACTERS)
    assert len(PAPER) == len(PAPER.symbols) == 73
    assert len(LOWERED) == len(LOWERED.symbols) == 58


def test_the_order_never_changes():
    assert PAPER.encode(" !Aaz}").tolist() == [4, 5, 30, 45, 70, 72]
    assert LOWERED.encode(" !Aaz}").tolist() == [4, 5, 30, 30, 55, 57]


@given(texts)
def test_what_is_encoded_is_decoded(text):
    assert PAPER.decode(PAPER.encode(text)) == text


@given(texts)
def test_the_lowered_vocabulary_forgets_case_alone(text):
    assert LOWERED.decode(LOWERED.encode(text)) == text.lower()


@given(st.text())
def test_the_lowered_vocabulary_takes_every_text(text):
    assert len(LOWERED.encode(text)) == len(text)


@pytest.mark.parametrize("character", ["é", "€", "B", "\n", "\x00", "😀", "_"])
def test_another_character_is_an_error_that_names_it(character):
    with pytest.raises(ValueError, match=f"character 3 of .*{re.escape(repr(character))}"):
        PAPER.encode("ab" + character)
    lowered = "b" if character == "B" else ""
    assert LOWERED.encode(character).tolist() == (LOWERED.encode(lowered).tolist() or [0])


def test_decoding_stops_at_the_end_and_marks_the_unknown():
    assert PAPER.decode(np.array([2, 45, 0, 1, 46, 3, 47])) == "a□b"
