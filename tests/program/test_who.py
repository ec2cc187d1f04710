"""Who answers for a program: the interpreter, but where only a network computes what is written."""

from pathlib import Path

import pytest

import progtf
from progtf.program.who import network_alone, told, who_answers
from tests.programs import LARGE, PROGRAMS, loaded

SMALL = "semes: a b\nlexicon:\n  x: +a\n"
HEAD = SMALL + "layer:\n  head look:\n    where: a\n    value: a>b\n"
CELL = "model:\n  kind: rnn\n" + SMALL + "cell:\n  recurrent: a>a\n  activation: "


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SMALL, None),
        (HEAD, None),
        (HEAD + "    sharpness: 4096\n", None),
        (HEAD + "    sharpness: 2\n", "head `look` in line 5 of p.seme attends softly"),
        ("model:\n  sharpness: 2\n" + HEAD, "attends softly: `sharpness: 2`, where 64 would"),
        ("model:\n  norm: round\n" + SMALL, None),
        ("model:\n  norm: layer\n" + SMALL, "`norm: layer` is computed in float64 alone"),
        (CELL + "relu\n", None),
        (CELL + "clip\n", None),
        (CELL + "tanh\n", "`activation: tanh` is computed in float64 alone"),
        (SMALL + "learn:\n  semes: 2\n", "something in it is left to training"),
        (SMALL.replace("+a", "~a"), "something in it is left to training"),
    ],
)
def test_the_network_answers_for_what_has_no_exact_meaning(text, why):
    program = progtf.parse_program(text, "folder/p.seme")
    assert who_answers(program) == ("interpreter" if why is None else "network")
    assert (network_alone(program) is None) == (why is None)
    assert why is None or why in told(program)


def test_the_sharpness_that_would_be_computed_is_hard():
    for sharpness, soft in (("32", True), ("64", False)):
        program = progtf.parse_program(f"{HEAD}    sharpness: {sharpness}\n")
        assert program.encoder[0].heads[0].hard == 64
        assert (network_alone(program) is not None) == soft


@pytest.mark.parametrize(
    "path", [p for p in PROGRAMS if p not in LARGE], ids=lambda p: Path(p).stem
)
def test_written_examples_are_the_interpreters_and_those_that_learn_the_networks(path):
    due = "network" if "hybrid" in Path(path).parts else "interpreter"
    assert who_answers(loaded(path)) == due
