"""What is certified is answered as it is meant, or a text breaks an assumption that is named."""

from functools import cache

import pytest

import progtf
from progtf import InputError
from progtf.building.load import parse_program
from progtf.exact import check
from progtf.exact.kept import broken
from progtf.running.interpret import Interpreter
from tests.exact.meant import cases

CASES = {name: rest for name, *rest in cases()}


@cache
def checked(name):
    text, dtype, _ = CASES[name]
    program = parse_program(text)
    return program, check(program, dtype)


def said(answering, text):
    """What is answered, or that there is no answer."""
    try:
        return answering.run(text)
    except InputError as error:
        return type(error).__name__


@pytest.mark.parametrize("name", CASES)
def test_a_network_that_is_certified_says_what_is_meant_or_an_assumption_is_broken(name):
    _, dtype, texts = CASES[name]
    program, report = checked(name)
    if not report.exact:
        return
    meant, network = Interpreter(program), progtf.compile(program, dtype)
    for text in texts:
        due = said(meant, text)
        if due == "InputError" or said(network, text) == due:
            continue
        found = broken(meant, meant.read([text])[0], report.held)
        assert found, text
        assert found.keys() <= report.taken.keys()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clip_two_writers", "`f` stays in 0..1"),
        ("distance_mean", "head `d` finds one token"),
        ("negative_gate", "`x` stays in 0..5"),
        ("range_without_zero", "`val` stays in 5..9"),
        ("spelled_twice", "`loud` stays in 0..1"),
        ("tiny_range", "`t` stays in 0..1e-08"),
    ],
)
def test_the_outcome_of_an_answer_names_the_assumption_that_its_text_breaks(name, words):
    _, dtype, (text,) = CASES[name]
    program, report = checked(name)
    assert report.exact
    network = progtf.compile(program, dtype)
    assert network.outcome.exact
    (answer,) = network.answers([text])
    assert answer.outcome.verdict == "broken promise"
    assert any(words in problem for problem in answer.outcome.problems)
    with pytest.raises(progtf.NotExactError, match="it is assumed that"):
        network.run(text, strict=True)


def test_a_text_that_keeps_what_is_assumed_has_the_outcome_of_its_network():
    program, _ = checked("tiny_range")
    network = progtf.compile(program, "float32")
    (answer,) = network.answers(["m"])
    assert answer.outcome.verdict in ("exact", "broken promise")
    program = progtf.load("examples/attention/polite_requests.seme")
    network = progtf.compile(program, "float32")
    kept, tied = network.answers(["may I go", "may I please"])
    assert kept.outcome == network.outcome
    assert tied.outcome.verdict == "broken promise"


def test_a_program_without_semes_is_checked():
    assert check(parse_program("model:\n  kind: dense\n")).exact
