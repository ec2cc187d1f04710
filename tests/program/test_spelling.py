"""How texts are cut into tokens, and what spelling gives."""

import subprocess
import sys

import numpy as np
import pytest

from progtf import compile as compiled
from progtf.building.load import parse_program
from progtf.program.cutting import Cutter
from progtf.program.spelling import MarkTest, Spelling
from progtf.running.interpret import answer
from progtf.running.walk import residuals

LEXICON = frozenset(["dog", "Dog", "cat", "look at", "look at me", "U.S.", ":)"])


def cut(text: str, **how: object) -> list[str]:
    return [str(token) for token in Cutter(Spelling(**how), LEXICON).tokens(text)]


def test_endings_are_tokens_of_their_own_unless_the_word_is_known():
    assert cut("dog's cat. U.S.", separate=("'s", ".")) == ["dog", "'s", "cat", ".", "U.S."]


def test_an_ending_alone_is_a_word():
    assert cut("dog .", separate=(".",)) == ["dog", "."]


def test_punctuation_stays_where_too_little_would_be_left():
    assert cut('"dog!" (ok) :)', leaving=3) == ["dog", "(ok)", ":)"]
    assert cut('"dog!" (ok)', leaving=1) == ["dog", "ok"]


def test_folding_prefers_what_is_written():
    assert cut("Dog DOG CAT bird", case="fold") == ["Dog", "dog", "cat", "bird"]
    assert cut("Dog DOG", case="lower") == ["dog", "dog"]


def test_the_longest_phrase_is_joined():
    assert cut("Look at me look at cat look", case="fold", join=True) == [
        "look at me",
        "look at",
        "cat",
        "look",
    ]


@pytest.mark.parametrize(
    ("test", "text", "word", "value"),
    [
        ("capitals", "", "DOG!", 1),
        ("capitals", "", "Dog", 0),
        ("contains", "n't", "DON'T", 1),
        ("count", "!", "dog!!!", 3),
        ("count", "!", "!" * 40, 15),
    ],
)
def test_marks_are_of_the_word_as_written(test, text, word, value):
    assert MarkTest(test, text).of(word) == value


@pytest.mark.parametrize("text", ["N'T", "n't"])
def test_a_mark_finds_letters_in_any_case(text):
    assert [MarkTest("contains", text).of(word) for word in ("ISN'T", "isn't", "is")] == [1, 1, 0]
    assert [MarkTest("count", text).of(word) for word in ("N'TN't", "n't", "is")] == [2, 1, 0]


PROGRAM = """
spelling:
  trim: punctuation
  case: fold
  capitals > 2loud
  count "!" > bangs
  contains "g" > loud
semes: noun loud: 0..4 bangs: 0..99
lexicon:
  dog cat: +noun
  unknown: +loud
"""


@pytest.mark.parametrize("text", ["dog", "DOG!!", "bird! cat", "GOAT!! dog?! CAT"])
def test_network_and_interpreter_give_marks_alike(text):
    program = parse_program(PROGRAM)
    model = compiled(program, "float64")
    said, meant = model.answers([text, "cat"])[0], answer(program, text)
    assert said.text == meant.text
    assert np.allclose(said.residual, meant.residual)


def test_marks_add_to_the_vector_of_the_token():
    program = parse_program(PROGRAM)
    tokens = Cutter(program.spelling, frozenset(program.lexicon)).tokens("GOAT!!")
    assert residuals(program, tokens)[0].tolist() == [0, 4, 2]


def test_the_package_can_be_entered_by_any_door():
    """Modules that import each other would only load in one order."""
    for module in ("progtf.program.model", "progtf.program.spelling", "progtf.building.maps"):
        done = subprocess.run([sys.executable, "-c", f"import {module}"], check=False, timeout=600)
        assert done.returncode == 0, module
